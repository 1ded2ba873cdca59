// The values read from valid scenes.

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "unit/scene_file/scene_text.h"

#include <pawl/scene_file.h>

namespace pawl::internal::testing {
namespace {

constexpr double kPi = std::numbers::pi;

void expect_near(const Vec3& a, const Vec3& b, double tolerance = 1e-15) {
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(a[i], b[i], tolerance) << "component " << i;
}

TEST(SceneReader, FillsTheDocumentedDefaults) {
  const Scene scene = parse_scene("pawl: 1\n", "some/where/empty_room.yaml");
  EXPECT_EQ(scene.name, "empty_room");
  EXPECT_EQ(scene.dimension, Dimension::spatial);
  EXPECT_EQ(scene.gravity, (Vec3{0, 0, -9.81}));
  EXPECT_TRUE(scene.bodies.empty());
  EXPECT_EQ(scene.run.method, "pawl");
  EXPECT_EQ(scene.run.step, 1e-3);
  EXPECT_EQ(scene.run.until, 1);
  EXPECT_EQ(scene.run.tolerance, 1e-8);
  EXPECT_EQ(scene.run.friction_directions, 8);
  EXPECT_EQ(scene.run.contact_points, 4);
  EXPECT_EQ(scene.run.record_every, 1);
  EXPECT_TRUE(scene.run.record_contacts);
  EXPECT_EQ(scene.run.on_uncertified, OnUncertified::flag);
}

TEST(SceneReader, GivesPlanarWorldsGravityAlongY) {
  EXPECT_EQ(parse_scene("pawl: 1\nworld: {dimension: planar}", "s.yaml").gravity, (Vec3{0, -9.81, 0}));
  EXPECT_EQ(parse_scene("pawl: 1\nworld: {dimension: planar, gravity: [1, 2]}", "s.yaml").gravity,
            (Vec3{1, 2, 0}));
}

TEST(SceneReader, TreatsAnEmptySectionAsAbsent) {
  const Scene scene = parse_scene("pawl: 1\nworld:\nmaterials:\npairs:\nbodies:\nforces:\nrun:\n", "s.yaml");
  EXPECT_TRUE(scene.bodies.empty());
  EXPECT_EQ(scene.run.step, 1e-3);
}

TEST(SceneReader, KeepsTextFileAndOverridesForTheRecord) {
  const std::string text = "pawl: 1\nname: A\ndescription: B\n";
  const Scene scene = parse_scene(text, "s.yaml", {"name=C"});
  EXPECT_EQ(scene.text, text);
  EXPECT_EQ(scene.file, "s.yaml");
  EXPECT_EQ(scene.name, "C");
  EXPECT_EQ(scene.description, "B");
  EXPECT_EQ(scene.overrides, std::vector<std::string>{"name=C"});
}

TEST(SceneReader, ReadsEveryFieldOfARun) {
  const Scene scene = parse_scene(
      "pawl: 1\nrun: {method: anitescu-potra, step: 2ms, until: 3, tolerance: 1e-6, friction_directions: 5,\n"
      "      contact_points: 6, record: {every: 4, contacts: false}, on_uncertified: stop}",
      "s.yaml");
  EXPECT_EQ(scene.run.method, "anitescu-potra");
  EXPECT_EQ(scene.run.step, 0.002);
  EXPECT_EQ(scene.run.until, 3);
  EXPECT_EQ(scene.run.tolerance, 1e-6);
  EXPECT_EQ(scene.run.friction_directions, 5);
  EXPECT_EQ(scene.run.contact_points, 6);
  EXPECT_EQ(scene.run.record_every, 4);
  EXPECT_FALSE(scene.run.record_contacts);
  EXPECT_EQ(scene.run.on_uncertified, OnUncertified::stop);
}

TEST(SceneReader, ReadsEveryFieldOfAFreeBody) {
  const SceneBody body = read_ball(
      "{mass: 2, inertia: [1, 2, 3], center_of_mass: [4, 5, 6], position: [7, 8, 9],\n"
      "         velocity: [10, 11, 12], angular_velocity: [13, 14, 15], shapes: [{type: sphere, radius: "
      "16}]}");
  EXPECT_EQ(body.name, "ball");
  EXPECT_EQ(body.joint.kind, JointKind::free);
  EXPECT_EQ(body.mass, 2);
  EXPECT_EQ(body.inertia, Mat3::diagonal({1, 2, 3}));
  EXPECT_EQ(body.center_of_mass, (Vec3{4, 5, 6}));
  EXPECT_EQ(body.position, (Vec3{7, 8, 9}));
  EXPECT_EQ(body.velocity, (Vec3{10, 11, 12}));
  EXPECT_EQ(body.angular_velocity, (Vec3{13, 14, 15}));
  ASSERT_EQ(body.shapes.size(), 1u);
  EXPECT_EQ(body.shapes[0].radius, 16);
  EXPECT_EQ(body.shapes[0].material, "plain");
  EXPECT_EQ(body.location.line, 4);
  EXPECT_EQ(body.location.column, 3);
}

TEST(SceneReader, ReadsAnInertiaAsScalarMomentsOrRows) {
  EXPECT_EQ(read_ball("{mass: 1, inertia: 4e-3}").inertia, Mat3::diagonal({4e-3, 4e-3, 4e-3}));
  const Mat3 rows = *read_ball("{mass: 1, inertia: [[2, 0.5, 0], [0.5, 2, 0], [0, 0, 2]]}").inertia;
  EXPECT_EQ(rows, (Mat3{{{{2, 0.5, 0}, {0.5, 2, 0}, {0, 0, 2}}}}));
}

TEST(SceneReader, AcceptsAThinPlateWithRoundedMoments) {
  EXPECT_TRUE(read_ball("{mass: 1, inertia: [0.333, 0.333, 0.667]}").inertia.has_value());
  EXPECT_TRUE(
      read_ball("{mass: 1, inertia: [[0.333, 0, 0], [0, 0.333, 0], [0, 0, 0.667]]}").inertia.has_value());
}

TEST(SceneReader, ReadsTheSameRotationFromEveryForm) {
  const Quat expected = quat_exp({0, 0, kPi / 6});
  for (const char* way : {"axis: [0, 0, 2], angle: 0.52359877559829887", "axis: [0, 0, 1], angle_deg: 30",
                          "quaternion: [1.9318516525781366, 0, 0, 0.51763809020504148]",
                          "rpy_deg: [0, 0, 30]", "rpy: [0, 0, 0.52359877559829887]"}) {
    const Quat q = read_ball("{" + kHeavy + ", orientation: {" + way + "}}").orientation;
    EXPECT_NEAR(q.w, expected.w, 1e-15) << way;
    EXPECT_NEAR(q.z, expected.z, 1e-15) << way;
    EXPECT_EQ(q.x, 0) << way;
    EXPECT_EQ(q.y, 0) << way;
  }
}

TEST(SceneReader, TurnsRollFirstAndYawLast) {
  const Mat3 R = to_matrix(read_ball("{" + kHeavy + ", orientation: {rpy_deg: [90, 0, 90]}}").orientation);
  expect_near(R * Vec3{0, 1, 0}, {0, 0, 1});  // roll takes y to z, and yaw leaves z in place
  expect_near(R * Vec3{1, 0, 0}, {0, 1, 0});
}

TEST(SceneReader, NormalisesDirectionsOfAnyLength) {
  EXPECT_EQ(
      read_ball("{joint: {type: weld}, shapes: [{type: half-space, normal: [0, 1e12, 0]}]}").shapes[0].normal,
      (Vec3{0, 1, 0}));
  EXPECT_EQ(read_ball("{" + kHeavy + ", joint: {type: prismatic, axis: [0, 0, -1e-300]}}").joint.axis,
            (Vec3{0, 0, -1}));
}

TEST(SceneReader, ReadsJointsWithTheirStartingState) {
  const SceneJoint hinge =
      read_ball("{" + kHeavy +
                ", joint: {type: revolute, anchor: [1, 2, 3], axis: [0, 2, 0], position_deg: 90, "
                "velocity_deg: -180}}")
          .joint;
  EXPECT_EQ(hinge.kind, JointKind::revolute);
  EXPECT_EQ(hinge.parent, "world");
  EXPECT_EQ(hinge.anchor, (Vec3{1, 2, 3}));
  EXPECT_EQ(hinge.axis, (Vec3{0, 1, 0}));
  EXPECT_DOUBLE_EQ(hinge.position, kPi / 2);
  EXPECT_DOUBLE_EQ(hinge.velocity, -kPi);
  const SceneJoint slide =
      read_ball("{" + kHeavy + ", joint: {type: prismatic, axis: [1, 0, 0], position: 0.25, velocity: -2}}")
          .joint;
  EXPECT_EQ(slide.kind, JointKind::prismatic);
  EXPECT_EQ(slide.position, 0.25);
  EXPECT_EQ(slide.velocity, -2);
}

TEST(SceneReader, ReadsJointsWithSeveralDegreesOfFreedom) {
  const SceneJoint piston = read_ball("{" + kHeavy +
                                      ", joint: {type: cylindrical, anchor: [1, 2, 3], axis: [0, 2, 0], "
                                      "position: 0.5, velocity: -1, angle_deg: 90, angular_velocity: 3}}")
                                .joint;
  EXPECT_EQ(piston.kind, JointKind::cylindrical);
  EXPECT_EQ(piston.anchor, (Vec3{1, 2, 3}));
  EXPECT_EQ(piston.axis, (Vec3{0, 1, 0}));
  EXPECT_EQ(piston.position, 0.5);
  EXPECT_EQ(piston.velocity, -1);
  EXPECT_DOUBLE_EQ(piston.second_position, kPi / 2);
  EXPECT_EQ(piston.second_velocity, 3);
  const SceneJoint cross =
      read_ball("{" + kHeavy +
                ", joint: {type: universal, anchor: [0, 0, 0], axis: [0, 0, 1], second_axis: [2, 0, 0], "
                "position_deg: [90, -180], velocity: [1, 2]}}")
          .joint;
  EXPECT_EQ(cross.kind, JointKind::universal);
  EXPECT_EQ(cross.second_axis, (Vec3{1, 0, 0}));
  EXPECT_DOUBLE_EQ(cross.position, kPi / 2);
  EXPECT_DOUBLE_EQ(cross.second_position, -kPi);
  EXPECT_EQ(cross.velocity, 1);
  EXPECT_EQ(cross.second_velocity, 2);
  const SceneJoint hip =
      read_ball("{" + kHeavy +
                ", joint: {type: ball, anchor: [1, 0, 0], orientation: {quaternion: [0, 0, "
                "3, 0]}, angular_velocity: [1, 2, 3]}}")
          .joint;
  EXPECT_EQ(hip.kind, JointKind::ball);
  EXPECT_EQ(hip.orientation, (Quat{0, 0, 1, 0}));
  EXPECT_EQ(hip.angular_velocity, (Vec3{1, 2, 3}));
}

TEST(SceneReader, ReadsJointsBetweenAnyTwoBodies) {
  const Scene scene = parse_scene(
      "pawl: 1\nbodies:\n"
      "  a: {mass: 1, inertia: 1, joint: {type: revolute, anchor: [1, 0, 0], axis: [0, 0, 1]}}\n"
      "  b: {mass: 1, inertia: 1, joint: {type: prismatic, axis: [0, 0, 1]}}\n"
      "joints:\n"
      "  - {type: universal, between: [a, b], anchor: [1, 2, 3], axis: [0, 0, 3], second_axis: [2, 0, 0]}\n"
      "  - {type: distance, between: [b, world], anchor: [0, 0, 0], second_anchor: [0, 3, 4], collide: "
      "true}\n"
      "  - {type: distance, between: [b, a], anchor: [0, 0, 0], second_anchor: [0, 3, 4], length: 2}\n"
      "  - {type: coupling, between: [a, b], ratio: -0.5, offset_deg: 90}\n"
      "no_collision: [[a, b]]\n"
      "collision: [[b, a]]\n",
      "s.yaml");
  ASSERT_EQ(scene.joints.size(), 4u);
  EXPECT_EQ(scene.joints[0].kind, ConstraintJointKind::universal);
  EXPECT_EQ(scene.joints[0].first, "a");
  EXPECT_EQ(scene.joints[0].second, "b");
  EXPECT_EQ(scene.joints[0].anchor, (Vec3{1, 2, 3}));
  EXPECT_EQ(scene.joints[0].axis, (Vec3{0, 0, 1}));
  EXPECT_EQ(scene.joints[0].second_axis, (Vec3{1, 0, 0}));
  EXPECT_FALSE(scene.joints[0].collide);
  EXPECT_EQ(scene.joints[1].length, 5);
  EXPECT_TRUE(scene.joints[1].collide);
  EXPECT_EQ(scene.joints[2].length, 2);
  EXPECT_EQ(scene.joints[3].ratio, -0.5);
  EXPECT_DOUBLE_EQ(scene.joints[3].offset, kPi / 2);
  EXPECT_EQ(scene.no_collision, (std::vector<SceneBodyPair>{{"a", "b"}}));
  EXPECT_EQ(scene.collision, (std::vector<SceneBodyPair>{{"b", "a"}}));
}

TEST(SceneReader, ReadsLimitsFrictionAndMotors) {
  const SceneDrive drive =
      read_ball("{" + kHeavy +
                ", joint: {type: revolute, anchor: [0, 0, 0], axis: [0, 0, 1], lower_deg: -90, upper: 2, "
                "friction: 0.5, motor: {velocity_deg: {sine: {amplitude: 180, frequency: 2, phase_deg: 90, "
                "offset: 360}}, max_force: 3}}}")
          .joint.drive;
  EXPECT_DOUBLE_EQ(*drive.lower, -kPi / 2);
  EXPECT_EQ(*drive.upper, 2);
  EXPECT_EQ(drive.friction, 0.5);
  EXPECT_EQ(drive.motor, MotorMode::velocity);
  EXPECT_EQ(*drive.max_force, 3);
  EXPECT_DOUBLE_EQ(value_at(drive.target, 0), 3 * kPi);
  EXPECT_DOUBLE_EQ(value_at(drive.target, 0.25), kPi);
  const SceneDrive slide = read_ball("{" + kHeavy +
                                     ", joint: {type: prismatic, axis: [0, 0, 1], motor: {position: {table: "
                                     "[[1, 2], [3, 6]]}}}}")
                               .joint.drive;
  EXPECT_FALSE(slide.lower || slide.upper || slide.max_force);
  EXPECT_EQ(slide.motor, MotorMode::position);
  EXPECT_EQ(value_at(slide.target, 0), 2);
  EXPECT_EQ(value_at(slide.target, 1.5), 3);
  EXPECT_EQ(value_at(slide.target, 3), 6);
  EXPECT_EQ(value_at(slide.target, 9), 6);
}

TEST(SceneReader, LetsABodyHangOnOneWrittenLater) {
  const Scene scene = parse_scene(
      "pawl: 1\nbodies:\n"
      "  hand: {mass: 1, inertia: 1, joint: {type: revolute, parent: arm, anchor: [1, 0, 0], axis: [0, 0, "
      "1]}}\n"
      "  arm: {mass: 1, inertia: 1, joint: {type: revolute, anchor: [0, 0, 0], axis: [0, 0, 1]}}\n",
      "s.yaml");
  EXPECT_EQ(scene.bodies[0].joint.parent, "arm");
}

TEST(SceneReader, LaysPlanarQuantitiesInThePlane) {
  const SceneBody rod = read_rod(
      "{mass: 1, inertia: 2, position: [3, 4], angle_deg: 90, velocity: [5, 6], angular_velocity: 7}");
  EXPECT_EQ(rod.joint.kind, JointKind::planar);
  EXPECT_EQ(rod.inertia, Mat3::diagonal({2, 2, 2}));
  EXPECT_EQ(rod.position, (Vec3{3, 4, 0}));
  EXPECT_DOUBLE_EQ(rod.angle, kPi / 2);
  EXPECT_DOUBLE_EQ(rod.orientation.z, std::sin(kPi / 4));
  EXPECT_EQ(rod.velocity, (Vec3{5, 6, 0}));
  EXPECT_EQ(rod.angular_velocity, (Vec3{0, 0, 7}));
}

TEST(SceneReader, TurnsAPlanarCapsuleByItsAngleAlone) {
  const SceneShape capsule =
      read_rod("{" + kHeavy + ", shapes: [{type: capsule, radius: 1, length: 2}]}").shapes[0];
  EXPECT_EQ(capsule.orientation, Quat{});  // along x by default
  const SceneShape turned =
      read_rod("{" + kHeavy + ", shapes: [{type: capsule, radius: 1, length: 2, angle_deg: 60}]}").shapes[0];
  expect_near(to_matrix(turned.orientation) * Vec3{1, 0, 0}, {0.5, std::sqrt(0.75), 0});
}

TEST(SceneReader, KeepsASpatialCapsuleAlongZ) {
  const SceneShape capsule =
      read_ball("{" + kHeavy + ", shapes: [{type: capsule, radius: 1, length: 2}]}").shapes[0];
  EXPECT_EQ(capsule.orientation, Quat{});
  EXPECT_EQ(capsule.length, 2);
}

TEST(SceneReader, LetsHalfSpacesPointUpUnlessToldOtherwise) {
  EXPECT_EQ(read_ball("{joint: {type: weld}, shapes: [{type: half-space}]}").shapes[0].normal,
            (Vec3{0, 0, 1}));
  EXPECT_EQ(read_rod("{joint: {type: weld}, shapes: [{type: half-plane, offset: 3}]}").shapes[0].normal,
            (Vec3{0, 1, 0}));
}

TEST(SceneReader, TakesTheMassFromDensitiesWhereTheShapesHaveThem) {
  const SceneBody body = read_ball(
      "{shapes: [{type: sphere, radius: 1, density: 7800}, {type: sphere, radius: 2, density: 0}]}");
  EXPECT_FALSE(body.mass.has_value());
  EXPECT_EQ(body.shapes[0].density, 7800);
  EXPECT_EQ(body.shapes[1].density, 0);
}

TEST(SceneReader, AllowsHalfSpacesOnBodiesWeldedToTheWorldThroughOthers) {
  EXPECT_EQ(message_of("pawl: 1\nmaterials: {m: {friction: 1}}\nbodies:\n"
                       "  floor: {joint: {type: weld, parent: base}, shapes: [{type: half-space}]}\n"
                       "  base: {joint: {type: weld}}\n"),
            "no error");
}

TEST(SceneReader, ReadsForcesOfEveryType) {
  const Scene scene = parse_scene(
      scene_with_ball(
          "{" + kHeavy + "}",
          "forces:\n"
          "  push: {type: wrench, body: ball, at: [1, 2, 3], force: [4, 5, 6], torque: [7, 8, 9], frame: "
          "body}\n"
          "  hold: {type: spring, from: {body: ball, point: [1, 0, 0]}, to: {body: world}, stiffness: 10, "
          "rest_length: 0.2}\n"
          "  calm: {type: damper, from: {body: world}, to: {body: ball}, damping: 2}\n"),
      "s.yaml");
  ASSERT_EQ(scene.forces.size(), 3u);
  EXPECT_EQ(scene.forces[0].name, "push");
  EXPECT_EQ(scene.forces[0].from.body, "ball");
  EXPECT_EQ(scene.forces[0].from.point, (Vec3{1, 2, 3}));
  EXPECT_EQ(scene.forces[0].force, (Vec3{4, 5, 6}));
  EXPECT_EQ(scene.forces[0].torque, (Vec3{7, 8, 9}));
  EXPECT_TRUE(scene.forces[0].in_body_frame);
  EXPECT_EQ(scene.forces[1].kind, ForceKind::spring);
  EXPECT_EQ(scene.forces[1].from.point, (Vec3{1, 0, 0}));
  EXPECT_EQ(scene.forces[1].to.body, "world");
  EXPECT_EQ(scene.forces[1].stiffness, 10);
  EXPECT_EQ(scene.forces[1].rest_length, 0.2);
  EXPECT_EQ(scene.forces[2].kind, ForceKind::damper);
  EXPECT_EQ(scene.forces[2].damping, 2);
}

TEST(SceneReader, CombinesMaterialsByGeometricMeanAndSmallerRestitution) {
  const Scene scene = parse_scene(
      "pawl: 1\n"
      "materials: {a: {friction: 0.2, restitution: 0.9}, b: {friction: 0.8, restitution: 0.3}, c: {friction: "
      "0.4}}\n"
      "pairs: [{between: [c, a], friction: 7}, {between: [b, b], restitution: 1}]\n",
      "s.yaml");
  EXPECT_DOUBLE_EQ(contact_values(scene, "a", "b").friction, 0.4);
  EXPECT_EQ(contact_values(scene, "a", "b").restitution, 0.3);
  EXPECT_EQ(contact_values(scene, "c", "c").friction, 0.4) << "not a rounding away";
  EXPECT_EQ(contact_values(scene, "a", "c").friction, 7);
  EXPECT_EQ(contact_values(scene, "a", "c").restitution, 0) << "what a pair leaves out follows the rule";
  EXPECT_EQ(contact_values(scene, "b", "b").friction, 0.8);
  EXPECT_EQ(contact_values(scene, "b", "b").restitution, 1);
}

TEST(SceneReader, AcceptsFrictionUpToItsRange) {
  const Scene scene = parse_scene("pawl: 1\nmaterials: {a: {friction: 1e8}, b: {friction: 1e12}}", "s.yaml");
  EXPECT_NEAR(contact_values(scene, "a", "b").friction / 1e10, 1, 1e-12);
}

TEST(SceneReader, FollowsAnchorsAliasesAndMergeKeys) {
  const Scene scene = parse_scene(
      "pawl: 1\nbodies:\n"
      "  a: &a {mass: 1, inertia: &one 1, position: [1, 2, 3]}\n"
      "  b: {<<: *a, mass: 2, inertia: *one}\n"
      "  c: {<<: [{mass: 3}, *a]}\n",
      "s.yaml");
  EXPECT_EQ(scene.bodies[1].mass, 2);
  EXPECT_EQ(scene.bodies[1].position, (Vec3{1, 2, 3}));
  EXPECT_EQ(scene.bodies[2].mass, 3);
  EXPECT_EQ(scene.bodies[2].position, (Vec3{1, 2, 3}));
}

TEST(SceneReader, LetsAWrittenKeyReplaceTheMergedOne) {
  const Scene scene = parse_scene(
      "pawl: 1\nbodies:\n  <<: {a: {mass: 1, inertia: 1}, b: {mass: 2, inertia: 1}}\n  b: {mass: 3, inertia: "
      "1}\n",
      "s.yaml");
  ASSERT_EQ(scene.bodies.size(), 2u);
  EXPECT_EQ(scene.bodies[0].name, "b");
  EXPECT_EQ(scene.bodies[0].mass, 3);
  EXPECT_EQ(scene.bodies[1].name, "a");
}

TEST(SceneReader, SkipsAByteOrderMark) {
  EXPECT_EQ(message_of("\xEF\xBB\xBFpawl: 1\n"), "no error");
}

}  // namespace
}  // namespace pawl::internal::testing
