#include <pawl/step/velocity_stage.h>

#include <algorithm>
#include <cmath>

namespace pawl::internal {
namespace {

constexpr double kClearSlip = 5;   // c counts where |σ̄| > kClearSlip |c|
constexpr double kAtLimit = 1e-9;  // m or rad: a joint this close to a limit is at the limit
constexpr int kMaxCentrings = 5;
constexpr double kAcceptedFraction = 0.1;  // residual up to which a warm start is an answer, of the tolerance

}  // namespace

VelocityStage::VelocityStage(const Model& model, const FrictionTable& friction, double softness)
    : model_(model),
      stage_(model, friction, softness),
      v_kicked_(model.nv),
      v_free_(model.nv),
      v_mirror_(model.nv),
      v_end_(model.nv),
      has_dampers_(std::ranges::any_of(
          model.forces, [](const ForceElement& force) { return force.kind == ForceKind::damper; })) {}

StageOutcome VelocityStage::solve(const StepStart& start, PositionStage& positions,
                                  std::span<const char> included, const RowImpulses& p1,
                                  const SolveOptions& options, double slack, RowImpulses& p) {
  const double h = start.clock.h;
  dynamics_.kinematics = positions.end_kinematics();
  if (!evaluate_dynamics(model_, start.clock, dynamics_)) {
    StageOutcome outcome;
    outcome.status = Status::refused;
    outcome.reason = "mass matrix";
    return outcome;
  }
  const Kinematics& end = dynamics_.kinematics;
  half_kick(model_, dynamics_, h, v_kicked_);
  for (int i = 0; i < model_.nv; ++i) v_kicked_[i] += positions.v_end()[i];
  if (has_dampers_) {
    // Forces that depend on velocities act at v⁺, as those of stage 1 act at v: with them, the step is
    // symmetric.
    velocity_kinematics(model_, v_kicked_, dynamics_.kinematics);
    if (!evaluate_dynamics(model_, start.clock, dynamics_)) return {};
    half_kick(model_, dynamics_, h, v_kicked_);
    for (int i = 0; i < model_.nv; ++i) v_kicked_[i] += positions.v_end()[i];
  }

  // The contacts and blocks that take part.
  index_.clear();
  contacts_.clear();
  tangents_.clear();
  for (std::size_t c = 0; c < included.size(); ++c) {
    if (included[c] != kIncluded) continue;
    index_.push_back(static_cast<int>(c));
    contacts_.push_back(at_one_point(end, positions.end_contacts()[c]));
    tangents_.push_back(positions.end_tangents()[c]);
  }
  blocks_.assign(positions.end_blocks().begin(), positions.end_blocks().end());
  active_.assign(positions.active().begin(), positions.active().end());
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    ConstraintBlock& block = blocks_[b];
    if (block.law == RowLaw::limited)
      active_[b] = active_[b] && (p1.block[b][0] > 0 || block.error[0] <= kAtLimit);
    if (yields(block)) {  // p₂ = −(h/2) (k (Θ + (h/2) u⁺) + d u⁺)
      block.stiffness *= 0.25;
      block.damping *= 0.5;
      block.bound *= 0.5;
    }
  }
  dynamics_.motion.v_free = v_kicked_;
  stage_.assemble({end, contacts_, tangents_, blocks_, active_, dynamics_.motion, h});

  // Totals are unknown, so p₁ is taken back. Springs and dampers act on top of p₁.
  before_.assign(index_.size(), blocks_.size());
  own_.assign(index_.size(), blocks_.size());
  for (std::size_t i = 0; i < index_.size(); ++i) {
    before_.contact[i] = p1.contact[index_[i]];
    own_.contact[i] = p.contact[index_[i]];
    own_.contact_basis[i] = p.contact_basis[index_[i]];
  }
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    if (!active_[b] || yields(blocks_[b])) continue;
    before_.block[b] = p1.block[b];
    own_.block[b] = p.block[b];
    own_.block_basis[b] = p.block_basis[b];
  }
  stage_.velocities_after(before_, v_mirror_);  // v̂⁺
  for (int i = 0; i < model_.nv; ++i) v_free_[i] = 2 * v_kicked_[i] - v_mirror_[i];
  stage_.set_free_velocity(v_free_);

  mirror_.X_WB = end.X_WB;
  mirror_.dofs = end.dofs;
  velocity_kinematics(model_, v_mirror_, mirror_);
  shift_.assign(index_.size(), {});
  for (std::size_t i = 0; i < index_.size(); ++i) {
    const ContactValues& mean = positions.slip()[index_[i]];
    const ContactValues u = contact_velocity(mirror_, contacts_[i], tangents_[i], model_.planar());
    ContactValues c{};
    for (int r = 1; r < kContactRows; ++r) c[r] = mean[r] - u[r];
    // Sliding and spinning apart: a disc that rolls also spins about the normal.
    if (std::hypot(mean[1], mean[2]) > kClearSlip * std::hypot(c[1], c[2])) {
      shift_[i][1] = c[1];
      shift_[i][2] = c[2];
    }
    if (std::abs(mean[3]) > kClearSlip * std::abs(c[3])) shift_[i][3] = c[3];
  }
  block_shift_.assign(blocks_.size(), {});
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    const ConstraintBlock& block = blocks_[b];
    if (!active_[b]) continue;
    if (block.law == RowLaw::driven) {
      block_shift_[b][0] = -block.target;
    } else if (yields(block)) {
      block_shift_[b][0] = block.velocity_only ? -block.target : 2 * block.error[0] / h;
    } else if (block.law == RowLaw::bounded && !block.velocity_only) {
      block_shift_[b][0] = block.error[0] / h - block.target;
    } else if (block.law == RowLaw::bounded) {
      const double mean = positions.block_rates()[b][0];
      const double c = mean - row_velocities(block, mirror_, v_mirror_)[0];
      block_shift_[b][0] =
          -block.target + (std::abs(mean - block.target) > kClearSlip * std::abs(c) ? c : 0.0);
    }
  }
  stage_.set_shifts(shift_, block_shift_);
  const StageOutcome outcome = stage_.solve(options,
                                            {.accepted = kAcceptedFraction * options.tolerance,
                                             .speed_scale = slack / (h * options.tolerance),
                                             .softness = slack > 0 ? kPileSoftness : 0,
                                             .centrings = kMaxCentrings},
                                            own_, v_end_);
  if (slack > 0) stage_.choose_least_norm(options, own_, v_end_);

  p.assign(included.size(), blocks_.size());
  velocity_.assign(included.size(), {});
  mirror_.w.clear();
  velocity_kinematics(model_, v_end_, mirror_);
  for (std::size_t i = 0; i < index_.size(); ++i) {
    p.contact[index_[i]] = own_.contact[i];
    p.contact_basis[index_[i]] = own_.contact_basis[i];
  }
  for (std::size_t c = 0; c < included.size(); ++c) {
    velocity_[c] =
        contact_velocity(mirror_, positions.end_contacts()[c], positions.end_tangents()[c], model_.planar());
  }
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    p.block[b] = own_.block[b];
    p.block_basis[b] = own_.block_basis[b];
    if (active_[b] && yields(blocks_[b])) {
      for (int r = 0; r < 3; ++r) p.block[b][r] += p1.block[b][r];
    }
  }
  return outcome;
}

}  // namespace pawl::internal
