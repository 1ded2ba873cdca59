#include <pawl/step/stepper.h>

#include <algorithm>
#include <cmath>

#include <pawl/assemble/joint_rank.h>
#include <pawl/solve/contact/polyhedral_lcp.h>
#include <pawl/step/fixed_point.h>

namespace pawl::internal {
namespace {

constexpr int kMaxPasses = 50;          // of the fixed-point iteration
constexpr double kPassFraction = 1e-2;  // of a tolerance: a pass is so exact that its error is not in the way
constexpr int kSmoothPasses = 8;        // after which normals that keep jumping are all kept
constexpr double kPositionRounding = 1e-15;  // of a place: what gaps and errors of joints are known to
constexpr double kGapRounding = 1e-13;       // of a body's size: likewise of gaps
constexpr double kAimFraction = 1e-4;        // of a tolerance: what is worth a little more work
constexpr double kSoftness = 1e-9;           // of joints, where some of their rows follow from others
constexpr int kMaxCorrections = 3;           // of the joints' errors
constexpr int kFirstPasses = 3;              // of Newton's method, before its errors must fall
constexpr int kFullPasses = 12;  // before passes that run in circles go less than all of their way
constexpr double kMinRelaxation = 1.0 / 16;  // of the way to where a pass leads

/// The largest coordinate of a body.
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
  // Of several impulses those of least norm: the choice follows from the state alone, and not from where the
  // solver came from.
  solve_options_.least_norm = true;
  solve_options_.check_uniqueness = false;
}

TrialStep Stepper::try_step(std::span<const double> q, std::span<const double> v, const StepClock& clock,
                            bool inelastic) {
  TrialStep trial;
  clock_ = clock;
  inelastic_ = inelastic || !restitution_policy_.any();
  const double h = clock.h;
  // A contact that entered for being violated stays in the problem while it acts: its gap is in ζ.
  keep_.clear();
  if (method_.activation == Activation::violated) keep_.assign(acted_.begin(), acted_.end());
  std::ranges::copy(v, v_hat_.begin());
  position_kinematics(model_, q, start_kinematics_);
  const double position_rounding = kPositionRounding * max_abs_coordinate(start_kinematics_);
  // All that may touch but for rounding is in the first problem, rather than to be missed by its answer.
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
  double relaxation = 1;  // of its way, that a pass goes
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
        if (motor_meets_limit()) trial.reason = "unbounded motor against a limit";
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
        // [Trinkle2001]'s step is the solution of the nonlinear problem, or none.
        trial.status = std::max(trial.status, method_.newton ? Status::refused : Status::approximate);
        trial.reason = "fixed point";
      }
      break;
    }
    const bool falls = trial.fixed_point_error < (1 - 0.5 * relaxation) * error_before;
    if (trial.passes <= kFullPasses) {
      by_newton_ &= trial.passes <= kFirstPasses || falls;
    } else {
      // Where the geometry turns faster than a pass follows, as the lowest point of a rim that tilts, passes
      // run in circles. They meet in between: each goes less of its way until errors fall.
      by_newton_ = method_.newton;
      if (!falls && reverses_direction()) {
        may_increase_relaxation &= !relaxation_increased;  // once: then they run in circles again
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
  velocity_kinematics(model_, v_next_, end_kinematics_);
  find_impact_contacts();
  // The way of the step was too long, or turned too much, for a problem that is linearised in one place.
  trial.passes_through =
      method_.activation == Activation::violated && impact_contacts_.empty() && passes_through;
  if (trial.passes_through && trial.status == Status::certified) {
    trial.status = Status::approximate;
    trial.reason = "passes through";
  }
  // Bodies that no contact touches are judged by nobody else.
  end_kinetic_ = kinetic_energy(model_, end_kinematics_);
  end_potential_ = potential_energy(model_, end_kinematics_);
  if (!std::isfinite(end_kinetic_ + end_potential_)) {
    trial.status = Status::refused;
    trial.reason = "not finite";
  }
  return trial;
}

/// Whether the way of this pass leads back against that of the last.
bool Stepper::reverses_direction() const {
  double sum = 0;
  for (int i = 0; i < model_.nv; ++i) sum += (v_mean_[i] - v_hat_[i]) * last_update_[i];
  return sum < 0;
}

/// Places the bodies where the method's row says: for M, the forces, v_free and the rows of joints, and for
/// the contacts and the errors of joints.
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

/// Which blocks are in the problem. Limits enter as contacts do, and stay while they act; springs and dampers
/// where a step does not resolve them; bounds of no force are no rows.
void Stepper::choose_blocks() {
  block_active_.assign(blocks_.size(), 1);
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    const ConstraintBlock& block = blocks_[b];
    if (block.law == RowLaw::compliant) {
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

/// Whether a motor that is as strong as need be moves a joint that a limit holds.
bool Stepper::motor_meets_limit() const {
  for (const ConstraintBlock& motor : blocks_) {
    if (motor.law != RowLaw::driven) continue;
    for (std::size_t b = 0; b < blocks_.size(); ++b) {
      const ConstraintBlock& limit = blocks_[b];
      if (limit.law == RowLaw::limited && block_active_[b] && limit.body_a == motor.body_a &&
          limit.body_b == motor.body_b && limit.dof_a == motor.dof_a && limit.point_a == motor.point_a)
        return true;
    }
  }
  return false;
}

/// Limits that are violated at the end of the step but were not in the problem join it.
bool Stepper::add_missed_limits() {
  bool missed = false;
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    if (blocks_[b].law != RowLaw::limited || block_active_[b] || other_blocks_[b].error[0] >= 0) continue;
    block_active_[b] = 1;
    missed = true;
  }
  return missed;
}

/// Joints whose rows are at q and whose errors are ahead of it follow SHAKE: their impulses act along the
/// gradients at the start and their errors vanish at the end, which neither gains nor loses energy. One step
/// of Newton's method leaves errors of third order in h; where they count, the errors are taken at the end
/// just reached, and the problem is solved once more. Says whether that is to be done.
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

void Stepper::clear_history() {
  acted_.clear();
  resting_.clear();
  cached_contacts_.clear();
  cached_blocks_.clear();
}

}  // namespace pawl::internal
