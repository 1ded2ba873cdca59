// Forces of a step against statics.

#include <cmath>

#include <gtest/gtest.h>

#include <pawl/dynamics.h>
#include <pawl/scene_file.h>
#include <pawl/simulation.h>

namespace pawl::internal {
namespace step_forces_test {

constexpr double kG = 9.81;

/// A scene and its simulation after some seconds.
struct Settled {
  Scene scene;
  Model model;
  Simulation simulation;

  Settled(const std::string& text, double seconds, const std::string& method = "pawl")
      : scene(parse_scene("pawl: 1\n" + text + "run: {step: 2ms, method: " + method + "}\n", "forces.yaml")),
        model(compile(scene)),
        simulation(model, scene.run) {
    while (simulation.time() < seconds) {
      const StepReport report = simulation.step();
      if (!report.certified()) ADD_FAILURE() << report.time << ": " << report.reason;
      if (report.status == Status::refused) break;
    }
  }
};

void expect_near(const Vec3& value, const Vec3& expected, double tolerance) {
  EXPECT_NEAR(value.x, expected.x, tolerance);
  EXPECT_NEAR(value.y, expected.y, tolerance);
  EXPECT_NEAR(value.z, expected.z, tolerance);
}

/// Two links along x, hinges about y at x = 0 and x = 1, servos that hold them.
std::string arm(const std::string& elbow, const std::string& more = "") {
  return "bodies:\n"
         "  upper: {position: [0, 0, 1], mass: 2, inertia: [0.01, 0.2, 0.2], center_of_mass: [0.5, 0, 0],\n"
         "    joint: {type: revolute, anchor: [0, 0, 1], axis: [0, 1, 0], motor: {position: 0, kp: 2e4, kv: "
         "500}}}\n"
         "  lower: {position: [1, 0, 1], mass: 1, inertia: [0.01, 0.1, 0.1], center_of_mass: [0.4, 0, 0],\n"
         "    joint: {type: revolute, parent: upper, anchor: [1, 0, 1], axis: [0, 1, 0], motor: {position: " +
         elbow + ", kp: 2e4, kv: 500}}" + more + "}\n";
}

TEST(StepForces, AnArmThatHoldsItselfCarriesItsWeight) {
  for (const char* method : {"pawl", "stewart-trinkle"}) {
    SCOPED_TRACE(method);
    Settled s(arm("0"), 6, method);
    const std::vector<JointForces> joints = s.simulation.joint_forces();
    ASSERT_EQ(joints.size(), 2U);
    const Pose X_1 = body_pose(s.model, s.simulation.state(), 1),
               X_2 = body_pose(s.model, s.simulation.state(), 2);
    const Vec3 c1 = X_1 * Vec3{0.5, 0, 0}, c2 = X_2 * Vec3{0.4, 0, 0};
    const double at_elbow = kG * (c2.x - X_2.p.x), at_shoulder = 2 * kG * c1.x + kG * c2.x;
    expect_near(joints[1].reaction.force, {0, 0, kG}, 1e-6);
    expect_near(joints[1].reaction.torque, {0, -at_elbow, 0}, 1e-6);
    expect_near(joints[0].reaction.force, {0, 0, 3 * kG}, 1e-6);
    expect_near(joints[0].reaction.torque, {0, -at_shoulder, 0}, 1e-6);
    EXPECT_NEAR(joints[0].motor, -at_shoulder, 1e-6);
    EXPECT_NEAR(joints[1].motor, -at_elbow, 1e-6);
  }
}

TEST(StepForces, AnArmPressesOnATableAsStaticsSays) {
  Settled s("materials: {plain: {friction: 0}}\n" +
                arm("0.05",
                    ", shapes: [{type: sphere, radius: 0.1, position: [1, 0, 0], "
                    "material: plain}]") +
                "  table: {joint: {type: weld}, shapes: [{type: half-space, normal: [0, 0, 1], offset: "
                "0.895, material: "
                "plain}]}\n",
            6);
  Simulation& simulation = s.simulation;
  const Wrench tip = simulation.contact_wrench(2), table = simulation.contact_wrench(3, 2);
  const std::vector<double>& q = simulation.state().q;
  const Pose X_2 = body_pose(s.model, simulation.state(), 2);
  const Vec3 c1 = body_pose(s.model, simulation.state(), 1) * Vec3{0.5, 0, 0}, c2 = X_2 * Vec3{0.4, 0, 0},
             p = X_2 * Vec3{1, 0, 0};
  EXPECT_NEAR(p.z - 0.1, 0.895, 1e-9);
  // Both servos and the weights balance the force N of the table; q⁺ follows the right-hand rule about y.
  const double elbow = 2e4 * (0.05 - q[1]), shoulder = -2e4 * q[0];
  const double N = (elbow + kG * (c2.x - X_2.p.x)) / (p.x - X_2.p.x);
  EXPECT_GT(N, 10) << "it presses by more than its weight would";
  EXPECT_NEAR(tip.force.z, N, 1e-6 * N);
  EXPECT_NEAR(shoulder, -2 * kG * c1.x - kG * c2.x + N * p.x, 1e-6 * N);
  expect_near(table.force, -tip.force, 1e-12);
  EXPECT_NEAR(tip.torque.y, -N * (p.x - X_2.p.x), 1e-6 * N);
  const std::vector<JointForces> joints = simulation.joint_forces();
  EXPECT_NEAR(joints[0].motor, shoulder, 1e-6 * N);
  EXPECT_NEAR(joints[1].motor, elbow, 1e-6 * N);
  expect_near(joints[0].reaction.force, {0, 0, 3 * kG - N}, 1e-6 * N);
}

/// A pendulum of 2 kg, 0.5 m long, that starts level.
std::string level(const std::string& joint) {
  return "bodies:\n  rod: {mass: 2, inertia: [0.1, 0.1, 0.1], center_of_mass: [0.5, 0, 0], joint: {type: "
         "revolute, "
         "anchor: [0, 0, 0], axis: [0, 1, 0], " +
         joint + "}}\n";
}

TEST(StepForces, LimitsSpringsFrictionAndMotorsAreToldApart) {
  const double torque = 2 * kG * 0.5;  // of gravity, about +y
  EXPECT_NEAR(Settled(level("upper: 0"), 0.1).simulation.joint_forces()[0].limit, -torque, 1e-6);
  EXPECT_NEAR(Settled(level("friction: 30"), 0.1).simulation.joint_forces()[0].friction, -torque, 1e-6);
  EXPECT_NEAR(Settled(level("motor: {velocity: 0}"), 0.1).simulation.joint_forces()[0].motor, -torque, 1e-6);
  Settled spring(level("stiffness: 50, damping: 5"), 20);
  const JointForces joint = spring.simulation.joint_forces()[0];
  const double q = spring.simulation.state().q[0];
  EXPECT_NEAR(joint.spring, -50 * q, 1e-6);
  EXPECT_NEAR(joint.damper, 0, 1e-6);
  EXPECT_NEAR(joint.spring, -torque * std::cos(q), 1e-6);
  EXPECT_NEAR(joint.reaction.torque.y, joint.spring, 1e-6);
}

TEST(StepForces, ConstraintJointsHaveTheirReactions) {
  Settled s(
      "bodies:\n  beam: {position: [0.5, 0, 0], mass: 3, inertia: [0.1, 0.1, 0.1]}\n"
      "joints:\n  - {type: weld, between: [beam, world], anchor: [0, 0, 0]}\n",
      0.1);
  const std::vector<JointForces> joints = s.simulation.joint_forces();
  ASSERT_EQ(joints.size(), 1U);
  EXPECT_EQ(joints[0].joint, 0);
  expect_near(joints[0].reaction.force, {0, 0, 3 * kG}, 1e-6);
  expect_near(joints[0].reaction.torque, {0, -3 * kG * 0.5, 0}, 1e-6);
}

TEST(StepForces, AWrenchFromOutsideGoesThroughTheJoints) {
  Settled s(level("lower: 0, upper: 0"), 0.02);
  s.simulation.apply_wrench(1, {{1, 2, 3}, {4, 5, 6}}, {0.5, 0, 0});
  ASSERT_TRUE(s.simulation.step().certified());
  const Wrench reaction = s.simulation.joint_forces()[0].reaction;
  expect_near(reaction.force, {-1, -2, 2 * kG - 3}, 1e-6);
  expect_near(reaction.torque, {-4, -kG + 1.5 - 5, -1 - 6}, 1e-6);
}

TEST(StepForces, AMovingPendulumPullsByItsCentripetalForce) {
  Settled s(level(""), 0.4);
  const Pose X = body_pose(s.model, s.simulation.state(), 1);
  const Vec3 r = X.R * Vec3{0.5, 0, 0};
  const double w = s.simulation.state().v[0];
  const double alpha = 2 * kG * r.x / (0.1 + 2 * 0.25);
  const Vec3 acceleration = cross(Vec3{0, alpha, 0}, r) - w * w * r;
  // The mean over the step lies half a step back.
  expect_near(s.simulation.joint_forces()[0].reaction.force, 2 * acceleration + Vec3{0, 0, 2 * kG},
              2 * 2e-3 * w * norm(2 * acceleration));
  EXPECT_GT(norm(acceleration), 1);
}

TEST(StepForces, AreUnknownBeforeTheFirstStep) {
  const Scene scene = parse_scene("pawl: 1\n" + level("upper: 0"), "forces.yaml");
  const Model model = compile(scene);
  Simulation simulation(model, scene.run);
  EXPECT_TRUE(std::isnan(simulation.joint_forces()[0].reaction.force.z));
  EXPECT_TRUE(std::isnan(simulation.contact_wrench(1).force.z));
  EXPECT_THROW(simulation.contact_wrench(9), Error);
}

}  // namespace step_forces_test
}  // namespace pawl::internal
