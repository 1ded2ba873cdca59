#include <pawl/trajectory.h>

#include <algorithm>
#include <cmath>

namespace pawl {

using namespace internal;

namespace {

double largest_entry(const EnergyLedger& energy) {
  return std::max({std::abs(energy.kinetic), std::abs(energy.potential), std::abs(energy.normal),
                   std::abs(energy.stabilisation), std::abs(energy.friction), std::abs(energy.joints),
                   std::abs(energy.limits), std::abs(energy.motors), std::abs(energy.applied),
                   std::abs(energy.discretisation)});
}

}  // namespace

void WorstValue::update(double candidate, double when) {
  if (std::isnan(value) || candidate <= value) return;
  value = candidate;
  time = when;
}

void RunSummary::begin(const EnergyLedger& energy, double overlap) {
  start = end = energy;
  largest_energy = largest_entry(energy);
  gap_violation.update(overlap, 0);
}

void RunSummary::add(const StepReport& report) {
  ++steps;
  switch (report.status) {
    case Status::certified:
      ++certified;
      break;
    case Status::approximate:
      ++approximate;
      break;
    case Status::refused:
    case Status::no_solution:
      ++refused;
      break;
  }
  if (!report.certified() && !first_uncertified) {
    first_uncertified = report.time;
    first_reason = report.reason;
    first_body_a = report.body_a;
    first_body_b = report.body_b;
  }
  if (report.certified() && !report.motion.empty()) {
    if (lacking_steps++ == 0) {
      first_lack = report.motion;
      first_lack_body_a = report.body_a;
      first_lack_body_b = report.body_b;
    }
  }
  if (report.ambiguous != 0) {
    if (ambiguous_steps++ == 0) first_ambiguous = report.time;
  }
  end_time = report.time;

  natural_map.update(report.residual.natural_map, report.time);
  momentum.update(report.residual.momentum, report.time);
  bilateral.update(report.residual.bilateral, report.time);
  gap_violation.update(report.gap_violation, report.time);
  joint_violation.update(report.joint_violation, report.time);
  local_error.update(report.local_error, report.time);

  max_contacts = std::max(max_contacts, report.contacts);
  contacts += report.contacts;
  max_problem_size = std::max(max_problem_size, report.problem_size);
  max_halvings = std::max(max_halvings, report.halvings);
  iterations += report.iterations;

  impacts += report.impacts;
  if (report.inelastic != 0) {
    ++inelastic_steps;
    if (!first_inelastic) first_inelastic = report.time;
  }
  if (report.impact_gain > 0) ++impact_gain_steps;
  impact_energy_gain += report.impact_gain;

  end = report.energy;
  imbalance.update(std::abs(report.energy.imbalance), report.time);
  largest_energy = std::max(largest_energy, largest_entry(report.energy));
}

double RunSummary::mean_contacts() const {
  return steps == 0 ? 0 : static_cast<double>(contacts) / static_cast<double>(steps);
}

double RunSummary::relative_imbalance() const {
  return imbalance.value == 0 ? 0 : imbalance.value / largest_energy;
}

RunSummary summarize(const Trajectory& run) {
  RunSummary summary;
  if (!run.energy.empty()) summary.begin(run.energy.front(), run.info.start_overlap);
  for (const StepReport& step : run.steps) summary.add(step);
  return summary;
}

}  // namespace pawl
