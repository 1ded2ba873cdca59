// Bodies that must hold still do so, and sliding bodies follow theory.

#include <array>
#include <cmath>

#include <gtest/gtest.h>

#include "support.h"

namespace pawl::internal {
namespace holding_test {

// MuJoCo with recommended settings creeps about 9 mm per minute here.
TEST(GraspHold, DoesNotCreepInAMinute) {
  test::SceneRun run(test::repository_scene("grasp_hold.yaml"));
  const std::vector<double> start = run.simulation.state().q;
  int contacts = 0;
  run.step_to_end([&](const StepReport& report) {
    ASSERT_TRUE(report.certified()) << report;
    contacts = report.contacts;
  });
  EXPECT_EQ(contacts, 4);
  EXPECT_NEAR(run.simulation.time(), 60, 1e-9);
  for (std::size_t i = 0; i < start.size(); ++i) EXPECT_NEAR(run.q(static_cast<int>(i)), start[i], 1e-12);
}

// Iterative engines compress the light box by 17 to 22 cm.
TEST(MassRatio, CarriesAThousandKilogramsOnOne) {
  test::SceneRun run(test::repository_scene("mass_ratio.yaml"));
  const double h = run.scene.run.step;
  run.step_to_end([&](const StepReport& report) {
    ASSERT_TRUE(report.certified()) << report;
    ASSERT_LT(report.gap_violation, 1e-14);
    std::array<double, 2> force{};  // by the floor and by the light box, upwards
    for (const ContactRecord& contact : run.simulation.contacts()) {
      force[contact.body_b == 1 ? 0 : 1] += std::abs(contact.impulse[0]) / h;
    }
    ASSERT_NEAR(force[0] / 9819.81, 1, 1e-8);
    ASSERT_NEAR(force[1] / 9810, 1, 1e-8);
  });
  EXPECT_NEAR(run.q(2), 0.25, 1e-13);
  EXPECT_NEAR(run.q(9), 0.75, 1e-13);
}

// A warm start that loses a contact, whose feature rounding has renamed, took 1,300 iterations.
TEST(BrickWall, TakesAFewSweepsAStepAtRest) {
  test::SceneRun run(test::repository_scene("brick_wall.yaml"));
  ASSERT_TRUE(run.simulation.step().certified());
  for (int i = 0; i < 500; ++i) {
    const StepReport report = run.simulation.step();
    ASSERT_TRUE(report.certified()) << report;
    ASSERT_LE(report.iterations, 60) << report;
    ASSERT_LT(report.gap_violation, 1e-12);
  }
}

TEST(Incline, HoldsABoxBelowTheAngleOfFriction) {
  for (const double heading : {0.0, 20.0, 45.0, 71.0}) {
    test::SceneRun run(test::repository_scene(
        "incline.yaml",
        {"bodies.box.orientation={axis: [0, 0, 1], angle_deg: " + test::number_text(heading) + "}"}));
    run.step_to_end([&](const StepReport& report) {
      ASSERT_TRUE(report.certified()) << report;
      for (int i = 0; i < 6; ++i) ASSERT_NEAR(run.v(i), 0, 1e-12) << heading;
    });
    EXPECT_NEAR(run.q(0), 0, 1e-12);
  }
}

// v after n steps is exactly n h g (sin α - μ cos α), since friction is constant.
TEST(Incline, LetsABoxSlideAtTheExactAccelerationInEveryHeading) {
  const double slope = std::atan(0.55), g = 9.81;
  const double a = g * (std::sin(slope) - 0.5 * std::cos(slope));
  for (const double heading : {0.0, 20.0, 45.0, 71.0}) {
    test::SceneRun run(test::repository_scene(
        "incline.yaml",
        {"world.gravity=[" + test::number_text(g * std::sin(slope)) + ", 0, " +
             test::number_text(-g * std::cos(slope)) + "]",
         "bodies.box.orientation={axis: [0, 0, 1], angle_deg: " + test::number_text(heading) + "}"}));
    run.step_to_end([&](const StepReport& report) {
      ASSERT_TRUE(report.certified()) << report;
      ASSERT_NEAR(run.v(0), a * report.time, 1e-9) << heading;
      ASSERT_NEAR(run.v(1), 0, 1e-9) << heading;
      ASSERT_NEAR(run.q(2), 0.05, 1e-12) << heading;  // no hop
    });
  }
}

}  // namespace holding_test
}  // namespace pawl::internal
