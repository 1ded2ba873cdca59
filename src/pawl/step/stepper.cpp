#include <pawl/step/stepper.h>

#include <algorithm>
#include <cmath>

#include <pawl/assemble/joint_rank.h>

namespace pawl {
namespace {

constexpr int kMostPasses = 50;            // of the fixed-point iteration
constexpr double kFixedPointShare = 1e-1;  // of the run's tolerance: where the iteration stops
constexpr double kPassShare =
    1e-2;                         // of it: how exact a pass is, so that its error does not stand in the way
constexpr int kSmoothPasses = 8;  // after which normals that keep jumping are all kept
constexpr double kPlaceRounding = 1e-15;  // of a place: what gaps and errors of joints are known to
constexpr double kAimShare = 1e-4;        // of a tolerance: what is worth a little more work
constexpr double kSoftness = 1e-9;        // of joints, where some of their rows follow from others
constexpr double kLeastGamma = 0.02;      // of an adaptive γ
constexpr int kMostCorrections = 3;       // of the joints' errors
constexpr double kUnderflow = 1e-250;     // rates below it, as strong dampers leave, have no energy left
constexpr int kFirstPasses = 3;           // of Newton's method, before its errors must fall
constexpr int kFullPasses = 12;           // before passes that run in circles go less than all of their way
constexpr double kLeastShare = 1.0 / 16;  // of the way to where a pass leads

// What is done with an island of a method that goes by Newton's, beside the number of its linearisation.
constexpr int kSettled = -1;      // it obeys its laws at its own end already
constexpr int kSubstituted = -2;  // its matrices are taken as they were found

/// How much the rates changed from one pass to the next, against the largest rate in play, that of free
/// motion included: at rest nothing else has a size. Changes up to `rounding` (m/s) are none.
double relative_change(std::span<const double> now, std::span<const double> before,
                       std::span<const double> free, double rounding) {
  double change = 0, size = 0;
  for (std::size_t i = 0; i < now.size(); ++i) {
    change = std::max(change, std::abs(now[i] - before[i]));
    size = std::max({size, std::abs(now[i]), std::abs(before[i]), std::abs(free[i])});
  }
  return change > rounding ? (change - rounding) / size : 0;
}

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
      body_radius_(radii_of_bodies(model)),
      bounces_(model, options),
      finder_(model),
      newton_(model, method_, friction_),
      q_hat_(model.nq),
      v_hat_(model.nv),
      q_next_(model.nq),
      v_next_(model.nv),
      no_rates_(model.nv, 0.0),
      blocks_v_hat_(model.nv),
      rate_(model.nv),
      last_way_(model.nv) {
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
  reach_ = inelastic_ ? 0 : bounces_.largest_touch();
  if (!inelastic_) {
    move_bodies(model_, v, start_placed_);
    rest_speed_ = bounces_.rest_speed(start_placed_);
  }
  guess_ = remembered_;
  guess_blocks_ = remembered_blocks_;
  rounding_ = kPlaceRounding * farthest(start_placed_) / h;
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

/// Twice as far as the fastest point of a body goes in a step [AnitescuMillerHart2003, after (2.12)].
double Stepper::active_gap() const {
  if (active_gap_) return *active_gap_;
  double fastest = 0;
  for (std::size_t b = 1; b < model_.bodies.size(); ++b) {
    fastest = std::max(fastest, norm(placed_.c[b]) + norm(placed_.w[b]) * body_radius_[b]);
  }
  return 2 * clock_.h * (fastest + clock_.h * norm(model_.gravity));
}

/// At the place of linearisation: on the way there, where the method looks ahead of the start.
void Stepper::find_contacts() {
  const bool ahead = method_.geometry != Linearisation::start;
  const double reach = method_.entry == Entry::near ? active_gap() : reach_;
  finder_.find({placed_, ahead ? &start_placed_ : nullptr, reach, keep_}, contacts_);
  if (keep_all_) add_last_contacts();
  if (!inelastic_) leave_out_flying();
}

/// Whether a contact with restitution, as it is at the start of the step, is not at rest.
bool Stepper::flies(const Contact& at_start) const {
  if (!(bounces_.restitution(at_start) > 0) || std::ranges::binary_search(resting_, at_start.id))
    return false;
  return at_start.gap > bounces_.touch(at_start) || std::abs(gap_rate(start_placed_, at_start)) > rest_speed_;
}

/// Those at rest that overlap from the start are not pushed apart: that would throw them.
void Stepper::leave_out_flying() {
  follow_contacts(model_, placed_, start_placed_, contacts_, followed_);
  std::size_t kept = 0;
  for (std::size_t c = 0; c < contacts_.size(); ++c) {
    if (flies(followed_[c])) continue;
    contacts_[kept] = contacts_[c];
    if (bounces_.restitution(contacts_[c]) > 0) contacts_[kept].gap -= std::min(0.0, followed_[c].gap);
    ++kept;
  }
  contacts_.resize(kept);
}

/// Trees that no impulse acts on fly.
void Stepper::begin_flights(std::span<const double> q, std::span<const double> v) {
  tree_flies_.assign(model_.trees.size(), 1);
  for (int i = 0; i < assembly_.count; ++i) {
    const Island& island = assembly_.islands[i];
    const ContactProblem& problem = island.problem;
    bool acts = !island.blocks.empty();
    for (int c = 0; c < problem.contacts; ++c) acts |= solutions_[i].p[problem.begin[c]] > 0;
    for (const int tree : island.trees) {
      if (acts && tree >= 0) tree_flies_[tree] = 0;
    }
  }
  for (std::size_t t = 0; t < model_.trees.size(); ++t) {
    if (!tree_flies_[t]) continue;
    begin_flight(model_, model_.trees[t], q, v, clock_.h, dynamics_, motion_, rate_, v_next_);
  }
}

void Stepper::find_hits() {
  std::swap(hits_, last_hits_);
  hits_.clear();
  hits_at_start_.clear();
  if (inelastic_) return;
  follow_contacts(model_, end_placed_, start_placed_, end_contacts_, followed_);
  for (std::size_t c = 0; c < end_contacts_.size(); ++c) {
    const Contact& contact = end_contacts_[c];
    const bool watched = std::ranges::binary_search(last_hits_, contact.id, {}, &Contact::id);
    const bool solved = std::ranges::binary_search(contacts_, contact.id, {}, &Contact::id);
    if (solved || (!watched && contact.gap >= 0) || !flies(followed_[c])) continue;
    hits_.push_back(contact);
    hits_at_start_.push_back(followed_[c]);
  }
}

/// At an edge the normal jumps from one side's to the other's, and no end of the step may lie at the end that
/// it was linearised at. All normals met on the way then act together, as in the gradient of a gap that has
/// an edge: each goes on with the body it belongs to.
void Stepper::add_last_contacts() {
  follow_contacts(model_, last_placed_, placed_, last_contacts_, followed_);
  merge_contacts(followed_);
}

/// Adds those that are not there yet.
void Stepper::merge_contacts(std::span<const Contact> others) {
  for (const Contact& contact : others) {
    const auto place = std::ranges::lower_bound(contacts_, contact.id, {}, &Contact::id);
    if (place == contacts_.end() || place->id != contact.id) contacts_.insert(place, contact);
  }
}

/// A step that makes up for the whole of an overlap leaves the bodies with the velocity that took: they are
/// thrown apart. What forces and the turning of the surfaces would close again in the next step may be made
/// up for without that, since the contact goes on to push; and so may a little of any overlap.
void Stepper::choose_gammas(std::span<const double> q, std::span<const double> v) {
  const double h = clock_.h;
  integrate(model_, q, v, h, q_hat_);
  place_bodies(model_, q_hat_, ahead_placed_);
  follow_contacts(model_, placed_, ahead_placed_, contacts_, followed_);
  const auto normal_velocity = [&](const Contact& c) { return gap_rate(placed_, c); };
  contact_gamma_.assign(contacts_.size(), 1.0);
  for (std::size_t c = 0; c < contacts_.size(); ++c) contact_gamma_[c] = normal_velocity(contacts_[c]);
  move_bodies(model_, motion_.v_free, placed_);
  for (std::size_t c = 0; c < contacts_.size(); ++c) {
    const double u = contact_gamma_[c], gap = contacts_[c].gap;
    const double by_forces = h * (normal_velocity(contacts_[c]) - u);
    const double by_turning = 2 * (followed_[c].gap - gap - h * u);  // h² times the gap's acceleration
    const double closed = std::max(0.0, -(by_forces + by_turning));
    contact_gamma_[c] = gap < 0 ? std::clamp(closed / -gap, kLeastGamma, 1.0) : 1.0;
  }
  move_bodies(model_, v, placed_);
}

/// Solves every island and gathers v_next, p and u. The status is that of the worst island.
void Stepper::solve_islands(std::span<const double> q, std::span<const double> v, Attempt& attempt) {
  const bool ahead = method_.geometry != Linearisation::start;
  if (adaptive_gamma_) choose_gammas(q, v);
  assemble({.model = model_,
            .method = method_,
            .placed = placed_,
            .contacts = contacts_,
            .blocks = blocks_,
            .active = block_active_,
            .dynamics_placed = method_.geometry == method_.dynamics ? placed_ : dynamics_placed_,
            .motion = motion_,
            .v_hat = ahead ? v_hat_ : no_rates_,
            .blocks_v_hat = ahead ? blocks_v_hat_ : no_rates_,
            .v = v,
            .h = clock_.h,
            .softness = softness_,
            .gamma = gamma_,
            .contact_gamma = contact_gamma_,
            .friction = friction_},
           assembly_);
  if (static_cast<int>(solutions_.size()) < assembly_.count) solutions_.resize(assembly_.count);
  p_.assign(contacts_.size() * kContactRows, 0.0);
  u_.assign(contacts_.size() * kContactRows, 0.0);
  slips_.assign(contacts_.size(), 0.0);
  basis_.assign(contacts_.size(), 0);
  block_p_.assign(blocks_.size(), {});
  block_basis_.assign(blocks_.size(), {});
  std::ranges::copy(motion_.v_free, v_next_.begin());
  for (int i = 0; i < model_.nv; ++i) rate_[i] = v_next_[i] + motion_.drift[i];
  attempt.status = motion_.solved ? Status::certified : Status::refused;
  attempt.reason = motion_.solved ? "" : "free motion";
  attempt.method = SolveMethod::none;
  attempt.residual = {};
  attempt.problem_size = 0;
  const NewtonLinearisation::Point point{q,         v,       clock_,        v_hat_,  placed_,
                                         contacts_, blocks_, block_active_, motion_, assembly_};
  linearise_islands(point);
  for (int i = 0; i < assembly_.count; ++i) {
    const Island& island = assembly_.islands[i];
    Solution& solution = solutions_[i];
    const int part = newton_part_[i];
    if (part >= 0) {
      solver_.solve(newton_.problem(part), pass_options_, recall(island), solution);
      newton_.rates_after(point, part, solution.p, rate_);
      judge_by_its_own_end(island, solution);
    } else if (part == kSubstituted) {
      solver_.solve(island.problem, solve_options_, recall(island), solution);
    }
    attempt.solves += solution.solves;
    attempt.iterations += solution.iterations;
    attempt.problem_size = std::max(attempt.problem_size, solution.size);
    attempt.residual = worst(attempt.residual, solution.residual);
    attempt.method = std::max(attempt.method, solution.method);
    if (solution.status > attempt.status) {  // the worse of the two
      attempt.status = solution.status;
      attempt.reason = solution.reason;
    }
    for (std::size_t c = 0; c < island.contacts.size(); ++c) {
      const int first = island.problem.begin[c], rows = island.problem.size_of(static_cast<int>(c));
      std::copy_n(solution.p.begin() + first, rows, p_.begin() + island.contacts[c] * kContactRows);
      std::copy_n(solution.u.begin() + first, rows, u_.begin() + island.contacts[c] * kContactRows);
      basis_[island.contacts[c]] = solution.basis[c];
      double met = std::abs(island.problem.zeta[c]), slip = 0;
      for (int r = 0; r < rows; ++r) {
        const double scale = r == 3 ? island.problem.friction[c].radii[2] : 1;
        met = std::max(met, scale * std::abs(island.problem.b[first + r]));
        if (r > 0) slip = std::hypot(slip, scale * solution.u[first + r]);
      }
      slips_[island.contacts[c]] = slip > 0 ? slip / met : 0;
    }
    for (std::size_t b = 0; b < island.blocks.size(); ++b) {
      const int number = island.blocks[b], slot = static_cast<int>(island.contacts.size() + b);
      const ConstraintBlock& block = blocks_[number];
      // The impulse of a bounded one is the friction of its contact.
      const int begin = island.problem.begin[slot] + (block.law == RowLaw::bounded ? 1 : 0);
      std::copy_n(solution.p.begin() + begin, block.rows, block_p_[number].begin());
      if (slot < island.problem.contacts) block_basis_[number] = solution.basis[slot];
    }
    for (std::size_t t = 0; t < island.trees.size(); ++t) {
      if (island.trees[t] < 0) continue;
      const auto& block = island.problem.motion.mass_blocks[t];
      const int v_begin = model_.trees[island.trees[t]].v_begin;
      for (int k = 0; k < block.size; ++k) {
        const double rate = solution.v_next[block.begin + k];
        v_next_[v_begin + k] = std::abs(rate) < kUnderflow ? 0 : rate;
      }
      if (part >= 0) continue;
      for (int k = v_begin; k < v_begin + block.size; ++k) rate_[k] = v_next_[k] + motion_.drift[k];
    }
  }
}

/// Says of every island what is to be done with it, and linearises those that Newton's method solves.
void Stepper::linearise_islands(const NewtonLinearisation::Point& point) {
  newton_part_.assign(assembly_.count, kSubstituted);
  // Rows that follow from others leave too few digits to the condensed problem.
  if (!by_newton_ || softness_ > 0) return;
  newton_.start();
  int parts = 0;
  for (int i = 0; i < assembly_.count; ++i) {
    const Island& island = assembly_.islands[i];
    const WarmStart warm = recall(island);
    if (settles(island, warm, solutions_[i])) {
      newton_part_[i] = kSettled;
    } else if (newton_.add(point, i, warm.p)) {
      newton_part_[i] = parts++;
    }
  }
  if (parts > 0) newton_.linearise(point);
}

/// Whether the impulses that an island starts from solve it: they obey its laws, and lead to the rates at
/// which it was assembled.
bool Stepper::settles(const Island& island, const WarmStart& warm, Solution& solution) {
  if (warm.p.empty()) return false;
  solution.p.assign(warm.p.begin(), warm.p.end());
  solution.basis.assign(island.problem.contacts, 0);
  if (!warm.basis.empty()) std::ranges::copy(warm.basis, solution.basis.begin());
  solution.method = SolveMethod::warm;
  solution.size = island.problem.rows();
  solution.iterations = solution.solves = 0;
  judge_by_its_own_end(island, solution);
  if (!solution.residual.within(pass_options_.tolerance)) return false;
  double error = 0;
  for (std::size_t t = 0; t < island.trees.size(); ++t) {
    if (island.trees[t] < 0) continue;
    const auto& block = island.problem.motion.mass_blocks[t];
    const int v_begin = model_.trees[island.trees[t]].v_begin;
    for (int k = 0; k < block.size; ++k) {
      rate_[v_begin + k] = solution.v_next[block.begin + k] + motion_.drift[v_begin + k];
    }
    const auto of_tree = [&](std::span<const double> x) { return x.subspan(v_begin, block.size); };
    error =
        std::max(error, relative_change(of_tree(rate_), of_tree(v_hat_), of_tree(motion_.v_free), rounding_));
  }
  return error <= kFixedPointShare * solve_options_.tolerance;
}

/// The laws where the matrices were taken, which is the end of the step once the passes have converged.
void Stepper::judge_by_its_own_end(const Island& island, Solution& solution) {
  solution.u.resize(island.problem.rows());
  solution.v_next.resize(island.problem.motion.v_free.size());
  solution.residual = judge(island.problem, solution.p, solution.u, solution.v_next, judge_);
  const bool holds = solution.residual.within(solve_options_.tolerance);
  solution.status = holds ? Status::certified : Status::approximate;
  solution.reason = holds ? "" : "newton";
}

/// What an island starts from: the impulses of the last pass or step, 0 for contacts that were not there, and
/// the bases if every contact was.
WarmStart Stepper::recall(const Island& island) {
  warm_basis_.clear();
  warm_p_.clear();
  bool any = false;
  for (std::size_t i = 0; i < island.contacts.size(); ++i) {
    const int c = island.contacts[i];
    const auto found = std::ranges::lower_bound(guess_, contacts_[c].id, {}, &Remembered::id);
    const bool there = found != guess_.end() && found->id == contacts_[c].id;
    any |= there;
    if (there) warm_basis_.push_back(found->basis);
    for (int r = 0; r < island.problem.size_of(static_cast<int>(i)); ++r)
      warm_p_.push_back(there ? found->p[r] : 0.0);
  }
  for (const int b : island.blocks) {
    const ConstraintBlock& block = blocks_[b];
    const bool there = !guess_blocks_.empty() && guess_blocks_[b].active;
    any |= there;
    const bool contact = block.law == RowLaw::limited || block.law == RowLaw::bounded;
    if (there && contact) warm_basis_.push_back(guess_blocks_[b].basis);
    if (block.law == RowLaw::bounded) warm_p_.push_back(clock_.h * block.bound);
    for (int r = 0; r < block.rows; ++r) warm_p_.push_back(there ? guess_blocks_[b].p[r] : 0.0);
  }
  const bool all = warm_basis_.size() == static_cast<std::size_t>(island.problem.contacts);
  return {any ? std::span<const double>(warm_p_) : std::span<const double>(),
          all ? std::span<const ContactBasis>(warm_basis_) : std::span<const ContactBasis>()};
}

/// Contacts that overlap at the end of the step, or that fast bodies meet on their way there, but were not in
/// the problem join it, as linearised. The step's own impulses may have sent a body there, and turned it by
/// much: features that do not meet where the problem is linearised are taken back there by their bodies.
bool Stepper::add_missed_contacts() {
  const auto solved = [&](const Contact& contact) {
    return std::ranges::binary_search(contacts_, contact.id, {}, &Contact::id);
  };
  missed_.clear();
  keep_.clear();
  if (!inelastic_) follow_contacts(model_, end_placed_, start_placed_, end_contacts_, followed_);
  for (std::size_t c = 0; c < end_contacts_.size(); ++c) {
    if (!inelastic_ && flies(followed_[c])) continue;
    if (end_contacts_[c].gap <= 0 && !solved(end_contacts_[c])) missed_.push_back(end_contacts_[c]);
    keep_.push_back(end_contacts_[c].id);
  }
  if (missed_.empty()) return false;
  for (const Contact& contact : contacts_) keep_.push_back(contact.id);
  std::ranges::sort(keep_);
  std::swap(contacts_, problem_contacts_);
  find_contacts();
  merge_contacts(problem_contacts_);
  follow_contacts(model_, end_placed_, placed_, missed_, followed_);
  merge_contacts(followed_);
  return true;
}

void Stepper::remember() {
  guess_.clear();
  for (std::size_t c = 0; c < contacts_.size(); ++c) {
    Remembered& contact = guess_.emplace_back(Remembered{contacts_[c].id, basis_[c], {}});
    std::copy_n(p_.begin() + c * kContactRows, kContactRows, contact.p.begin());
  }
  guess_blocks_.resize(blocks_.size());
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    guess_blocks_[b] = {block_p_[b], block_basis_[b], block_active_[b] != 0};
  }
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

const ContactProblem* Stepper::worst_problem() const {
  const ContactProblem* found = nullptr;
  double worst_residual = -1;
  for (int i = 0; i < assembly_.count; ++i) {
    if (solutions_[i].residual.natural_map > worst_residual) {
      worst_residual = solutions_[i].residual.natural_map;
      found = &assembly_.islands[i].problem;
    }
  }
  return found;
}

}  // namespace pawl
