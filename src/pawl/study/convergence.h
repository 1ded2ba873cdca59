#pragma once
// Convergence of a scene's motion as the step shrinks: the measures of [StewartTrinkle2000, table 1].

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include <pawl/model.h>

namespace pawl::internal {

/// One run of the study. Velocities are taken as constant over each step and positions as their integrals, so
/// that angles are unbounded and need no choice of branch.
struct ConvergenceRow {
  double step = 0;  // h, s
  // ∫ |v^h - v|_∞ dt against the finest run; empty for the finest run and if one of the two was refused
  std::optional<double> velocity_error;
  std::optional<double> position_error;  // sup over t of |x^h - x|_∞
  // max |q^h - q^h'| at the end, h' the next smaller step; empty for the finest run, if one of the two was
  // refused, or if they end at different times
  std::optional<double> end_change;
  std::optional<double> order;  // by which end_change falls from this row to the next smaller step
  double variation = 0;         // max over components of Σ |change of v|
  double worst_residual = 0;    // natural map, over all steps
  int steps = 0;
  int uncertified = 0;
  std::optional<double> refused;  // s, time of the refused step that ended the run
};

struct ConvergenceRun {
  std::vector<double> time;  // [N + 1], from 0
  std::vector<double> v;     // [(N + 1) × nv]
  std::vector<double> q;     // [nq] at the end
};

struct ConvergenceStudy {
  std::vector<ConvergenceRow> rows;  // in the order of the given step sizes
  std::vector<ConvergenceRun> runs;
  std::optional<double> end_error;  // of q at the end of the finest run, extrapolated by the last order
};

/// Runs the model once per step size; the smallest is the reference. `progress` is called with the index of
/// each finished run; if it returns false, the study ends with the runs so far. Throws Error for invalid step
/// sizes.
ConvergenceStudy study_convergence(const Model& model, const RunOptions& options,
                                   std::span<const double> steps,
                                   const std::function<bool(int)>& progress = {});

}  // namespace pawl::internal
