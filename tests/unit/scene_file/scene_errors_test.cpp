// Error messages for wrong values and keys. They are compared in full, because users read them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/scene_file/scene_text.h"

#include <pawl/scene_file.h>

namespace pawl::internal::testing {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string ball_message(const std::string& ball) {
  return message_of(scene_with_ball(ball));
}
std::string rod_message(const std::string& rod) {
  return message_of(planar_scene_with_rod(rod));
}
/// The message about one shape of a ball with mass and inertia.
std::string shape_message(const std::string& shape) {
  return ball_message("{" + kHeavy + ", shapes: [" + shape + "]}");
}
std::string run_message(const std::string& run) {
  return message_of("pawl: 1\nrun: {" + run + "}");
}
std::string force_message(const std::string& force) {
  return message_of(scene_with_ball("{" + kHeavy + "}", "forces: {f: {" + force + "}}"));
}

TEST(SceneErrors, CarryFileLocationFieldAndReason) {
  try {
    parse_scene(scene_with_ball("{mass: -1}"), "scenes/x.yaml");
    FAIL();
  } catch (const SceneError& error) {
    EXPECT_EQ(error.file(), "scenes/x.yaml");
    EXPECT_EQ(error.location().line, 4);
    EXPECT_EQ(error.location().column, 16);
    EXPECT_EQ(error.field(), "bodies.ball.mass");
    EXPECT_EQ(error.reason(), "-1 is not a mass: it must be a finite number > 0 (kg)");
    EXPECT_STREQ(
        error.what(),
        "scenes/x.yaml:4:16: bodies.ball.mass: -1 is not a mass: it must be a finite number > 0 (kg)");
  }
}

TEST(SceneErrors, AskForTheFormatVersion) {
  EXPECT_EQ(message_of("name: x\n"),
            "s.yaml:1:1: pawl: missing: a scene begins with 'pawl: 1', the version of its format");
  EXPECT_EQ(message_of("pawl: 2\n"),
            "s.yaml:1:7: pawl: 2 is not a version of the scene format known here: it must be 1");
  EXPECT_THAT(message_of("pawl: 1.0\n"), HasSubstr("1.0 is not a version"));
}

TEST(SceneErrors, NameTheNearestKeyForAnUnknownOne) {
  EXPECT_EQ(ball_message("{mass: 1, velocty: [0, 0, 0]}"),
            "s.yaml:4:19: bodies.ball.velocty: unknown key: did you mean 'velocity'?");
  EXPECT_EQ(message_of("pawl: 1\nBodies: {}\n"), "s.yaml:2:1: Bodies: unknown key: did you mean 'bodies'?");
  EXPECT_THAT(ball_message("{centre_of_mass: [0, 0, 0]}"), EndsWith("did you mean 'center_of_mass'?"));
}

TEST(SceneErrors, ListTheKeysWhereNoneIsNear) {
  EXPECT_EQ(message_of("pawl: 1\nworld: {colour: red}\n"),
            "s.yaml:2:9: world.colour: unknown key: the keys here are dimension, gravity");
}

TEST(SceneErrors, RefuseUnknownKeysInEveryObject) {
  const std::string unknown = "unknown key";
  EXPECT_THAT(message_of("pawl: 1\nxyzzy: 1"), HasSubstr(unknown));
  EXPECT_THAT(message_of("pawl: 1\nmaterials: {m: {friction: 1, xyzzy: 1}}"), HasSubstr(unknown));
  EXPECT_THAT(message_of("pawl: 1\nmaterials: {m: {friction: 1}}\npairs: [{between: [m, m], xyzzy: 1}]"),
              HasSubstr(unknown));
  EXPECT_THAT(ball_message("{xyzzy: 1}"), HasSubstr(unknown));
  EXPECT_THAT(ball_message("{joint: {type: weld, xyzzy: 1}}"), HasSubstr(unknown));
  EXPECT_THAT(ball_message("{orientation: {xyzzy: 1}}"), HasSubstr(unknown));
  EXPECT_THAT(shape_message("{type: sphere, xyzzy: 1}"), HasSubstr(unknown));
  EXPECT_THAT(force_message("type: spring, xyzzy: 1"), HasSubstr(unknown));
  EXPECT_THAT(force_message("type: spring, from: {xyzzy: 1}"), HasSubstr(unknown));
  EXPECT_THAT(run_message("xyzzy: 1"), HasSubstr(unknown));
  EXPECT_THAT(run_message("record: {xyzzy: 1}"), HasSubstr(unknown));
}

TEST(SceneErrors, TellKeysOfAnotherTypeFromUnknownOnes) {
  EXPECT_EQ(shape_message("{type: sphere, radius: 1, length: 2}"),
            "s.yaml:4:66: bodies.ball.shapes.0.length: means nothing for the shape type 'sphere': its keys "
            "are type, "
            "radius, position, orientation, material, density, group, collides_with");
  EXPECT_THAT(ball_message("{joint: {type: free, parent: world}}"),
              HasSubstr("joint.parent: means nothing for the joint type 'free'"));
  EXPECT_THAT(force_message("type: damper, stiffness: 1"),
              HasSubstr("f.stiffness: means nothing for the force type 'damper'"));
}

TEST(SceneErrors, SayWhatIsMissingAndWhere) {
  EXPECT_EQ(
      shape_message("{type: sphere}"),
      "s.yaml:4:40: bodies.ball.shapes.0.radius: missing: a radius, a finite number > 0 (m), is needed");
  EXPECT_EQ(
      message_of("pawl: 1\nmaterials:\n  ice:\n    restitution: 0\n"),
      "s.yaml:3:3: materials.ice.friction: missing: a friction coefficient, a finite number >= 0, is needed");
  EXPECT_THAT(shape_message("{radius: 1}"),
              HasSubstr("shapes.0.type: missing: a shape type of a spatial world is needed"));
  EXPECT_THAT(shape_message("{type: capsule, radius: 1}"), HasSubstr("length: missing"));
  EXPECT_THAT(ball_message("{joint: {}}"), HasSubstr("joint.type: missing"));
  EXPECT_THAT(ball_message("{joint: {type: revolute, axis: [1, 0, 0]}}"), HasSubstr("joint.anchor: missing"));
  EXPECT_THAT(ball_message("{joint: {type: revolute, anchor: [1, 0, 0]}}"), HasSubstr("joint.axis: missing"));
  EXPECT_THAT(ball_message("{joint: {type: prismatic}}"), HasSubstr("joint.axis: missing"));
  EXPECT_THAT(force_message("body: ball"), HasSubstr("forces.f.type: missing"));
  EXPECT_THAT(force_message("type: wrench, force: [0, 0, 1]"), HasSubstr("forces.f.body: missing"));
  EXPECT_THAT(force_message("type: wrench, body: ball"),
              HasSubstr("forces.f.force: missing: a wrench needs 'force', 'torque' or both"));
  EXPECT_THAT(force_message("type: spring, to: {body: world}"), HasSubstr("forces.f.from: missing"));
  EXPECT_THAT(force_message("type: spring, from: {body: world}"), HasSubstr("forces.f.to: missing"));
  EXPECT_THAT(force_message("type: spring, from: {point: [0, 0, 0]}"),
              HasSubstr("forces.f.from.body: missing"));
  EXPECT_THAT(force_message("type: spring, from: {body: ball}, to: {body: world}, stiffness: 1"),
              HasSubstr("rest_length: missing"));
  EXPECT_THAT(force_message("type: spring, from: {body: ball}, to: {body: world}, rest_length: 1"),
              HasSubstr("stiffness: missing"));
  EXPECT_THAT(force_message("type: damper, from: {body: ball}, to: {body: world}"),
              HasSubstr("damping: missing"));
  EXPECT_THAT(message_of("pawl: 1\nmaterials: {m: {friction: 1}}\npairs: [{friction: 1}]"),
              HasSubstr("pairs.0.between: missing"));
  EXPECT_THAT(message_of("pawl: 1\nmaterials: {m: {friction: 1}}\npairs: [{between: [m, m]}]"),
              HasSubstr("a pair must change"));
}

TEST(SceneErrors, ShowTheValueThatIsNotANumber) {
  const std::string rule = " is not a mass: it must be a finite number > 0 (kg)";
  EXPECT_THAT(ball_message("{mass: heavy}"), EndsWith(": 'heavy'" + rule));
  EXPECT_THAT(ball_message("{mass: \"1\"}"), EndsWith(": \"1\" (a text, for its quotes)" + rule));
  EXPECT_THAT(ball_message("{mass: [1]}"), EndsWith(": a list" + rule));
  EXPECT_THAT(ball_message("{mass: {kg: 1}}"), EndsWith(": a map of keys" + rule));
  EXPECT_THAT(ball_message("{mass: }"), EndsWith(": nothing" + rule));
  EXPECT_THAT(ball_message("{mass: 1kg}"), EndsWith(": '1kg'" + rule));
  EXPECT_THAT(ball_message("{mass: 0x10}"), EndsWith(": '0x10'" + rule));
  EXPECT_THAT(ball_message("{mass: 1_000}"), EndsWith(": '1_000'" + rule));
  EXPECT_THAT(ball_message("{mass: .inf}"), EndsWith(": .inf" + rule));
  EXPECT_THAT(ball_message("{mass: .NaN}"), EndsWith(": .NaN" + rule));
  EXPECT_THAT(ball_message("{mass: -.inf}"), EndsWith(": -.inf" + rule));
  EXPECT_THAT(ball_message("{mass: 0}"), EndsWith(": 0" + rule));
  EXPECT_THAT(ball_message("{mass: " + std::string(300, 'x') + "}"),
              EndsWith(": '" + std::string(60, 'x') + "…'" + rule));
}

TEST(SceneErrors, SayWhenDoublePrecisionCannotHoldANumber) {
  for (const char* value : {"1e400", "1e-400", "1e99999999999999999999"}) {
    EXPECT_THAT(ball_message(std::string("{mass: ") + value + "}"),
                EndsWith(std::string(": ") + value +
                         " lies beyond what double precision holds (about 1e-308 to 1e308): a mass must be a "
                         "finite number > 0 (kg)"));
  }
}

TEST(SceneErrors, CountTheElementsOfVectors) {
  EXPECT_EQ(ball_message("{position: [1, 2]}"),
            "s.yaml:4:20: bodies.ball.position: a list of 2 is not a position: it must be a list of 3 finite "
            "numbers [x, y, z] (m)");
  EXPECT_THAT(rod_message("{position: [1, 2, 3]}"),
              EndsWith("a list of 3 is not a position: it must be a list of 2 finite numbers [x, y] (m)"));
  EXPECT_THAT(ball_message("{position: 1}"),
              EndsWith("1 is not a position: it must be a list of 3 finite numbers [x, y, z] (m)"));
  EXPECT_EQ(ball_message("{position: [1, .nan, 2]}"),
            "s.yaml:4:24: bodies.ball.position.1: .nan is not an element of a position: it must be a finite "
            "number (m)");
  EXPECT_THAT(rod_message("{angular_velocity: [0, 0, 1]}"),
              EndsWith("a list is not an angular velocity: it must be a finite number (rad/s)"));
}

TEST(SceneErrors, WantMapsAndListsWhereTheyBelong) {
  EXPECT_EQ(message_of("pawl: 1\nworld: 3\n"),
            "s.yaml:2:8: world: 3 stands here: it must be a map of the keys dimension, gravity");
  EXPECT_THAT(message_of("pawl: 1\nbodies: [a]\n"),
              EndsWith("bodies: a list stands here: it must be a map from names to bodies"));
  EXPECT_THAT(message_of("pawl: 1\npairs: {a: b}\n"),
              EndsWith("pairs: a map of keys stands here: it must be a list of pairs of materials"));
  EXPECT_THAT(ball_message("{shapes: {type: sphere}}"), EndsWith("it must be a list of shapes"));
  EXPECT_THAT(message_of("pawl: 1\nname: [a]\n"), EndsWith("name: a list is not a name: it must be a text"));
  EXPECT_THAT(message_of("- pawl\n"),
              StartsWith("s.yaml:1:1: a list stands here: it must be a map of the keys pawl, name"));
  EXPECT_THAT(message_of("pawl\n"), StartsWith("s.yaml:1:1: 'pawl' stands here"));
}

TEST(SceneErrors, KeepPhysicalValuesInTheirRanges) {
  EXPECT_THAT(shape_message("{type: sphere, radius: 0}"),
              EndsWith("0 is not a radius: it must be a finite number > 0 (m)"));
  EXPECT_THAT(shape_message("{type: capsule, radius: 1, length: -1}"),
              EndsWith("-1 is not a length: it must be a finite number >= 0 (m)"));
  EXPECT_THAT(shape_message("{type: sphere, radius: 1, density: -1}"),
              EndsWith("-1 is not a density: it must be a finite number >= 0 (kg/m³)"));
  EXPECT_THAT(rod_message("{shapes: [{type: disc, radius: 1, density: -1}]}"), EndsWith("(kg/m²)"));
  EXPECT_THAT(message_of("pawl: 1\nmaterials: {m: {friction: -0.1}}"),
              EndsWith("-0.1 is not a friction coefficient: it must be a finite number >= 0"));
  for (const char* e : {"-0.1", "1.1"}) {
    EXPECT_THAT(message_of(std::string("pawl: 1\nmaterials: {m: {friction: 0, restitution: ") + e + "}}"),
                EndsWith(std::string(e) +
                         " is not a coefficient of restitution: it must be a finite number from 0 to 1"));
  }
  EXPECT_THAT(
      force_message("type: spring, from: {body: ball}, to: {body: world}, stiffness: -1, rest_length: 0"),
      EndsWith("-1 is not a stiffness: it must be a finite number >= 0 (N/m)"));
  EXPECT_THAT(
      force_message("type: spring, from: {body: ball}, to: {body: world}, stiffness: 1, rest_length: -1"),
      EndsWith("-1 is not a rest length: it must be a finite number >= 0 (m)"));
  EXPECT_THAT(force_message("type: damper, from: {body: ball}, to: {body: world}, damping: -1"),
              EndsWith("-1 is not a damping: it must be a finite number >= 0 (N s/m)"));
}

TEST(SceneErrors, KeepTheRunInItsRanges) {
  EXPECT_THAT(run_message("step: 0"),
              EndsWith("run.step: 0 is not a time step: it must be a finite number > 0 (s)"));
  EXPECT_THAT(run_message("step: 0ms"),
              EndsWith("run.step: '0ms' is not a time step: it must be a finite number > 0 (s)"));
  EXPECT_THAT(run_message("step: -1ms"), HasSubstr("'-1ms' is not a time step"));
  EXPECT_THAT(run_message("step: 5min"), EndsWith("'5min' is not a time step: it must be a finite number > 0 "
                                                  "(s), or one with its unit: 5ms, 100us, 2s"));
  EXPECT_THAT(run_message("step: \"0.1\""), HasSubstr("is not a time step"));
  EXPECT_THAT(run_message("until: -1"),
              EndsWith("-1 is not an end time: it must be a finite number >= 0 (s)"));
  EXPECT_EQ(run_message("until: 0"), "no error");
  for (const char* tolerance : {"0", "1", "-1e-8"}) {
    EXPECT_THAT(run_message(std::string("tolerance: ") + tolerance),
                EndsWith("is not a tolerance: it must be a finite number between 0 and 1, both excluded"));
  }
  for (const char* k : {"2", "8.5", "8.0", "63", "eight", "\"8\"", "99999999999999999999", "[8]"}) {
    EXPECT_THAT(run_message(std::string("friction_directions: ") + k),
                EndsWith("is not a number of friction directions: it must be a whole number from 3 to 62"));
  }
  EXPECT_EQ(run_message("friction_directions: 3"), "no error");
  EXPECT_EQ(run_message("contact_points: 9"),
            "s.yaml:2:23: run.contact_points: 9 is not a number of contact points: it must be a whole number "
            "from 1 to 8");
  for (const char* points : {"0", "-1", "4.5", "4.0", "all", "\"8\"", "[8]"}) {
    EXPECT_THAT(run_message(std::string("contact_points: ") + points),
                EndsWith("is not a number of contact points: it must be a whole number from 1 to 8"));
  }
  for (const char* points : {"1", "8"}) {
    EXPECT_EQ(run_message(std::string("contact_points: ") + points), "no error");
  }
  EXPECT_THAT(run_message("record: {every: 0}"), HasSubstr("run.record.every: 0 is not a number of steps"));
  EXPECT_THAT(run_message("record: {contacts: yes}"),
              HasSubstr("'yes' is not a choice to record contacts: it must be one of true, false"));
  EXPECT_THAT(run_message("record: {contacts: \"true\"}"), EndsWith("it must be true or false"));
  EXPECT_EQ(run_message("method: stewart_trinkle"),
            "s.yaml:2:15: run.method: 'stewart_trinkle' is not a method: did you mean 'stewart-trinkle'? It "
            "must be one of "
            "pawl, linearised, stewart-trinkle, stewart-trinkle-nonlinear, anitescu-potra, anitescu-hart, "
            "tzitzouris-pang");
  EXPECT_THAT(run_message("on_uncertified: ignore"),
              EndsWith("'ignore' is not an action: it must be one of flag, stop"));
}

TEST(SceneErrors, RefuseUnphysicalInertias) {
  const auto message = [](const std::string& inertia) {
    return ball_message("{mass: 1, inertia: " + inertia + "}");
  };
  EXPECT_THAT(message("0"), EndsWith("0 is not a moment of inertia: it must be a finite number > 0 (kg m²)"));
  EXPECT_THAT(
      message("[1, 1]"),
      EndsWith("a list of 2 is not an inertia: it must be a number, [ixx, iyy, izz] or three rows (kg m²)"));
  EXPECT_THAT(message("[1, 0, 1]"), HasSubstr("bodies.ball.inertia.1: 0 is not a moment of inertia"));
  EXPECT_THAT(
      message("[1, 2, 3.1]"),
      EndsWith(
          "the inertia of no body: 3.1 > 1 + 2, and each moment must be at most the sum of the other two"));
  EXPECT_THAT(message("[3.1, 2, 1]"), HasSubstr("3.1 > 2 + 1"));
  EXPECT_THAT(message("[[2, 0.5, 0], [0.4, 2, 0], [0, 0, 2]]"),
              EndsWith("not symmetric: row 2 column 1 holds 0.4, row 1 column 2 holds 0.5"));
  EXPECT_THAT(message("[[1, 1, 0], [1, 1, 0], [0, 0, 1]]"), HasSubstr("not positive definite"));
  EXPECT_THAT(message("[[1, 2, 0], [2, 1, 0], [0, 0, 1]]"), HasSubstr("not positive definite"));
  EXPECT_THAT(message("[[1, 0, 0], [0, 1, 1], [0, 1, 1]]"), HasSubstr("not positive definite"));
  EXPECT_THAT(message("[[0, 0, 0], [0, 0, 0], [0, 0, 0]]"), HasSubstr("not positive definite"));
  EXPECT_THAT(message("[[1, 0, 0], [0, 1, 0], [0, 0, -1]]"), HasSubstr("not positive definite"));
  // Principal moments 2.9, 1.1 and 1: the diagonal does not show the violation.
  EXPECT_THAT(message("[[2, 0.9, 0], [0.9, 2, 0], [0, 0, 1]]"),
              HasSubstr("each principal moment must be at most the sum of the other two"));
  EXPECT_THAT(message("[[2, 0, 0], [0, 2], [0, 0, 2]]"),
              HasSubstr("inertia.1: a list of 2 is not a row of an inertia matrix"));
  EXPECT_THAT(message("[[2, 0, 0], 2, [0, 0, 2]]"), HasSubstr("inertia.1: 2 is not a row"));
  EXPECT_THAT(rod_message("{mass: 1, inertia: [1, 1, 1]}"),
              EndsWith("in a planar world it must be a single number > 0 (kg m²)"));
}

TEST(SceneErrors, RefuseVectorsThatPointNowhere) {
  EXPECT_THAT(ball_message("{joint: {type: weld}, shapes: [{type: half-space, normal: [0, 0, 0]}]}"),
              EndsWith("normal: a vector of length zero is not a normal: it must point somewhere"));
  EXPECT_THAT(ball_message("{joint: {type: prismatic, axis: [0, 0, 0]}}"),
              HasSubstr("a vector of length zero is not an axis"));
  EXPECT_THAT(ball_message("{orientation: {axis: [0, 0, 0], angle: 1}}"),
              HasSubstr("a vector of length zero"));
  EXPECT_THAT(ball_message("{orientation: {quaternion: [0, 0, 0, 0]}}"),
              HasSubstr("a quaternion of length zero is no rotation"));
}

TEST(SceneErrors, WantAnOrientationInOneForm) {
  for (const char* way : {"", "axis: [0, 0, 1]", "angle: 1", "rpy: [0, 0, 0], quaternion: [1, 0, 0, 0]",
                          "rpy: [0, 0, 0], rpy_deg: [0, 0, 0]"}) {
    EXPECT_THAT(ball_message(std::string("{orientation: {") + way + "}}"),
                HasSubstr("it must be given in one way"))
        << way;
  }
  EXPECT_THAT(ball_message("{orientation: {axis: [0, 0, 1], angle: 1, angle_deg: 1}}"),
              EndsWith("angle_deg: 'angle' is written too: keep one of the two"));
  EXPECT_THAT(ball_message("{angle: 1}"), HasSubstr("bodies.ball.angle: belongs to planar worlds"));
  EXPECT_THAT(rod_message("{orientation: {rpy: [0, 0, 0]}}"),
              HasSubstr("belongs to spatial worlds: in a planar one write 'angle'"));
}

/// The message about a joint between two bodies; the second has a prismatic joint.
std::string constraint_joint_message(const std::string& joint) {
  return message_of(
      "pawl: 1\nbodies:\n  a: {mass: 1, inertia: 1}\n"
      "  b: {mass: 1, inertia: 1, joint: {type: prismatic, axis: [0, 0, 1]}}\n"
      "joints:\n  - {" +
      joint + "}\n");
}

TEST(SceneErrors, RefuseJointsThatHoldNothing) {
  EXPECT_THAT(constraint_joint_message("type: ball, between: [a, c], anchor: [0, 0, 0]"),
              HasSubstr("s.yaml:6:31: joints.0.between.1: no body is called 'c'"));
  EXPECT_THAT(constraint_joint_message("type: ball, between: [a, a], anchor: [0, 0, 0]"),
              HasSubstr("joints.0.between.1: 'a' stands here twice"));
  EXPECT_THAT(constraint_joint_message("type: ball, between: [a], anchor: [0, 0, 0]"),
              HasSubstr("it must be a list of two bodies, [a, b]"));
  EXPECT_THAT(constraint_joint_message("type: ball, between: [a, b]"), HasSubstr("joints.0.anchor: missing"));
  EXPECT_THAT(constraint_joint_message("type: ball, between: [a, b], anchor: [0, 0]"),
              HasSubstr("joints.0.anchor"));
  EXPECT_THAT(constraint_joint_message("type: revolute, between: [a, b], anchor: [0, 0, 0], axis: [0, 0, 0]"),
              HasSubstr("joints.0.axis"));
  EXPECT_THAT(constraint_joint_message(
                  "type: distance, between: [a, b], anchor: [0, 0, 1], second_anchor: [0, 0, 1]"),
              HasSubstr("joints.0.second_anchor: the two anchors are one point"));
  EXPECT_THAT(constraint_joint_message("type: coupling, between: [a, b], ratio: 2"),
              HasSubstr("joints.0.between: 'a' has no single joint coordinate"));
  EXPECT_THAT(constraint_joint_message("type: coupling, between: [b, world], ratio: 2"),
              HasSubstr("'world' has no single joint coordinate"));
  EXPECT_THAT(constraint_joint_message("type: planar, between: [a, b]"),
              HasSubstr("'planar' is not a joint type of a spatial world"));
}

TEST(SceneErrors, RefuseDrivesThatMakeNoSense) {
  const auto hinge = [](const std::string& more) {
    return ball_message("{" + kHeavy + ", joint: {type: revolute, anchor: [0, 0, 0], axis: [0, 0, 1], " +
                        more + "}}");
  };
  EXPECT_THAT(hinge("restitution: 0.5"), HasSubstr("bodies.ball.joint.restitution: there is no limit"));
  EXPECT_THAT(hinge("upper: 1, restitution: 1.5"), HasSubstr("bodies.ball.joint.restitution"));
  EXPECT_THAT(hinge("lower: 1, upper_deg: 30"),
              HasSubstr("bodies.ball.joint.upper_deg: the limits are crossed: 0.52"));
  EXPECT_THAT(hinge("friction: -1"), HasSubstr("-1 is not a friction bound"));
  EXPECT_THAT(hinge("motor: {max_force: 1}"), HasSubstr("write one of the three"));
  EXPECT_THAT(hinge("motor: {velocity: 1, position: 2}"), HasSubstr("write one of the three"));
  EXPECT_THAT(hinge("motor: {force: 1, kv: 2}"), HasSubstr("it is the gain of a servo"));
  EXPECT_THAT(hinge("motor: {velocity: 1, kp: 2}"), HasSubstr("it is the gain of a 'position'"));
  EXPECT_THAT(hinge("armature: -1"), HasSubstr("-1 is not an armature"));
  EXPECT_THAT(hinge("motor: {velocity: {table: [[0, 1], [0, 2]]}}"),
              HasSubstr("joint.motor.velocity.table.1.0: times must ascend"));
  EXPECT_THAT(hinge("motor: {velocity: {table: []}}"), HasSubstr("an empty table says nothing"));
  EXPECT_THAT(hinge("motor: {velocity: {sine: {amplitude: 1}}}"), HasSubstr("sine.frequency: missing"));
  EXPECT_THAT(hinge("motor: {velocity: {}}"), HasSubstr("either {table: …} or {sine: …}"));
  EXPECT_THAT(ball_message("{joint: {type: prismatic, axis: [0, 0, 1], motor: {velocity_deg: 1}}}"),
              HasSubstr("motor.velocity_deg: the joint slides: write 'velocity'"));
  EXPECT_THAT(ball_message("{joint: {type: ball, anchor: [0, 0, 0], upper: 1}}"), HasSubstr("upper"));
  EXPECT_THAT(constraint_joint_message(
                  "type: distance, between: [a, b], anchor: [0, 0, 0], second_anchor: [0, 0, 1], "
                  "length: 1, upper: 2"),
              HasSubstr("a rod has one length, a rope has limits"));
}

TEST(SceneErrors, RefuseAUniversalJointWithOneAxisTwice) {
  EXPECT_THAT(ball_message("{joint: {type: universal, anchor: [0, 0, 0], axis: [0, 0, 1], second_axis: [0, "
                           "0, -2]}}"),
              HasSubstr("joint.second_axis: it goes the same way as 'axis'"));
  EXPECT_THAT(ball_message("{joint: {type: universal, anchor: [0, 0, 0], axis: [0, 0, 1]}}"),
              HasSubstr("joint.second_axis: missing: the axis fixed to the body is needed"));
  EXPECT_THAT(ball_message("{joint: {type: universal, anchor: [0, 0, 0], axis: [0, 0, 1], second_axis: [1, "
                           "0, 0], position: [1]}}"),
              HasSubstr("joint.position"));
}

TEST(SceneErrors, TellPlanarTypesFromSpatialOnes) {
  EXPECT_THAT(ball_message("{joint: {type: planar}}"),
              EndsWith("'planar' is not a joint type of a spatial world: it must be one of free, revolute, "
                       "prismatic, cylindrical, universal, ball, weld"));
  EXPECT_THAT(rod_message("{joint: {type: ball, anchor: [0, 0]}}"),
              EndsWith("'ball' is not a joint type of a planar world: it must be one of planar, revolute, "
                       "prismatic, weld"));
  EXPECT_THAT(rod_message("{joint: {type: free}}"),
              EndsWith("'free' is not a joint type of a planar world: it must be one of planar, revolute, "
                       "prismatic, weld"));
  EXPECT_THAT(
      rod_message("{shapes: [{type: sphere, radius: 1}]}"),
      EndsWith(
          "'sphere' is not a shape type of a planar world: it must be one of disc, capsule, box, ellipse, "
          "polygon, half-plane, polyline"));
  EXPECT_THAT(rod_message("{joint: {type: revolute, anchor: [0, 0], axis: [0, 1]}}"),
              EndsWith("a planar revolute joint always turns about z: leave it out"));
}

TEST(SceneErrors, GiveVelocitiesOnlyToFreeBodies) {
  EXPECT_THAT(
      ball_message("{velocity: [0, 0, 0], joint: {type: prismatic, axis: [1, 0, 0]}}"),
      EndsWith(
          "bodies.ball.velocity: only a free body has one: a prismatic joint moves by 'joint.velocity'"));
  EXPECT_THAT(ball_message("{angular_velocity: [0, 0, 0], joint: {type: weld}}"),
              EndsWith("only a free body has one: a weld joint does not move"));
}

TEST(SceneErrors, WantTheMassInOneForm) {
  EXPECT_EQ(ball_message("{}"),
            "s.yaml:4:3: bodies.ball.mass: missing: a body that moves needs 'mass' and 'inertia', or shapes "
            "with 'density' > 0, or 'mass_from' (or weld it: joint: {type: weld})");
  EXPECT_THAT(ball_message("{mass: 1}"),
              EndsWith("bodies.ball.inertia: missing: the body has no shape to take it from"));
  EXPECT_EQ(ball_message("{mass: 1, shapes: [{type: sphere, radius: 1}]}"), "no error");
  EXPECT_THAT(ball_message("{mass: 1, shapes: [{type: sphere, radius: 1, density: 1}]}"),
              EndsWith("shapes.0.density: the body's mass is written on line 4: keep one of the two"));
  EXPECT_THAT(ball_message("{shapes: [{type: sphere, radius: 1, density: 1}, {type: sphere, radius: 1}]}"),
              HasSubstr("shapes.1.density: missing"));
  EXPECT_THAT(ball_message("{shapes: [{type: sphere, radius: 1, density: 0}]}"),
              HasSubstr("bodies.ball.mass: missing"));
  EXPECT_THAT(ball_message("{inertia: 1, shapes: [{type: sphere, radius: 1, density: 1}]}"),
              EndsWith("inertia: means nothing without 'mass'"));
  EXPECT_THAT(ball_message("{mass: 1, center_of_mass: [0, 0, 0], shapes: [{type: sphere, radius: 1}]}"),
              HasSubstr("center_of_mass: means nothing without"));
  EXPECT_EQ(ball_message("{joint: {type: weld}}"), "no error");
  EXPECT_THAT(
      message_of("pawl: 1\nbodies:\n  a: {mass: 1, inertia: 1}\n  b: {joint: {type: weld, parent: a}}\n"),
      HasSubstr("bodies.b.mass: missing"));
}

TEST(SceneErrors, KeepHalfSpacesOnWhatIsFixed) {
  EXPECT_THAT(
      shape_message("{type: half-space}"),
      EndsWith("bodies.ball.shapes.0: it is infinitely heavy: only a body welded to the world can have it"));
  EXPECT_THAT(
      message_of(
          "pawl: 1\nmaterials: {m: {friction: 1}}\nbodies:\n  a: {mass: 1, inertia: 1}\n"
          "  b: {mass: 1, inertia: 1, joint: {type: weld, parent: a}, shapes: [{type: half-space}]}\n"),
      HasSubstr("bodies.b.shapes.0: it is infinitely heavy"));
}

TEST(SceneErrors, NameTheNearestMaterialOrBody) {
  EXPECT_EQ(
      shape_message("{type: sphere, radius: 1, material: plane}"),
      "s.yaml:4:76: bodies.ball.shapes.0.material: no material is called 'plane': did you mean 'plain'?");
  EXPECT_THAT(shape_message("{type: sphere, radius: 1, material: rubber}"),
              EndsWith("no material is called 'rubber': there are plain"));
  EXPECT_THAT(ball_message("{joint: {type: weld, parent: wrld}}"),
              EndsWith("no body is called 'wrld': did you mean 'world'?"));
  EXPECT_THAT(force_message("type: wrench, body: bal, force: [0, 0, 1]"),
              EndsWith("no body is called 'bal': did you mean 'ball'?"));
  EXPECT_THAT(force_message("type: wrench, body: chair, force: [0, 0, 1]"),
              EndsWith("no body is called 'chair': there are world, ball"));
  EXPECT_THAT(
      message_of("pawl: 1\nmaterials: {ice: {friction: 1}}\npairs: [{between: [ice, ic], friction: 1}]"),
      EndsWith("pairs.0.between.1: no material is called 'ic': did you mean 'ice'?"));
}

TEST(SceneErrors, WantAMaterialNamedUnlessThereIsOne) {
  EXPECT_THAT(message_of("pawl: 1\nmaterials: {a: {friction: 1}, b: {friction: 1}}\nbodies: {s: {mass: 1, "
                         "shapes: [{type: sphere, radius: 1}]}}"),
              EndsWith("bodies.s.shapes.0.material: missing: the scene has several materials, so every shape "
                       "must name one of them"));
  EXPECT_THAT(message_of("pawl: 1\nbodies: {s: {mass: 1, shapes: [{type: sphere, radius: 1}]}}"),
              HasSubstr("missing: add a material under 'materials'"));
}

TEST(SceneErrors, FindAPairListedTwice) {
  EXPECT_EQ(message_of("pawl: 1\nmaterials: {a: {friction: 1}, b: {friction: 1}}\npairs:\n"
                       "  - {between: [a, b], friction: 1}\n  - {between: [b, a], friction: 2}\n"),
            "s.yaml:5:15: pairs.1.between: b and a are paired twice, first on line 4: keep one of the two");
  EXPECT_THAT(message_of("pawl: 1\nmaterials: {a: {friction: 1}}\npairs: [{between: [a], friction: 1}]"),
              EndsWith("it must be a list of two materials, [a, b]"));
}

TEST(SceneErrors, FindCyclesOfParents) {
  const std::string weld = ": {joint: {type: weld, parent: ";
  EXPECT_EQ(message_of("pawl: 1\nbodies:\n  a" + weld + "b}}\n  b" + weld + "c}}\n  c" + weld + "b}}\n"),
            "s.yaml:4:27: bodies.b.joint.parent: the parents run in a circle: b -> c -> b");
  EXPECT_THAT(message_of("pawl: 1\nbodies:\n  a" + weld + "a}}\n"),
              EndsWith("the parents run in a circle: a -> a"));
}

TEST(SceneErrors, RefuseNamesThatPathsCannotHold) {
  EXPECT_EQ(
      message_of("pawl: 1\nbodies: {a.b: {}}\n"),
      "s.yaml:2:10: bodies.a.b: not a name: it must be made of the letters a-z and A-Z, digits, '_' and '-'");
  EXPECT_THAT(message_of("pawl: 1\nbodies: {'': {}}\n"), HasSubstr("not a name"));
  EXPECT_THAT(message_of("pawl: 1\nbodies: {world: {}}\n"),
              EndsWith("bodies.world: the name of the fixed frame: call the body something else"));
}

TEST(SceneErrors, RefuseForcesThatDoNothing) {
  EXPECT_THAT(force_message("type: wrench, body: world, force: [0, 0, 1]"),
              EndsWith("forces.f.body: the world does not move: it must be the name of a body"));
  EXPECT_THAT(force_message("type: damper, from: {body: ball}, to: {body: ball}, damping: 1"),
              HasSubstr("both ends are fixed to 'ball'"));
  EXPECT_THAT(force_message("type: wrench, body: ball, force: [0, 0, 1], frame: local"),
              EndsWith("'local' is not a frame: it must be one of world, body"));
}

}  // namespace
}  // namespace pawl::internal::testing
