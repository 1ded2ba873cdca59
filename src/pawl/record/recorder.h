#pragma once
// Writes a simulation to a trajectory file as the run options ask.

#include <pawl/simulation.h>
#include <pawl/trajectory.h>

namespace pawl::internal {

/// Simulation, options and writer must outlive the recorder.
class Recorder {
 public:
  /// Writes the initial state.
  Recorder(const Simulation& simulation, const RunOptions& options, TrajectoryWriter& writer);
  /// Continues after rows that the writer has already, `unrecorded` steps after their last state.
  Recorder(const Simulation& simulation, const RunOptions& options, TrajectoryWriter& writer,
           std::int64_t unrecorded);

  /// Call after every step: writes the step, and the state if one is due.
  void add(const StepReport& report);
  /// Writes the last state if add() has not written it. Does not finish the file.
  void end();

  std::uint64_t states() const { return states_; }  // states written so far

 private:
  void write_state();

  const Simulation& simulation_;
  const RunOptions& options_;
  TrajectoryWriter& writer_;
  std::uint64_t states_ = 0;
  std::int64_t unrecorded_ = 0;  // steps since the last written state
};

}  // namespace pawl::internal
