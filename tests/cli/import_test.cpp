// Tests of the program: pawl import, and robots in place of scenes.

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "program.h"

namespace pawl::internal {
namespace {

using test::Folder;
using test::Outcome;
using testing::HasSubstr;
using Json = nlohmann::json;

const std::string kRobot =
    "<mujoco model=\"arm\"><option cone=\"elliptic\"/><worldbody><body name=\"link\">\n"
    "<inertial mass=\"1\" pos=\"0 0 -0.3\" diaginertia=\"0.1 0.1 0.01\"/>\n"
    "<joint axis=\"0 1 0\" damping=\"0.1\" armature=\"0.02\"/></body></worldbody></mujoco>\n";

TEST(Import, WritesASceneAndTellsWhatBecameOfEachAttribute) {
  const Folder folder;
  folder.write("arm.xml", kRobot);
  const Outcome outcome = test::pawl(folder, "import arm.xml -o arm.yaml");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("1 degrees of freedom"));
  EXPECT_THAT(outcome.out, testing::ContainsRegex("ignored +option +cone +of MuJoCo's solver +arm.xml:1"));
  EXPECT_THAT(outcome.out, testing::ContainsRegex("taken +joint +armature +arm.xml:3"));
  EXPECT_EQ(test::pawl(folder, "run arm.yaml --until 0.1 --quiet").exit_code, 0);
}

TEST(Import, JsonIsForPrograms) {
  const Folder folder;
  folder.write("arm.xml", kRobot);
  const Json out = Json::parse(test::pawl(folder, "import arm.xml --json").out);
  EXPECT_EQ(out["scene"], "arm");
  EXPECT_EQ(out["file"], "arm.yaml");
  EXPECT_FALSE(out["remarks"].empty());
}

TEST(Import, RobotsRunAndAreCheckedLikeScenes) {
  const Folder folder;
  folder.write("arm.xml", kRobot);
  const Outcome run = test::pawl(folder, "run arm.xml --until 0.1 --set bodies.link.mass=2");
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("50, all certified"));
  EXPECT_THAT(test::pawl(folder, "check arm.xml").out, HasSubstr("revolute"));
}

TEST(Import, UrdfFindsItsPackages) {
  const Folder folder;
  folder.write(
      "arm.urdf",
      "<robot name=\"arm\"><link name=\"world\"/><link name=\"link\"><inertial><origin xyz=\"0 0 -0.3\"/>"
      "<mass value=\"1\"/><inertia ixx=\"0.1\" iyy=\"0.1\" izz=\"0.01\"/></inertial><collision><geometry>"
      "<mesh filename=\"package://arm_description/t.obj\"/></geometry></collision></link><joint name=\"j\" "
      "type=\"continuous\"><parent link=\"world\"/><child link=\"link\"/></joint></robot>");
  const Outcome missing = test::pawl(folder, "run arm.urdf");
  EXPECT_EQ(missing.exit_code, 2);
  EXPECT_THAT(missing.err, HasSubstr("the package 'arm_description' is not found"));
  std::filesystem::create_directories(folder / "share/arm_description");
  folder.write("share/arm_description/t.obj",
               "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n");
  const Outcome run = test::pawl(folder, "run arm.urdf --package-path share --until 0.1");
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("50, all certified"));
  const Outcome import = test::pawl(folder, "import arm.urdf --package-path share");
  EXPECT_THAT(import.out, testing::ContainsRegex("approximated +mesh +filename +its convex hull"));
  EXPECT_EQ(test::pawl(folder, "check arm.yaml").exit_code, 0);
}

TEST(Import, AKeyframeIsChosenByItsName) {
  const Folder folder;
  std::string robot = kRobot;
  robot.insert(robot.find("</mujoco>"),
               "<keyframe><key qpos=\"0.1\"/><key name=\"up\" qpos=\"0.2\"/></keyframe>");
  folder.write("arm.xml", robot);
  EXPECT_EQ(test::pawl(folder, "import arm.xml --keyframe up").exit_code, 0);
  EXPECT_THAT(folder.read("arm.yaml"), HasSubstr("position: 0.2"));
  EXPECT_THAT(test::pawl(folder, "run arm.xml --keyframe down").err,
              HasSubstr("no keyframe is called 'down'"));
  EXPECT_THAT(test::pawl(folder, "run arm.yaml --keyframe up").err, HasSubstr("only MJCF has"));
}

TEST(Import, RefusesWhatIsNoRobot) {
  const Folder folder;
  folder.write("cut.xml", kRobot.substr(0, 150));
  const Outcome cut = test::pawl(folder, "run cut.xml");
  EXPECT_EQ(cut.exit_code, 2);
  EXPECT_THAT(cut.err, HasSubstr("is the file cut off?"));
  EXPECT_EQ(test::pawl(folder, "import scene.yaml").exit_code, 2);
}

}  // namespace
}  // namespace pawl::internal
