#pragma once
// What held over a run, in a handful of figures: the table of `pawl run` and `pawl info`.

#include <cstdint>
#include <optional>
#include <string>

#include <pawl/record/trajectory.h>

namespace pawl {

/// The largest value of a figure, and the end of the step it belongs to. Not a number counts as worse than
/// any.
struct WorstValue {
  double value = 0;
  double time = 0;  // s; 0 if the figure never rose above 0

  void update(double candidate, double when);
};

/// Filled step by step, during a run or from a trajectory.
struct RunSummary {
  std::int64_t steps = 0;
  std::int64_t certified = 0;
  std::int64_t approximate = 0;
  std::int64_t refused = 0;
  std::optional<double> first_uncertified;  // s, end of the first step that is not certified
  std::string first_reason;                 // why it is not; empty where none is told
  double end_time = 0;                      // s, end of the last step

  WorstValue natural_map;      // dimensionless
  WorstValue momentum;         // dimensionless
  WorstValue bilateral;        // dimensionless; rows of joints
  WorstValue gap_violation;    // m
  WorstValue joint_violation;  // m or rad

  std::int32_t max_contacts = 0;
  std::int64_t contacts = 0;  // of all steps together
  std::int32_t max_problem_size = 0;
  std::int32_t max_halvings = 0;
  std::int64_t iterations = 0;

  std::int64_t impacts = 0;
  std::int64_t inelastic_steps = 0;       // with more impacts than they may have
  std::optional<double> first_inelastic;  // s, end of the first of them
  std::int64_t impact_gain_steps = 0;     // steps whose impacts made energy
  double impact_energy_gain = 0;          // J, by them

  EnergyLedger start;         // at the start of the run
  EnergyLedger end;           // at its end: works since the start
  WorstValue imbalance;       // J, absolute
  double largest_energy = 0;  // J, the largest |entry| of any ledger but for imbalances

  std::optional<double> wall_seconds;  // of the run that was watched; a trajectory does not hold it

  /// The state before the first step, and its deepest overlap (m).
  void begin(const EnergyLedger& energy, double overlap = 0);
  void add(const StepReport& report);

  double mean_contacts() const;
  /// The worst imbalance against the largest energy; 0 when there is no energy at all.
  double relative_imbalance() const;
};

RunSummary summarize(const Trajectory& run);

}  // namespace pawl
