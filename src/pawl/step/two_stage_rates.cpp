#include <pawl/step/two_stage_step.h>

// Velocities that obey the rates of joints and motors.

#include <cmath>

namespace pawl::internal {
namespace {

constexpr double kImpossibleRate = 1e-3;  // error of a rate that no motion has, relative to it

}  // namespace

/// Finds the velocities nearest to v_, in the M-norm, that give the active blocks their rates.
Status TwoStageStep::solve_rates() {
  if (!evaluate_dynamics(model_, start_.clock, start_.dynamics)) return Status::refused;
  start_.dynamics.motion.v_free = v_;
  rate_stage_.assemble({start_.dynamics.kinematics,
                        {},
                        {},
                        start_.blocks,
                        limit_active_,
                        start_.dynamics.motion,
                        nominal_step_});
  rate_stage_.set_shifts({}, rate_shift_);
  p_.assign(0, start_.blocks.size());
  v_consistent_.resize(model_.nv);
  return rate_stage_.solve(solve_options_, {}, p_, v_consistent_).status;
}

double TwoStageStep::make_joint_rates_consistent() {
  start_.clock = {time_, nominal_step_};
  constraint_blocks(model_, start_.dynamics.kinematics, q_, time_, start_.blocks);
  limit_active_.assign(start_.blocks.size(), 0);
  rate_shift_.assign(start_.blocks.size(), {});
  bool broken = false;
  for (std::size_t b = 0; b < start_.blocks.size(); ++b) {
    const ConstraintBlock& block = start_.blocks[b];
    if (block.law != RowLaw::equality) continue;
    limit_active_[b] = 1;
    const BlockValues rate = row_velocities(block, start_.dynamics.kinematics, v_);
    const double allowed = solve_options_.tolerance * velocity_scale(block, start_.dynamics.kinematics, v_);
    for (int r = 0; r < block.rows; ++r) broken |= std::abs(rate[r]) > allowed;
  }
  if (!broken || solve_rates() != Status::certified) return 0;
  const double before = start_.kinetic;
  v_ = v_consistent_;
  evaluate_start();
  return start_.kinetic - before;
}

/// An unbounded motor whose rate no motion of the joints has; null if there is none.
const ConstraintBlock* TwoStageStep::impossible_motor() {
  const ConstraintBlock* motor = nullptr;
  limit_active_.assign(start_.blocks.size(), 0);
  rate_shift_.assign(start_.blocks.size(), {});
  for (std::size_t b = 0; b < start_.blocks.size(); ++b) {
    const ConstraintBlock& block = start_.blocks[b];
    limit_active_[b] = block.law == RowLaw::equality || block.law == RowLaw::driven;
    if (block.law != RowLaw::driven) continue;
    motor = &block;
    rate_shift_[b][0] = block.velocity_only ? -block.target : block.error[0] / nominal_step_;
  }
  if (motor == nullptr || solve_rates() == Status::refused) return nullptr;
  end_.X_WB = start_.dynamics.kinematics.X_WB;
  end_.dofs = start_.dynamics.kinematics.dofs;
  velocity_kinematics(model_, v_consistent_, end_);
  for (std::size_t b = 0; b < start_.blocks.size(); ++b) {
    if (!limit_active_[b]) continue;
    const ConstraintBlock& block = start_.blocks[b];
    const BlockValues rate = row_velocities(block, end_, v_consistent_);
    for (int r = 0; r < block.rows; ++r) {
      const double wanted = -rate_shift_[b][r];
      const double speed = velocity_scale(block, end_, v_consistent_) + std::abs(wanted);
      if (std::abs(rate[r] - wanted) > kImpossibleRate * speed) return motor;
    }
  }
  return nullptr;
}

}  // namespace pawl::internal
