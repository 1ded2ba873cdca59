#pragma once
// A run of a scene by one kind of step; Simulation is its front.

#include <memory>
#include <span>
#include <vector>

#include <pawl/simulation.h>
#include <pawl/step/step_forces.h>

namespace pawl::internal {

class Run {
 public:
  virtual ~Run() = default;
  /// Throws Error if the history of the state does not fit.
  virtual void reset(const State& state) = 0;
  /// After reset(): the work done before it.
  virtual void continue_ledger(const EnergyLedger& energy) { energy_ = energy; }
  virtual StepReport step() = 0;
  /// s: nominal steps end at this time plus their multiples.
  virtual double grid_start() const = 0;
  virtual const ContactProblem* worst_problem() const = 0;

  const State& state() const { return state_; }
  std::span<const ContactRecord> contacts() const { return contacts_; }
  std::span<const ImpactRecord> impacts() const { return events_; }
  const EnergyLedger& energy() const { return energy_; }
  const StepForces& forces() const { return forces_; }

 protected:
  State state_;
  EnergyLedger energy_;
  std::vector<ContactRecord> contacts_;  // of the last step
  std::vector<ImpactRecord> events_;     // of its impacts
  StepForces forces_;                    // of the last step
};

/// The default method: TwoStageStep.
std::unique_ptr<Run> make_two_stage_run(const Model& model, const RunOptions& options);
/// The methods of the papers: Stepper.
std::unique_ptr<Run> make_linearised_run(const Model& model, const RunOptions& options);

/// A record with the identity of the contact.
ContactRecord record_of(const Contact& contact);
/// Adds the impulses of an impact to the record of its contact, or appends a new record.
void add_impact_record(const ContactRecord& impact, std::vector<ContactRecord>& records);
/// Records of the contacts of the last impact that had an impulse, added to `records`.
void record_impact(const class ImpactStage& impacts, std::vector<ContactRecord>& records);
/// Appends the events of the last impact, number `first` and following in its step.
void record_events(const class ImpactStage& impacts, double time, int first,
                   std::vector<ImpactRecord>& events);
/// Adds the outcome of an impact to the report and the ledger.
void count_impact(const struct ImpactOutcome& outcome, StepReport& report, EnergyLedger& energy);

}  // namespace pawl::internal
