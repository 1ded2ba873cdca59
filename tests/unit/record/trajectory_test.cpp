#include <pawl/trajectory.h>

#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <fstream>
#include <limits>
#include <sstream>
#include <thread>

#include <pawl/error.h>
#include <pawl/record/trajectory_layout.h>
#include <pawl/version.h>

#include "allocation_count.h"
#include "sample_run.h"

namespace pawl::internal {
namespace {

using test::Folder;
using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

TEST(Trajectory, ReadsBackWhatWasWritten) {
  const Folder dir;
  sample::write(dir / "run.h5", 700);
  const Trajectory run = read_trajectory(dir / "run.h5");
  EXPECT_EQ(run.time.size(), 700u);
  EXPECT_TRUE(run.finished);
  EXPECT_EQ(run.format_version, layout::kFormatVersion);
  EXPECT_EQ(run.pawl_version, kVersion);
  const TrajectoryInfo info = sample::info();
  EXPECT_EQ(run.info.q_columns, info.q_columns);
  EXPECT_EQ(run.info.v_columns, info.v_columns);
  EXPECT_EQ(run.info.bodies, info.bodies);
  EXPECT_EQ(run.info.scene_file, info.scene_file);
  EXPECT_EQ(run.info.scene_text, info.scene_text);
  EXPECT_EQ(run.info.overrides, info.overrides);
  EXPECT_EQ(run.info.scene_name, info.scene_name);
  EXPECT_EQ(run.info.method, info.method);
  EXPECT_EQ(run.info.step, info.step);
  EXPECT_EQ(run.info.tolerance, info.tolerance);
  EXPECT_EQ(run.info.planar, info.planar);
  sample::expect_rows(run);
}

TEST(Trajectory, LeavesOnlyTheFinishedFile) {
  const Folder dir;
  sample::write(dir / "run.h5", 10);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(dir.path()), {}), 1);
}

TEST(Trajectory, HoldsRunsWithoutRowsBodiesOrNames) {
  const Folder dir;
  {
    TrajectoryWriter writer(dir / "run.h5", {});
    writer.finish(true);
  }
  EXPECT_TRUE(read_trajectory(dir / "run.h5").time.empty());
  {
    TrajectoryWriter writer(dir / "run.h5", {});  // replaces the first file
    writer.append_state(0, {}, {}, {}, {});
    writer.append_state(1, {}, {}, {}, {});
    writer.finish(true);
  }
  EXPECT_EQ(read_trajectory(dir / "run.h5").time, (std::vector<double>{0, 1}));
}

TEST(Trajectory, HoldsMoreColumnNamesThanAnHdf5HeaderHasRoomFor) {
  const Folder dir;
  TrajectoryInfo info;
  for (int i = 0; i < 20000; ++i) info.q_columns.push_back("body" + std::to_string(i) + ".x");
  info.bodies = info.q_columns;
  info.scene_text = std::string(300000, 'x');
  const std::vector<double> q(info.q_columns.size(), 2.5);
  {
    TrajectoryWriter writer(dir / "run.h5", info);
    writer.append_state(0, q, {}, {}, {});
    writer.finish(true);
  }
  const Trajectory run = read_trajectory(dir / "run.h5");
  EXPECT_EQ(run.info.q_columns, info.q_columns);
  EXPECT_EQ(run.info.bodies, info.bodies);
  EXPECT_EQ(run.info.scene_text, info.scene_text);
  EXPECT_EQ(run.q, q);
}

TEST(Trajectory, StoresNanAndInfinity) {
  const Folder dir;
  TrajectoryInfo info;
  info.q_columns = {"x"};
  {
    TrajectoryWriter writer(dir / "run.h5", info);
    writer.append_state(0, std::vector{std::nan("")}, {}, {}, {});
    writer.append_state(1, std::vector{-std::numeric_limits<double>::infinity()}, {}, {}, {});
    writer.finish(true);
  }
  const Trajectory run = read_trajectory(dir / "run.h5");
  EXPECT_TRUE(std::isnan(run.q[0]));
  EXPECT_EQ(run.q[1], -std::numeric_limits<double>::infinity());
}

TEST(Trajectory, IsTheSameBytesForTheSameRun) {
  const Folder dir;
  const auto bytes = [&](const std::string& name) {
    sample::write(dir / name, 300, {.flush_seconds = 1e9});  // no flushes by time, which would move blocks
    std::ostringstream text;
    text << std::ifstream(dir / name, std::ios::binary).rdbuf();
    return text.str();
  };
  const std::string a = bytes("a.h5"), b = bytes("b.h5");
  ASSERT_EQ(a.size(), b.size());
  const auto differs = std::ranges::mismatch(a, b).in1;
  EXPECT_TRUE(differs == a.end()) << "from byte " << differs - a.begin() << " of " << a.size();
}

TEST(Trajectory, AppendsWithoutAllocatingOnceWarm) {
  const Folder dir;
  TrajectoryWriter writer(dir / "run.h5", sample::info(), {.flush_seconds = 1e9});
  for (std::size_t row = 0; row < 512; ++row) sample::append(writer, row);
  const auto q = sample::q_of(1), v = sample::v_of(1);
  const EnergyLedger energy = sample::energy_of(1);
  const auto contacts = sample::contacts_of(4);
  StepReport step = sample::step_of(1);
  const long before = allocation_count();
  for (std::size_t row = 512; row < 512 + 255; ++row) {  // the next row completes the chunk
    step.time = sample::time_of(row);
    writer.append_step(step);
    writer.append_state(step.time, q, v, energy, contacts);
  }
  EXPECT_EQ(allocation_count() - before, 0);
}

TEST(Trajectory, IsAnUnfinishedPartFileUntilFinished) {
  const Folder dir;
  {
    TrajectoryWriter writer(dir / "run.h5", sample::info());
    for (std::size_t row = 0; row < 300; ++row) sample::append(writer, row);
    const Trajectory so_far = read_trajectory(dir / "run.h5.part");
    EXPECT_FALSE(so_far.finished);
    EXPECT_EQ(so_far.time.size(), 256u);
    sample::expect_rows(so_far);
  }
  EXPECT_FALSE(std::filesystem::exists(dir / "run.h5"));
  const Trajectory run = read_trajectory(dir / "run.h5.part");
  EXPECT_FALSE(run.finished);
  EXPECT_EQ(run.time.size(), 300u);
  sample::expect_rows(run);
}

TEST(Trajectory, OfARunThatWasStoppedIsWholeButUnfinished) {
  const Folder dir;
  {
    TrajectoryWriter writer(dir / "run.h5", sample::info());
    for (std::size_t row = 0; row < 300; ++row) sample::append(writer, row);
    writer.finish(false);
  }
  EXPECT_FALSE(std::filesystem::exists(dir / "run.h5.part"));
  const Trajectory run = read_trajectory(dir / "run.h5");
  EXPECT_FALSE(run.finished);
  EXPECT_EQ(run.time.size(), 300u);
  sample::expect_rows(run);
}

TEST(Trajectory, ReachesTheDiskWhenTimeHasPassed) {
  const Folder dir;
  TrajectoryWriter writer(dir / "run.h5", sample::info(), {.flush_seconds = 0.02});
  sample::append(writer, 0);
  std::this_thread::sleep_for(std::chrono::milliseconds(30));
  sample::append(writer, 1);
  EXPECT_EQ(read_trajectory(dir / "run.h5.part").time.size(), 2u);
}

TEST(Trajectory, AcceptsStepsWithoutState) {
  const Folder dir;
  {
    TrajectoryWriter writer(dir / "run.h5", sample::info());
    sample::append(writer, 0);
    StepReport refused;
    refused.status = Status::refused;
    for (int i = 0; i < 1000; ++i) writer.append_step(refused);
    writer.finish(true);
  }
  EXPECT_EQ(read_trajectory(dir / "run.h5").steps.size(), 1000u);
}

std::string write_error(const std::string& path) {
  try {
    TrajectoryWriter writer(path, sample::info());
    writer.finish(true);
    return "";
  } catch (const Error& error) {
    return error.what();
  }
}

TEST(Trajectory, NamesThePathThatCantBeWritten) {
  const Folder dir;
  std::ofstream(dir / "file") << "text";
  EXPECT_THAT(write_error(dir.path().string()),
              AllOf(StartsWith(dir.path().string()), HasSubstr("is a directory")));
  EXPECT_THAT(write_error(dir / "gone/run.h5"),
              AllOf(StartsWith(dir / "gone/run.h5"), HasSubstr("No such file")));
  EXPECT_THAT(write_error(dir / "file/run.h5"),
              AllOf(StartsWith(dir / "file/run.h5"), HasSubstr("Not a directory")));
  EXPECT_THAT(write_error(""), HasSubstr("needs a file name"));
  std::filesystem::create_directory(dir / "run.h5.part");
  EXPECT_THAT(write_error(dir / "run.h5"), AllOf(HasSubstr(dir / "run.h5.part"), HasSubstr("directory")));
  EXPECT_FALSE(std::filesystem::exists(dir / "run.h5.part.new"));
}

TEST(Trajectory, SaysPermissionDenied) {
  const Folder dir;
  std::filesystem::permissions(dir.path(),
                               std::filesystem::perms::owner_read | std::filesystem::perms::owner_exec);
  const pid_t child = ::fork();
  if (child == 0) {
    if (::geteuid() == 0 && ::setuid(65534) != 0) ::_exit(2);  // root may write anywhere
    ::_exit(write_error(dir / "run.h5").find("Permission denied") != std::string::npos ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  std::filesystem::permissions(dir.path(), std::filesystem::perms::owner_all);
}

TEST(Trajectory, SaysSoWhenItsDirectoryDisappears) {
  const Folder dir;
  std::filesystem::create_directory(dir / "sub");
  TrajectoryWriter writer(dir / "sub/run.h5", sample::info());
  std::filesystem::remove_all(dir / "sub");
  sample::append(writer, 0);
  try {
    writer.finish(true);
    FAIL() << "finished";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr(dir / "sub/run.h5"), HasSubstr("No such file")));
  }
  EXPECT_THROW(sample::append(writer, 1), Error);  // later calls fail too
}

/// kB of memory of this process that no file backs.
long anonymous_memory() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    long kilobytes = 0;
    if (word == "RssAnon:" && status >> kilobytes) return kilobytes;
  }
  return 0;
}

TEST(Trajectory, TakesNoMoreMemoryTheLongerTheRun) {
#ifdef __has_feature
#if __has_feature(address_sanitizer)
  GTEST_SKIP() << "the sanitizer keeps freed memory";
#endif
#endif
  const Folder dir;
  TrajectoryWriter writer(dir / "run.h5", sample::info(), {.chunk_rows = 4, .flush_seconds = 1e9});
  std::size_t row = 0;
  while (row < 3000) sample::append(writer, row++);
  const long before = anonymous_memory();
  while (row < 12000) sample::append(writer, row++);
  EXPECT_LT(anonymous_memory() - before, 1500);
}

TEST(Trajectory, IsDocumentedDatasetByDataset) {
  std::ostringstream text;
  text << std::ifstream(PAWL_SOURCE_DIR "/docs/trajectory-format.md").rdbuf();
  for (const layout::Table* table :
       {&layout::energy_table(), &layout::step_table(), &layout::contact_table()}) {
    for (const layout::Column& column : table->columns) {
      const std::string name = "`/" + std::string(table->group) + "/" + std::string(column.name) + "`";
      EXPECT_THAT(text.str(), HasSubstr(name));
    }
  }
  TrajectoryInfo info;
  layout::for_each_attribute(info, [&](const std::string& name, const auto&) {
    EXPECT_THAT(text.str(), HasSubstr("`" + name + "`"));
  });
}

}  // namespace
}  // namespace pawl::internal
