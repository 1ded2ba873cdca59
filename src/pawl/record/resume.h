#pragma once
// The end of a run in its trajectory, and its continuation from there.

#include <cstdint>
#include <vector>

#include <pawl/simulation.h>
#include <pawl/trajectory.h>

namespace pawl::internal {

/// The words of /end: the fingerprint of the model, the history of the last state, and a checksum.
std::vector<std::uint64_t> pack_end(const State& state, const Model& model);

/// Continues from the end of a trajectory, ledger included. Throws Error naming `file` if its end is missing
/// or damaged, or is not one of this model and these options, or if the last step was refused.
void continue_from_end(const TrajectoryReader& run, const std::string& file, const Model& model,
                       Simulation& simulation);

/// Copies the rows that the run would have if it went on, and counts its steps. Returns the number of steps
/// since the last state that is copied.
std::int64_t copy_rows(const TrajectoryReader& run, int record_every, TrajectoryWriter& writer,
                       RunSummary& summary);

}  // namespace pawl::internal
