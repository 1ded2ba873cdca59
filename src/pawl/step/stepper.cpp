#include <pawl/step/stepper.h>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <pawl/base/error.h>
#include <pawl/geometry/bounds.h>

namespace pawl {
namespace {

constexpr int kMostPasses = 50;            // of the fixed-point iteration
constexpr double kUnderflow = 1e-250;      // rates below it, as strong dampers leave, have no energy left
constexpr int kMostCorrections = 3;        // of the joints' errors
constexpr double kPlaceRounding = 1e-15;   // of lengths, or rad, that errors of joints are computed from
constexpr double kFixedPointShare = 1e-2;  // of the run's tolerance: where the iteration stops

/// How much the rates changed from one pass to the next, against the largest rate in play, that of free
/// motion included: at rest nothing else has a size.
double relative_change(std::span<const double> now, std::span<const double> before,
                       std::span<const double> free) {
  double change = 0, size = 0;
  for (std::size_t i = 0; i < now.size(); ++i) {
    change = std::max(change, std::abs(now[i] - before[i]));
    size = std::max({size, std::abs(now[i]), std::abs(before[i]), std::abs(free[i])});
  }
  return size > 0 ? change / size : 0;
}

FrictionPolyhedron polyhedron_of(const Model& model, const RunOptions& options) {
  if (model.planar()) return FrictionPolyhedron::regular(2);
  static_assert(kMostFrictionDirections == kMostDirections);
  if (options.friction_directions < kFewestFrictionDirections ||
      options.friction_directions > kMostFrictionDirections) {
    throw Error(fmt::format("friction_directions is {}: it must be from {} to {}",
                            options.friction_directions, kFewestFrictionDirections, kMostFrictionDirections));
  }
  return FrictionPolyhedron::regular(options.friction_directions);
}

/// How far a body reaches from its centre of mass.
std::vector<double> radii_of_bodies(const Model& model) {
  std::vector<double> radii(model.bodies.size(), 0.0);
  for (const Shape& shape : model.shapes) {
    if (only_fixed(shape.kind)) continue;
    double& radius = radii[shape.body];
    radius = std::max(radius, norm(shape.X_BS.p) + bounding_radius(shape.solid));
  }
  return radii;
}

SolveOptions solve_options(const RunOptions& options) {
  SolveOptions solve;
  solve.tolerance = options.tolerance;
  return solve;
}

}  // namespace

Stepper::Stepper(const Model& model, const RunOptions& options)
    : model_(model),
      method_(find_method(options.method)),
      polyhedron_(polyhedron_of(model, options)),
      solve_options_(solve_options(options)),
      gamma_(method_.entry == Entry::near ? options.gamma : 1),
      active_gap_(options.active_gap),
      body_radius_(radii_of_bodies(model)),
      finder_(model),
      q_hat_(model.nq),
      v_hat_(model.nv),
      q_next_(model.nq),
      v_next_(model.nv),
      no_rates_(model.nv, 0.0),
      blocks_v_hat_(model.nv),
      rate_(model.nv) {}

Attempt Stepper::attempt(std::span<const double> q, std::span<const double> v, const StepClock& clock) {
  Attempt attempt;
  clock_ = clock;
  const double h = clock.h;
  // A contact that entered for being violated stays in the problem while it acts: its gap is in ζ.
  keep_.clear();
  if (method_.entry == Entry::violated) keep_.assign(acted_.begin(), acted_.end());
  std::ranges::copy(v, v_hat_.begin());
  place_bodies(model_, q, start_placed_);
  while (true) {
    ++attempt.passes;
    linearise(q, v, v_hat_);
    find_contacts();
    choose_blocks();
    int corrections = 0;
    bool again = false;
    do {
      solve_islands(v_hat_, attempt);
      if (attempt.status == Status::refused) return attempt;
      for (int i = 0; i < model_.nv; ++i) rate_[i] = v_next_[i] + motion_.drift[i];
      integrate(model_, q, rate_, h, q_next_);
      place_bodies(model_, q_next_, end_placed_);
      keep_.clear();
      for (const Contact& contact : contacts_) keep_.push_back(contact.id);
      finder_.find({end_placed_, &start_placed_, 0, keep_}, end_contacts_);
      constraint_blocks(model_, end_placed_, q_next_, clock.time + h, other_blocks_);
      again = method_.entry == Entry::violated && (add_missed_limits() | add_missed_contacts());
      if (!again && corrections < kMostCorrections && correct_joints()) {
        again = true;
        ++corrections;
      }
    } while (again);

    if (method_.geometry != Linearisation::end) break;
    attempt.fixed_point_error = relative_change(rate_, v_hat_, motion_.v_free);
    if (attempt.fixed_point_error <= kFixedPointShare * solve_options_.tolerance) break;
    if (attempt.passes == kMostPasses) {
      if (attempt.fixed_point_error > solve_options_.tolerance) {
        attempt.status = std::max(attempt.status, Status::approximate);
        attempt.reason = "fixed point";
      }
      break;
    }
    std::ranges::copy(rate_, v_hat_.begin());
  }
  attempt.least_gap = finder_.least_gap(end_placed_, end_contacts_);
  attempt.joint_error = largest_error(other_blocks_);
  move_bodies(model_, v_next_, end_placed_);
  // Bodies that no contact touches are judged by nobody else.
  end_kinetic_ = kinetic_energy(model_, end_placed_);
  end_potential_ = potential_energy(model_, end_placed_);
  if (!std::isfinite(end_kinetic_ + end_potential_)) {
    attempt.status = Status::refused;
    attempt.reason = "not finite";
  }
  return attempt;
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
          method_.entry == Entry::violated && !remembered_blocks_.empty() && remembered_blocks_[b].p[0] > 0;
      block_active_[b] = acted || block.error[0] <= 0;
    }
  }
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
  const double reach = method_.entry == Entry::near ? active_gap() : 0;
  finder_.find({placed_, ahead ? &start_placed_ : nullptr, reach, keep_}, contacts_);
}

/// Solves every island and gathers v_next, p and u. The status is that of the worst island.
void Stepper::solve_islands(std::span<const double> v_hat, Attempt& attempt) {
  const bool ahead = method_.geometry != Linearisation::start;
  assemble({.model = model_,
            .method = method_,
            .placed = placed_,
            .contacts = contacts_,
            .blocks = blocks_,
            .active = block_active_,
            .dynamics_placed = method_.geometry == method_.dynamics ? placed_ : dynamics_placed_,
            .motion = motion_,
            .v_hat = ahead ? v_hat : no_rates_,
            .blocks_v_hat = ahead ? blocks_v_hat_ : no_rates_,
            .h = clock_.h,
            .gamma = gamma_,
            .polyhedron = polyhedron_},
           assembly_);
  if (static_cast<int>(solutions_.size()) < assembly_.count) solutions_.resize(assembly_.count);
  const int dim = this->dim();
  p_.assign(contacts_.size() * dim, 0.0);
  u_.assign(contacts_.size() * dim, 0.0);
  met_.assign(contacts_.size(), 0.0);
  basis_.assign(contacts_.size(), 0);
  block_p_.assign(blocks_.size(), {});
  block_basis_.assign(blocks_.size(), {});
  std::ranges::copy(motion_.v_free, v_next_.begin());
  attempt.status = motion_.solved ? Status::certified : Status::refused;
  attempt.reason = motion_.solved ? "" : "free motion";
  attempt.method = SolveMethod::none;
  attempt.residual = {};
  attempt.problem_size = 0;
  for (int i = 0; i < assembly_.count; ++i) {
    const Island& island = assembly_.islands[i];
    Solution& solution = solutions_[i];
    solver_.solve(island.problem, solve_options_, recall(island), solution);
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
      std::copy_n(solution.p.begin() + c * dim, dim, p_.begin() + island.contacts[c] * dim);
      std::copy_n(solution.u.begin() + c * dim, dim, u_.begin() + island.contacts[c] * dim);
      basis_[island.contacts[c]] = solution.basis[c];
      double& met = met_[island.contacts[c]];
      met = std::abs(island.problem.zeta[c]);
      for (int r = 0; r < dim; ++r) met = std::max(met, std::abs(island.problem.b[c * dim + r]));
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
    }
  }
}

/// What an island starts from: the impulses of the last step, 0 for contacts that were not there, and the
/// bases if every contact was.
WarmStart Stepper::recall(const Island& island) {
  const int dim = this->dim();
  warm_basis_.clear();
  warm_p_.clear();
  bool any = false;
  for (const int c : island.contacts) {
    const auto found = std::ranges::lower_bound(remembered_, contacts_[c].id, {}, &Remembered::id);
    const bool there = found != remembered_.end() && found->id == contacts_[c].id;
    any |= there;
    if (there) warm_basis_.push_back(found->basis);
    for (int r = 0; r < dim; ++r) warm_p_.push_back(there ? found->p[r] : 0.0);
  }
  for (const int b : island.blocks) {
    const ConstraintBlock& block = blocks_[b];
    const bool there = !remembered_blocks_.empty() && remembered_blocks_[b].active;
    any |= there;
    const bool contact = block.law == RowLaw::limited || block.law == RowLaw::bounded;
    if (there && contact) warm_basis_.push_back(remembered_blocks_[b].basis);
    if (block.law == RowLaw::bounded) warm_p_.push_back(clock_.h * block.bound);
    for (int r = 0; r < block.rows; ++r) warm_p_.push_back(there ? remembered_blocks_[b].p[r] : 0.0);
  }
  const bool all = warm_basis_.size() == static_cast<std::size_t>(island.problem.contacts);
  return {any ? std::span<const double>(warm_p_) : std::span<const double>(),
          all ? std::span<const ContactBasis>(warm_basis_) : std::span<const ContactBasis>()};
}

/// Contacts that overlap at the end of the step but were not in the problem join it, as linearised.
bool Stepper::add_missed_contacts() {
  const auto solved = [&](const Contact& contact) {
    return std::ranges::binary_search(contacts_, contact.id, {}, &Contact::id);
  };
  bool missed = false;
  keep_.clear();
  for (const Contact& contact : end_contacts_) {
    missed |= !solved(contact);
    keep_.push_back(contact.id);
  }
  if (!missed) return false;
  for (const Contact& contact : contacts_) keep_.push_back(contact.id);
  std::ranges::sort(keep_);
  const std::size_t before = contacts_.size();
  find_contacts();
  return contacts_.size() > before;
}

void Stepper::accept() {
  acted_.clear();
  remembered_.clear();
  for (std::size_t c = 0; c < contacts_.size(); ++c) {
    if (p_[c * dim()] > 0) acted_.push_back(contacts_[c].id);
    Remembered& contact = remembered_.emplace_back(Remembered{contacts_[c].id, basis_[c], {}});
    std::copy_n(p_.begin() + c * dim(), dim(), contact.p.begin());
  }
  remembered_blocks_.resize(blocks_.size());
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    remembered_blocks_[b] = {block_p_[b], block_basis_[b], block_active_[b] != 0};
  }
}

void Stepper::forget() {
  acted_.clear();
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
