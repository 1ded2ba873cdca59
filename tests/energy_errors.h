#pragma once
// The energy error of a run that should conserve energy.

#include <algorithm>
#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include "support.h"

namespace pawl::internal::test {

/// Changes of energy since the start, J.
struct EnergyErrors {
  double worst = 0;       // largest magnitude over all steps
  double first_mean = 0;  // mean over the first and over the last fifth of the run
  double last_mean = 0;
};
inline EnergyErrors energy_errors(const std::string& scene) {
  SceneRun run(scene);
  const EnergyLedger start = run.simulation.energy();
  const double end = run.scene.run.until;
  EnergyErrors errors;
  int first = 0, last = 0;
  run.step_to_end([&](const StepReport& report) {
    ASSERT_TRUE(report.certified()) << report;
    const double change = report.energy.kinetic + report.energy.potential - start.kinetic - start.potential;
    errors.worst = std::max(errors.worst, std::abs(change));
    if (report.time < 0.2 * end) errors.first_mean += change, ++first;
    if (report.time > 0.8 * end) errors.last_mean += change, ++last;
  });
  errors.first_mean /= first;
  errors.last_mean /= last;
  return errors;
}

}  // namespace pawl::internal::test
