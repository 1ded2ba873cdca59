// Members of Stepper that solve a step's problem island by island, with warm starts.

#include <algorithm>
#include <cmath>

#include <pawl/step/fixed_point.h>
#include <pawl/step/stepper.h>

namespace pawl::internal {
namespace {

// Smaller velocities, as strong dampers leave, have zero kinetic energy.
constexpr double kUnderflow = 1e-250;

// Values of newton_index_ other than the index of a linearisation.
constexpr int kConverged = -1;   // the warm start already solves the island at its own end
constexpr int kFixedPoint = -2;  // solved with its matrices fixed

}  // namespace

/// Solves every island and collects v_next, p and u. The status is the status of the worst island.
void Stepper::solve_islands(std::span<const double> q, std::span<const double> v, TrialStep& trial) {
  const bool ahead = method_.geometry != Linearisation::start;
  if (adaptive_gamma_) choose_gammas(q, v);
  assemble({.model = model_,
            .method = method_,
            .kinematics = kinematics_,
            .contacts = contacts_,
            .blocks = blocks_,
            .active = block_active_,
            .dynamics_kinematics = method_.geometry == method_.dynamics ? kinematics_ : dynamics_kinematics_,
            .motion = motion_,
            .v_hat = ahead ? v_hat_ : zero_v_,
            .blocks_v_hat = ahead ? blocks_v_hat_ : zero_v_,
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
  for (int i = 0; i < model_.nv; ++i) v_mean_[i] = v_next_[i] + motion_.drift[i];
  trial.status = motion_.solved ? Status::certified : Status::refused;
  trial.reason = motion_.solved ? "" : "free motion";
  trial.method = SolveMethod::none;
  trial.residual = {};
  trial.problem_size = 0;
  const NewtonLinearisation::Point point{q,         v,       clock_,        v_hat_,  kinematics_,
                                         contacts_, blocks_, block_active_, motion_, assembly_};
  linearise_islands(point);
  for (int i = 0; i < assembly_.count; ++i) {
    const Island& island = assembly_.islands[i];
    Solution& solution = solutions_[i];
    const int newton_index = newton_index_[i];
    if (newton_index >= 0) {
      solver_.solve(newton_.problem(newton_index), pass_options_, make_warm_start(island), solution);
      newton_.velocities_after(point, newton_index, solution.p, v_mean_);
      judge_at_end_configuration(island, solution);
    } else if (newton_index == kFixedPoint) {
      solver_.solve(island.problem, solve_options_, make_warm_start(island), solution);
    }
    trial.solves += solution.solves;
    trial.iterations += solution.iterations;
    trial.problem_size = std::max(trial.problem_size, solution.size);
    trial.residual = worst(trial.residual, solution.residual);
    trial.method = std::max(trial.method, solution.method);
    if (solution.status > trial.status) {  // the worse of the two
      trial.status = solution.status;
      trial.reason = solution.reason;
      trial.named = bodies_of(model_, island, contacts_, blocks_);
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
      const int block_index = island.blocks[b], slot = static_cast<int>(island.contacts.size() + b);
      const ConstraintBlock& block = blocks_[block_index];
      // The impulse of a bounded block is in the friction row of its contact.
      const int begin = island.problem.begin[slot] + (block.law == RowLaw::bounded ? 1 : 0);
      std::copy_n(solution.p.begin() + begin, block.rows, block_p_[block_index].begin());
      if (slot < island.problem.contacts) block_basis_[block_index] = solution.basis[slot];
    }
    for (std::size_t t = 0; t < island.trees.size(); ++t) {
      if (island.trees[t] < 0) continue;
      const auto& block = island.problem.motion.mass_blocks[t];
      const int v_begin = model_.trees[island.trees[t]].v_begin;
      for (int k = 0; k < block.size; ++k) {
        const double rate = solution.v_next[block.begin + k];
        v_next_[v_begin + k] = std::abs(rate) < kUnderflow ? 0 : rate;
      }
      if (newton_index >= 0) continue;
      for (int k = v_begin; k < v_begin + block.size; ++k) v_mean_[k] = v_next_[k] + motion_.drift[k];
    }
  }
}

/// Chooses the treatment of every island, and linearises the islands that Newton's method solves.
void Stepper::linearise_islands(const NewtonLinearisation::Point& point) {
  newton_index_.assign(assembly_.count, kFixedPoint);
  // Redundant rows leave too few digits in the condensed problem.
  if (!by_newton_ || softness_ > 0) return;
  newton_.start();
  int newton_count = 0;
  for (int i = 0; i < assembly_.count; ++i) {
    const Island& island = assembly_.islands[i];
    const WarmStart warm = make_warm_start(island);
    if (already_converged(island, warm, solutions_[i])) {
      newton_index_[i] = kConverged;
    } else if (newton_.add(point, i, warm.p)) {
      newton_index_[i] = newton_count++;
    }
  }
  if (newton_count > 0) newton_.linearise(point);
  for (int& newton_index : newton_index_) {
    if (newton_index >= 0 && !newton_.is_regular(newton_index)) newton_index = kFixedPoint;
  }
}

/// True if the warm start solves the island: its impulses satisfy the contact laws, and lead to the
/// velocities at which the island was assembled.
bool Stepper::already_converged(const Island& island, const WarmStart& warm, Solution& solution) {
  if (warm.p.empty()) return false;
  solution.p.assign(warm.p.begin(), warm.p.end());
  solution.basis.assign(island.problem.contacts, 0);
  if (!warm.basis.empty()) std::ranges::copy(warm.basis, solution.basis.begin());
  solution.method = SolveMethod::warm;
  solution.size = island.problem.rows();
  solution.iterations = solution.solves = 0;
  judge_at_end_configuration(island, solution);
  if (!solution.residual.within(pass_options_.tolerance)) return false;
  double error = 0;
  for (std::size_t t = 0; t < island.trees.size(); ++t) {
    if (island.trees[t] < 0) continue;
    const auto& block = island.problem.motion.mass_blocks[t];
    const int v_begin = model_.trees[island.trees[t]].v_begin;
    for (int k = 0; k < block.size; ++k) {
      v_mean_[v_begin + k] = solution.v_next[block.begin + k] + motion_.drift[v_begin + k];
    }
    const auto of_tree = [&](std::span<const double> x) { return x.subspan(v_begin, block.size); };
    error = std::max(error,
                     relative_change(of_tree(v_mean_), of_tree(v_hat_), of_tree(motion_.v_free), rounding_));
  }
  return error <= kFixedPointFraction * solve_options_.tolerance;
}

/// Judges the solution at the configuration of the matrices: the end of the step, once the passes converge.
void Stepper::judge_at_end_configuration(const Island& island, Solution& solution) {
  solution.u.resize(island.problem.rows());
  solution.v_next.resize(island.problem.motion.v_free.size());
  solution.residual = judge(island.problem, solution.p, solution.u, solution.v_next, judge_);
  const bool holds = solution.residual.within(solve_options_.tolerance);
  solution.status = holds ? Status::certified : Status::approximate;
  solution.reason = holds ? "" : "newton";
}

/// The warm start of an island: the impulses of the last pass or step, 0 for new contacts. Bases are included
/// only if no contact is new.
WarmStart Stepper::make_warm_start(const Island& island) {
  warm_basis_.clear();
  warm_p_.clear();
  bool any = false;
  for (std::size_t i = 0; i < island.contacts.size(); ++i) {
    const int c = island.contacts[i];
    const auto found = std::ranges::lower_bound(guess_, contacts_[c].id, {}, &CachedContact::id);
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

void Stepper::save_warm_start() {
  guess_.clear();
  for (std::size_t c = 0; c < contacts_.size(); ++c) {
    CachedContact& contact = guess_.emplace_back(CachedContact{contacts_[c].id, basis_[c], {}});
    std::copy_n(p_.begin() + c * kContactRows, kContactRows, contact.p.begin());
  }
  guess_blocks_.resize(blocks_.size());
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    guess_blocks_[b] = {block_p_[b], block_basis_[b], block_active_[b] != 0};
  }
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

}  // namespace pawl::internal
