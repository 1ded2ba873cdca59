#include <pawl/solve/solve.h>

#include <algorithm>
#include <limits>

namespace pawl {
namespace {

constexpr int kMostUnknowns = 20000;  // a dense matrix of them takes 3 GB

}  // namespace

void ContactSolver::solve(const ContactProblem& problem, const SolveOptions& options,
                          std::span<const ContactBasis> warm, Solution& solution) {
  solution.status = Status::refused;
  solution.solver = "none";
  solution.reason = {};
  solution.residual = {};
  solution.residual.natural_map = std::numeric_limits<double>::infinity();
  solution.size = solution.pivots = solution.solves = 0;
  solution.p.assign(problem.rows(), 0.0);
  solution.u.assign(problem.b.begin(), problem.b.end());
  solution.v_next.assign(problem.motion.v_free.begin(), problem.motion.v_free.end());
  solution.basis.assign(problem.contacts, 0);

  bool separates = true;
  for (int c = 0; c < problem.contacts; ++c) separates &= problem.b[c * problem.dim] + problem.zeta[c] >= 0;
  if (separates && consider(problem, options, "none", {}, {}, solution)) return;

  if (std::ranges::any_of(problem.friction, [](const FrictionSet& set) {
        return !set.frictionless() && set.polygon->directions().size() > kMostDirections;
      })) {
    solution.reason = "too many friction directions";
    return;
  }
  int unknowns = 0;
  for (const FrictionSet& set : problem.friction) unknowns += unknowns_of(set);
  if (unknowns > kMostUnknowns) {
    solution.reason = "too large";
    return;
  }
  form_.formulate(problem);
  const Lcp& lcp = form_.lcp();
  solution.size = lcp.n;
  if (!warm.empty()) {
    form_.basis_to_alpha(warm, alpha_);
    ++solution.solves;
    if (lemke_.solve_basis(lcp, alpha_) <= options.warm_feasible &&
        consider(problem, options, "warm", lemke_.z(), alpha_, solution))
      return;
  }
  const LemkeResult lemke = lemke_.solve(lcp, options.lemke);
  ++solution.solves;
  solution.pivots += lemke.pivots;
  const bool answered =
      lemke.outcome == LemkeOutcome::solved || lemke.outcome == LemkeOutcome::numerical_failure;
  if (answered && consider(problem, options, "lemke", lemke_.z(), lemke_.basic(), solution)) return;
  solution.reason = answered ? "residual" : to_string(lemke.outcome);
}

/// Puts an answer before the judge and keeps it if it is the best so far; true if it is certified.
bool ContactSolver::consider(const ContactProblem& problem, const SolveOptions& options,
                             std::string_view solver, std::span<const double> z, std::span<const char> alpha,
                             Solution& solution) {
  p_.assign(problem.rows(), 0.0);
  u_.resize(problem.rows());
  v_next_.resize(problem.motion.v_free.size());
  if (!z.empty()) form_.impulses(z, p_);
  const Residual residual = judge(problem, p_, u_, v_next_);
  const bool certified = residual.within(options.tolerance);
  if (!certified && !(residual.natural_map < solution.residual.natural_map)) return false;
  solution.status = certified ? Status::certified : Status::approximate;
  solution.solver = solver;
  solution.residual = residual;
  solution.p.assign(p_.begin(), p_.end());
  solution.u.assign(u_.begin(), u_.end());
  solution.v_next.assign(v_next_.begin(), v_next_.end());
  if (!alpha.empty()) form_.alpha_to_basis(alpha, solution.basis);
  return certified;
}

}  // namespace pawl
