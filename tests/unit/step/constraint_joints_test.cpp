// Constraint joints hold, conserve energy, and move like tree joints.

#include <algorithm>
#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include <pawl/assemble/joint_rank.h>

#include "support.h"

namespace pawl::internal {
namespace {

using test::number_text;
using test::SceneRun;

std::string run_section(double h, double until, const std::string& more = "") {
  return "run: {step: " + number_text(h) + ", until: " + number_text(until) + more + "}\n";
}

/// Two rods of 1 m and 1 kg, initially horizontal, as free bodies with constraint hinges.
std::string double_pendulum_of_rows(double h, double until, const std::string& more = "") {
  return R"(
pawl: 1
world: {dimension: planar}
bodies:
  upper: {mass: 1, inertia: 0.0833, position: [0.5, 0]}
  lower: {mass: 1, inertia: 0.0833, position: [1.5, 0]}
joints:
  - {type: revolute, between: [upper, world], anchor: [0, 0]}
  - {type: revolute, between: [lower, upper], anchor: [1, 0]}
)" + run_section(h, until, more);
}
std::string double_pendulum_of_a_tree(double h, double until) {
  return R"(
pawl: 1
world: {dimension: planar}
bodies:
  upper: {mass: 1, inertia: 0.0833, position: [0.5, 0], joint: {type: revolute, anchor: [0, 0]}}
  lower: {mass: 1, inertia: 0.0833, position: [1.5, 0], joint: {type: revolute, parent: upper, anchor: [1, 0]}}
)" + run_section(h, until);
}

struct Held {
  double error = 0;         // max joint error
  double energy = 0;        // max change of energy
  double early_energy = 0;  // the same in the first tenth of the run
  double imbalance = 0;     // of the ledger, at the end
};
Held watch(SceneRun& run) {
  Held held;
  const EnergyLedger start = run.simulation.energy();
  run.step_to_end([&](const StepReport& report) {
    ASSERT_TRUE(report.certified()) << report;
    held.error = std::max(held.error, report.joint_violation);
    const double change = report.energy.kinetic + report.energy.potential - start.kinetic - start.potential;
    held.energy = std::max(held.energy, std::abs(change));
    held.imbalance = std::abs(report.energy.imbalance);
    if (report.time < 0.1 * run.scene.run.until) held.early_energy = held.energy;
  });
  return held;
}

TEST(ConstraintJoints, HoldToTheToleranceOfTheRun) {
  for (const double h : {4e-3, 1e-3}) {
    SceneRun run(double_pendulum_of_rows(h, 10));
    // Two ends of up to 10 m/s each, and a factor 2 for the error of the solver.
    EXPECT_LT(watch(run).error, 2 * 1e-8 * h * 20);
  }
}

TEST(ConstraintJoints, HoldAndKeepTheEnergyForAHundredThousandSteps) {
  SceneRun run(double_pendulum_of_rows(1e-3, 100));
  const Held held = watch(run);
  EXPECT_LT(held.error, 2e-10);
  EXPECT_LT(held.energy, 0.004);                  // m g l is 9.81 J
  EXPECT_LT(held.energy, 2 * held.early_energy);  // it wavers with the chaotic motion, and does not drift
  EXPECT_LT(held.imbalance, 1e-10);
}

TEST(ConstraintJoints, MoveAsTreeJointsDoToTheOrderOfTheStep) {
  double error[2];
  for (const int i : {0, 1}) {
    const double h = i == 0 ? 2e-3 : 1e-3;
    SceneRun rows(double_pendulum_of_rows(h, 1)), tree(double_pendulum_of_a_tree(h, 1));
    watch(rows);
    watch(tree);
    error[i] = std::max(std::abs(rows.q(2) - tree.q(0)), std::abs(rows.q(5) - tree.q(0) - tree.q(1)));
  }
  EXPECT_LT(error[1], 5e-3);
  EXPECT_LT(error[1], 0.6 * error[0]);
}

TEST(ConstraintJoints, OfAnitescuHartReduceTheirErrorByTheFractionGamma) {
  // An initial error, and no other motion.
  SceneRun run(R"(
pawl: 1
world: {gravity: [0, 0, 0]}
bodies:
  a: {mass: 1, inertia: [0.1, 0.2, 0.25], position: [0, 0, 1], joint: {type: prismatic, axis: [1, 0, 0], position: 0.1}}
joints:
  - {type: ball, between: [a, world], anchor: [0, 0, 0]}
run: {method: anitescu-hart, gamma: 0.25, step: 0.01, until: 0.2}
)");
  double last = 0.1;
  run.step_to_end([&](const StepReport& report) {
    EXPECT_TRUE(report.certified()) << report;
    EXPECT_NEAR(report.joint_violation, 0.75 * last, run.scene.run.tolerance * last);
    last = report.joint_violation;
  });
}

/// A crank, a rod and a rocker on parallel hinges in space; the last hinge closes the loop.
std::string four_bar(const std::string& twice = "") {
  return R"(
pawl: 1
bodies:
  crank: {mass: 1, inertia: [0.01, 0.1, 0.1], position: [0, 0, 0.25], joint: {type: revolute, anchor: [0, 0, 0], axis: [0, 1, 0], velocity: 8}}
  rod: {mass: 2, inertia: [0.01, 0.2, 0.2], position: [0.5, 0, 0.6], joint: {type: revolute, parent: crank, anchor: [0, 0, 0.5], axis: [0, 1, 0], velocity: -8}}
  rocker: {mass: 1, inertia: [0.01, 0.1, 0.1], position: [1, 0, 0.4], joint: {type: revolute, anchor: [1, 0, 0], axis: [0, 1, 0], velocity: 5}}
joints:
  - {type: revolute, between: [rod, rocker], anchor: [1, 0, 0.8], axis: [0, 1, 0]}
)" + twice +
         run_section(1e-3, 5);
}

TEST(ConstraintJoints, ThatAreRedundantAreCountedAndDoNoHarm) {
  const std::string again =
      "  - {type: revolute, between: [rod, rocker], anchor: [1, 0, 0.8], axis: [0, 1, 0]}\n";
  SceneRun once(four_bar()), twice(four_bar(again));
  const JointRank rank = joint_rank(once.model, once.simulation.state());
  EXPECT_EQ(rank.rows, 5);
  EXPECT_EQ(rank.redundant, 3);
  EXPECT_EQ(joint_rank(twice.model, twice.simulation.state()).rows, 10);
  EXPECT_EQ(joint_rank(twice.model, twice.simulation.state()).redundant, 8);
  const Held a = watch(once), b = watch(twice);
  EXPECT_LT(a.error, 1e-9);
  EXPECT_LT(b.error, 1e-9);
  for (int i = 0; i < once.model.nq; ++i) EXPECT_NEAR(once.q(i), twice.q(i), 1e-6);
}

/// Each joint type connects a swinging body to a free tumbling one.
TEST(ConstraintJoints, OfEveryKindHoldBetweenFreeBodies) {
  for (const std::string joint :
       {"type: ball", "type: revolute, axis: [0, 1, 0]", "type: prismatic, axis: [0, 1, 0]",
        "type: cylindrical, axis: [0, 1, 0]", "type: universal, axis: [0, 1, 0], second_axis: [1, 0, 0]",
        "type: weld", "type: point-in-plane, axis: [0, 1, 0]", "type: distance, second_anchor: [1, 1, 1]"}) {
    SceneRun run(R"(
pawl: 1
bodies:
  a: {mass: 1, inertia: [0.1, 0.2, 0.25], position: [0, 0, 0], angular_velocity: [3, 1, 2], velocity: [1, 0, 3]}
  b: {mass: 2, inertia: [0.2, 0.2, 0.3], position: [1, 0, 0.5], angular_velocity: [3, 1, 2], velocity: [1.5, 1.5, 2]}
joints:
  - {between: [b, a], anchor: [0.4, 0.1, 0.2], )" +
                 joint + "}\n" + run_section(1e-3, 2));
    const Held held = watch(run);
    EXPECT_LT(held.error, 1e-9) << joint;
    EXPECT_LT(held.imbalance, 1e-11) << joint;
  }
}

TEST(ConstraintJoints, OfAGearTieTwoWheels) {
  SceneRun run(R"(
pawl: 1
world: {dimension: planar}
bodies:
  small: {mass: 1, inertia: 0.1, joint: {type: revolute, anchor: [0, 0], velocity: 6}}
  large: {mass: 1, inertia: 0.9, position: [1, 0], joint: {type: revolute, anchor: [1, 0], velocity: -2}}
joints: [{type: coupling, between: [small, large], ratio: -3}]
forces: {turn: {type: wrench, body: small, torque: 2}}
run: {step: 0.01, until: 1}
)");
  watch(run);
  EXPECT_NEAR(run.v(0), 6 + 2 / (0.1 + 0.9 / 9), 1e-12);
  EXPECT_NEAR(run.q(0), -3 * run.q(1), 1e-12);
}

TEST(ConstraintJoints, AndContactsAreSolvedTogether) {
  // Two capsules, hinged at the top, lean on each other; without friction at the feet they would slide apart.
  SceneRun run(R"(
pawl: 1
world: {dimension: planar}
materials: {rough: {friction: 1}}
bodies:
  floor: {joint: {type: weld}, shapes: [{type: half-plane}]}
  left: {mass: 1, inertia: 0.1, position: [-0.3, 0.5], angle_deg: -31, shapes: [{type: capsule, radius: 0.05, length: 0.9, angle_deg: 90}]}
  right: {mass: 1, inertia: 0.1, position: [0.3, 0.5], angle_deg: 31, shapes: [{type: capsule, radius: 0.05, length: 0.9, angle_deg: 90}]}
joints: [{type: revolute, between: [left, right], anchor: [0, 1]}]
run: {step: 0.002, until: 10}
)");
  std::vector<double> settled;
  run.step_to_end([&](const StepReport& report) {
    ASSERT_TRUE(report.certified()) << report;
    if (report.time > 5 && settled.empty()) settled = run.simulation.state().q;
  });
  for (int i = 0; i < run.model.nq; ++i) EXPECT_NEAR(run.q(i), settled[i], 1e-12);
  EXPECT_GT(run.q(1), 0.3);  // still standing
  EXPECT_EQ(run.simulation.contacts().size(), 2u);
}

}  // namespace
}  // namespace pawl::internal
