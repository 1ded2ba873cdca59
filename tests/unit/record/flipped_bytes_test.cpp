// A trajectory with wrong bytes anywhere is read or refused; it never crashes or occupies the reader.

#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <random>

#include <pawl/error.h>

#include "sample_run.h"

namespace pawl::internal {
namespace {

using test::Folder;
using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

/// The bytes of a small trajectory whose chunk indices have three levels.
std::string sample_bytes(const Folder& dir, const TrajectoryInfo& info, std::size_t rows,
                         const TrajectoryTuning& tuning) {
  {
    TrajectoryWriter writer(dir / "run.h5", info, tuning);
    for (std::size_t row = 0; row < rows; ++row) {
      if (row > 0) writer.append_step(sample::step_of(row));
      const std::vector<double> q(info.q_columns.size(), 1), v(info.v_columns.size(), 2);
      writer.append_state(sample::time_of(row), q, v, sample::energy_of(row), sample::contacts_of(row));
    }
    writer.finish(true);
  }
  return dir.read("run.h5");
}

/// Reads many damaged copies in a child that must not crash nor take long. HDF5 1.10 leaks when it refuses a
/// file, and reports that at a normal exit.
void expect_survival(const std::string& bytes,
                     const std::function<void(std::string& bytes, int copy)>& damage, int copies) {
  const Folder dir;
  const pid_t child = ::fork();
  if (child == 0) {
    for (int copy = 0; copy < copies; ++copy) {
      std::string damaged = bytes;
      damage(damaged, copy);
      dir.write("run.h5", damaged);
      ::alarm(10);
      sample::read_error(dir / "run.h5");
    }
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status)) << "signal " << WTERMSIG(status);
}

std::vector<std::size_t> all_positions(const std::string& bytes, std::string_view text) {
  std::vector<std::size_t> found;
  for (std::size_t at = bytes.find(text); at != std::string::npos; at = bytes.find(text, at + 1))
    found.push_back(at);
  return found;
}

const TrajectoryTuning kSmallChunks{.chunk_rows = 1, .flush_seconds = 1e9};

/// So many names that their lists are stored as plain data.
TrajectoryInfo wide_info() {
  TrajectoryInfo info = sample::info();
  for (int i = 0; i < 600; ++i) info.q_columns.push_back("body" + std::to_string(i) + ".x");
  info.bodies = info.q_columns;
  info.scene_text = std::string(10000, 'x');
  return info;
}

TEST(FlippedBytes, InTheStringsAreRefused) {
  const Folder dir;
  const std::string bytes = sample_bytes(dir, sample::info(), 5, kSmallChunks);
  const std::vector<std::size_t> heaps = all_positions(bytes, "GCOL");
  ASSERT_FALSE(heaps.empty());
  // The length of the first entry: past the end of the heap, and such that the walk does not advance.
  for (const int byte : {0xff, 0x01}) {
    std::string damaged = bytes;
    damaged[heaps[0] + 16 + 8 + 3] = static_cast<char>(byte);
    dir.write("run.h5", damaged);
    EXPECT_THAT(sample::read_error(dir / "run.h5"),
                AllOf(StartsWith(dir / "run.h5: "), HasSubstr("are damaged")));
  }
}

TEST(FlippedBytes, InTheStringsNeverCrash) {
  const Folder dir;
  const std::string bytes = sample_bytes(dir, sample::info(), 5, kSmallChunks);
  const std::vector<std::size_t> heaps = all_positions(bytes, "GCOL");
  std::mt19937 random(1);
  expect_survival(
      bytes,
      [&](std::string& damaged, int) {
        const std::size_t heap = heaps[random() % heaps.size()];
        for (auto flips = 1 + random() % 3; flips > 0; --flips)
          damaged[heap + random() % 1024] ^= static_cast<char>(1 << random() % 8);
      },
      800);
}

TEST(FlippedBytes, InChunkIndicesNeverCrashNorHang) {
  const Folder dir;
  const std::string bytes = sample_bytes(dir, sample::info(), 70, kSmallChunks);
  const std::vector<std::size_t> nodes = all_positions(bytes, "TREE");
  ASSERT_GT(nodes.size(), 40u);
  std::mt19937 random(2);
  expect_survival(
      bytes,
      [&](std::string& damaged, int copy) {
        const std::size_t node = nodes[random() % nodes.size()];
        if (copy % 2 == 0) {
          damaged[node + random() % 64] = static_cast<char>(random());
        } else {  // an inner node whose first child is any other, also itself
          const std::uint64_t child = nodes[random() % nodes.size()];
          damaged[node + 5] = 1;
          for (const std::size_t key : {24, 32})
            damaged.replace(node + 24 + key, 8, reinterpret_cast<const char*>(&child), 8);
        }
      },
      300);
}

TEST(FlippedBytes, InLongListsOfNamesNeverCrash) {
  const Folder dir;
  const std::string bytes = sample_bytes(dir, wide_info(), 2, kSmallChunks);
  // Attribute messages of version 3 that are not in a header: their names follow nine bytes.
  std::vector<std::size_t> lists;
  for (const char* name : {"columns", "bodies"}) {
    for (const std::size_t at : all_positions(bytes, name)) {
      if (bytes[at - 9] == 3) lists.push_back(at - 9);
    }
  }
  ASSERT_GE(lists.size(), 3u);
  constexpr int kBeforeReferences = 57;
  std::mt19937 random(3);
  expect_survival(
      bytes,
      [&](std::string& damaged, int copy) {
        // Every bit of the first list's name, type and shape; then any bit of any list.
        if (copy < 8 * kBeforeReferences) {
          damaged[lists[0] + copy / 8] ^= static_cast<char>(1 << copy % 8);
        } else {
          damaged[lists[random() % lists.size()] + random() % 600] ^= static_cast<char>(1 << random() % 8);
        }
      },
      8 * kBeforeReferences + 250);
}

TEST(FlippedBytes, AnywhereNeverCrash) {
  const Folder dir;
  const std::string bytes = sample_bytes(dir, sample::info(), 5, kSmallChunks);
  std::mt19937 random(4);
  expect_survival(
      bytes,
      [&](std::string& damaged, int) {
        for (auto flips = 1 + random() % 4; flips > 0; --flips)
          damaged[random() % damaged.size()] ^= static_cast<char>(1 << random() % 8);
      },
      600);
}

TEST(FlippedBytes, WideRunsAreReadIfWhole) {
  const Folder dir;
  const TrajectoryInfo info = wide_info();
  sample_bytes(dir, info, 2, kSmallChunks);
  const Trajectory run = read_trajectory(dir / "run.h5");
  EXPECT_EQ(run.info.q_columns, info.q_columns);
  EXPECT_EQ(run.info.bodies, info.bodies);
  EXPECT_EQ(run.info.scene_text, info.scene_text);
}

}  // namespace
}  // namespace pawl::internal
