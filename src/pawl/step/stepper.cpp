#include <pawl/step/stepper.h>

#include <algorithm>
#include <cmath>

#include <pawl/assemble/joint_rank.h>
#include <pawl/step/fixed_point.h>

namespace pawl {
namespace {

constexpr int kMostPasses = 50;      // of the fixed-point iteration
constexpr double kPassShare = 1e-2;  // of a tolerance: a pass is so exact that its error is not in the way
constexpr int kSmoothPasses = 8;     // after which normals that keep jumping are all kept
constexpr double kPlaceRounding = 1e-15;  // of a place: what gaps and errors of joints are known to
constexpr double kGapRounding = 1e-13;    // of a body's size: likewise of gaps
constexpr double kAimShare = 1e-4;        // of a tolerance: what is worth a little more work
constexpr double kSoftness = 1e-9;        // of joints, where some of their rows follow from others
constexpr int kMostCorrections = 3;       // of the joints' errors
constexpr int kFirstPasses = 3;           // of Newton's method, before its errors must fall
constexpr int kFullPasses = 12;           // before passes that run in circles go less than all of their way
constexpr double kLeastShare = 1.0 / 16;  // of the way to where a pass leads

/// The largest coordinate of a body.
double farthest(const Kinematics& placed) {
  double most = 0;
  for (const Pose& X : placed.X_WB)
    most = std::max({most, std::abs(X.p.x), std::abs(X.p.y), std::abs(X.p.z)});
  return most;
}

static_assert(kMostFrictionDirections == kMostDirections);

SolveOptions options_of(double tolerance) {
  SolveOptions solve;
  solve.tolerance = tolerance;
  solve.aim = kAimShare * tolerance;
  return solve;
}

}  // namespace

Stepper::Stepper(const Model& model, const RunOptions& options)
    : model_(model),
      method_(find_method(options.method)),
      friction_(model, options.friction.value_or(method_.friction), options.friction_directions),
      solve_options_(options_of(options.tolerance)),
      pass_options_(options_of(kPassShare * options.tolerance)),
      softness_(joint_rank(model, initial_state(model)).redundant > 0 ? kSoftness : 0),
      gamma_(method_.entry == Entry::near ? options.gamma : 1),
      adaptive_gamma_(method_.entry == Entry::near && options.adaptive_gamma),
      active_gap_(options.active_gap),
      contact_points_(options.contact_points),
      body_radius_(radii_of_bodies(model)),
      bounces_(model, options),
      finder_(model, options.contact_points),
      newton_(model, method_, friction_, options.contact_points),
      q_hat_(model.nq),
      v_hat_(model.nv),
      q_next_(model.nq),
      v_next_(model.nv),
      no_rates_(model.nv, 0.0),
      blocks_v_hat_(model.nv),
      rate_(model.nv),
      last_way_(model.nv) {
  for (const double radius : body_radius_) gap_rounding_ = std::max(gap_rounding_, kGapRounding * radius);
  // Of several impulses those of least norm: the choice follows from the state alone, and not from where the
  // solver came from.
  solve_options_.least_norm = true;
  solve_options_.tell_unique = false;
}

Attempt Stepper::attempt(std::span<const double> q, std::span<const double> v, const StepClock& clock,
                         bool inelastic) {
  Attempt attempt;
  clock_ = clock;
  inelastic_ = inelastic || !bounces_.any();
  const double h = clock.h;
  // A contact that entered for being violated stays in the problem while it acts: its gap is in ζ.
  keep_.clear();
  if (method_.entry == Entry::violated) keep_.assign(acted_.begin(), acted_.end());
  std::ranges::copy(v, v_hat_.begin());
  place_bodies(model_, q, start_placed_);
  const double place_rounding = kPlaceRounding * farthest(start_placed_);
  // All that may touch but for rounding is in the first problem, rather than to be missed by its answer.
  reach_ = std::max(gap_rounding_ + place_rounding, inelastic_ ? 0 : bounces_.largest_touch());
  if (!inelastic_) {
    move_bodies(model_, v, start_placed_);
    rest_speed_ = bounces_.rest_speed(start_placed_);
  }
  guess_ = remembered_;
  guess_blocks_ = remembered_blocks_;
  rounding_ = place_rounding / h;
  by_newton_ = method_.newton;
  double share = 1;  // of its way, that a pass goes
  bool lengthens = true, lengthened = false;
  while (true) {
    ++attempt.passes;
    keep_all_ = attempt.passes > kSmoothPasses;
    if (keep_all_) {
      std::swap(last_placed_, placed_);
      last_contacts_ = contacts_;
    }
    linearise(q, v, v_hat_);
    find_contacts();
    choose_blocks();
    int corrections = 0;
    bool again = false;
    do {
      solve_islands(q, v, attempt);
      if (attempt.status == Status::refused) {
        if (motor_meets_limit()) attempt.reason = "unbounded motor against a limit";
        return attempt;
      }
      remember();
      if (bounces_.any()) begin_flights(q, v);
      integrate(model_, q, rate_, h, q_next_);
      place_bodies(model_, q_next_, end_placed_);
      keep_.clear();
      for (const Contact& contact : contacts_) keep_.push_back(contact.id);
      if (!inelastic_) {
        for (const Contact& contact : hits_) keep_.push_back(contact.id);
        std::ranges::sort(keep_);
      }
      finder_.find({end_placed_, &start_placed_, reach_, keep_}, end_contacts_);
      constraint_blocks(model_, end_placed_, q_next_, clock.time + h, other_blocks_);
      again = method_.entry == Entry::violated && (add_missed_limits() | add_missed_contacts());
      if (!again && corrections < kMostCorrections && correct_joints()) {
        spin_after_impulses(model_, q, v, v_next_, h, motion_);
        again = true;
        ++corrections;
      }
    } while (again);

    if (method_.geometry != Linearisation::end) break;
    const double error_before = attempt.fixed_point_error;
    attempt.fixed_point_error = relative_change(rate_, v_hat_, motion_.v_free, rounding_);
    if (attempt.fixed_point_error <= kFixedPointShare * solve_options_.tolerance) break;
    if (attempt.passes == kMostPasses) {
      if (attempt.fixed_point_error > solve_options_.tolerance) {
        // [Trinkle2001]'s step is the solution of the nonlinear problem, or none.
        attempt.status = std::max(attempt.status, method_.newton ? Status::refused : Status::approximate);
        attempt.reason = "fixed point";
      }
      break;
    }
    const bool falls = attempt.fixed_point_error < (1 - 0.5 * share) * error_before;
    if (attempt.passes <= kFullPasses) {
      by_newton_ &= attempt.passes <= kFirstPasses || falls;
    } else {
      // Where the geometry turns faster than a pass follows, as the lowest point of a rim that tilts, passes
      // run in circles. They meet in between: each goes less of its way until errors fall.
      by_newton_ = method_.newton;
      if (!falls && turns_back()) {
        lengthens &= !lengthened;  // once: then they run in circles again
        share = std::max(0.5 * share, kLeastShare);
      } else if (lengthens && share < 1) {
        lengthened = true;
        share *= 2;
      }
    }
    for (int i = 0; i < model_.nv; ++i) {
      last_way_[i] = rate_[i] - v_hat_[i];
      v_hat_[i] = std::lerp(v_hat_[i], rate_[i], share);
    }
  }
  if (bounces_.any()) {
    move_bodies(model_, v_next_, end_placed_);
    end_flights(model_, tree_flies_, end_placed_, clock_, dynamics_, motion_, v_next_);
    if (!motion_.solved) {
      attempt.status = Status::refused;
      attempt.reason = "free motion";
    }
  }
  const bool passes_through = finder_.passes_through(end_contacts_);
  attempt.least_gap = finder_.least_gap(end_placed_, end_contacts_);
  attempt.joint_error = largest_error(other_blocks_);
  move_bodies(model_, v_next_, end_placed_);
  find_hits();
  // The way of the step was too long, or turned too much, for a problem that is linearised in one place.
  attempt.passes_through = method_.entry == Entry::violated && hits_.empty() && passes_through;
  if (attempt.passes_through && attempt.status == Status::certified) {
    attempt.status = Status::approximate;
    attempt.reason = "passes through";
  }
  // Bodies that no contact touches are judged by nobody else.
  end_kinetic_ = kinetic_energy(model_, end_placed_);
  end_potential_ = potential_energy(model_, end_placed_);
  if (!std::isfinite(end_kinetic_ + end_potential_)) {
    attempt.status = Status::refused;
    attempt.reason = "not finite";
  }
  return attempt;
}

/// Whether the way of this pass leads back against that of the last.
bool Stepper::turns_back() const {
  double sum = 0;
  for (int i = 0; i < model_.nv; ++i) sum += (rate_[i] - v_hat_[i]) * last_way_[i];
  return sum < 0;
}

/// Places the bodies where the method's row says: for M, the forces, v_free and the rows of joints, and for
/// the contacts and the errors of joints.
void Stepper::linearise(std::span<const double> q, std::span<const double> v, std::span<const double> v_hat) {
  const double h = clock_.h;
  const auto place = [&](Linearisation where) {
    integrate(model_, q, v_hat, where == Linearisation::start ? 0.0 : h, q_hat_);
    place_bodies(model_, q_hat_, placed_);
    move_bodies(model_, v, placed_);
  };
  place(method_.dynamics);
  free_motion(model_, placed_, q, v, clock_, dynamics_, motion_);
  constraint_blocks(model_, placed_, q_hat_, clock_.time + h, blocks_);
  std::ranges::copy(v_hat, blocks_v_hat_.begin());
  if (method_.geometry == method_.dynamics) return;
  std::swap(placed_, dynamics_placed_);
  place(method_.geometry);
  constraint_blocks(model_, placed_, q_hat_, clock_.time + h, other_blocks_);
  for (std::size_t b = 0; b < blocks_.size(); ++b) blocks_[b].error = other_blocks_[b].error;
}

/// Which blocks are in the problem. Limits enter as contacts do, and stay while they act; springs and dampers
/// where a step does not resolve them; bounds of no force are no rows.
void Stepper::choose_blocks() {
  block_active_.assign(blocks_.size(), 1);
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    const ConstraintBlock& block = blocks_[b];
    if (block.law == RowLaw::compliant) {
      block_active_[b] = implicit_in(model_.forces[block.element], clock_.h);
    } else if (block.law == RowLaw::bounded) {
      block_active_[b] = block.bound > 0;
    } else if (block.law == RowLaw::limited && method_.entry != Entry::near) {
      const bool acted =
          method_.entry == Entry::violated && !guess_blocks_.empty() && guess_blocks_[b].p[0] > 0;
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
          limit.body_b == motor.body_b && limit.rate_a == motor.rate_a && limit.point_a == motor.point_a)
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
  move_bodies(model_, v_next_, end_placed_);
  bool open = false;
  for (const ConstraintBlock& block : other_blocks_) {
    if (block.law != RowLaw::held) continue;
    const double allowed = clock_.h * solve_options_.tolerance * rate_size(block, end_placed_, v_next_) +
                           kPlaceRounding * place_size(block, end_placed_, q_next_);
    for (int r = 0; r < block.rows; ++r) open |= std::abs(block.error[r]) > allowed;
  }
  if (!open) return false;
  for (std::size_t b = 0; b < blocks_.size(); ++b) blocks_[b].error = other_blocks_[b].error;
  std::ranges::copy(rate_, blocks_v_hat_.begin());
  return true;
}

void Stepper::accept() {
  remembered_.swap(guess_);
  acted_.clear();
  for (std::size_t c = 0; c < contacts_.size(); ++c) {
    if (p_[c * kContactRows] > 0) acted_.push_back(contacts_[c].id);
  }
  resting_.clear();
  if (bounces_.any()) resting_ = acted_;
  remembered_blocks_.swap(guess_blocks_);
}

void Stepper::strike(const ContactId& contact) {
  const auto place = std::ranges::lower_bound(resting_, contact);
  if (place != resting_.end() && *place == contact) resting_.erase(place);
}

void Stepper::forget() {
  acted_.clear();
  resting_.clear();
  remembered_.clear();
  remembered_blocks_.clear();
}

}  // namespace pawl
