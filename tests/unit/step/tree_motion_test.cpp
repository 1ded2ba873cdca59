// Trees of joined bodies conserve energy over many steps.

#include <algorithm>
#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include <pawl/model/dynamics.h>

#include "energy_errors.h"
#include "support.h"

namespace pawl::internal {
namespace {

using test::energy_errors;
using test::EnergyErrors;
using test::number_text;
using test::SceneRun;

/// Two rods of 1 m and 1 kg, the first at 90°, the second in line with it: chaotic.
std::string double_pendulum(double h, double until) {
  return R"(
pawl: 1
world: {dimension: planar}
bodies:
  upper: {mass: 1, inertia: 0.0833, position: [0, -0.5], joint: {type: revolute, anchor: [0, 0], position_deg: 90}}
  lower: {mass: 1, inertia: 0.0833, position: [0, -1.5], joint: {type: revolute, parent: upper, anchor: [0, -1]}}
run: {step: )" +
         number_text(h) + ", until: " + number_text(until) + "}\n";
}

TEST(DoublePendulum, KeepsItsEnergyToFirstOrderForTenSeconds) {
  // The scale of the energies is m g l = 9.81 J; the errors are of order h.
  double last = 0;
  for (const double h : {4e-3, 2e-3, 1e-3, 5e-4}) {
    const double worst = energy_errors(double_pendulum(h, 10)).worst;
    EXPECT_LT(worst, 40 * h);
    if (last > 0) {
      EXPECT_LT(worst, 0.7 * last);
    }
    last = worst;
  }
}

TEST(DoublePendulum, LosesAndGainsNoEnergyOverAHundredThousandSteps) {
  const EnergyErrors errors = energy_errors(double_pendulum(1e-3, 100));
  EXPECT_LT(errors.worst, 0.04);
  EXPECT_LT(std::abs(errors.last_mean - errors.first_mean), 0.002);
}

/// A two-link arm on a post, in space, whose outer end rests on the floor; gravity loads both joints.
TEST(RestingArm, StaysWhereTheFloorHoldsIt) {
  SceneRun run(R"(
pawl: 1
materials: {plain: {friction: 0.8}}
bodies:
  floor: {joint: {type: weld}, shapes: [{type: half-space}]}
  upper:
    mass: 1
    inertia: [0.1, 0.1, 0.01]
    position: [0.4, 0, 0.8]
    joint: {type: universal, anchor: [0, 0, 1], axis: [0, 0, 1], second_axis: [0, 1, 0]}
  lower:
    mass: 2
    inertia: [0.2, 0.2, 0.01]
    position: [1, 0.1, 0.35]
    joint: {type: revolute, parent: upper, anchor: [0.8, 0, 0.6], axis: [0, 1, 0]}
    shapes: [{type: sphere, radius: 0.1, position: [0.2, 0, -0.25]}]
run: {step: 0.005, until: 20}
)");
  std::vector<double> settled;
  run.step_to_end([&](const StepReport& report) {
    EXPECT_TRUE(report.certified()) << report;
    if (report.time > 10 && settled.empty()) settled = run.simulation.state().q;
  });
  double most = 0;
  for (int i = 0; i < run.model.nq; ++i) most = std::max(most, std::abs(run.q(i) - settled[i]));
  EXPECT_LT(most, 1e-12);
}

}  // namespace
}  // namespace pawl::internal
