// Two runs never write to one file, and what a killed run left behind is in nobody's way.

#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <thread>

#include <pawl/error.h>
#include <pawl/record/ordered_file.h>

#include "sample_run.h"

namespace pawl::internal {
namespace {

using test::Folder;
using testing::HasSubstr;

/// The message with which a second writer is refused, or "".
std::string refusal(const std::string& path) {
  try {
    TrajectoryWriter(path, sample::info());
    return "";
  } catch (const Error& error) {
    return error.what();
  }
}

TEST(TwoWriters, TheSecondIsRefusedAndTheFirstLosesNothing) {
  const Folder dir;
  TrajectoryWriter first(dir / "run.h5", sample::info());
  for (std::size_t row = 0; row < 300; ++row) {
    sample::append(first, row);
    if (row % 100 == 0) {
      EXPECT_EQ(refusal(dir / "run.h5"),
                dir / "run.h5.part" + ": another run is writing it; choose another output");
    }
  }
  first.finish(true);
  const Trajectory run = read_trajectory(dir / "run.h5");
  EXPECT_EQ(run.time.size(), 300u);
  sample::expect_rows(run);
  EXPECT_EQ(refusal(dir / "run.h5"), "");  // the first has ended
  EXPECT_FALSE(dir.has("run.h5.part.new"));
}

TEST(TwoWriters, OfWhichOneIsStillCreatingItsFile) {
  const Folder dir;
  {
    const OrderedFile creating(dir / "run.h5.part.new");
    EXPECT_THAT(refusal(dir / "run.h5"), HasSubstr("another run is writing it"));
  }
  EXPECT_EQ(refusal(dir / "run.h5"), "");
}

TEST(TwoWriters, AKilledRunDoesNotBlockTheNext) {
  const Folder dir;
  const pid_t child = ::fork();
  if (child == 0) {
    TrajectoryWriter writer(dir / "run.h5", sample::info());
    for (std::size_t row = 0; row < 300; ++row) sample::append(writer, row);
    std::ofstream(dir / "run.h5.part.new") << "left behind";
    ::kill(::getpid(), SIGKILL);
  }
  ::waitpid(child, nullptr, 0);
  ASSERT_TRUE(dir.has("run.h5.part") && dir.has("run.h5.part.new"));
  sample::write(dir / "run.h5", 5);
  sample::expect_rows(read_trajectory(dir / "run.h5"));
  EXPECT_FALSE(dir.has("run.h5.part") || dir.has("run.h5.part.new"));
}

TEST(TwoWriters, OfManyAtOnceEachFileIsWhole) {
  const Folder dir;
  std::vector<pid_t> children;
  for (int i = 0; i < 8; ++i) {
    const pid_t child = ::fork();
    if (child == 0) {
      int written = 0;
      for (int time = 0; time < 20; ++time) {
        try {
          sample::write(dir / "run.h5", 20);
          ++written;
        } catch (const Error& error) {
          if (std::string(error.what()).find("another run") == std::string::npos) ::_exit(101);
        }
      }
      ::_exit(written);
    }
    children.push_back(child);
  }
  int written = 0;
  for (const pid_t child : children) {
    int status = 0;
    ::waitpid(child, &status, 0);
    ASSERT_TRUE(WIFEXITED(status));
    ASSERT_LE(WEXITSTATUS(status), 20);
    written += WEXITSTATUS(status);
  }
  EXPECT_GT(written, 0);
  const Trajectory run = read_trajectory(dir / "run.h5");
  EXPECT_EQ(run.time.size(), 20u);
  sample::expect_rows(run);
  EXPECT_FALSE(dir.has("run.h5.part") || dir.has("run.h5.part.new"));
}

TEST(Reason, OfMoreThanItsBytesEndsAfterAWord) {
  const Folder dir;
  const std::string longest = "bilateral rows that contradict one another, or are not finite";
  const std::string word(200, 'x');
  {
    TrajectoryWriter writer(dir / "run.h5", sample::info());
    sample::append(writer, 0);
    int row = 1;
    for (const std::string& reason : {longest, longest + " and more", word}) {
      StepReport step = sample::step_of(row);
      step.reason = reason;
      writer.append_step(step);
      writer.append_state(sample::time_of(row), sample::q_of(row), sample::v_of(row), {}, {});
      ++row;
    }
    writer.finish(true);
  }
  const Trajectory run = read_trajectory(dir / "run.h5");
  EXPECT_EQ(run.steps[0].reason, longest);
  EXPECT_EQ(run.steps[1].reason, longest);
  EXPECT_EQ(run.steps[2].reason, word.substr(0, 64));
}

}  // namespace
}  // namespace pawl::internal
