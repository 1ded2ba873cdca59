#include <pawl/study/convergence.h>

#include <algorithm>
#include <cmath>

#include <pawl/base/tolerances.h>
#include <pawl/error.h>
#include <pawl/simulation.h>

namespace pawl::internal {
namespace {

double variation(const ConvergenceRun& run, int nv) {
  double max_variation = 0;
  for (int i = 0; i < nv; ++i) {
    double sum = 0;
    for (std::size_t k = 1; k < run.time.size(); ++k)
      sum += std::abs(run.v[k * nv + i] - run.v[(k - 1) * nv + i]);
    max_variation = std::max(max_variation, sum);
  }
  return max_variation;
}

/// Integrates over the union of both time grids. Between two grid points both velocities are constant, so the
/// integral is exact. The position error is piecewise linear, so its max is at a grid point.
void compare(const ConvergenceRun& run, const ConvergenceRun& reference, int nv, ConvergenceRow& row) {
  double velocity_error = 0, position_error = 0, now = 0;
  std::vector<double> difference(nv, 0.0);  // integrated position difference
  std::size_t a = 1, b = 1;
  while (a < run.time.size() && b < reference.time.size()) {
    const double next = std::min(run.time[a], reference.time[b]);
    const double dt = next - now;
    double speed = 0;
    for (int i = 0; i < nv; ++i) {
      const double d = run.v[a * nv + i] - reference.v[b * nv + i];
      speed = std::max(speed, std::abs(d));
      difference[i] += dt * d;
      position_error = std::max(position_error, std::abs(difference[i]));
    }
    velocity_error += dt * speed;
    now = next;
    const double time_tolerance =
        tolerances::kSign * std::min(row.step, next);  // the grids may differ by rounding
    if (run.time[a] <= next + time_tolerance) ++a;
    if (reference.time[b] <= next + time_tolerance) ++b;
  }
  row.velocity_error = velocity_error;
  row.position_error = position_error;
}

ConvergenceRun simulate(const Model& model, RunOptions options, ConvergenceRow& row) {
  options.step = row.step;
  Simulation simulation(model, options);
  ConvergenceRun run;
  const auto record_state = [&] {
    run.time.push_back(simulation.time());
    run.v.insert(run.v.end(), simulation.state().v.begin(), simulation.state().v.end());
  };
  record_state();
  while (!simulation.at_end()) {
    const StepReport report = simulation.step();
    if (report.status == Status::refused) {
      row.refused = report.time;
      break;
    }
    record_state();
    ++row.steps;
    row.uncertified += report.certified() ? 0 : 1;
    row.worst_residual = std::max(row.worst_residual, report.residual.natural_map);
  }
  run.q = simulation.state().q;
  return run;
}

/// Orders of the positions at the end. If q(h) = q + C h^p, then q(h) - q(h') falls by (h/h')^p from a pair
/// of steps to the next.
void find_orders(ConvergenceStudy& study) {
  std::vector<std::size_t> by_step(study.rows.size());
  for (std::size_t i = 0; i < by_step.size(); ++i) by_step[i] = i;
  std::ranges::sort(by_step, std::ranges::greater(), [&](std::size_t i) { return study.rows[i].step; });
  for (std::size_t k = 0; k + 1 < by_step.size(); ++k) {
    const ConvergenceRun &run = study.runs[by_step[k]], &finer = study.runs[by_step[k + 1]];
    ConvergenceRow &row = study.rows[by_step[k]], &next = study.rows[by_step[k + 1]];
    const bool same_end = std::abs(run.time.back() - finer.time.back()) <= tolerances::kSign * next.step;
    if (row.refused || next.refused || !same_end) continue;
    double change = 0;
    for (std::size_t i = 0; i < run.q.size(); ++i) change = std::max(change, std::abs(run.q[i] - finer.q[i]));
    row.end_change = change;
    if (k == 0) continue;
    ConvergenceRow& coarser = study.rows[by_step[k - 1]];
    if (!coarser.end_change || !(*coarser.end_change > 0) || !(change > 0)) continue;
    coarser.order = std::log(*coarser.end_change / change) / std::log(coarser.step / row.step);
    const double ratio = std::pow(row.step / next.step, *coarser.order);
    study.end_error.reset();
    if (ratio > 1) study.end_error = change / (ratio - 1);
  }
}

}  // namespace

ConvergenceStudy study_convergence(const Model& model, const RunOptions& options,
                                   std::span<const double> steps, const std::function<bool(int)>& progress) {
  if (steps.size() < 2) throw Error("a convergence study needs at least two step sizes");
  ConvergenceStudy study;
  for (const double step : steps) {
    study.rows.emplace_back().step = step;
    study.runs.push_back(simulate(model, options, study.rows.back()));
    if (progress && !progress(static_cast<int>(study.rows.size()) - 1)) break;
  }
  const auto finest = std::ranges::min_element(study.rows, {}, &ConvergenceRow::step) - study.rows.begin();
  for (std::size_t i = 0; i < study.rows.size(); ++i) {
    study.rows[i].variation = variation(study.runs[i], model.nv);
    if (static_cast<std::ptrdiff_t>(i) != finest && !study.rows[i].refused && !study.rows[finest].refused) {
      compare(study.runs[i], study.runs[finest], model.nv, study.rows[i]);
    }
  }
  find_orders(study);
  return study;
}

}  // namespace pawl::internal
