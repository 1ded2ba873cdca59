#pragma once
// One scene in motion: the state, and the step that advances it.

#include <memory>
#include <span>
#include <string>

#include <pawl/model/model.h>
#include <pawl/step/report.h>

namespace pawl {

class Simulation {
 public:
  /// Throws Error for options that make no sense (unknown method, step ≤ 0).
  /// The model must outlive the simulation.
  Simulation(const Model& model, const RunOptions& options);
  Simulation(Model&&, const RunOptions&) = delete;
  ~Simulation();
  Simulation(Simulation&&) noexcept;
  Simulation& operator=(Simulation&&) noexcept;

  /// Advances to the next multiple of the nominal step, or less where the step had to be halved. Numerics
  /// never throw: read the status. A refused step leaves the state as it was.
  StepReport step();

  double time() const;
  /// The first time of the grid at or after the run's `until` is reached.
  bool at_end() const;
  const State& state() const;
  /// The contacts of the last step, in a stable order.
  std::span<const ContactRecord> contacts() const;
  /// Energies now and work since the start.
  const EnergyLedger& energy() const;
  /// Sets time, q and v and forgets what was remembered for warm starts.
  void reset(const State& state);
  /// Writes the worst complementarity problem of the last step, for `pawl solve`. False where it had none.
  /// Throws Error naming the file when it can't be written.
  bool dump_problem(const std::string& path) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace pawl
