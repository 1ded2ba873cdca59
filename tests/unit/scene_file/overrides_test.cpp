#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/scene_file/scene_text.h"

#include <pawl/scene_file.h>

namespace pawl::internal::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

const std::string kScene =
    scene_with_ball("{" + kHeavy + ", velocity: [1, 2, 3], shapes: [{type: sphere, radius: 1}]}");

Scene read_with(const std::vector<std::string>& overrides) {
  return parse_scene(kScene, "s.yaml", overrides);
}

TEST(Overrides, WinOverTheFile) {
  EXPECT_EQ(read_with({"bodies.ball.mass=3"}).bodies[0].mass, 3);
  EXPECT_EQ(read_with({"bodies.ball.mass=3", "bodies.ball.mass=4"}).bodies[0].mass, 4)
      << "the last one holds";
}

TEST(Overrides, ReachElementsOfLists) {
  const SceneBody body = read_with({"bodies.ball.velocity.1=-7", "bodies.ball.shapes.0.radius=2"}).bodies[0];
  EXPECT_EQ(body.velocity, (Vec3{1, -7, 3}));
  EXPECT_EQ(body.shapes[0].radius, 2);
}

TEST(Overrides, SetFieldsAndSectionsTheFileLacks) {
  const Scene scene = read_with(
      {"run.record.every=5", "bodies.ball.position=[1, 2, 3]", "run.step=4ms", "run.contact_points=8"});
  EXPECT_EQ(scene.run.record_every, 5);
  EXPECT_EQ(scene.run.step, 0.004);
  EXPECT_EQ(scene.run.contact_points, 8);
  EXPECT_EQ(scene.bodies[0].position, (Vec3{1, 2, 3}));
}

TEST(Overrides, CanAddAWholeBody) {
  EXPECT_EQ(read_with({"bodies.cube={mass: 1, inertia: 1}"}).bodies.at(1).name, "cube");
}

TEST(Overrides, TakeEverythingAfterTheFirstEqualsSign) {
  EXPECT_EQ(read_with({"name=a=b"}).name, "a=b");
}

TEST(Overrides, ChangeOneCopyOfAnAliasedNode) {
  const Scene scene = parse_scene("pawl: 1\nbodies:\n  a: &a {mass: 1, inertia: 1}\n  b: *a\n", "s.yaml",
                                  {"bodies.a.mass=2"});
  EXPECT_EQ(scene.bodies[0].mass, 2);
  EXPECT_EQ(scene.bodies[1].mass, 1);
}

TEST(Overrides, AreNamedInPlaceOfALineWhenTheirValueIsWrong) {
  EXPECT_EQ(
      message_of(kScene, {"bodies.ball.mass=-1"}),
      "--set bodies.ball.mass=-1: bodies.ball.mass: -1 is not a mass: it must be a finite number > 0 (kg)");
  try {
    read_with({"bodies.ball.mass=-1"});
    FAIL();
  } catch (const SceneError& error) {
    EXPECT_EQ(error.file(), "--set bodies.ball.mass=-1");
    EXPECT_EQ(error.location().line, 0);
    EXPECT_EQ(error.field(), "bodies.ball.mass");
  }
}

TEST(Overrides, AreNamedWhenTheirValueLacksSomething) {
  EXPECT_THAT(message_of(kScene, {"bodies.ball={inertia: 1, mass: 1, shapes: [{type: sphere}]}"}),
              HasSubstr("--set bodies.ball={inertia: 1, mass: 1, shapes: [{type: sphere}]}: "
                        "bodies.ball.shapes.0.radius: missing"));
  EXPECT_THAT(message_of(kScene, {"bodies.ball={}"}),
              StartsWith("--set bodies.ball={}: bodies.ball.mass: missing"));
}

TEST(Overrides, LeaveTheFileToBlameForItsOwnMistakes) {
  EXPECT_THAT(message_of("pawl: 1\nrun: {step: 0}\n", {"run.until=2"}),
              StartsWith("s.yaml:2:13: run.step: 0 is not"));
}

TEST(Overrides, WithoutPathOrEqualsSignAreRefused) {
  for (const char* text : {"bodies.ball.mass", "=1", "bodies..mass=1", ".mass=1", "bodies.=1", ""}) {
    EXPECT_EQ(
        message_of(kScene, {text}),
        "--set " + std::string(text) + ": not an override: it must be path=value, as in bodies.ball.mass=2");
  }
}

TEST(Overrides, DoNotRunThroughASingleValue) {
  EXPECT_EQ(
      message_of(kScene, {"bodies.ball.mass.unit=1"}),
      "--set bodies.ball.mass.unit=1: bodies.ball.mass: '1' is a single value: there is no 'unit' in it");
}

TEST(Overrides, DoNotReachPastTheEndOfAList) {
  EXPECT_EQ(message_of(kScene, {"bodies.ball.velocity.3=1"}),
            "--set bodies.ball.velocity.3=1: bodies.ball.velocity: a list with elements 0 to 2: there is no "
            "element '3'");
  EXPECT_THAT(message_of(kScene, {"bodies.ball.velocity.x=1"}), HasSubstr("there is no element 'x'"));
  EXPECT_THAT(message_of(kScene, {"bodies.ball.velocity.99999999999999999999=1"}),
              HasSubstr("there is no element"));
  EXPECT_THAT(message_of("pawl: 1\npairs: []", {"pairs.0.friction=1"}), HasSubstr("a list which is empty"));
}

TEST(Overrides, CannotSetOneElementOfAListThatIsNotThere) {
  EXPECT_EQ(message_of(kScene, {"bodies.ball.position.0=1"}),
            "--set bodies.ball.position.0=1: bodies.ball.position: not in the file, so its elements cannot "
            "be set one by "
            "one: set the whole list, as path=[a, b, c]");
}

TEST(Overrides, DoNotInventABodyFromAMisspeltName) {
  EXPECT_EQ(message_of(kScene, {"bodies.bal.mass=2"}),
            "--set bodies.bal.mass=2: bodies.bal: not in the file: did you mean 'ball'?");
  EXPECT_EQ(message_of(kScene, {"materials.ice.friction=2"}),
            "--set materials.ice.friction=2: materials.ice: not in the file: there are plain");
}

TEST(Overrides, WithAMisspeltKeyNameTheNearestOne) {
  EXPECT_EQ(message_of(kScene, {"bodies.ball.mas=2"}),
            "--set bodies.ball.mas=2: bodies.ball.mas: unknown key: did you mean 'mass'?");
}

TEST(Overrides, ThatAreNoYamlAreRefused) {
  EXPECT_THAT(message_of(kScene, {"bodies.ball.position=[1, 2"}),
              StartsWith("--set bodies.ball.position=[1, 2: bodies.ball.position: not valid YAML: "));
  EXPECT_EQ(message_of(kScene, {"bodies.ball={mass: 1, mass: 2}"}),
            "--set bodies.ball={mass: 1, mass: 2}: bodies.ball.mass: written twice: keep one of the two");
}

}  // namespace
}  // namespace pawl::internal::testing
