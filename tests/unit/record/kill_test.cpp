// A run killed at any time leaves a file that opens and whose rows are correct.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <random>
#include <set>
#include <thread>

#include "sample_run.h"

namespace {

/// A system call of the writer: bytes written at an address or, if empty, a new file length.
struct Call {
  off_t address;
  std::string bytes;
};
std::vector<Call>* g_calls = nullptr;

}  // namespace

// Replace the functions of the C library in the whole test program.
extern "C" ssize_t pwrite(int file, const void* bytes, std::size_t size, off_t address) {
  if (g_calls != nullptr) g_calls->push_back({address, std::string(static_cast<const char*>(bytes), size)});
  return ::syscall(SYS_pwrite64, file, bytes, size, address);
}
extern "C" int ftruncate(int file, off_t size) noexcept {
  if (g_calls != nullptr) g_calls->push_back({size, ""});
  return static_cast<int>(::syscall(SYS_ftruncate, file, size));
}

namespace pawl::internal {
namespace {

using test::Folder;

/// A file to which the calls of a writer are applied one by one.
class Replay {
 public:
  explicit Replay(const std::string& path) : file_(::open(path.c_str(), O_RDWR | O_CREAT, 0666)) {}
  ~Replay() { ::close(file_); }
  void repeat(const Call& call, std::size_t bytes) {
    const auto written = ::pwrite(file_, call.bytes.data(), bytes, call.address);
    ASSERT_EQ(written, static_cast<ssize_t>(bytes));
    if (call.bytes.empty()) {
      ASSERT_EQ(::ftruncate(file_, call.address), 0);
    }
  }

 private:
  int file_;
};

/// PAWL_KILLS=n requests a campaign: n kills, and a check after every system call.
int requested_kills() {
  const char* wanted = std::getenv("PAWL_KILLS");
  return wanted == nullptr ? 0 : std::atoi(wanted);
}

/// The system calls caused by one row.
struct CallRange {
  std::size_t first, last;
};

/// Replays the calls and reads the file after each call in `spans`. Also reads it at each page boundary
/// within a call, where a kill can cut a write short. Returns the number of reads.
int read_after_each(const std::vector<Call>& calls, const std::vector<CallRange>& spans,
                    const std::string& path) {
  Replay replay(path);
  std::size_t rows = 0;
  int reads = 0;
  const auto check_file = [&](std::size_t index) {
    SCOPED_TRACE("after system call " + std::to_string(index));
    ++reads;
    Trajectory run;
    ASSERT_NO_THROW(run = read_trajectory(path));
    EXPECT_GE(run.time.size(), rows);  // rows never disappear
    rows = run.time.size();
    sample::expect_rows(run);
  };
  std::size_t done = 0;
  for (const CallRange& span : spans) {
    for (; done < span.first; ++done) replay.repeat(calls[done], calls[done].bytes.size());
    for (; done < span.last && !testing::Test::HasFailure(); ++done) {
      const Call& call = calls[done];
      constexpr off_t kPage = 4096;
      const auto end = call.address + static_cast<off_t>(call.bytes.size());
      for (off_t cut = (call.address / kPage + 1) * kPage; cut < end; cut += kPage) {
        replay.repeat(call, static_cast<std::size_t>(cut - call.address));
        check_file(done);
      }
      replay.repeat(call, call.bytes.size());
      check_file(done);
    }
  }
  return reads;
}

TEST(KilledRun, IsReadableAfterEverySystemCall) {
  const Folder dir;
  std::vector<Call> calls;
  std::vector<CallRange> spans;
  std::set<off_t> nodes;  // addresses of the chunk index nodes
  // Small chunks, so that the indices exceed one node (64 chunks) and also split a node below the root (120).
  const TrajectoryTuning tuning{.chunk_rows = 2, .flush_seconds = 1e9};
  g_calls = &calls;
  {
    TrajectoryWriter writer(dir / "run.h5", sample::info(), tuning);
    std::size_t before = calls.size();  // from here on the .part file exists
    for (std::size_t row = 0; row < 250; ++row) {
      sample::append(writer, row);
      bool grows = false;
      for (std::size_t i = before; i < calls.size(); ++i) {
        if (calls[i].bytes.starts_with("TREE")) grows |= nodes.insert(calls[i].address).second;
      }
      // The first rows create one index each; new nodes after that are splits.
      if (grows || requested_kills() > 0) spans.push_back({before, calls.size()});
      before = calls.size();
    }
    writer.finish(true);
    spans.push_back({before, calls.size()});
  }
  g_calls = nullptr;
  EXPECT_GE(nodes.size(), 3 * 40u) << "no index was split";
  const int reads = read_after_each(calls, spans, dir / "replay.h5");
  RecordProperty("reads", reads);
  EXPECT_TRUE(read_trajectory(dir / "replay.h5").finished);
}

TEST(KilledRun, HoldsAllButTheLastChunkWheneverItIsKilled) {
  const Folder dir;
  const std::string path = dir / "run.h5";
  const int kills = std::max(40, requested_kills());
  std::mt19937 random(7);
  std::uniform_int_distribution<int> microseconds(0, 30000);
  constexpr std::uint32_t kChunkRows = 32;
  std::size_t max_rows = 0;
  int killed_before_create = 0;
  for (int kill = 0; kill < kills && !HasFailure(); ++kill) {
    SCOPED_TRACE(kill);
    std::filesystem::remove(path + ".part");
    int row_pipe[2];
    ASSERT_EQ(::pipe(row_pipe), 0);
    const pid_t child = ::fork();
    if (child == 0) {
      TrajectoryWriter writer(path, sample::info(), {.chunk_rows = kChunkRows, .flush_seconds = 1e9});
      for (std::uint64_t row = 0;; ++row) {
        sample::append(writer, row);
        if (::write(row_pipe[1], &row, sizeof row) < 0) ::_exit(1);
      }
    }
    ::close(row_pipe[1]);
    // Drain the pipe while the child runs; a full pipe would block the child.
    std::atomic<std::uint64_t> appended = 0;
    std::thread listener([&] {
      std::uint64_t row = 0;
      while (::read(row_pipe[0], &row, sizeof row) == static_cast<ssize_t>(sizeof row)) appended = row + 1;
    });
    // One in four kills may come before the file exists; on slow machines all would.
    while (kill % 4 != 0 && appended <= kChunkRows) std::this_thread::yield();
    std::this_thread::sleep_for(std::chrono::microseconds(microseconds(random)));
    ::kill(child, SIGKILL);
    int status = 0;
    ::waitpid(child, &status, 0);
    listener.join();
    ::close(row_pipe[0]);
    ASSERT_TRUE(WIFSIGNALED(status));

    if (!std::filesystem::exists(path + ".part")) {
      EXPECT_EQ(appended, 0u);
      ++killed_before_create;
      continue;
    }
    Trajectory run;
    ASSERT_NO_THROW(run = read_trajectory(path + ".part"));
    EXPECT_FALSE(run.finished);
    EXPECT_GE(run.time.size(), appended / kChunkRows * kChunkRows);
    sample::expect_rows(run);
    max_rows = std::max(max_rows, run.time.size());
  }
  EXPECT_FALSE(std::filesystem::exists(path));
  EXPECT_GT(max_rows, 0u);
  RecordProperty("killed before the file was there", killed_before_create);
  RecordProperty("rows at most", static_cast<int>(max_rows));
}

}  // namespace
}  // namespace pawl::internal
