// Armature, spring, damper, servo and plain force of a joint, against their closed forms.

#include <cmath>

#include <gtest/gtest.h>

#include <pawl/scene_file.h>
#include <pawl/simulation.h>

namespace pawl::internal {
namespace {

/// A disc of moment 0.5 about y without gravity, and what its joint has.
std::string disc(const std::string& joint, const std::string& method) {
  return "pawl: 1\nworld: {gravity: [0, 0, 0]}\nbodies:\n  disc:\n    mass: 1\n    inertia: 0.5\n    joint: "
         "{type: revolute, anchor: [0, 0, 0], axis: [0, 1, 0], " +
         joint + "}\nrun: {step: 1ms, until: 1, method: " + method + "}\n";
}

struct End {
  double q = 0, v = 0;
  bool certified = true;
};

End run(const std::string& joint, const std::string& method) {
  const Scene scene = parse_scene(disc(joint, method), "disc.yaml");
  const Model model = compile(scene);
  Simulation simulation(model, scene.run);
  End end;
  while (!simulation.at_end()) end.certified &= simulation.step().certified();
  end.q = simulation.state().q[0];
  end.v = simulation.state().v[0];
  return end;
}

class JointForces : public ::testing::TestWithParam<const char*> {
 protected:
  // Error of the method at h = 1 ms: of second order for `pawl`, of first for the other.
  double allowed() const { return std::string(GetParam()) == "pawl" ? 5e-5 : 5e-3; }
};

TEST_P(JointForces, DamperSlowsBodyAndRotorExponentially) {
  const End end = run("velocity: 1, damping: 0.5, armature: 0.5", GetParam());
  EXPECT_TRUE(end.certified);
  EXPECT_NEAR(end.v, std::exp(-0.5), allowed());
}

TEST_P(JointForces, SpringSwingsBodyAndRotorAboutItsRest) {
  const End end = run("position: 1, stiffness: 50, rest_position: 0.2, armature: 0.5", GetParam());
  EXPECT_TRUE(end.certified);
  EXPECT_NEAR(end.q, 0.2 + 0.8 * std::cos(std::sqrt(50.0)), allowed());
}

TEST_P(JointForces, ForceAcceleratesBodyAndRotor) {
  const End end = run("armature: 0.5, motor: {force: 3}", GetParam());
  EXPECT_TRUE(end.certified);
  EXPECT_NEAR(end.v, 3, 1e-12);
}

TEST_P(JointForces, StiffServoReachesItsTargetWithoutASmallStep) {
  const End end = run("motor: {position: 1, kp: 20000, kv: 500}", GetParam());
  EXPECT_TRUE(end.certified);
  EXPECT_NEAR(end.q, 1, 1e-9);
}

TEST_P(JointForces, ServoStaysWithinItsForce) {
  // At the bound all the time: an acceleration of 2/0.5 towards the far target.
  const End end = run("motor: {position: 1000, kp: 20000, kv: 500, max_force: 2}", GetParam());
  EXPECT_TRUE(end.certified);
  EXPECT_NEAR(end.v, 4, 1e-9);
}

TEST_P(JointForces, VelocityServoHoldsItsVelocity) {
  const End end = run("motor: {velocity: 1, kv: 5000, max_force: 2}", GetParam());
  EXPECT_TRUE(end.certified);
  EXPECT_NEAR(end.v, 1, 1e-9);
  EXPECT_NEAR(end.q, 0.875, allowed()) << "a quarter of a second at 4 rad/s², then 1 rad/s";
}

INSTANTIATE_TEST_SUITE_P(, JointForces, ::testing::Values("pawl", "stewart-trinkle"),
                         [](const auto& method) { return std::string(method.param).substr(0, 4); });

TEST(Armature, KeepsTheEnergyOfASwingingArm) {
  const Scene scene = parse_scene(
      "pawl: 1\nbodies:\n  upper:\n    {mass: 1, inertia: 0.01, position: [0, 0, -0.5], joint: {type: "
      "revolute, "
      "anchor: [0, 0, 0], axis: [0, 1, 0], position: 0.5, armature: 0.5}}\n  lower:\n    {mass: 1, inertia: "
      "0.01, position: [0, 0, -1.5], joint: {type: revolute, parent: upper, anchor: [0, 0, -1], axis: [0, 1, "
      "0], position: 0.5, armature: 0.3}}\nrun: {step: 1ms, until: 2}\n",
      "arm.yaml");
  const Model model = compile(scene);
  Simulation simulation(model, scene.run);
  const double start = simulation.energy().kinetic + simulation.energy().potential;
  while (!simulation.at_end()) EXPECT_TRUE(simulation.step().certified());
  EXPECT_NEAR(simulation.energy().kinetic + simulation.energy().potential, start, 2e-5);
  EXPECT_GT(simulation.energy().kinetic, 1) << "it swings";
}

}  // namespace
}  // namespace pawl::internal
