#include <pawl/step/robust_step.h>

#include <algorithm>

namespace pawl::internal {
namespace {

constexpr double kMaxCorrectionSpeed = 1;  // m/s or rad/s

}  // namespace

RobustStep::RobustStep(const Model& model, const FrictionTable& friction, double softness)
    : model_(model), stage_(model, friction, softness), v_(model.nv), q_end_(model.nq), v_end_(model.nv) {}

StageOutcome RobustStep::solve(const StepStart& start, std::span<const StepContact> contacts,
                               std::span<const char> limit_active, const SolveOptions& options,
                               RowImpulses& p) {
  const double h = start.clock.h;
  const auto correction = [&](double error) { return std::max(error / h, -kMaxCorrectionSpeed); };
  contacts_.clear();
  tangents_.clear();
  shift_.assign(contacts.size(), {});
  for (std::size_t c = 0; c < contacts.size(); ++c) {
    contacts_.push_back(at_one_point(start.dynamics.kinematics, contacts[c].contact));
    tangents_.push_back(contacts[c].tangent);
    shift_[c][0] = correction(contacts[c].contact.gap);
  }
  active_.resize(start.blocks.size());
  block_shift_.assign(start.blocks.size(), {});
  for (std::size_t b = 0; b < start.blocks.size(); ++b) {
    const ConstraintBlock& block = start.blocks[b];
    active_[b] = limit_active[b] || is_active(model_, block, start.clock.whole_step());
    for (int r = 0; r < block.rows; ++r) {
      if (block.velocity_only) {
        block_shift_[b][r] = -block.target;
      } else if (yields(block)) {
        block_shift_[b][r] = block.error[r] / h;
      } else {
        const double shift = correction(block.error[r]);
        block_shift_[b][r] = block.law == RowLaw::limited ? shift : std::min(shift, kMaxCorrectionSpeed);
      }
    }
  }
  motion_.mass = start.dynamics.motion.mass;
  motion_.factor = start.dynamics.motion.factor;
  motion_.drift.assign(model_.nv, 0.0);
  motion_.v_free.resize(model_.nv);
  half_kick(model_, start.dynamics, 2 * h, motion_.v_free);
  for (int i = 0; i < model_.nv; ++i) motion_.v_free[i] += start.v[i];
  stage_.assemble({start.dynamics.kinematics, contacts_, tangents_, start.blocks, active_, motion_, h});
  stage_.set_shifts(shift_, block_shift_);
  p.assign(contacts.size(), start.blocks.size());
  StageOutcome outcome = stage_.solve(options, {}, p, v_);
  if (outcome.status < Status::refused && !free_drift(model_, start.dynamics.kinematics, start.q, v_,
                                                      motion_.factor, h, drift_, q_end_, v_end_)) {
    outcome.status = Status::refused;
    outcome.reason = "free motion";
  }
  return outcome;
}

}  // namespace pawl::internal
