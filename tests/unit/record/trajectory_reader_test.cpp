#include <gmock/gmock.h>
#include <hdf5.h>

#include <random>

#include <pawl/error.h>
#include <pawl/hdf5/hdf5_file.h>

#include "sample_run.h"

namespace pawl::internal {
namespace {

using test::Folder;

TEST(TrajectoryReader, ReadsAnyPieceAsTheWholeHasIt) {
  const Folder dir;
  sample::write(dir / "run.h5", 700, {.chunk_rows = 64});
  const Trajectory whole = read_trajectory(dir / "run.h5");
  const TrajectoryReader reader(dir / "run.h5");
  EXPECT_EQ(reader.time(), whole.time);
  EXPECT_EQ(reader.contact_offset(), whole.contact_offset);
  EXPECT_TRUE(reader.finished());
  std::mt19937 random(1);
  for (int trial = 0; trial < 50 && !HasFailure(); ++trial) {
    const std::size_t first = random() % 701;
    const std::size_t count = random() % (701 - first);
    const StateRows piece = reader.read_states(first, count);
    ASSERT_EQ(piece.time.size(), count);
    ASSERT_EQ(piece.contact_offset.size(), count + 1);
    for (std::size_t i = 0; i < count && !HasFailure(); ++i) {
      EXPECT_EQ(piece.time[i], whole.time[first + i]);
      for (std::size_t k = 0; k < 3; ++k) {
        EXPECT_EQ(piece.q[3 * i + k], whole.q[3 * (first + i) + k]);
        EXPECT_EQ(piece.v[3 * i + k], whole.v[3 * (first + i) + k]);
      }
      sample::expect_equal(piece.energy[i], whole.energy[first + i], first + i);
      const std::uint64_t begin = whole.contact_offset[first + i];
      ASSERT_EQ(piece.contact_offset[i + 1] - piece.contact_offset[i],
                whole.contact_offset[first + i + 1] - begin);
      for (std::uint64_t c = piece.contact_offset[i]; c < piece.contact_offset[i + 1]; ++c) {
        sample::expect_equal(piece.contacts[c], whole.contacts[begin + c - piece.contact_offset[i]], c);
      }
    }
  }
}

TEST(TrajectoryReader, ReadsFilesWithoutStoredAndReturnedEnergy) {
  const Folder dir;
  sample::write(dir / "run.h5", 20);
  const Trajectory now = read_trajectory(dir / "run.h5");
  ASSERT_NE(now.energy[7].stored, 0);
  {
    const h5::Handle file(H5Fopen((dir / "run.h5").c_str(), H5F_ACC_RDWR, H5P_DEFAULT));
    ASSERT_GE(H5Ldelete(file, "energy/stored", H5P_DEFAULT), 0);
    ASSERT_GE(H5Ldelete(file, "energy/returned", H5P_DEFAULT), 0);
  }
  const Trajectory before = read_trajectory(dir / "run.h5");
  ASSERT_EQ(before.energy.size(), now.energy.size());
  for (std::size_t i = 0; i < now.energy.size(); ++i) {
    EnergyLedger expected = now.energy[i];
    expected.stored = expected.returned = 0;
    sample::expect_equal(before.energy[i], expected, i);
  }
}

TEST(TrajectoryReader, ReadsAnyPieceOfTheSteps) {
  const Folder dir;
  sample::write(dir / "run.h5", 300, {.chunk_rows = 64});
  const TrajectoryReader reader(dir / "run.h5");
  ASSERT_EQ(reader.step_time().size(), 299u);
  const std::vector<StepReport> steps = reader.read_steps(100, 70);
  ASSERT_EQ(steps.size(), 70u);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    StepReport expected = sample::step_of(101 + i);
    expected.energy = {};
    sample::expect_equal(steps[i], expected, i);
    EXPECT_EQ(reader.step_time()[100 + i], expected.time);
  }
}

TEST(TrajectoryReader, SeesWhatWasFlushedWhileTheRunGoesOn) {
  const Folder dir;
  TrajectoryWriter writer(dir / "run.h5", sample::info(), {.chunk_rows = 64, .flush_seconds = 1e9});
  sample::append(writer, 0);
  writer.flush();
  EXPECT_EQ(TrajectoryReader(dir / "run.h5.part").time().size(), 1u);
  for (std::size_t row = 1; row < 100; ++row) sample::append(writer, row);
  EXPECT_EQ(TrajectoryReader(dir / "run.h5.part").time().size(), 64u);
  writer.flush();
  sample::expect_rows(read_trajectory(dir / "run.h5.part"));
  EXPECT_EQ(TrajectoryReader(dir / "run.h5.part").time().size(), 100u);
  EXPECT_FALSE(TrajectoryReader(dir / "run.h5.part").finished());
}

}  // namespace
}  // namespace pawl::internal
