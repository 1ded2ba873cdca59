// Runs with max numbers of contacts per pair other than four.

#include <algorithm>
#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "prism_scene.h"
#include "support.h"

#include <pawl/scene_file.h>

namespace pawl::internal {
namespace contact_points_test {

using test::prism_scene;
using test::SceneRun;

const std::string kSteps = "step: 5ms, until: 1";  // 200 steps

SceneRun run_of(const std::string& text, const std::vector<std::string>& overrides = {}) {
  return SceneRun(parse_scene(text, "test.yaml", overrides));
}

TEST(ContactPoints, EightInPlaceOfFourChangeForcesAndNotTheMotionOfARest) {
  for (const int sides : {6, 8}) {
    const std::string text = prism_scene(sides, test::kFlatBox, kSteps);
    SceneRun four = run_of(text), eight = run_of(text, {"run.contact_points=8"});
    int steps = 0;
    four.step_to_end([&](const StepReport& report) {
      ++steps;
      const StepReport other = eight.simulation.step();
      ASSERT_TRUE(report.certified()) << report;
      ASSERT_TRUE(other.certified()) << other;
      ASSERT_EQ(report.contacts, 4);
      ASSERT_EQ(other.contacts, sides);
      double sum_of_four = 0, sum_of_eight = 0;
      for (const ContactRecord& contact : four.simulation.contacts()) sum_of_four += contact.impulse[0];
      for (const ContactRecord& contact : eight.simulation.contacts()) sum_of_eight += contact.impulse[0];
      EXPECT_NEAR(sum_of_four, sum_of_eight, 1e-12);
      // The solution of least norm is chosen: by symmetry all forces are equal.
      for (const ContactRecord& contact : eight.simulation.contacts()) {
        EXPECT_NEAR(contact.impulse[0], sum_of_eight / sides, 1e-9);
      }
      for (int i = 0; i < four.model.nq; ++i) EXPECT_NEAR(eight.q(i), four.q(i), 1e-12);
      for (int i = 0; i < four.model.nv; ++i) EXPECT_NEAR(eight.v(i), four.v(i), 1e-12);
    });
    EXPECT_EQ(steps, 200);
  }
}

TEST(ContactPoints, AreAsManyAsTheRunAsksForByEveryMethod) {
  for (const std::string_view method : kMethodNames) {
    SceneRun run = run_of(prism_scene(6, test::kFlatBox, "step: 5ms, until: 50ms, contact_points: 8"),
                          {"run.method=" + std::string(method)});
    run.step_to_end([&](const StepReport& report) {
      EXPECT_TRUE(report.certified()) << report;
      EXPECT_EQ(report.contacts, 6) << method;
    });
  }
}

/// The prism touches at the start and moves down: the impact precedes the step and finds its own contacts.
TEST(ContactPoints, OfAnImpactAreAsManyAsTheRunAsksFor) {
  for (const int most : {4, 8}) {
    SceneRun run = run_of(prism_scene(6, test::kFlatBox, kSteps, "friction: 0.5, restitution: 0.5"),
                          {"bodies.prism.velocity=[0, 0, -1]", "run.contact_points=" + std::to_string(most)});
    const StepReport report = run.simulation.step();
    EXPECT_TRUE(report.certified()) << report;
    EXPECT_EQ(report.impacts, 1);
    EXPECT_EQ(run.simulation.contacts().size(), most == 4 ? 4U : 6U);
    EXPECT_NEAR(run.v(2), 0.5 - 9.81 * 5e-3, 1e-9);
  }
}

/// The centre of mass is not on a diagonal of the base.
std::string lopsided_box(const std::string& method, int points) {
  return R"(
pawl: 1
materials: {plain: {friction: 0.5}}
bodies:
  table: {joint: {type: weld}, shapes: [{type: box, size: [1, 1, 0.2], position: [0, 0, -0.1]}]}
  box: {mass: 4, inertia: [0.02, 0.02, 0.03], center_of_mass: [0.05, -0.03, 0], position: [0, 0, 0.05],
        shapes: [{type: box, size: [0.2, 0.2, 0.1]}]}
run: {step: 5ms, until: 1, method: )" +
         method + ", contact_points: " + std::to_string(points) + "}\n";
}

double deepest_overlap(SceneRun run) {
  double deepest = 0;
  run.step_to_end([&](const StepReport& report) {
    EXPECT_TRUE(report.certified()) << report;
    deepest = std::max(deepest, report.gap_violation);
  });
  return deepest;
}

TEST(ContactPoints, FewerThanThreeLetABoxSinkWhereTheMethodDoesNotAddWhatItMissed) {
  for (const char* method : {"anitescu-potra", "anitescu-hart"}) {
    for (const int points : {1, 2}) {
      EXPECT_GT(deepest_overlap(run_of(lopsided_box(method, points))), 1e-4) << method << ", " << points;
    }
    EXPECT_LT(deepest_overlap(run_of(lopsided_box(method, 3))), 1e-12) << method;
  }
  for (const char* method : {"pawl", "stewart-trinkle", "stewart-trinkle-nonlinear", "tzitzouris-pang"}) {
    for (const int points : {1, 2, 3}) {
      EXPECT_LT(deepest_overlap(run_of(lopsided_box(method, points))), 1e-9) << method << ", " << points;
    }
  }
}

/// The centre of mass is near a corner, which the choice of four contacts may exclude.
TEST(ContactPoints, EightHoldAHexagonalPrismWithItsWeightNearAnyCornerByEveryMethod) {
  std::string text = prism_scene(6, test::kFlatBox, kSteps);
  text.replace(text.find(", density: 1000"), std::string(", density: 1000").size(), "");
  double deepest_with_four = 0;
  for (int corner = 0; corner < 6; ++corner) {
    const double angle = corner * std::numbers::pi / 3;
    for (const std::string_view method : kMethodNames) {
      const auto run_with = [&](int points) {
        return deepest_overlap(run_of(
            text, {"bodies.prism.mass=4", "bodies.prism.inertia=0.02",
                   "bodies.prism.center_of_mass=[" + test::number_text(0.08 * std::cos(angle)) + ", " +
                       test::number_text(0.08 * std::sin(angle)) + ", 0]",
                   "run.method=" + std::string(method), "run.contact_points=" + std::to_string(points)}));
      };
      EXPECT_LT(run_with(8), 1e-9) << method << ", corner " << corner;
      if (method == "anitescu-potra") deepest_with_four = std::max(deepest_with_four, run_with(4));
    }
  }
  EXPECT_GT(deepest_with_four, 1e-5);  // four contacts are not enough
}

}  // namespace contact_points_test
}  // namespace pawl::internal
