// The mechanisms of the repository run without tuning and work as designed.

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include <gtest/gtest.h>

#include <pawl/assemble/joint_rank.h>
#include <pawl/model/kinematics.h>

#include "support.h"

namespace pawl::internal {
namespace mechanisms_test {

using test::SceneRun;

/// Runs to `until` with every step certified. Returns the largest joint error.
double run_to(SceneRun& run, double until) {
  double error = 0;
  while (run.simulation.time() < until - 1e-9) {
    const StepReport report = run.simulation.step();
    EXPECT_TRUE(report.certified()) << report;
    if (report.status == Status::refused) break;
    error = std::max(error, report.joint_violation);
  }
  return error;
}

TEST(Mechanisms, FourBarTurnsRoundAndRound) {
  SceneRun run(test::repository_scene("four_bar.yaml"));
  EXPECT_EQ(joint_rank(run.model, run.simulation.state()).redundant, 3);
  EXPECT_LT(run_to(run, 5), 1e-9);
  EXPECT_GT(run.q(0), 4 * 2 * std::numbers::pi);
  EXPECT_LT(std::abs(run.q(2)), 1.5);  // the rocker rocks
}

TEST(Mechanisms, SliderCrankDrivesItsBlockBetweenTwoWalls) {
  SceneRun run(test::repository_scene("slider_crank.yaml"));
  EXPECT_LT(run_to(run, 3), 1e-9);
  EXPECT_GT(run.q(0), 3 * 2 * std::numbers::pi);
  EXPECT_EQ(run.simulation.contacts().size(), 4u);
  EXPECT_LT(run.simulation.energy().friction, -1);
}

TEST(Mechanisms, BricardsLinkageMovesThoughItShouldBeRigidByCounting) {
  SceneRun run(test::repository_scene("bricard.yaml"));
  const JointRank rank = joint_rank(run.model, run.simulation.state());
  EXPECT_EQ(rank.rows, 30);
  EXPECT_EQ(rank.redundant, 1);
  const double height = run.q(2 * 7 + 2);
  EXPECT_LE(run.simulation.step().iterations, 10);  // linear equations, although some are redundant
  EXPECT_LT(run_to(run, 0.3), 1e-8);
  EXPECT_GT(std::abs(run.q(2 * 7 + 2) - height), 0.02);
}

TEST(Mechanisms, RatchetClicksOneWayAndHoldsTheOther) {
  SceneRun run(test::repository_scene("ratchet_and_pawl.yaml"));
  run_to(run, 2);
  EXPECT_GT(run.q(0), 2 * std::numbers::pi);  // more than a turn
  run_to(run, 3);
  const double held = run.q(0);
  run_to(run, 4);
  EXPECT_NEAR(run.q(0), held, 1e-9);
}

TEST(Mechanisms, PartsFeederLetsCupsOutMouthUpThatComeMouthUpOrMouthFirst) {
  for (const char* step : {"2ms", "1ms", "0.5ms"}) {
    SceneRun run(test::repository_scene("parts_feeder.yaml", {std::string("run.step=") + step}));
    const double protrusion = 0.15;
    EXPECT_NEAR(run.q(5), -std::numbers::pi / 2, 1e-12) << step;  // mouth first
    run_to(run, 0.8);
    EXPECT_GT(run.q(0), protrusion + 0.1) << step;
    EXPECT_GT(run.q(3), protrusion + 0.1) << step;
    EXPECT_NEAR(run.q(2), 0, 1e-9) << step;  // no rotation
    EXPECT_NEAR(run.q(5), 0, 1e-9) << step;  // upright
  }
}

/// Both forms of the chain agree to the order of the step: position of the middle link after 0.3 s.
TEST(Mechanisms, ChainOfFiftyLinksMovesAlikeAsATreeAndOfRows) {
  double apart[2];
  for (const int i : {0, 1}) {
    const std::string step = i == 0 ? "run.step=2ms" : "run.step=1ms";
    SceneRun tree(test::repository_scene("hanging_chain_tree.yaml", {step}));
    SceneRun rows(test::repository_scene("hanging_chain_rows.yaml", {step}));
    run_to(tree, 0.3);
    EXPECT_LT(run_to(rows, 0.3), 1e-9);
    Kinematics a, b;
    position_kinematics(tree.model, tree.simulation.state().q, a);
    position_kinematics(rows.model, rows.simulation.state().q, b);
    apart[i] = 0;
    for (int link = 1; link <= 50; ++link)
      apart[i] = std::max(apart[i], norm(a.X_WB[link].p - b.X_WB[link].p));
  }
  EXPECT_LT(apart[1], 2e-3);
  EXPECT_LT(apart[1], 0.7 * apart[0]) << apart[0] << " and " << apart[1];
}

}  // namespace mechanisms_test
}  // namespace pawl::internal
