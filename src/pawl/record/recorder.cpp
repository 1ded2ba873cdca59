#include <pawl/record/recorder.h>

namespace pawl::internal {

Recorder::Recorder(const Simulation& simulation, const RunOptions& options, TrajectoryWriter& writer)
    : simulation_(simulation), options_(options), writer_(writer) {
  write_state();
}

Recorder::Recorder(const Simulation& simulation, const RunOptions& options, TrajectoryWriter& writer,
                   std::int64_t unrecorded)
    : simulation_(simulation), options_(options), writer_(writer), unrecorded_(unrecorded) {}

void Recorder::add(const StepReport& report) {
  writer_.append_step(report);
  if (options_.record_impacts) writer_.append_impacts(simulation_.impacts());
  if (report.status != Status::refused && ++unrecorded_ >= options_.record_every) write_state();
}

void Recorder::end() {
  if (unrecorded_ > 0) write_state();
}

void Recorder::write_state() {
  const State& state = simulation_.state();
  if (options_.record_forces) writer_.append_joints(simulation_.joint_forces());
  writer_.append_state(simulation_.time(), state.q, state.v, simulation_.energy(),
                       options_.record_contacts ? simulation_.contacts() : std::span<const ContactRecord>{});
  unrecorded_ = 0;
  ++states_;
}

}  // namespace pawl::internal
