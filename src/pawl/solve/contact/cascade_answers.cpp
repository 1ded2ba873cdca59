// Judging and refining the answers of the cascade.

#include <algorithm>
#include <cassert>

#include <pawl/base/tolerances.h>
#include <pawl/solve/contact/cascade.h>

namespace pawl::internal {

namespace {

constexpr int kRefinementSteps = 4;
/// Results with a larger residual are rejected, not even approximate.
constexpr double kMaxApproximateResidual = tolerances::kRough;

}  // namespace

void Cascade::refine(const ContactProblem& problem, const SolveOptions& options, Solution& solution) {
  assert(std::ssize(solution.p) == problem.rows());
  const Call call{problem, options, solution};
  solution.iterations = solution.solves = 0;
  is_scaled_ = false;
  if (problem.contacts == 0) return;
  scale(problem);
  scaled_.to_scaled(solution.p, x_);
  GaussSeidelOptions sweeps = options.gauss_seidel;
  sweeps.tolerance = kToleranceFraction * kToleranceFraction * options.tolerance;
  sweeps.max_sweeps = kFirstSweeps;
  solution.iterations += gauss_seidel_.solve(scaled_, sweeps, x_).iterations;
  ++solution.solves;
  consider_if_better(call, SolveMethod::gauss_seidel);
  if (solution.residual.worst() > kToleranceFraction * options.tolerance) refine_by_newton(call);
}

void Cascade::choose_least_norm(const ContactProblem& problem, const SolveOptions& options,
                                Solution& solution) {
  assert(std::ssize(solution.p) == problem.rows());
  is_scaled_ = false;
  p_.resize(problem.rows());
  if (problem.contacts > 0) select_least_norm({problem, options, solution});
}

/// Gauss-Seidel stops near the tolerance, and its error accumulates over a run: bodies creep. A few Newton
/// steps remove it.
void Cascade::refine_by_newton(const Call& call) {
  const ContactProblem& problem = call.problem;
  const SolveOptions& options = call.options;
  Solution& solution = call.solution;
  scale(problem);
  scaled_.to_scaled(solution.p, x_);
  NewtonOptions newton = options.newton;
  newton.tolerance = kToleranceFraction * options.target_residual;
  newton.max_iterations = kRefinementSteps;
  solution.iterations += newton_.solve(scaled_, newton, x_).iterations;
  ++solution.solves;
  consider_if_better(call, solution.method);
}

/// Velocities are unchanged, unless the laws held so loosely that the velocities were refined first.
void Cascade::select_least_norm(const Call& call) {
  const ContactProblem& problem = call.problem;
  const SolveOptions& options = call.options;
  Solution& solution = call.solution;
  if (!problem.motion.compliance.empty()) return;  // compliant rows determine their impulses
  if (problem.primal() && uniqueness_check_.impulses_are_unique(problem)) {
    solution.impulses = ForceUniqueness::unique;
    return;
  }
  scale(problem);
  scaled_.to_scaled(solution.p, x_);
  const double tolerance = kToleranceFraction * options.tolerance;
  MinimumNormResult result = minimum_norm_.refine(scaled_, tolerance, x_, options.least_norm_steps);
  solution.iterations += result.iterations;
  if (result.same && options.check_uniqueness) {
    projected_.assign(x_.begin(), x_.end());
    result.unique = !minimum_norm_.has_other_solutions(scaled_, tolerance, projected_);
  }
  solution.impulses = result.unique ? ForceUniqueness::unique : ForceUniqueness::any;
  if (!result.refined) return;
  scaled_.impulses(x_, p_);
  v_next_.assign(solution.v_next.begin(), solution.v_next.end());
  const bool taken = consider_motion(call, solution.method, p_) || consider(call, solution.method, p_);
  if (taken && !result.unique) solution.impulses = ForceUniqueness::least_norm;
}

/// Judges a solution and keeps it if it is the best so far. Returns true if it is certified.
bool Cascade::consider(const Call& call, SolveMethod method, std::span<const double> p,
                       std::span<const char> alpha) {
  v_next_.resize(call.problem.motion.v_free.size());
  if (call.problem.primal()) velocity_after(call.problem, p, v_next_);
  return consider_motion(call, method, p, alpha);
}

/// The same with the velocities in v_next_.
bool Cascade::consider_motion(const Call& call, SolveMethod method, std::span<const double> p,
                              std::span<const char> alpha) {
  const ContactProblem& problem = call.problem;
  const SolveOptions& options = call.options;
  Solution& solution = call.solution;
  u_.resize(problem.rows());
  const Residual residual = judge_motion(problem, p, v_next_, u_, judge_);
  const bool certified = residual.within(options.tolerance);
  if (!certified && (solution.status == Status::certified ||
                     !(residual.worst() < std::min(solution.residual.worst(), kMaxApproximateResidual))))
    return false;
  solution.status = certified ? Status::certified : Status::approximate;
  solution.method = method;
  solution.residual = residual;
  solution.p.assign(p.begin(), p.end());
  solution.u.assign(u_.begin(), u_.end());
  solution.v_next.assign(v_next_.begin(), v_next_.end());
  if (!alpha.empty()) form_.alpha_to_basis(alpha, solution.basis);
  if (certified) solution.reason = {};
  return certified;
}

/// Takes x_ if its residual is smaller.
void Cascade::consider_if_better(const Call& call, SolveMethod method) {
  const ContactProblem& problem = call.problem;
  p_.resize(problem.rows());
  scaled_.impulses(x_, p_);
  v_next_.resize(problem.motion.v_free.size());
  if (problem.primal()) velocity_after(problem, p_, v_next_);
  u_.resize(problem.rows());
  const double residual = judge_motion(problem, p_, v_next_, u_, judge_).worst();
  if (residual < call.solution.residual.worst()) consider_motion(call, method, p_);
}

}  // namespace pawl::internal
