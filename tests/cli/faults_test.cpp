// What goes wrong around a run: other runs, signals, strange files and names.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <pawl/trajectory.h>

#include "program.h"

namespace pawl::internal {
namespace faults_test {

using test::Folder;
using test::Outcome;
using testing::HasSubstr;
using testing::Not;

const std::string kRod = test::repository_scene_path("papers/falling_rod.yaml");

TEST(TwoRuns, WithOneOutputTheSecondIsRefused) {
  const Folder folder;
  const pid_t first = test::start_endless_run(folder);
  const Outcome second = test::pawl(folder, "run --until 0.1 -o endless.h5 " + kRod);
  EXPECT_EQ(second.exit_code, 2);
  EXPECT_EQ(second.err, "pawl: endless.h5.part: another run is writing it; choose another output\n");
  const int status = test::end_by(first, SIGINT);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 130);
  const Trajectory run = read_trajectory(folder / "endless.h5");
  EXPECT_GT(run.time.back(), 0.1);
  // The end of the first frees the name.
  EXPECT_EQ(test::pawl(folder, "run --quiet --until 0.1 -o endless.h5 " + kRod).exit_code, 0);
  EXPECT_TRUE(read_trajectory(folder / "endless.h5").finished);
}

TEST(TwoRuns, AKilledRunDoesNotBlockTheNext) {
  const Folder folder;
  test::end_by(test::start_endless_run(folder), SIGKILL);
  EXPECT_EQ(test::pawl(folder, "run --quiet --until 0.1 -o endless.h5 " + kRod).exit_code, 0);
  EXPECT_TRUE(read_trajectory(folder / "endless.h5").finished);
  EXPECT_FALSE(folder.has("endless.h5.part"));
}

TEST(DamagedTrajectory, IsRefusedInOneLineByEveryCommand) {
  const Folder folder;
  ASSERT_EQ(test::pawl(folder, "run --quiet --until 0.1 -o run.h5 " + kRod).exit_code, 0);
  const std::string whole = folder.read("run.h5");
  int refused = 0;
  for (std::size_t hole = 0; hole < 12; ++hole) {
    std::string damaged = whole;
    damaged.replace(hole * 4096 + 100, 300, 300, '\x55');
    folder.write("damaged.h5", damaged);
    for (const char* arguments : {"info damaged.h5", "export damaged.h5 --csv",
                                  "plot damaged.h5 --what energy", "report damaged.h5"}) {
      const Outcome outcome = test::pawl(folder, arguments);
      if (outcome.exit_code == 0) continue;
      ++refused;
      EXPECT_EQ(outcome.exit_code, 2) << arguments;
      EXPECT_TRUE(outcome.err.starts_with("pawl: ")) << outcome.err;
      EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << arguments << "\n"
                                                                             << outcome.err;
    }
  }
  EXPECT_GT(refused, 12);
}

TEST(HangUp, EndsARunLikeAnInterrupt) {
  const Folder folder;
  const int status = test::end_by(test::start_endless_run(folder), SIGHUP);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 129);
  EXPECT_FALSE(folder.has("endless.h5.part"));
  EXPECT_FALSE(read_trajectory(folder / "endless.h5").finished);
}

TEST(StrangeFiles, APipeIsNoScene) {
  const Folder folder;
  ASSERT_EQ(mkfifo((folder / "pipe.yaml").c_str(), 0600), 0);
  for (const char* command : {"run", "check"}) {
    const Outcome outcome = test::pawl(folder, std::string(command) + " pipe.yaml");
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_EQ(outcome.err, "pawl: pipe.yaml: this is not a regular file: a scene is a YAML file\n");
  }
  EXPECT_EQ(test::pawl(folder, "check /dev/zero").exit_code, 2);
  EXPECT_EQ(test::pawl(folder, "check /dev/stdin <" + kRod).exit_code, 0);
}

TEST(StrangeFiles, APipeIsNoMeshAndNoProblem) {
  const Folder folder;
  ASSERT_EQ(mkfifo((folder / "pipe.obj").c_str(), 0600), 0);
  folder.write("a.yaml",
               "pawl: 1\nmaterials: {m: {friction: 0}}\n"
               "bodies: {a: {mass: 1, shapes: [{type: mesh, file: pipe.obj, material: m}]}}\n");
  for (const char* arguments :
       {"check a.yaml", "solve pipe.obj", "compare pipe.obj", "convert pipe.obj a.json"}) {
    const Outcome outcome = test::pawl(folder, arguments);
    EXPECT_EQ(outcome.exit_code, 2) << arguments;
    EXPECT_THAT(outcome.err, HasSubstr("pipe.obj: is a named pipe")) << arguments;
  }
}

TEST(StrangeNames, SendNothingToTheTerminal) {
  const Folder folder;
  const std::string red = "\x1b[31m";
  folder.write("a.yaml", "pawl: 1\nname: \"\\e[31m red\"\nbodies: {a: {mass: 1, inertia: 1}}\n");
  for (const std::string& arguments :
       {"run 'x" + red + ".yaml'", "'" + red + "'", "info '" + red + "'", std::string("check a.yaml"),
        std::string("run a.yaml"), "run a.yaml -o '" + red + ".h5'", "info '" + red + ".h5'",
        "export '" + red + ".h5' --csv '" + red + ".csv'", "solve '" + red + "'"}) {
    const Outcome outcome = test::pawl(folder, arguments);
    EXPECT_THAT(outcome.out + outcome.err, Not(HasSubstr("\x1b"))) << arguments;
    EXPECT_THAT(outcome.out + outcome.err, HasSubstr("\\x1b[31m")) << arguments;
  }
}

TEST(StrangeNames, ThatAreNotUtf8AreReplacedInJson) {
  const Folder folder;
  std::filesystem::copy_file(kRod, folder / "r\xff.yaml");
  const Outcome run = test::pawl(folder, "run --json --until 0.1 'r\xff.yaml'");
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("\"r\xEF\xBF\xBD.h5\""));
  for (const char* arguments :
       {"info --json 'r\xff.h5'", "check --json 'r\xff.yaml'", "analyse --json 'r\xff.yaml'",
        "converge --json --steps 0.01,0.005 --until 0.05 'r\xff.yaml'"}) {
    EXPECT_EQ(test::pawl(folder, arguments).exit_code, 0) << arguments;
  }
  test::pawl(folder, "run --set run.tolerance=1e-19 -o 'p\xff.h5' " +
                         test::repository_scene_path("papers/four_balls.yaml"));
  ASSERT_TRUE(folder.has("p\xff.problem.json"));
  for (const char* arguments : {"solve --json 'p\xff.problem.json'", "compare --json 'p\xff.problem.json'"}) {
    const Outcome outcome = test::pawl(folder, arguments);
    EXPECT_LE(outcome.exit_code, 1) << arguments << outcome.err;
  }
}

TEST(StrangeFolders, AMissingTmpdirIsNamed) {
  const Folder folder;
  ::setenv("TMPDIR", "/nowhere", 1);
  const Outcome view = test::pawl(folder, "view --no-open " + kRod);
  ::unsetenv("TMPDIR");
  EXPECT_EQ(view.exit_code, 2);
  EXPECT_THAT(view.err, HasSubstr("pawl: /nowhere: can't be used for temporary files"));
}

}  // namespace faults_test
}  // namespace pawl::internal
