#pragma once
// Writes a simulation down as the run's options say.

#include <pawl/simulation.h>
#include <pawl/trajectory.h>

namespace pawl::internal {

/// Everything given must outlive it.
class Recorder {
 public:
  /// Writes the state that the simulation is in.
  Recorder(const Simulation& simulation, const RunOptions& options, TrajectoryWriter& writer);

  /// After every step: the step, and the state where it is due.
  void add(const StepReport& report);
  /// The last state, where it was not due. The file is left to be finished.
  void end();

  std::uint64_t states() const { return states_; }  // written so far

 private:
  void write_state();

  const Simulation& simulation_;
  const RunOptions& options_;
  TrajectoryWriter& writer_;
  std::uint64_t states_ = 0;
  std::int64_t unrecorded_ = 0;  // steps since the last state that was written
};

}  // namespace pawl::internal
