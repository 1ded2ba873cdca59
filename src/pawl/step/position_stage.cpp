#include <pawl/step/position_stage.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace pawl::internal {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr int kMaxPasses = 40;
constexpr int kPatience = 6;        // passes without a smaller residual
constexpr double kRepeated = 1e-3;  // relative change of the residual of passes that repeat each other …
constexpr int kRepetition = 3;      // … and that count as this many
constexpr double kPassFraction = 0.01;  // to which a pass reduces the residual: the next pass moves the rows
constexpr double kSlackAtEnd = 5;       // of passes that repeat each other, relative to `slack`
constexpr double kApart = 1e-6;         // gap of shapes that do not touch, relative to the lever arm
constexpr double kGapRounding = 4e-15;  // rounding error of gaps and joint errors relative to positions
// Residuals that end the passes, relative to the tolerance: of the warm start, and of later passes. One pass
// from within the tolerance suffices.
constexpr double kAcceptedAtOnce = 0.1, kAccepted = 0.1;

/// The tangent t of a contact carried to a turned normal.
Vec3 transport(const Vec3& t, const Vec3& normal) {
  return normalized(t - dot(t, normal) * normal);
}

}  // namespace

Contact at_one_point(const Kinematics& k, const Contact& contact) {
  const Vec3 middle = 0.5 * (contact.point_a + contact.point_b);
  double arm = 0;
  for (const int body : {contact.body_a, contact.body_b}) {
    if (body > 0) arm = std::max(arm, norm(middle - k.X_WB[body].p));
  }
  Contact acting = contact;
  if (std::abs(contact.gap) > kApart * arm) acting.point_a = acting.point_b = middle;
  return acting;
}

ContactValues contact_velocity(const Kinematics& k, const Contact& contact, const Vec3& t, bool planar) {
  const Vec3 velocity =
      point_velocity(k, contact.body_a, contact.point_a) - point_velocity(k, contact.body_b, contact.point_b);
  const Vec3 o = cross(contact.normal, t);
  return {dot(contact.normal, velocity), dot(t, velocity), planar ? 0.0 : dot(o, velocity),
          planar ? 0.0 : dot(contact.normal, k.w[contact.body_a] - k.w[contact.body_b])};
}

double gap_rounding(const Kinematics& k, const Contact& contact) {
  const double arm = norm(contact.point_a - k.X_WB[contact.body_a].p);
  return kGapRounding * (norm(contact.point_a) + norm(k.X_WB[contact.body_a].p) + 10 * arm);
}

PositionStage::PositionStage(const Model& model, const FrictionTable& friction, double softness,
                             int contact_points)
    : model_(model),
      contact_points_(contact_points),
      stage_(model, friction, softness),
      v_star_(model.nv),
      q_end_(model.nq),
      v_end_(model.nv) {}

PositionStage::Outcome PositionStage::solve(const StepStart& start, std::span<const StepContact> contacts,
                                            std::span<const char> limit_active,
                                            std::span<const BlockValues> row_target,
                                            const SolveOptions& options, double slack, RowImpulses& p) {
  const double h = start.clock.h;
  contacts_.clear();
  acting_.clear();
  tangents_.clear();
  for (const StepContact& each : contacts) {
    contacts_.push_back(each.contact);
    acting_.push_back(at_one_point(start.dynamics.kinematics, each.contact));
    tangents_.push_back(each.tangent);
  }
  blocks_ = start.blocks;
  active_.resize(blocks_.size());
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    active_[b] = limit_active[b] || is_active(model_, blocks_[b], start.clock.whole_step());
    // Half of the impulse of a step acts in this stage.
    blocks_[b].bound *= 0.5;
    blocks_[b].stiffness *= 0.5;
    blocks_[b].damping *= 0.5;
  }
  start_.X_WB = start.dynamics.kinematics.X_WB;
  start_.dofs = start.dynamics.kinematics.dofs;
  motion_.mass = start.dynamics.motion.mass;
  motion_.factor = start.dynamics.motion.factor;
  motion_.drift.assign(model_.nv, 0.0);
  motion_.v_free.resize(model_.nv);
  half_kick(model_, start.dynamics, h, motion_.v_free);
  for (int i = 0; i < model_.nv; ++i) motion_.v_free[i] += start.v[i];
  stage_.assemble({start_, acting_, tangents_, blocks_, active_, motion_, h});
  // The impulse that parts a deep overlap is no force: it must not bring friction with it.
  for (std::size_t c = 0; c < contacts.size(); ++c) {
    if (!contacts[c].deep) continue;
    stage_.remove_friction(static_cast<int>(c));
    std::fill(p.contact[c].begin() + 1, p.contact[c].end(), 0.0);
  }
  stage_.velocities_after(p, v_star_);

  Outcome outcome;
  // Velocities within slack/h are within the tolerance of this one.
  const double speed_scale = slack / (h * options.tolerance);
  double best = kInfinity, last_residual = kInfinity;
  int stalled = 0;
  while (outcome.passes < kMaxPasses && stalled < kPatience) {
    ++outcome.passes;
    if (!evaluate(start, contacts, row_target, outcome.passes > 1)) {
      if (outcome.passes == 1) {  // a warm start that leads astray
        p.assign(contacts.size(), blocks_.size());
        stage_.velocities_after(p, v_star_);
        continue;
      }
      outcome.reason = "free motion";
      outcome.status = Status::refused;
      return outcome;
    }
    stage_.set_shifts(shift_, block_shift_);
    const double accepted = outcome.passes == 1                  ? kAcceptedAtOnce * options.tolerance
                            : last_residual <= options.tolerance ? options.tolerance
                                                                 : kAccepted * options.tolerance;
    outcome.slack = outcome.passes == 1 ? 0 : slack;
    const StageOutcome pass = stage_.solve(options,
                                           {.accepted = accepted,
                                            .warm = outcome.passes == 1,
                                            .fraction = kPassFraction,
                                            .speed_scale = outcome.passes == 1 ? 0 : speed_scale,
                                            .softness = slack > 0 ? kPileSoftness : 0},
                                           p, v_star_);
    outcome.method = std::max(outcome.method, pass.method);
    outcome.solves += pass.solves;
    outcome.iterations += pass.iterations;
    outcome.problem_size = std::max(outcome.problem_size, pass.problem_size);
    outcome.residual = pass.residual;
    outcome.start_residual = pass.start_residual;
    outcome.status = pass.status;
    outcome.reason = pass.reason;
    if (!pass.solved) {
      outcome.converged = true;
      return outcome;
    }
    if (pass.status == Status::refused) return outcome;
    // Before the positions follow from these velocities.
    if (slack > 0 && pass.residual.within(options.tolerance)) stage_.choose_least_norm(options, p, v_star_);
    const bool repeats = std::abs(pass.start_residual - last_residual) <= kRepeated * last_residual;
    stalled = pass.start_residual < 0.7 * best ? 0 : stalled + (repeats ? kRepetition : 1);
    last_residual = pass.start_residual;
    best = std::min(best, pass.start_residual);
  }
  // Rounding may keep the residual above the aim. The tolerance decides.
  if (!evaluate(start, contacts, row_target, true)) return outcome;
  stage_.set_shifts(shift_, block_shift_);
  outcome.slack = kSlackAtEnd * slack;
  const StageOutcome last = stage_.solve(
      options, {.accepted = kInfinity, .warm = false, .speed_scale = kSlackAtEnd * speed_scale}, p, v_star_);
  outcome.residual = last.residual;
  outcome.converged = last.residual.within(options.tolerance);
  if (!outcome.converged) {
    outcome.status = Status::approximate;
    outcome.reason = "fixed point";
  }
  return outcome;
}

/// Moves the bodies by v* and sets the shifts of all rows from their true values at q⁺. If `ignore_rounding`,
/// values within rounding count as 0: no pass can improve them. In the first pass they count in full, or the
/// warm start would repeat them from step to step.
bool PositionStage::evaluate(const StepStart& start, std::span<const StepContact> contacts,
                             std::span<const BlockValues> row_target, bool ignore_rounding) {
  const double h = start.clock.h;
  velocity_kinematics(model_, v_star_, start_);
  if (!free_drift(model_, start_, start.q, v_star_, motion_.factor, h, drift_, q_end_, v_end_)) return false;
  position_kinematics(model_, q_end_, end_);
  velocity_kinematics(model_, v_end_, end_);
  track_contacts(model_, start_, end_, contact_points_, contacts_, end_contacts_);
  shift_.resize(contacts.size());
  slip_.resize(contacts.size());
  end_tangents_.resize(contacts.size());
  for (std::size_t c = 0; c < contacts.size(); ++c) {
    const Contact& end = end_contacts_[c];
    end_tangents_[c] = transport(tangents_[c], end.normal);
    const ContactValues u = contact_velocity(start_, acting_[c], tangents_[c], model_.planar());
    const ContactValues u_end =
        contact_velocity(end_, at_one_point(end_, end), end_tangents_[c], model_.planar());
    double above = end.gap - contacts[c].target;
    if (ignore_rounding && std::abs(above) <= gap_rounding(end_, end)) above = 0;
    shift_[c][0] = above / h - u[0];
    for (int r = 1; r < kContactRows; ++r) {
      slip_[c][r] = 0.5 * (u[r] + u_end[r]);
      shift_[c][r] = slip_[c][r] - u[r];
    }
  }
  constraint_blocks(model_, end_, q_end_, start.clock.time + h, end_blocks_);
  block_shift_.assign(blocks_.size(), {});
  block_rate_.assign(blocks_.size(), {});
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    if (!active_[b]) continue;
    const ConstraintBlock& end = end_blocks_[b];
    const BlockValues rate = row_velocities(blocks_[b], start_, v_star_);
    const BlockValues rate_end = row_velocities(end, end_, v_end_);
    const double rounding = kGapRounding * position_scale(end, end_, q_end_);
    for (int r = 0; r < end.rows; ++r) {
      block_rate_[b][r] = 0.5 * (rate[r] + rate_end[r]);
      double value = end.velocity_only ? block_rate_[b][r] - 0.5 * (blocks_[b].target + end.target)
                                       : (end.error[r] - row_target[b][r]) / h;
      if (ignore_rounding && !end.velocity_only && std::abs(value) * h <= rounding) value = 0;
      block_shift_[b][r] = value - rate[r];
    }
  }
  return true;
}

}  // namespace pawl::internal
