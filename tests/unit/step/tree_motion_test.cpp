// Trees of joined bodies move through many steps without losing or gaining energy.

#include <algorithm>
#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include <pawl/model/dynamics.h>

#include "support.h"

namespace pawl {
namespace {

using test::number_text;
using test::SceneRun;

/// Two rods of 1 m and 1 kg, the first from 90°, the second straight on: chaotic.
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

struct EnergyErrors {
  double worst = 0;       // of all steps
  double first_mean = 0;  // of the first and the last fifth of the run
  double last_mean = 0;
};
EnergyErrors energy_errors(const std::string& scene) {
  SceneRun run(scene);
  const EnergyLedger start = run.simulation.energy();
  const double end = run.scene.run.until;
  EnergyErrors errors;
  int first = 0, last = 0;
  run.go([&](const StepReport& report) {
    EXPECT_TRUE(report.certified()) << report;
    const double change = report.energy.kinetic + report.energy.potential - start.kinetic - start.potential;
    errors.worst = std::max(errors.worst, std::abs(change));
    if (report.time < 0.2 * end) errors.first_mean += change, ++first;
    if (report.time > 0.8 * end) errors.last_mean += change, ++last;
  });
  errors.first_mean /= first;
  errors.last_mean /= last;
  return errors;
}

TEST(DoublePendulum, KeepsItsEnergyToFirstOrderForTenSeconds) {
  // The scale of its energies is m g l: 9.81 J; the errors below are of order h.
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

/// An arm of two links on a post whose outer end rests on the floor, in space: gravity pulls at both joints.
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
  run.go([&](const StepReport& report) {
    EXPECT_TRUE(report.certified()) << report;
    if (report.time > 10 && settled.empty()) settled = run.simulation.state().q;
  });
  double most = 0;
  for (int i = 0; i < run.model.nq; ++i) most = std::max(most, std::abs(run.q(i) - settled[i]));
  EXPECT_LT(most, 1e-12);
}

}  // namespace
}  // namespace pawl
