#include <chrono>
#include <csignal>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <pawl/record/trajectory.h>

#include "program.h"

namespace pawl {
namespace {

using test::Folder;
using test::Outcome;
using test::repository_scene_path;
using testing::AllOf;
using testing::HasSubstr;
using Json = nlohmann::json;

const std::string kRod = repository_scene_path("papers/falling_rod.yaml");
const std::string kBalls = repository_scene_path("papers/four_balls.yaml");

TEST(Program, EveryCommandHasHelpWithAnExample) {
  const Folder folder;
  EXPECT_THAT(test::pawl(folder, "--help").out, AllOf(HasSubstr("Examples:"), HasSubstr("Exit codes")));
  for (const char* command : {"run", "check", "info", "export", "solve", "converge"}) {
    const Outcome help = test::pawl(folder, std::string(command) + " --help");
    EXPECT_EQ(help.exit_code, 0);
    EXPECT_THAT(help.out, HasSubstr(std::string("pawl ") + command + " ")) << command;
    EXPECT_THAT(help.out, HasSubstr("Example")) << command;
  }
}

TEST(Program, BadCommandLinesExitWithTwo) {
  const Folder folder;
  for (const char* arguments : {"", "fly", "run", "run missing.yaml", "run a b", "info missing.h5",
                                "solve missing.json", "export x.h5", "converge"}) {
    const Outcome outcome = test::pawl(folder, arguments);
    EXPECT_EQ(outcome.exit_code, 2) << arguments << "\n" << outcome.err;
    EXPECT_FALSE(outcome.err.empty() && outcome.out.empty()) << arguments;
  }
}

TEST(Run, WritesATrajectoryAndSaysWhatHeld) {
  const Folder folder;
  const Outcome run = test::pawl(folder, "run " + kBalls);
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, AllOf(HasSubstr("200, all certified"), HasSubstr("deepest overlap"),
                             HasSubstr("four_balls.h5")));
  EXPECT_FALSE(folder.has("four_balls.h5.part"));
  const Trajectory trajectory = read_trajectory(folder / "four_balls.h5");
  EXPECT_TRUE(trajectory.finished);
  EXPECT_EQ(trajectory.time.size(), 201U);
  EXPECT_EQ(trajectory.steps.size(), 200U);
  EXPECT_EQ(trajectory.info.q_columns.front(), "ball1.x");
  EXPECT_EQ(trajectory.info.v_columns.back(), "ball4.wz");
  const Outcome info = test::pawl(folder, "info four_balls.h5");
  EXPECT_THAT(info.out, AllOf(HasSubstr("200, all certified"), HasSubstr("201 rows")));
}

TEST(Run, QuietIsQuiet) {
  const Folder folder;
  const Outcome run = test::pawl(folder, "run --quiet " + kRod);
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_EQ(run.out + run.err, "");
}

TEST(Run, JsonIsForPrograms) {
  const Folder folder;
  const Json run = Json::parse(test::pawl(folder, "run --json -o rod.h5 " + kRod).out);
  EXPECT_EQ(run["steps"], 320);
  EXPECT_EQ(run["certified"], 320);
  EXPECT_EQ(run["file"], "rod.h5");
  EXPECT_LT(run["worst_natural_map"]["value"], 1e-11);
  EXPECT_LT(run["energy"]["relative_imbalance"], 1e-12);
  const Json info = Json::parse(test::pawl(folder, "info --json rod.h5").out);
  EXPECT_EQ(info["steps"], run["steps"]);
  EXPECT_EQ(info["energy"], run["energy"]);
}

TEST(Run, OptionsOverrideTheSceneAndAreRecorded) {
  const Folder folder;
  const Outcome run =
      test::pawl(folder, "run " + kBalls +
                             " --step 10ms --until 500ms --method anitescu-potra"
                             " --set bodies.ball1.velocity.0=1.25 --set run.record.every=5 -o a.h5");
  EXPECT_EQ(run.exit_code, 0) << run.err;
  const Trajectory trajectory = read_trajectory(folder / "a.h5");
  EXPECT_EQ(trajectory.info.step, 0.01);
  EXPECT_EQ(trajectory.info.method, "anitescu-potra");
  EXPECT_EQ(trajectory.steps.size(), 50U);
  EXPECT_EQ(trajectory.time.size(), 11U);
  EXPECT_EQ(trajectory.v[0], 1.25);
  EXPECT_THAT(trajectory.info.overrides, testing::Contains("bodies.ball1.velocity.0=1.25"));
}

TEST(Run, BadScenesNameFileLineAndField) {
  const Folder folder;
  const Outcome typo = test::pawl(folder, "run " + kBalls + " --set bodies.ball1.velocty=[1,0,0]");
  EXPECT_EQ(typo.exit_code, 2);
  EXPECT_THAT(typo.err, AllOf(HasSubstr("bodies.ball1.velocty"), HasSubstr("velocity")));
  folder.write("bad.yaml", "pawl: 1\nbodies:\n  ball:\n    mass: .nan\n");
  const Outcome nan = test::pawl(folder, "run bad.yaml");
  EXPECT_EQ(nan.exit_code, 2);
  EXPECT_THAT(nan.err, HasSubstr("bad.yaml:4:11: bodies.ball.mass"));
  EXPECT_FALSE(folder.has("bad.h5") || folder.has("bad.h5.part"));
}

TEST(Run, WhatIsNotCertifiedIsFlaggedDumpedAndSolvedAgain) {
  const Folder folder;
  const Outcome run =
      test::pawl(folder, "run " + kBalls + " --set run.tolerance=1e-17 --until 0.5 -o flagged.h5");
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_THAT(run.err, HasSubstr("pawl solve flagged.problem.json"));
  EXPECT_THAT(run.out, HasSubstr("approximate"));
  const Outcome solved = test::pawl(folder, "solve flagged.problem.json");
  EXPECT_EQ(solved.exit_code, 0) << solved.err;
  EXPECT_THAT(solved.out, HasSubstr("certified"));
  const Outcome strict = test::pawl(folder, "solve flagged.problem.json --tolerance 1e-16 --json");
  EXPECT_EQ(Json::parse(strict.out)["status"] == "certified", strict.exit_code == 0);
  EXPECT_EQ(test::pawl(folder, "info flagged.h5").exit_code, 0);
}

TEST(Run, StopsAtTheFirstUncertifiedStepWhenAsked) {
  const Folder folder;
  const Outcome run = test::pawl(
      folder, "run " + kBalls + " --set run.tolerance=1e-17 --set run.on_uncertified=stop -o s.h5");
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_EQ(read_trajectory(folder / "s.h5").steps.back().status, Status::approximate);
}

TEST(Run, UnwritableOutputIsAnErrorThatNamesIt) {
  const Folder folder;
  const Outcome run = test::pawl(folder, "run " + kRod + " -o nowhere/rod.h5");
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_THAT(run.err, HasSubstr("nowhere/rod.h5"));
}

/// A run far too long to finish, started in the background.
pid_t start_endless_run(const Folder& folder) {
  const pid_t child = fork();
  if (child == 0) {
    if (chdir(folder.path().c_str()) != 0) _exit(99);
    execl(PAWL_PROGRAM, PAWL_PROGRAM, "run", kRod.c_str(), "--until", "1e6s", "-o", "endless.h5", "--quiet",
          nullptr);
    _exit(99);
  }
  while (!folder.has("endless.h5.part")) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  std::this_thread::sleep_for(std::chrono::milliseconds(1500));
  return child;
}

TEST(Run, InterruptEndsCleanlyWithAReadableFile) {
  const Folder folder;
  const pid_t child = start_endless_run(folder);
  kill(child, SIGINT);
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 130);
  const Trajectory trajectory = read_trajectory(folder / "endless.h5");
  EXPECT_TRUE(trajectory.finished);
  EXPECT_GT(trajectory.steps.size(), 1000U);
  EXPECT_EQ(trajectory.time.size(), trajectory.steps.size() + 1);
}

TEST(Run, KilledRunLeavesAFileThatOpens) {
  const Folder folder;
  const pid_t child = start_endless_run(folder);
  kill(child, SIGKILL);
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_FALSE(folder.has("endless.h5"));
  const Outcome info = test::pawl(folder, "info endless.h5.part");
  EXPECT_EQ(info.exit_code, 0) << info.err;
  EXPECT_THAT(info.out, AllOf(HasSubstr("all certified"), HasSubstr("unfinished")));
}

TEST(Check, ShowsWhatWasUnderstood) {
  const Folder folder;
  const Outcome check = test::pawl(folder, "check " + kBalls);
  EXPECT_EQ(check.exit_code, 0);
  EXPECT_THAT(check.out,
              AllOf(HasSubstr("24 degrees of freedom"), HasSubstr("ball4"), HasSubstr("half-space"),
                    HasSubstr("plain on plain"), HasSubstr("stewart-trinkle")));
  const Json json = Json::parse(test::pawl(folder, "check --json " + kRod).out);
  EXPECT_EQ(json["degrees_of_freedom"], 3);
  EXPECT_EQ(json["laws"][0]["friction"], 0.6);
}

TEST(Check, TellsOfOverlapsAtTheStart) {
  const Folder folder;
  const Outcome check = test::pawl(folder, "check " + kBalls + " --set bodies.ball2.position.2=0.09");
  EXPECT_THAT(check.out, HasSubstr("ball2 and table overlap by 0.01 m at the start"));
}

TEST(Export, WritesCsvTables) {
  const Folder folder;
  test::pawl(folder, "run --quiet -o rod.h5 " + kRod);
  EXPECT_EQ(test::pawl(folder, "export rod.h5 --csv states.csv").exit_code, 0);
  EXPECT_THAT(folder.read("states.csv"), HasSubstr("rod.theta"));
  EXPECT_EQ(test::pawl(folder, "export rod.h5 --table contacts --csv contacts.csv").exit_code, 0);
  EXPECT_THAT(folder.read("contacts.csv"), HasSubstr("sliding"));
  EXPECT_EQ(test::pawl(folder, "export rod.h5 --table nonsense --csv x.csv").exit_code, 2);
}

TEST(Converge, RecomputesTableOneInOneCommand) {
  const Folder folder;
  const Outcome table =
      test::pawl(folder, "converge " + kBalls + " --steps 0.02,0.01,0.005,0.0025,0.00125 --json");
  EXPECT_EQ(table.exit_code, 0) << table.err;
  const Json rows = Json::parse(table.out)["rows"];
  ASSERT_EQ(rows.size(), 5U);
  EXPECT_NEAR(rows[3]["velocity_error"], 0.0700, 2e-3);
  EXPECT_TRUE(rows[4]["velocity_error"].is_null());
  EXPECT_NEAR(rows[4]["variation"], 19.0690, 5e-3);
}

}  // namespace
}  // namespace pawl
