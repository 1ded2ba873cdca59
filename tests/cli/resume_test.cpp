// Runs in parts, each in a process of its own, have the same bits as a run in one piece.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include <pawl/trajectory.h>

#include "program.h"

namespace pawl::internal::test {
namespace {

using ::testing::HasSubstr;

template <class Value>
bool same_bits(const std::vector<Value>& a, const std::vector<Value>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(Value)) == 0;
}

void expect_same_run(const std::string& a_file, const std::string& b_file) {
  const Trajectory a = read_trajectory(a_file), b = read_trajectory(b_file);
  EXPECT_EQ(a.finished, b.finished);
  EXPECT_TRUE(same_bits(a.time, b.time)) << a.time.size() << " and " << b.time.size() << " states";
  EXPECT_TRUE(same_bits(a.q, b.q));
  EXPECT_TRUE(same_bits(a.v, b.v));
  EXPECT_TRUE(same_bits(a.energy, b.energy));
  EXPECT_TRUE(same_bits(a.contact_offset, b.contact_offset));
  ASSERT_EQ(a.contacts.size(), b.contacts.size());
  for (std::size_t c = 0; c < a.contacts.size(); ++c) {
    ASSERT_EQ(a.contacts[c].impulse, b.contacts[c].impulse) << c;
    ASSERT_EQ(a.contacts[c].feature, b.contacts[c].feature) << c;
  }
  ASSERT_EQ(a.steps.size(), b.steps.size());
  for (std::size_t s = 0; s < a.steps.size(); ++s) {
    const StepReport &x = a.steps[s], &y = b.steps[s];
    ASSERT_EQ(x.time, y.time) << s;
    ASSERT_EQ(x.status, y.status) << s;
    ASSERT_EQ(x.reason, y.reason) << s;
    ASSERT_EQ(x.motion, y.motion) << s;
    ASSERT_EQ(x.residual.natural_map, y.residual.natural_map) << s;
    ASSERT_EQ(x.iterations, y.iterations) << s;
    ASSERT_EQ(x.local_error, y.local_error) << s;
    ASSERT_EQ(x.gap_violation, y.gap_violation) << s;
  }
  const TrajectoryReader a_reader(a_file), b_reader(b_file);
  EXPECT_EQ(a_reader.end(), b_reader.end());
  const std::vector<ImpactRecord> a_impacts = a_reader.read_impacts(), b_impacts = b_reader.read_impacts();
  ASSERT_EQ(a_impacts.size(), b_impacts.size());
  for (std::size_t i = 0; i < a_impacts.size(); ++i) {
    ASSERT_EQ(a_impacts[i].time, b_impacts[i].time) << i;
    ASSERT_EQ(a_impacts[i].E_n, b_impacts[i].E_n) << i;
  }
}

struct Case {
  const char *scene, *method, *every, *middle, *until;
};

class ResumedRun : public ::testing::TestWithParam<Case> {};

TEST_P(ResumedRun, IsTheRunInOnePiece) {
  const auto [scene, method, every, middle, until] = GetParam();
  const Folder folder;
  const std::string run = "run '" + repository_scene_path(scene) + "' --quiet --method " + method +
                          " --set 'run.record={every: " + every + ", impacts: true}'";
  ASSERT_LE(pawl(folder, run + " --until " + until + " -o whole.h5 --save-state whole.json").exit_code, 1);
  ASSERT_LE(pawl(folder, run + " --until " + middle + " -o part.h5 --save-state part.json").exit_code, 1);
  const Outcome resumed = pawl(folder, std::string("run --resume part.h5 --quiet --until ") + until);
  ASSERT_LE(resumed.exit_code, 1) << resumed.err;
  expect_same_run(folder / "whole.h5", folder / "part.h5");
  const Outcome from =
      pawl(folder, run + " --until " + until + " --from part.json -o rest.h5 --save-state rest.json");
  ASSERT_LE(from.exit_code, 1) << from.err;
  EXPECT_EQ(folder.read("whole.json"), folder.read("rest.json"));
}

INSTANTIATE_TEST_SUITE_P(
    Scenes, ResumedRun,
    ::testing::Values(Case{"papers/four_balls.yaml", "pawl", "1", "0.33", "0.7"},
                      Case{"papers/four_balls.yaml", "linearised", "3", "0.335", "0.7"},
                      Case{"papers/four_balls.yaml", "stewart-trinkle", "1", "0.4", "0.7"},
                      Case{"papers/four_balls.yaml", "stewart-trinkle-nonlinear", "2", "0.405", "0.7"},
                      Case{"papers/four_balls.yaml", "anitescu-potra", "1", "0.4", "0.7"},
                      Case{"papers/four_balls.yaml", "anitescu-hart", "1", "0.4", "0.7"},
                      Case{"papers/four_balls.yaml", "tzitzouris-pang", "4", "0.4", "0.7"},
                      Case{"four_bar.yaml", "pawl", "7", "0.1", "0.2"},
                      Case{"bouncing_ball.yaml", "pawl", "1", "0.6", "1.2"},
                      Case{"bouncing_ball.yaml", "linearised", "5", "0.6", "1.2"},
                      Case{"papers/double_pendulum.yaml", "pawl", "1", "0.5", "0.9"}),
    [](const auto& test) {
      std::string name = std::string(test.param.scene) + "_" + test.param.method;
      for (char& c : name) c = std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
      return name;
    });

TEST(Resume, ContinuesAnInterruptedRun) {
  const Folder folder;
  const int status = end_by(start_endless_run(folder), SIGINT);
  ASSERT_TRUE(WIFEXITED(status));
  const double stopped = TrajectoryReader(folder / "endless.h5").time().back();
  const std::string until = std::to_string(stopped + 0.1);
  const Outcome resumed = pawl(folder, "run --resume endless.h5 --quiet -o more.h5 --until " + until);
  ASSERT_EQ(resumed.exit_code, 0) << resumed.err;
  const std::string scene = repository_scene_path("papers/falling_rod.yaml");
  ASSERT_EQ(pawl(folder, "run '" + scene + "' --quiet -o whole.h5 --until " + until).exit_code, 0);
  expect_same_run(folder / "whole.h5", folder / "more.h5");
}

TEST(Resume, SaysWhatCanNotBeResumed) {
  const Folder folder;
  const std::string scene = "'" + repository_scene_path("papers/falling_rod.yaml") + "'";
  ASSERT_EQ(pawl(folder, "run " + scene + " --until 0.1 --quiet -o run.h5").exit_code, 0);
  const auto refusal = [&](const std::string& arguments) {
    const Outcome outcome = pawl(folder, "run " + arguments);
    EXPECT_EQ(outcome.exit_code, 2) << arguments;
    return outcome.err;
  };
  EXPECT_THAT(refusal("--resume run.h5"), HasSubstr("the run has reached its end, t = 0.1 s"));
  EXPECT_THAT(refusal("--resume run.h5 --step 1ms --until 1"), HasSubstr("only --until"));
  EXPECT_THAT(refusal(scene + " --resume run.h5"), HasSubstr("only --until"));
  EXPECT_THAT(refusal(""), HasSubstr("SCENE"));
  EXPECT_THAT(refusal(scene + " --fresh"), HasSubstr("--from"));
  EXPECT_THAT(refusal(scene + " --save-state run.h5 -o run.h5"), HasSubstr("would replace the trajectory"));
  const pid_t killed = start_endless_run(folder);
  end_by(killed, SIGKILL);
  EXPECT_THAT(refusal("--resume endless.h5.part --until 1e6"), HasSubstr("killed"));
}

TEST(Resume, TakesAStateOfAnotherMethodOnlyAfresh) {
  const Folder folder;
  const std::string scene = "'" + repository_scene_path("papers/falling_rod.yaml") + "'";
  ASSERT_EQ(pawl(folder, "run " + scene + " --until 0.1 --quiet --save-state end.json").exit_code, 0);
  const std::string run = "run " + scene + " --until 0.2 --quiet --method linearised --from end.json";
  const Outcome refused = pawl(folder, run);
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err, HasSubstr("end.json: the history of the state"));
  EXPECT_EQ(pawl(folder, run + " --fresh -o fresh.h5").exit_code, 0);
  EXPECT_NEAR(TrajectoryReader(folder / "fresh.h5").time().front(), 0.1, 1e-12);
}

}  // namespace
}  // namespace pawl::internal::test
