#include <pawl/record/resume.h>

#include <algorithm>

#include <fmt/format.h>

#include <pawl/error.h>
#include <pawl/model/fingerprint.h>

namespace pawl::internal {
namespace {

constexpr std::uint64_t kBlockRows = 4096;  // read at a time

}  // namespace

std::vector<std::uint64_t> pack_end(const State& state, const Model& model) {
  std::vector<std::uint64_t> words{fingerprint(model)};
  words.insert(words.end(), state.history.begin(), state.history.end());
  words.push_back(checksum(state));
  return words;
}

void continue_from_end(const TrajectoryReader& run, const std::string& file, const Model& model,
                       Simulation& simulation) {
  const auto fail = [&](const std::string& reason) { throw Error(fmt::format("{}: {}", file, reason)); };
  const std::vector<std::uint64_t> words = run.end();
  if (words.size() < 2 || run.time().empty())
    fail("it has no end from which it could go on: the run was killed, or is of an older Pawl");
  const std::uint64_t steps = run.step_time().size();
  if (steps > 0 && run.read_steps(steps - 1, 1).front().status == Status::refused) {
    fail(fmt::format("its last step, at t = {:.6g} s, was refused: it can't go on from there",
                     run.step_time().back()));
  }
  const StateRows last = run.read_states(run.time().size() - 1, 1);
  const State state{last.time[0], last.q, last.v, {words.begin() + 1, words.end() - 1}};
  if (words.back() != checksum(state)) fail("its last state does not have its checksum: it is damaged");
  if (words.front() != fingerprint(model))
    fail("its bodies, shapes or joints are not those of the scene: a mesh was changed");
  try {
    simulation.reset(state, last.energy[0]);
  } catch (const Error& error) {
    fail(error.what());
  }
}

std::int64_t copy_rows(const TrajectoryReader& run, int record_every, TrajectoryWriter& writer,
                       RunSummary& summary) {
  // A run that was stopped has its last state in any case; one that goes on only if it is due.
  const std::uint64_t steps = run.step_time().size(), due = 1 + steps / record_every;
  const std::uint64_t states = std::min<std::uint64_t>(run.time().size(), due);
  summary.begin(run.read_energy(0, 1).front(), run.info().start_overlap);
  writer.append_impacts(run.read_impacts());
  std::vector<JointForces> joints = run.read_joints();
  std::erase_if(joints, [&](const JointForces& joint) { return joint.time > run.time()[states - 1]; });
  writer.append_joints(joints);
  std::uint64_t step = 0;
  for (std::uint64_t first = 0; first < states; first += kBlockRows) {
    const std::uint64_t count = std::min(kBlockRows, states - first), end = first + count;
    const StateRows rows = run.read_states(first, count);
    // The steps up to the last state of the block; after the last block, all.
    const std::uint64_t step_end = end == states ? steps : (end - 1) * record_every;
    std::vector<StepReport> reports = run.read_steps(step, step_end - step);
    for (StepReport& report : reports) {
      const std::uint64_t row = std::min(++step / record_every, states - 1);
      report.energy = rows.energy[std::max(row, first) - first];
      summary.add(report);
      writer.append_step(report);
    }
    for (std::uint64_t i = 0; i < count; ++i) {
      const auto contacts =
          std::span(rows.contacts)
              .subspan(rows.contact_offset[i], rows.contact_offset[i + 1] - rows.contact_offset[i]);
      writer.append_state(
          rows.time[i],
          std::span(rows.q).subspan(i * run.info().q_columns.size(), run.info().q_columns.size()),
          std::span(rows.v).subspan(i * run.info().v_columns.size(), run.info().v_columns.size()),
          rows.energy[i], contacts);
    }
  }
  return static_cast<std::int64_t>(steps % record_every);
}

}  // namespace pawl::internal
