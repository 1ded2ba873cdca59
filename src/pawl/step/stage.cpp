#include <pawl/step/stage.h>

#include <algorithm>
#include <cmath>

#include <pawl/linalg/dense.h>
#include <pawl/problem/delassus.h>

namespace pawl::internal {
namespace {

/// Rows without stabilisation: set_shifts() writes their shifts.
constexpr Method kStage{.name = "stage",
                        .geometry = Linearisation::start,
                        .dynamics = Linearisation::start,
                        .stabilisation = Stabilisation::ignored,
                        .activation = Activation::touching,
                        .friction = FrictionForm::exact};

// A warm start of a small problem must be nearly exact to be an answer, since a solution costs little. That
// of a large one is refined if it is within the tolerance.
constexpr int kSmallRows = 60;
constexpr double kSmallFraction = 1e-3;
// Residuals of large islands between passes. Smaller ones would be taken for answers.
constexpr int kLargeRows = 150;
constexpr double kMinPassResidual = 1e-6, kMaxPassResidual = 1e-2;
constexpr int kSkippedCalls = 200;   // of the choice of least norm, after one that found none
constexpr int kSoftRows = 6;         // islands of fewer rows are solved as rigid
constexpr double kClearSlip = 1e-3;  // slip relative to its terms: slower contacts count as sticking
constexpr double kFar = 1e6;         // radii: the projection of a point so far away is the point of most work

/// The first row of a block's impulse in its slot: the normal row of a bounded block holds its bound.
int first_row(const ConstraintBlock& block) {
  return block.law == RowLaw::bounded ? 1 : 0;
}

}  // namespace

Stage::Stage(const Model& model, const FrictionTable& friction, double softness)
    : model_(model), friction_(friction), softness_(softness), zero_v_(model.nv, 0.0) {}

void Stage::assemble(const Input& input) {
  contacts_ = input.contacts;
  blocks_ = input.blocks;
  v_free_ = input.motion.v_free;
  h_ = input.h;
  internal::assemble({.model = model_,
                      .method = kStage,
                      .kinematics = input.kinematics,
                      .contacts = input.contacts,
                      .blocks = input.blocks,
                      .active = input.active,
                      .dynamics_kinematics = input.kinematics,
                      .motion = input.motion,
                      .v_hat = zero_v_,
                      .blocks_v_hat = zero_v_,
                      .h = input.h,
                      .softness = softness_,
                      .friction = friction_,
                      .tangents = input.tangents},
                     assembly_);
  if (static_cast<int>(solutions_.size()) < assembly_.count) solutions_.resize(assembly_.count);
}

void Stage::remove_friction(int contact) {
  for (int i = 0; i < assembly_.count; ++i) {
    Island& island = assembly_.islands[i];
    for (std::size_t c = 0; c < island.contacts.size(); ++c) {
      if (island.contacts[c] == contact) island.problem.friction[c].mu = 0;
    }
  }
}

void Stage::set_shifts(std::span<const ContactValues> contacts, std::span<const BlockValues> blocks) {
  for (int i = 0; i < assembly_.count; ++i) {
    Island& island = assembly_.islands[i];
    ContactProblem& problem = island.problem;
    auto& shift = problem.motion.shift;
    shift.resize(problem.rows(), 0.0);
    for (std::size_t c = 0; c < island.contacts.size(); ++c) {
      const ContactValues& values = contacts[island.contacts[c]];
      problem.zeta[c] = values[0];
      for (int r = 1; r < problem.size_of(static_cast<int>(c)); ++r) shift[problem.begin[c] + r] = values[r];
    }
    for (std::size_t b = 0; b < island.blocks.size(); ++b) {
      const ConstraintBlock& block = blocks_[island.blocks[b]];
      const BlockValues& values = blocks[island.blocks[b]];
      const int slot = static_cast<int>(island.contacts.size() + b);
      if (block.law == RowLaw::limited) {
        problem.zeta[slot] = values[0];
        continue;
      }
      const double elastic = h_ * h_ * block.stiffness;
      const double factor =
          yields(block) && !block.velocity_only ? elastic / (elastic + h_ * block.damping) : 1;
      for (int r = 0; r < block.rows; ++r)
        shift[problem.begin[slot] + first_row(block) + r] = factor * values[r];
    }
    set_free_velocities(problem);
  }
}

void Stage::set_free_velocity(std::span<const double> v_free) {
  v_free_ = v_free;
  for (int i = 0; i < assembly_.count; ++i) {
    Island& island = assembly_.islands[i];
    PrimalData& motion = island.problem.motion;
    for (std::size_t t = 0; t < island.trees.size(); ++t) {
      if (island.trees[t] < 0) continue;
      const auto& block = motion.mass_blocks[t];
      std::copy_n(v_free.begin() + model_.trees[island.trees[t]].v_begin, block.size,
                  motion.v_free.begin() + block.begin);
    }
    set_free_velocities(island.problem);
  }
}

/// p of an island, in the order of its rows.
void Stage::gather(const Island& island, const RowImpulses& p) {
  p_.assign(island.problem.rows(), 0.0);
  basis_.assign(island.problem.contacts, 0);
  for (std::size_t c = 0; c < island.contacts.size(); ++c) {
    const int rows = island.problem.size_of(static_cast<int>(c));
    std::copy_n(p.contact[island.contacts[c]].begin(), rows, p_.begin() + island.problem.begin[c]);
    basis_[c] = p.contact_basis[island.contacts[c]];
  }
  for (std::size_t b = 0; b < island.blocks.size(); ++b) {
    const ConstraintBlock& block = blocks_[island.blocks[b]];
    const int slot = static_cast<int>(island.contacts.size() + b);
    const int begin = island.problem.begin[slot];
    if (block.law == RowLaw::bounded) p_[begin] = h_ * block.bound;
    std::copy_n(p.block[island.blocks[b]].begin(), block.rows, p_.begin() + begin + first_row(block));
    if (slot < island.problem.contacts) basis_[slot] = p.block_basis[island.blocks[b]];
  }
}

void Stage::scatter_velocities(const Island& island, std::span<const double> from,
                               std::span<double> v) const {
  for (std::size_t t = 0; t < island.trees.size(); ++t) {
    if (island.trees[t] < 0) continue;
    const auto& block = island.problem.motion.mass_blocks[t];
    std::copy_n(from.begin() + block.begin, block.size, v.begin() + model_.trees[island.trees[t]].v_begin);
  }
}

void Stage::scatter(const Island& island, const Solution& solution, RowImpulses& p, std::span<double> v) {
  const ContactProblem& problem = island.problem;
  for (std::size_t c = 0; c < island.contacts.size(); ++c) {
    const int index = island.contacts[c], first = problem.begin[c], rows = problem.begin[c + 1] - first;
    p.contact[index] = {};
    std::copy_n(solution.p.begin() + first, rows, p.contact[index].begin());
    p.contact_basis[index] = solution.basis[c];
  }
  for (std::size_t b = 0; b < island.blocks.size(); ++b) {
    const int index = island.blocks[b], slot = static_cast<int>(island.contacts.size() + b);
    const int begin = problem.begin[slot] + first_row(blocks_[index]);
    std::copy_n(solution.p.begin() + begin, blocks_[index].rows, p.block[index].begin());
    if (slot < problem.contacts) p.block_basis[index] = solution.basis[slot];
  }
  scatter_velocities(island, solution.v_next, v);
}

void Stage::velocities_after(const RowImpulses& p, std::span<double> v) {
  std::ranges::copy(v_free_, v.begin());
  for (int i = 0; i < assembly_.count; ++i) {
    const Island& island = assembly_.islands[i];
    gather(island, p);
    v_.resize(island.problem.motion.v_free.size());
    velocity_after(island.problem, p_, v_);
    scatter_velocities(island, v_, v);
  }
}

/// The compliance of the rows of contacts, as a fraction of W_nn.
void Stage::set_compliance(Island& island, double softness) {
  ContactProblem& problem = island.problem;
  PrimalData& motion = problem.motion;
  motion.compliance.assign(problem.rows(), 0.0);
  motion.shift.resize(problem.rows(), 0.0);
  for (const auto& block : motion.jacobian_blocks) {
    if (block.block >= static_cast<int>(island.contacts.size())) continue;
    const auto& mass = motion.mass_blocks[block.mass_block];
    const auto normal = motion.jacobian.begin() + block.offset;
    response_.assign(normal, normal + mass.size);
    solve_lower(std::span(motion.factor).subspan(mass.offset, mass.size * mass.size), mass.size, response_);
    double W_nn = 0;
    for (const double y : response_) W_nn += y * y;
    for (int r = problem.begin[block.block]; r < problem.begin[block.block + 1]; ++r)
      motion.compliance[r] += softness * W_nn;
  }
}

/// Solves an island from p_ with compliant contacts, once or, centred anew, a few times. The residual of
/// `solution` is that of the rigid law. Returns false if there is no answer.
bool Stage::solve_softly(Island& island, const SolveOptions& options, const Accuracy& accuracy,
                         Solution& solution) {
  ContactProblem& problem = island.problem;
  PrimalData& motion = problem.motion;
  int solves = 0, iterations = 0;
  for (int centring = 0; centring < accuracy.centrings; ++centring) {
    if (centring > 0) p_.assign(solution.p.begin(), solution.p.end());
    set_compliance(island, accuracy.softness);
    shift_.assign(motion.shift.begin(), motion.shift.end());
    for (int r = 0; r < problem.rows(); ++r) motion.shift[r] -= motion.compliance[r] * p_[r];
    set_free_velocities(problem);
    solve_island(island, options, accuracy.fraction, solution);
    solves += solution.solves;
    iterations += solution.iterations;
    motion.shift.swap(shift_);
    motion.compliance.clear();
    set_free_velocities(problem);
    if (solution.status >= Status::refused) return false;
    solution.residual = judge(problem, solution.p, solution.u, solution.v_next, judge_);
    if (solution.residual.within(options.tolerance)) break;
  }
  solution.solves = solves;
  solution.iterations = iterations;
  const bool holds = solution.residual.within(options.tolerance);
  solution.status = holds ? Status::certified : Status::approximate;
  solution.reason = holds ? std::string_view{} : "residual";
  return true;
}

/// Solves an island from p_ and basis_. `solution` has the residual of p_.
void Stage::solve_island(const Island& island, const SolveOptions& options, double fraction,
                         Solution& solution) {
  SolveOptions own = options;
  const double enough = std::min(fraction * solution.residual.worst(), kMaxPassResidual);
  if (island.problem.rows() > kLargeRows && enough > std::max(kMinPassResidual, options.tolerance)) {
    own.tolerance = own.target_residual = enough;
    own.least_norm = false;
  }
  const bool any_basis = std::ranges::any_of(basis_, [](ContactBasis basis) { return basis != 0; });
  const bool any_impulse = std::ranges::any_of(p_, [](double x) { return x != 0; });
  solver_.solve(island.problem, own,
                {any_impulse ? std::span<const double>(p_) : std::span<const double>(),
                 any_basis ? std::span<const ContactBasis>(basis_) : std::span<const ContactBasis>()},
                solution);
}

StageOutcome Stage::solve(const SolveOptions& options, const Accuracy& accuracy, RowImpulses& p,
                          std::span<double> v) {
  StageOutcome outcome;
  std::ranges::copy(v_free_, v.begin());
  for (int i = 0; i < assembly_.count; ++i) {
    Island& island = assembly_.islands[i];
    island.problem.speed_scale = accuracy.speed_scale;
    Solution& solution = solutions_[i];
    gather(island, p);
    solution.p.assign(p_.begin(), p_.end());
    solution.u.resize(p_.size());
    solution.v_next.resize(island.problem.motion.v_free.size());
    solution.basis.assign(basis_.begin(), basis_.end());
    solution.residual = judge(island.problem, solution.p, solution.u, solution.v_next, judge_);
    outcome.start_residual = std::max(outcome.start_residual, solution.residual.worst());
    const bool small = island.problem.rows() <= kSmallRows;
    const bool accepted =
        solution.residual.within((small && accuracy.warm ? kSmallFraction : 1) * accuracy.accepted);
    const bool refined = !small && island.problem.contacts > 0 && solution.residual.within(options.tolerance);
    outcome.solved |= !accepted;
    if (accepted || refined) {
      solution.status = Status::certified;
      solution.reason = {};
      solution.method = SolveMethod::warm;
      solution.size = island.problem.rows();
      solution.solves = solution.iterations = 0;
      if (!accepted) solver_.refine(island.problem, options, solution);
    } else {
      const bool soft = accuracy.softness > 0 && island.problem.rows() > kSoftRows;
      const bool answered = soft && solve_softly(island, options, accuracy, solution);
      // Passes centre the impulses anew; a single solution must hold.
      if (!answered || (accuracy.centrings > 1 && solution.status != Status::certified))
        solve_island(island, options, accuracy.fraction, solution);
    }
    outcome.solves += solution.solves;
    outcome.iterations += solution.iterations;
    outcome.problem_size = std::max(outcome.problem_size, solution.size);
    outcome.residual = worst(outcome.residual, solution.residual);
    outcome.method = std::max(outcome.method, solution.method);
    if (solution.status > outcome.status) {
      outcome.status = solution.status;
      outcome.reason = solution.reason;
    }
    if (solution.status < Status::refused) scatter(island, solution, p, v);
  }
  return outcome;
}

void Stage::choose_least_norm(const SolveOptions& options, RowImpulses& p, std::span<double> v) {
  if (calls_to_skip_ > 0) {
    --calls_to_skip_;
    return;
  }
  for (int i = 0; i < assembly_.count; ++i) {
    const Island& island = assembly_.islands[i];
    Solution& solution = solutions_[i];
    if (island.problem.rows() <= kSoftRows || solution.status != Status::certified) continue;
    solver_.choose_least_norm(island.problem, options, solution);
    // In piles that move it is hardly ever found.
    if (solution.impulses == ForceUniqueness::any) calls_to_skip_ = kSkippedCalls;
    scatter(island, solution, p, v);
  }
}

const Island* Stage::worst_island() const {
  const Island* found = nullptr;
  double worst_residual = -1;
  for (int i = 0; i < assembly_.count; ++i) {
    if (solutions_[i].residual.worst() > worst_residual) {
      worst_residual = solutions_[i].residual.worst();
      found = &assembly_.islands[i];
    }
  }
  return found;
}

const ContactProblem* Stage::worst_problem() const {
  const Island* island = worst_island();
  return island != nullptr ? &island->problem : nullptr;
}

// While a contact slides, du_n/dp_n = W_nn + μ W_nf·d, with d of most work against the slip.
bool Stage::may_jam() {
  for (int i = 0; i < assembly_.count; ++i) {
    const ContactProblem& problem = assembly_.islands[i].problem;
    const PrimalData& motion = problem.motion;
    std::size_t in = 0;
    for (std::size_t c = 0; c < assembly_.islands[i].contacts.size(); ++c) {
      const int rows = problem.size_of(static_cast<int>(c));
      const FrictionSet& set = problem.friction[c];
      FrictionVector coupling{}, slip{};  // W_nf and J_f v, in units of the radii
      double W_nn = 0, speed = 0;
      for (; in < motion.jacobian_blocks.size() && motion.jacobian_blocks[in].block == static_cast<int>(c);
           ++in) {
        const auto& mass = motion.mass_blocks[motion.jacobian_blocks[in].mass_block];
        const double* J = motion.jacobian.data() + motion.jacobian_blocks[in].offset;
        const double* v = motion.v_free.data() + mass.begin;
        const auto L = std::span(motion.factor).subspan(mass.offset, mass.size * mass.size);
        response_.assign(J, J + mass.size);
        solve_lower(L, mass.size, response_);
        solve_lower_transposed(L, mass.size, response_);
        for (int k = 0; k < mass.size; ++k) {
          W_nn += J[k] * response_[k];
          for (int r = 1; r < rows; ++r) {
            const double J_rk = set.radii[r - 1] * J[r * mass.size + k];
            coupling[r - 1] += J_rk * response_[k];
            slip[r - 1] += J_rk * v[k];
            speed += std::abs(J_rk * v[k]);
          }
        }
      }
      const double size = std::hypot(slip[0], slip[1], slip[2]);
      if (rows == 1 || set.frictionless() || !(size > kClearSlip * speed)) continue;
      FrictionVector far{};
      for (int r = 0; r < 3; ++r) far[r] = -kFar / size * slip[r];
      const FrictionVector d = project(set, far, 1);
      if (W_nn + set.mu * (coupling[0] * d[0] + coupling[1] * d[1] + coupling[2] * d[2]) <= 0) return true;
    }
  }
  return false;
}

}  // namespace pawl::internal
