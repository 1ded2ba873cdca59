#pragma once
// One scene in motion: its state, and the step that advances it.

#include <memory>
#include <span>

#include <pawl/contact_problem.h>
#include <pawl/model.h>
#include <pawl/report.h>
#include <pawl/run_options.h>

namespace pawl {

class Simulation {
 public:
  /// Throws Error for invalid options (unknown method, step ≤ 0). The model must outlive the simulation.
  Simulation(const Model& model, const RunOptions& options);
  Simulation(Model&&, const RunOptions&) = delete;
  ~Simulation();
  Simulation(Simulation&&) noexcept;
  Simulation& operator=(Simulation&&) noexcept;

  /// Advances to the next multiple of the nominal step, or less if the step was halved. Numerics never throw:
  /// read the status. A refused step leaves the state unchanged.
  StepReport step();

  double time() const;
  /// True once the first time of the grid at or after the run's `until` is reached.
  bool at_end() const;
  const State& state() const;
  /// The contacts of the last step, in a stable order.
  std::span<const ContactRecord> contacts() const;
  /// The events of the impacts of the last step, in order.
  std::span<const ImpactRecord> impacts() const;
  /// Energies now, and work since the start.
  const EnergyLedger& energy() const;
  /// Continues from a state of this model, and starts the energy ledger anew. Throws Error if the state does
  /// not fit the model, or its history the method.
  void reset(const State& state);
  /// The same with the ledger that energy() had at that state: all reports continue bit for bit.
  void reset(const State& state, const EnergyLedger& energy);
  /// The contact problem of the last step with the largest residual, to be written by write_problem()
  /// (problem_file.h). Null if the step had none.
  const ContactProblem* worst_problem() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace pawl
