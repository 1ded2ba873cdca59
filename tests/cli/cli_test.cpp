#include <sys/stat.h>

#include <chrono>
#include <csignal>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <pawl/scene.h>
#include <pawl/scene_file.h>
#include <pawl/trajectory.h>

#include "program.h"

namespace pawl::internal {
namespace cli_test {

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
  for (const char* command :
       {"run", "check", "gap", "info", "export", "solve", "compare", "convert", "converge"}) {
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

TEST(Program, NamesTheCommandItDoesNotKnow) {
  const Folder folder;
  const Outcome outcome = test::pawl(folder, "xylophone");
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("'xylophone'"), HasSubstr("there are run, check")));
}

TEST(Program, ReportsAnUnwritableStdout) {
  const Folder folder;
  for (const char* where : {">/dev/full", ">&-"}) {
    for (const std::string& arguments :
         {"check --json " + kRod, "run --json " + kRod, std::string("--help")}) {
      const std::string command = "cd '" + folder.path().string() + "' && '" + PAWL_PROGRAM + "' " +
                                  arguments + " " + where + " 2>.err";
      const int status = std::system(command.c_str());
      EXPECT_EQ(WEXITSTATUS(status), 2) << command;
      EXPECT_THAT(folder.read(".err"), HasSubstr("can't write to standard output")) << command;
    }
  }
  EXPECT_TRUE(read_trajectory(folder / "falling_rod.h5").finished);
}

TEST(Run, WritesATrajectoryAndASummary) {
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

TEST(Info, CountsJointRowsAndRedundantOnes) {
  const Folder folder;
  const std::string four_bar = repository_scene_path("four_bar.yaml");
  ASSERT_EQ(test::pawl(folder, "run --quiet -o run.h5 --set run.until=0.01 " + four_bar).exit_code, 0);
  const Json info = Json::parse(test::pawl(folder, "info --json run.h5").out);
  EXPECT_EQ(info["joint_rows"]["redundant"], 3);
  const int rows = info["joint_rows"]["rows"];
  EXPECT_THAT(test::pawl(folder, "info run.h5").out,
              HasSubstr("joint rows        " + std::to_string(rows) + ", redundant: 3"));
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

TEST(Run, UncertifiedProblemsAreDumpedAndCanBeSolvedAgain) {
  const Folder folder;
  const Outcome run = test::pawl(folder, "run " + kBalls + " --set run.tolerance=1e-19 -o flagged.h5");
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_THAT(run.err, HasSubstr("pawl solve flagged.problem.json"));
  EXPECT_THAT(run.out, HasSubstr("approximate"));
  const Outcome solved = test::pawl(folder, "solve flagged.problem.json --tolerance 1e-8");
  EXPECT_EQ(solved.exit_code, 0) << solved.err;
  EXPECT_THAT(solved.out, HasSubstr("certified"));
  const Outcome again = test::pawl(folder, "solve flagged.problem.json");  // with the tolerance of the run
  EXPECT_THAT(again.out, HasSubstr("tolerance 1e-19"));
  const Outcome strict = test::pawl(folder, "solve flagged.problem.json --tolerance 1e-16 --json");
  EXPECT_EQ(Json::parse(strict.out)["status"] == "certified", strict.exit_code == 0);
  EXPECT_EQ(test::pawl(folder, "info flagged.h5").exit_code, 0);
}

TEST(Run, StopsAtTheFirstUncertifiedStepWhenAsked) {
  const Folder folder;
  const Outcome run = test::pawl(
      folder, "run " + kBalls + " --set run.tolerance=1e-19 --set run.on_uncertified=stop -o s.h5");
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_THAT(run.err, AllOf(HasSubstr("not certified, the first at t = "),
                             HasSubstr("s (residual: ball1 and table); stopped at t = ")));
  const Trajectory trajectory = read_trajectory(folder / "s.h5");
  EXPECT_EQ(trajectory.steps.back().status, Status::approximate);
  EXPECT_EQ(trajectory.steps.back().reason, "residual");
  EXPECT_FALSE(trajectory.finished);
}

TEST(Run, UnwritableOutputIsAnErrorThatNamesIt) {
  const Folder folder;
  const Outcome run = test::pawl(folder, "run " + kRod + " -o nowhere/rod.h5");
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_THAT(run.err, HasSubstr("nowhere/rod.h5"));
}

TEST(Run, ReplacesNothingButFiles) {
  const Folder folder;
  ASSERT_EQ(mkfifo((folder / "pipe.h5").c_str(), 0600), 0);
  ASSERT_EQ(mkfifo((folder / "a.h5.part").c_str(), 0600), 0);
  ASSERT_EQ(mkfifo((folder / "b.problem.json").c_str(), 0600), 0);
  for (const char* output : {"pipe.h5", "a.h5", "b.h5", ".", "''", "new/"}) {
    const Outcome run = test::pawl(folder, "run " + kRod + " -o " + output);
    EXPECT_EQ(run.exit_code, 2) << output;
    EXPECT_FALSE(run.err.empty()) << output;
  }
  for (const char* pipe : {"pipe.h5", "a.h5.part", "b.problem.json"}) {
    EXPECT_TRUE(std::filesystem::is_fifo(folder / pipe)) << pipe;
  }
}

TEST(Run, WritesWhereALinkLeads) {
  const Folder folder;
  std::filesystem::create_directory(folder / "far");
  std::filesystem::create_symlink("far/rod.h5", folder / "link.h5");
  for (int time = 0; time < 2; ++time) {  // first the target is created, then replaced
    EXPECT_EQ(test::pawl(folder, "run --until 0.1 " + kRod + " -o link.h5").exit_code, 0);
    EXPECT_TRUE(std::filesystem::is_symlink(folder / "link.h5"));
    EXPECT_TRUE(read_trajectory(folder / "far/rod.h5").finished);
  }
  std::filesystem::create_symlink("round.h5", folder / "round.h5");
  EXPECT_EQ(test::pawl(folder, "run " + kRod + " -o round.h5").exit_code, 2);
}

TEST(Run, NeverReplacesItsScene) {
  const Folder folder;
  const std::string text = load_scene(kRod).text;
  folder.write("rod.h5", text);  // also the default output of this scene
  folder.write("rod.yaml", text);
  folder.write("x.h5.part", text);
  std::filesystem::create_symlink("rod.yaml", folder / "link.h5");
  for (const char* arguments : {"rod.h5", "rod.yaml -o rod.yaml", "rod.yaml -o ./rod.yaml",
                                "rod.yaml -o link.h5", "link.h5 -o rod.yaml", "x.h5.part -o x.h5"}) {
    const Outcome run = test::pawl(folder, std::string("run ") + arguments);
    EXPECT_EQ(run.exit_code, 2) << arguments;
    EXPECT_THAT(run.err, HasSubstr("would replace the input")) << arguments;
  }
  for (const char* scene : {"rod.h5", "rod.yaml", "x.h5.part"}) EXPECT_EQ(folder.read(scene), text);
}

TEST(Run, TellsOfOverlapsAtTheStart) {
  const Folder folder;
  const std::string scene = kBalls + " --set bodies.ball2.position.2=0.09 --until 0.05 -o a.h5";
  const Outcome run = test::pawl(folder, "run " + scene);
  EXPECT_THAT(run.err, HasSubstr("note: ball2 and table overlap by 0.01 m at the start"));
  EXPECT_THAT(run.out, HasSubstr("1.00e-02 m at t = 0 s"));
  EXPECT_THAT(test::pawl(folder, "info a.h5").out, HasSubstr("1.00e-02 m at t = 0 s"));
  const Outcome json = test::pawl(folder, "run --json " + scene);
  EXPECT_EQ(json.err, "");
  EXPECT_EQ(Json::parse(json.out)["overlaps_at_start"][0]["bodies"][0], "ball2");
}

using test::end_by;
using test::start_endless_run;

TEST(Run, InterruptEndsCleanlyWithAReadableFile) {
  const Folder folder;
  const int status = end_by(start_endless_run(folder), SIGINT);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 130);
  const Trajectory trajectory = read_trajectory(folder / "endless.h5");
  EXPECT_FALSE(trajectory.finished);
  EXPECT_GT(trajectory.steps.size(), 1000U);
  EXPECT_EQ(trajectory.time.size(), trajectory.steps.size() + 1);
}

TEST(Run, TerminationIsToldFromAnInterrupt) {
  const Folder folder;
  const int status = end_by(start_endless_run(folder), SIGTERM);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 143);
  EXPECT_THAT(test::pawl(folder, "info endless.h5").out, HasSubstr("unfinished: the run was stopped"));
}

TEST(Run, KilledRunLeavesAFileThatOpens) {
  const Folder folder;
  ASSERT_TRUE(WIFSIGNALED(end_by(start_endless_run(folder), SIGKILL)));
  EXPECT_FALSE(folder.has("endless.h5"));
  const Outcome info = test::pawl(folder, "info endless.h5.part");
  EXPECT_EQ(info.exit_code, 0) << info.err;
  EXPECT_THAT(info.out, AllOf(HasSubstr("all certified"), HasSubstr("unfinished")));
}

TEST(Check, ShowsTheCompiledScene) {
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

TEST(Check, RefusesWhatRunWouldRefuse) {
  const Folder folder;
  const std::string scene = kBalls + " --set materials.plain.restitution=0.5 --set run.method=anitescu-potra";
  const Outcome check = test::pawl(folder, "check " + scene);
  EXPECT_EQ(check.exit_code, 2);
  EXPECT_THAT(check.err, HasSubstr("restitution"));
  EXPECT_EQ(check.err, test::pawl(folder, "run " + scene).err);
}

TEST(Export, NeverReplacesWhatItReadsNorAPipe) {
  const Folder folder;
  test::pawl(folder, "run --quiet --until 0.1 -o rod.h5 " + kRod);
  std::filesystem::copy_file(folder / "rod.h5", folder / "x.csv.part");
  ASSERT_EQ(mkfifo((folder / "pipe.csv").c_str(), 0600), 0);
  for (const char* arguments : {"rod.h5 --csv rod.h5", "x.csv.part --csv x.csv", "rod.h5 --csv pipe.csv"}) {
    EXPECT_EQ(test::pawl(folder, std::string("export ") + arguments).exit_code, 2) << arguments;
  }
  EXPECT_TRUE(read_trajectory(folder / "rod.h5").finished);
  EXPECT_TRUE(read_trajectory(folder / "x.csv.part").finished);
  EXPECT_TRUE(std::filesystem::is_fifo(folder / "pipe.csv"));
}

TEST(Export, WritesCsvTables) {
  const Folder folder;
  test::pawl(folder, "run --quiet -o rod.h5 " + kRod);
  EXPECT_EQ(test::pawl(folder, "export rod.h5 --csv states.csv").exit_code, 0);
  EXPECT_EQ(test::pawl(folder, "export rod.h5 --csv").out, folder.read("states.csv"));
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

TEST(Converge, ShowsARefusedRunAsUncertified) {
  const Folder folder;
  // It rotates by 2000 rad in the longer step; the midpoint rule fails there.
  folder.write("tumbling.yaml",
               "pawl: 1\nbodies:\n"
               "  top: {mass: 1, inertia: [1, 2, 2.5], angular_velocity: [5e4, 1e5, 2e4]}\n"
               "run: {until: 0.02, method: linearised}\n");
  const Outcome table = test::pawl(folder, "converge tumbling.yaml --steps 0.02,0.00002 --json");
  EXPECT_EQ(table.exit_code, 1) << table.err;
  const Json rows = Json::parse(table.out)["rows"];
  EXPECT_TRUE(rows[0]["refused"].is_number());
  EXPECT_TRUE(rows[0]["velocity_error"].is_null());
  EXPECT_TRUE(rows[1]["refused"].is_null());
}

}  // namespace cli_test
}  // namespace pawl::internal
