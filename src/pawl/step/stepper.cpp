#include <pawl/step/stepper.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include <pawl/assemble/joint_rank.h>
#include <pawl/solve/contact/polyhedral_lcp.h>
#include <pawl/step/fixed_point.h>

namespace pawl::internal {
namespace {

constexpr int kMaxPasses = 50;          // of the fixed-point iteration
constexpr double kPassFraction = 1e-2;  // tolerance of a pass relative to the tolerance of the step
constexpr int kSmoothPasses = 8;  // afterwards the contacts of all passes are kept, as normals keep jumping
constexpr double kGapRounding = 1e-13;       // rounding error of gaps relative to a body's size
constexpr double kAimFraction = 1e-4;        // target residual relative to the tolerance
constexpr double kSoftness = 1e-9;           // compliance of joints if some of their rows are redundant
constexpr int kMaxCorrections = 3;           // of joint errors
constexpr int kFirstPasses = 3;              // of Newton's method, before its error must decrease
constexpr int kFullPasses = 12;              // without relaxation; afterwards oscillating passes are damped
constexpr double kMinRelaxation = 1.0 / 16;  // min relaxation factor

/// The largest coordinate of any body.
double max_abs_coordinate(const Kinematics& kinematics) {
  double max_abs = 0;
  for (const Pose& X : kinematics.X_WB)
    max_abs = std::max({max_abs, std::abs(X.p.x), std::abs(X.p.y), std::abs(X.p.z)});
  return max_abs;
}

static_assert(kMaxFrictionDirections == kMaxDirections);

SolveOptions options_of(double tolerance) {
  SolveOptions solve;
  solve.tolerance = tolerance;
  solve.target_residual = kAimFraction * tolerance;
  return solve;
}

}  // namespace

Stepper::Stepper(const Model& model, const RunOptions& options)
    : model_(model),
      method_(find_method(options.method)),
      friction_(model, options.friction.value_or(method_.friction), options.friction_directions),
      solve_options_(options_of(options.tolerance)),
      pass_options_(options_of(kPassFraction * options.tolerance)),
      softness_(joint_rank(model, initial_state(model)).redundant > 0 ? kSoftness : 0),
      gamma_(method_.activation == Activation::near ? options.gamma : 1),
      adaptive_gamma_(method_.activation == Activation::near && options.adaptive_gamma),
      active_gap_(options.active_gap),
      contact_points_(options.contact_points),
      body_radius_(body_radii(model)),
      restitution_policy_(model, options),
      finder_(model, options.contact_points),
      newton_(model, method_, friction_, options.contact_points),
      q_hat_(model.nq),
      v_hat_(model.nv),
      q_next_(model.nq),
      v_next_(model.nv),
      zero_v_(model.nv, 0.0),
      blocks_v_hat_(model.nv),
      v_mean_(model.nv),
      last_update_(model.nv) {
  for (const double radius : body_radius_) gap_rounding_ = std::max(gap_rounding_, kGapRounding * radius);
  // Among several solutions choose the impulses of least norm, so that they depend on the state alone and not
  // on the warm start.
  solve_options_.least_norm = true;
  solve_options_.check_uniqueness = false;
}

TrialStep Stepper::try_step(std::span<const double> q, std::span<const double> v, const StepClock& clock,
                            bool inelastic) {
  TrialStep trial;
  clock_ = clock;
  inelastic_ = inelastic || !restitution_policy_.any();
  const double h = clock.h;
  // A contact that entered as violated stays in the problem while it acts: its gap is in ζ.
  keep_.clear();
  if (method_.activation == Activation::violated) keep_.assign(acted_.begin(), acted_.end());
  std::ranges::copy(v, v_hat_.begin());
  position_kinematics(model_, q, start_kinematics_);
  const double position_rounding = kPositionRounding * max_abs_coordinate(start_kinematics_);
  // Contacts that touch up to rounding are in the first problem, so that they are not missed.
  contact_margin_ = std::max(gap_rounding_ + position_rounding,
                             inelastic_ ? 0 : restitution_policy_.max_contact_tolerance());
  if (!inelastic_) {
    velocity_kinematics(model_, v, start_kinematics_);
    rest_speed_ = restitution_policy_.rest_speed(start_kinematics_);
  }
  guess_ = cached_contacts_;
  guess_blocks_ = cached_blocks_;
  rounding_ = position_rounding / h;
  by_newton_ = method_.newton;
  double relaxation = 1;  // fraction of the update that a pass applies
  bool may_increase_relaxation = true, relaxation_increased = false;
  while (true) {
    ++trial.passes;
    keep_all_ = trial.passes > kSmoothPasses;
    if (keep_all_) {
      std::swap(last_kinematics_, kinematics_);
      last_contacts_ = contacts_;
    }
    linearise(q, v, v_hat_);
    find_contacts();
    choose_blocks();
    int corrections = 0;
    bool again = false;
    do {
      solve_islands(q, v, trial);
      if (trial.status == Status::refused) {
        if (const ConstraintBlock* motor = motor_at_limit(blocks_, block_active_)) {
          trial.reason = kMotorAgainstLimit;
          std::tie(trial.named.a, trial.named.b) = bodies_of(model_, *motor);
        }
        return trial;
      }
      save_warm_start();
      if (restitution_policy_.any()) begin_ballistic_steps(q, v);
      integrate(model_, q, v_mean_, h, q_next_);
      position_kinematics(model_, q_next_, end_kinematics_);
      keep_.clear();
      for (const Contact& contact : contacts_) keep_.push_back(contact.id);
      if (!inelastic_) {
        for (const Contact& contact : impact_contacts_) keep_.push_back(contact.id);
        std::ranges::sort(keep_);
      }
      finder_.find({end_kinematics_, &start_kinematics_, contact_margin_, keep_}, end_contacts_);
      constraint_blocks(model_, end_kinematics_, q_next_, clock.time + h, other_blocks_);
      again = method_.activation == Activation::violated && (add_missed_limits() | add_missed_contacts());
      if (!again && corrections < kMaxCorrections && correct_joints()) {
        spin_after_impulses(model_, q, v, v_next_, h, motion_);
        again = true;
        ++corrections;
      }
    } while (again);

    if (method_.geometry != Linearisation::end) break;
    const double error_before = trial.fixed_point_error;
    trial.fixed_point_error = relative_change(v_mean_, v_hat_, motion_.v_free, rounding_);
    if (trial.fixed_point_error <= kFixedPointFraction * solve_options_.tolerance) break;
    if (trial.passes == kMaxPasses) {
      if (trial.fixed_point_error > solve_options_.tolerance) {
        // A step of [TrinkleTzitzourisPang2001] solves the nonlinear problem or is refused.
        trial.status = std::max(trial.status, method_.newton ? Status::refused : Status::approximate);
        trial.reason = "fixed point";
        trial.named = most_changed_tree(model_, v_hat_, v_mean_);
      }
      break;
    }
    const bool falls = trial.fixed_point_error < (1 - 0.5 * relaxation) * error_before;
    if (trial.passes <= kFullPasses) {
      by_newton_ &= trial.passes <= kFirstPasses || falls;
    } else {
      // If the geometry changes faster than a pass follows, as at the lowest point of a tilting rim, the
      // passes oscillate about the solution. The relaxation factor is halved until the error decreases.
      by_newton_ = method_.newton;
      if (!falls && reverses_direction()) {
        // Only once, as an increase leads back to oscillation.
        may_increase_relaxation &= !relaxation_increased;
        relaxation = std::max(0.5 * relaxation, kMinRelaxation);
      } else if (may_increase_relaxation && relaxation < 1) {
        relaxation_increased = true;
        relaxation *= 2;
      }
    }
    for (int i = 0; i < model_.nv; ++i) {
      last_update_[i] = v_mean_[i] - v_hat_[i];
      v_hat_[i] = std::lerp(v_hat_[i], v_mean_[i], relaxation);
    }
  }
  if (restitution_policy_.any()) {
    velocity_kinematics(model_, v_next_, end_kinematics_);
    end_ballistic_steps(model_, tree_is_ballistic_, end_kinematics_, clock_, dynamics_, motion_, v_next_);
    if (!motion_.solved) {
      trial.status = Status::refused;
      trial.reason = "free motion";
    }
  }
  const bool passes_through = finder_.passes_through(end_contacts_);
  trial.min_gap = finder_.min_gap(end_kinematics_, end_contacts_);
  trial.joint_error = max_joint_error(other_blocks_);
  trial.worst_joint = worst_joint(model_, other_blocks_);
  trial.changed = most_changed_tree(model_, v, v_next_);
  velocity_kinematics(model_, v_next_, end_kinematics_);
  find_impact_contacts();
  // The motion of the step was too long, or rotated too much, for a single linearisation.
  trial.passes_through =
      method_.activation == Activation::violated && impact_contacts_.empty() && passes_through;
  if (trial.passes_through && trial.status == Status::certified) {
    trial.status = Status::approximate;
    trial.reason = "passes through";
    trial.named = deepest_pair(end_contacts_);
  }
  // Bodies without contact have no residual: check their energy.
  end_kinetic_ = kinetic_energy(model_, end_kinematics_);
  end_potential_ = potential_energy(model_, end_kinematics_);
  if (!std::isfinite(end_kinetic_ + end_potential_)) {
    trial.status = Status::refused;
    trial.reason = "not finite";
    trial.named = trial.changed;
  }
  return trial;
}

/// True if the update of this pass opposes the update of the last.
bool Stepper::reverses_direction() const {
  double sum = 0;
  for (int i = 0; i < model_.nv; ++i) sum += (v_mean_[i] - v_hat_[i]) * last_update_[i];
  return sum < 0;
}

/// Computes the kinematics at the configurations of the method: one for M, forces, v_free and joint rows, and
/// one for contacts and joint errors.
void Stepper::linearise(std::span<const double> q, std::span<const double> v, std::span<const double> v_hat) {
  const double h = clock_.h;
  const auto place = [&](Linearisation where) {
    integrate(model_, q, v_hat, where == Linearisation::start ? 0.0 : h, q_hat_);
    position_kinematics(model_, q_hat_, kinematics_);
    velocity_kinematics(model_, v, kinematics_);
  };
  place(method_.dynamics);
  free_motion(model_, kinematics_, q, v, clock_, dynamics_, motion_);
  constraint_blocks(model_, kinematics_, q_hat_, clock_.time + h, blocks_);
  std::ranges::copy(v_hat, blocks_v_hat_.begin());
  if (method_.geometry == method_.dynamics) return;
  std::swap(kinematics_, dynamics_kinematics_);
  place(method_.geometry);
  constraint_blocks(model_, kinematics_, q_hat_, clock_.time + h, other_blocks_);
  for (std::size_t b = 0; b < blocks_.size(); ++b) blocks_[b].error = other_blocks_[b].error;
}

/// Chooses the blocks of the problem. Limits enter like contacts and stay while they act. Springs and dampers
/// enter if the step does not resolve them. Bounded rows with bound 0 are excluded.
void Stepper::choose_blocks() {
  block_active_.assign(blocks_.size(), 1);
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    const ConstraintBlock& block = blocks_[b];
    if (yields(block)) {
      block_active_[b] = is_implicit(model_.forces[block.element], clock_.h);
    } else if (block.law == RowLaw::bounded) {
      block_active_[b] = block.bound > 0;
    } else if (block.law == RowLaw::limited && method_.activation != Activation::near) {
      const bool acted =
          method_.activation == Activation::violated && !guess_blocks_.empty() && guess_blocks_[b].p[0] > 0;
      block_active_[b] = acted || block.error[0] <= 0;
    }
  }
}

/// Adds limits that are violated at the end of the step but were not in the problem.
bool Stepper::add_missed_limits() {
  bool missed = false;
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    if (blocks_[b].law != RowLaw::limited || block_active_[b] || other_blocks_[b].error[0] >= 0) continue;
    block_active_[b] = 1;
    missed = true;
  }
  return missed;
}

/// Joints with rows at q and errors at the predicted configuration follow SHAKE: impulses act along the
/// gradients at the start, and errors vanish at the end, which conserves energy. One Newton step leaves
/// errors of third order in h. If they exceed the tolerance, the errors are re-evaluated at the end just
/// reached and the problem is solved again. Returns true in that case.
bool Stepper::correct_joints() {
  if (model_.joints.empty() || method_.geometry != Linearisation::predicted ||
      method_.dynamics != Linearisation::start)
    return false;
  velocity_kinematics(model_, v_next_, end_kinematics_);
  bool open = false;
  for (const ConstraintBlock& block : other_blocks_) {
    if (block.law != RowLaw::equality) continue;
    const double allowed =
        clock_.h * solve_options_.tolerance * velocity_scale(block, end_kinematics_, v_next_) +
        kPositionRounding * position_scale(block, end_kinematics_, q_next_);
    for (int r = 0; r < block.rows; ++r) open |= std::abs(block.error[r]) > allowed;
  }
  if (!open) return false;
  for (std::size_t b = 0; b < blocks_.size(); ++b) blocks_[b].error = other_blocks_[b].error;
  std::ranges::copy(v_mean_, blocks_v_hat_.begin());
  return true;
}

void Stepper::accept() {
  cached_contacts_.swap(guess_);
  acted_.clear();
  for (std::size_t c = 0; c < contacts_.size(); ++c) {
    if (p_[c * kContactRows] > 0) acted_.push_back(contacts_[c].id);
  }
  resting_.clear();
  if (restitution_policy_.any()) resting_ = acted_;
  cached_blocks_.swap(guess_blocks_);
}

void Stepper::remove_resting(const ContactId& contact) {
  const auto place = std::ranges::lower_bound(resting_, contact);
  if (place != resting_.end() && *place == contact) resting_.erase(place);
}

void Stepper::transfer(History& history) {
  history.transfer(acted_);
  history.transfer(resting_);
  history.transfer(cached_contacts_, [&](CachedContact& contact) {
    history.transfer(contact.id);
    history.transfer(contact.basis);
    history.transfer(contact.p);
  });
  history.transfer(cached_blocks_, [&](CachedBlock& block) {
    history.transfer(block.p);
    history.transfer(block.basis);
    history.transfer(block.active);
  });
}

void Stepper::clear_history() {
  acted_.clear();
  resting_.clear();
  cached_contacts_.clear();
  cached_blocks_.clear();
}

}  // namespace pawl::internal
