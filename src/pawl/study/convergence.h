#pragma once
// How a scene's motion converges as the step shrinks: the measures of [StewartTrinkle2000, table 1].

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include <pawl/model.h>

namespace pawl::internal {

/// One run of the study. Velocities are taken as constant over each step, positions as their integrals, so
/// that angular velocities give angles that need no branch.
struct ConvergenceRow {
  double step = 0;                       // h, s
  std::optional<double> velocity_error;  // ∫ |v^h - v|_∞ dt against the finest run; none for the finest
                                         // itself, nor where one of the two was refused
  std::optional<double> position_error;  // sup over t of |x^h - x|_∞
  double variation = 0;                  // max over components of Σ |change of v|
  double worst_residual = 0;             // natural map, over all steps
  int steps = 0;
  int uncertified = 0;
  std::optional<double> refused;  // s, where a step was refused and the run ended before its time
};

struct ConvergenceRun {
  std::vector<double> time;  // [N + 1], from 0
  std::vector<double> v;     // [(N + 1) × nv]
};

struct ConvergenceStudy {
  std::vector<ConvergenceRow> rows;  // in the order of the steps given
  std::vector<ConvergenceRun> runs;
};

/// Runs the model once for each step size; the smallest is the reference. `progress` is called after each run
/// with its number; returning false ends the study with the runs done so far. Throws Error for steps that
/// make no sense.
ConvergenceStudy study_convergence(const Model& model, const RunOptions& options,
                                   std::span<const double> steps,
                                   const std::function<bool(int)>& progress = {});

}  // namespace pawl::internal
