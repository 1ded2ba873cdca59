// Restitution together with the stabilisation γ of anitescu-hart.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include <support.h>

namespace pawl::internal {
namespace {

/// Heights of the first bounces of a ball that falls from 1 m with e = 0.5.
std::vector<double> peaks(const std::string& gamma) {
  test::SceneRun run(test::repository_scene("bouncing_ball.yaml",
                                            {"materials.rubber.restitution=0.5", "run.method=anitescu-hart",
                                             "run.gamma=" + gamma, "run.until=2", "run.step=1ms"}));
  std::vector<double> found;
  run.step_to_end([&](const StepReport& report) {
    EXPECT_TRUE(report.certified()) << report.time << " " << report.reason;
    // A step that ends at an impact has the velocity after it.
    const double height = run.q(2) - 0.05, speed = run.v(2);
    if (report.impacts > 0 && speed > 0) found.push_back(height + speed * speed / (2 * 9.81));
  });
  return found;
}

TEST(RestitutionWithGamma, BallReturnsToESquaredOfItsHeight) {
  for (const char* gamma : {"1", "0.5", "adaptive"}) {
    SCOPED_TRACE(gamma);
    const std::vector<double> found = peaks(gamma);
    ASSERT_GE(found.size(), 4u);
    double expected = 1;
    for (int i = 0; i < 4; ++i) {
      expected *= 0.25;
      EXPECT_NEAR(found[i], expected, 1e-12);
    }
  }
}

constexpr const char* kFourBar = R"(
pawl: 1
world: {gravity: [0, 0, 0]}
materials:
  steel: {friction: 0, restitution: 0.5}
bodies:
  stop:
    joint: {type: weld}
    shapes: [{type: box, size: [0.1, 0.1, 0.1], position: [0.65, 0, 0.4]}]
  crank: {mass: 0.5, inertia: [5e-3, 5e-3, 1e-4], position: [0, 0, 0.1], velocity: [0.3, 0, 0],
          angular_velocity: [0, 3, 0]}
  rod: {mass: 1, inertia: [1e-3, 2e-2, 2e-2], position: [0.25, 0, 0.3], velocity: [0.6, 0, 0]}
  rocker: {mass: 1, inertia: [1e-2, 1e-2, 1e-3], position: [0.5, 0, 0.2], velocity: [0.3, 0, 0],
           angular_velocity: [0, 1.5, 0], shapes: [{type: sphere, radius: 0.05, position: [0, 0, 0.2]}]}
joints:
  - {type: revolute, between: [crank, world], anchor: [0, 0, 0], axis: [0, 1, 0]}
  - {type: revolute, between: [crank, rod], anchor: [0, 0, 0.2], axis: [0, 1, 0]}
  - {type: revolute, between: [rod, rocker], anchor: [0.5, 0, 0.4], axis: [0, 1, 0]}
  - {type: revolute, between: [rocker, world], anchor: [0.5, 0, 0], axis: [0, 1, 0]}
run: {method: anitescu-hart, step: 0.2ms, until: 0.3}
)";

TEST(RestitutionWithGamma, FourBarBouncesOffItsStop) {
  test::SceneRun run{std::string(kFourBar)};
  int impacts = 0;
  double kinetic = run.simulation.energy().kinetic, joint_error = 0;
  run.step_to_end([&](const StepReport& report) {
    EXPECT_TRUE(report.certified()) << report.time << " " << report.reason;
    joint_error = std::max(joint_error, report.joint_violation);
    if (report.impacts > 0) {
      impacts += report.impacts;
      // The linkage has one freedom, and friction none: all energy is that of the normal velocity.
      EXPECT_NEAR(report.energy.kinetic, 0.25 * kinetic, 2e-3 * kinetic);
      EXPECT_NEAR(report.energy.returned, 0.25 * report.energy.stored, 1e-9);
    }
    kinetic = report.energy.kinetic;
  });
  EXPECT_EQ(impacts, 1);
  EXPECT_LT(joint_error, 1e-6);
}

}  // namespace
}  // namespace pawl::internal
