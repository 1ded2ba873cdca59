// The program when the system refuses it memory, writes, renames or files. Each run ends with one line on
// stderr and the exit code 2, or as if nothing had happened; the output of an earlier run and the .part file
// stay readable.
//
// A few calls of each kind fail here; PAWL_FAULT_STRIDE=1 requests a campaign in which each of them does.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>

#include <fmt/format.h>

#include <pawl/trajectory.h>

#include "program.h"

namespace pawl::internal {
namespace {

using test::Folder;
using test::Outcome;

const std::string kArguments =
    "run --quiet --until 0.02 -o run.h5 " + test::repository_scene_path("papers/falling_rod.yaml");

/// Runs the program with the library of failing calls.
Outcome run_with(const Folder& folder, const std::string& environment, const std::string& arguments) {
  const std::string command =
      fmt::format("cd '{}' && {} LD_PRELOAD='{}' '{}' {} >.out 2>.err", folder.path().string(), environment,
                  PAWL_FAILING_CALLS, PAWL_PROGRAM, arguments);
  const int status = std::system(command.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), folder.read(".out"),
          folder.read(".err")};
}

/// How often the program makes the call.
long count_calls(const Folder& folder, const std::string& call, const std::string& arguments) {
  EXPECT_EQ(run_with(folder, "PAWL_FAIL_COUNT=.count", arguments).exit_code, 0);
  std::istringstream counts(folder.read(".count"));
  std::string name;
  long count = 0;
  while (counts >> name >> count) {
    if (name == call) return count;
  }
  ADD_FAILURE() << "no count of " << call;
  return 0;
}

long stride(long count, long wanted) {
  const char* requested = std::getenv("PAWL_FAULT_STRIDE");
  const long usual = std::max(count / wanted, 1L);
  return requested == nullptr ? usual : std::clamp(std::atol(requested), 1L, usual);
}

/// Lets the calls fail in turn, each alone or with all that follow. Returns the number of runs.
int fail_in_turn(const std::string& call, const std::string& later, const std::string& arguments,
                 long wanted) {
  const Folder folder;
  EXPECT_EQ(test::pawl(folder, kArguments).exit_code, 0);
  const long count = count_calls(folder, call, arguments);
  int runs = 0;
  for (long k = 1; k <= count && !testing::Test::HasFailure(); k += stride(count, wanted), ++runs) {
    SCOPED_TRACE(fmt::format("{} {}{}", call, k, later));
    const Outcome outcome = run_with(folder, fmt::format("PAWL_FAIL='{} {}{}'", call, k, later), arguments);
    if (outcome.exit_code != 0) {
      EXPECT_EQ(outcome.exit_code, 2);
      EXPECT_TRUE(outcome.err.starts_with("pawl: ")) << outcome.err;
      EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
    } else {
      EXPECT_EQ(outcome.err, "");
    }
    EXPECT_EQ(read_trajectory(folder / "run.h5").time.size(), 9u);
    if (folder.has("run.h5.part")) {
      EXPECT_NO_THROW(read_trajectory(folder / "run.h5.part"));
    }
  }
  testing::Test::RecordProperty("runs", runs);
  return runs;
}

class FailingCalls : public testing::Test {
 protected:
  void SetUp() override {
    if (PAWL_SANITIZED) GTEST_SKIP() << "sanitizers have their own allocator";
  }
};

TEST_F(FailingCalls, OneAllocation) {
  EXPECT_GT(fail_in_turn("malloc", "", kArguments, 60), 50);
}

TEST_F(FailingCalls, AllAllocationsFromOneOn) {
  EXPECT_GT(fail_in_turn("malloc", "+", kArguments, 30), 25);
}

TEST_F(FailingCalls, AllocationsOfAReader) {
  EXPECT_GT(fail_in_turn("malloc", "", "info run.h5", 30), 25);
}

TEST_F(FailingCalls, Writes) {
  EXPECT_GT(fail_in_turn("write", "", kArguments, 20), 15);
  EXPECT_GT(fail_in_turn("write", "+", kArguments, 20), 15);
}

TEST_F(FailingCalls, FlushesRenamesAndOpenedFiles) {
  for (const char* call : {"fsync", "rename", "open"}) {
    for (const char* later : {"", "+"}) EXPECT_GE(fail_in_turn(call, later, kArguments, 100), 1);
  }
}

TEST_F(FailingCalls, AFailedRunDoesNotBlockTheNext) {
  const Folder folder;
  for (const char* fault : {"malloc 9000", "malloc 15000+", "write 100", "rename 1", "rename 2", "fsync 1"}) {
    EXPECT_EQ(run_with(folder, fmt::format("PAWL_FAIL='{}'", fault), kArguments).exit_code, 2) << fault;
    EXPECT_EQ(test::pawl(folder, kArguments).exit_code, 0) << fault;
  }
}

}  // namespace
}  // namespace pawl::internal
