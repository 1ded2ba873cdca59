#include <pawl/solve/solve.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <type_traits>

namespace pawl {
namespace {

constexpr std::array<std::string_view, 8> kNames{"none",   "warm", "lemke", "nsgs",
                                                 "newton", "ipm",  "admm",  "cascade"};
constexpr double kShareOfTolerance = 0.1;  // what a method aims at, of what the judge will ask
constexpr double kTighter = 0.01;          // where the judge is not content all the same
constexpr int kMostTightenings = 2;
constexpr double kWorthless = 1e-2;     // residual of what is no answer, not even an approximate one
constexpr double kFinest = 1e-11;       // residual that no later method would better
constexpr int kFirstSweeps = 6;         // of Gauss-Seidel before Newton …
constexpr int kMostExpectedSweeps = 8;  // … unless this many more are expected to do
constexpr int kMoreSweeps = 400;        // of Gauss-Seidel for a better start, where the first was not good
constexpr int kAdmmIterations = 500;    // likewise

bool any_polyhedron(const ContactProblem& problem) {
  return std::ranges::any_of(problem.friction, [](const FrictionSet& set) {
    return !set.frictionless() && set.kind == FrictionKind::polyhedron;
  });
}

bool all_separate(const ContactProblem& problem) {
  for (int c = 0; c < problem.contacts; ++c) {
    if (!(problem.b[problem.begin[c]] + problem.zeta[c] >= 0)) return false;
  }
  for (int r = problem.begin[problem.contacts]; r < problem.rows(); ++r) {
    if (problem.b[r] != 0) return false;
  }
  return true;
}

/// A start of another size, or not finite, is none.
bool usable(std::span<const double> p, const ContactProblem& problem) {
  return p.size() == static_cast<std::size_t>(problem.rows()) &&
         std::ranges::all_of(p, [](double x) { return std::isfinite(x); });
}

}  // namespace

std::string_view to_string(SolveMethod method) {
  return kNames[static_cast<std::size_t>(method)];
}

std::optional<SolveMethod> solve_method(std::string_view name) {
  for (std::size_t i = static_cast<std::size_t>(SolveMethod::lemke); i < kNames.size(); ++i) {
    if (kNames[i] == name) return static_cast<SolveMethod>(i);
  }
  return std::nullopt;
}

std::string_view to_string(Impulses impulses) {
  switch (impulses) {
    case Impulses::unknown:
      return "unknown";
    case Impulses::unique:
      return "unique";
    case Impulses::least_norm:
      return "least norm";
    case Impulses::any:
      return "any";
  }
  return "?";
}

void ContactSolver::solve(const ContactProblem& problem, const SolveOptions& options, const WarmStart& warm,
                          Solution& solution) {
  solution.status = Status::refused;
  solution.method = SolveMethod::none;
  solution.reason = "iteration limit";
  solution.residual = {};
  solution.residual.natural_map = std::numeric_limits<double>::infinity();
  solution.impulses = Impulses::unknown;
  solution.size = problem.rows();
  solution.iterations = solution.solves = 0;
  solution.p.assign(std::max(problem.rows(), 0), 0.0);
  solution.u.assign(problem.b.begin(), problem.b.end());
  solution.v_next.assign(problem.motion.v_free.begin(), problem.motion.v_free.end());
  solution.basis.assign(std::max(problem.contacts, 0), 0);
  const Try attempt{problem, options, solution};
  if (const std::string_view wrong = flaw(problem); !wrong.empty()) {
    solution.reason = wrong;
    return;
  }

  p_.assign(problem.rows(), 0.0);
  if (all_separate(problem) && consider(attempt, SolveMethod::none, p_)) return;
  // Polyhedra are linear: pivoting ends with an exact answer, or says that it has none.
  const bool pivots = options.method == SolveMethod::lemke ||
                      (options.method == SolveMethod::cascade && any_polyhedron(problem));
  const bool iterates = options.method != SolveMethod::lemke;
  const bool certified = (pivots && by_pivoting(attempt, warm)) || (iterates && by_iterating(attempt, warm));
  if (solution.status == Status::approximate) solution.reason = "residual";
  if (certified && options.least_norm) take_least_norm(attempt);
}

bool ContactSolver::by_pivoting(const Try& attempt, const WarmStart& warm) {
  const auto& [problem, options, solution] = attempt;
  const std::string_view obstacle = PolyhedralLcp::obstacle(problem);
  int unknowns = 0;
  for (int c = 0; c < problem.contacts; ++c) unknowns += unknowns_of(problem, c);
  if (!obstacle.empty() || unknowns > options.most_unknowns) {
    // Of a cascade this is no reason: others follow.
    if (options.method == SolveMethod::lemke) solution.reason = obstacle.empty() ? "too large" : obstacle;
    return false;
  }
  if (problem.factored()) condense(problem, W_, condense_);
  form_.formulate(problem, problem.factored() ? W_ : problem.W);
  const Lcp& lcp = form_.lcp();
  solution.size = lcp.n;
  if (warm.basis.size() == static_cast<std::size_t>(problem.contacts)) {
    form_.basis_to_alpha(warm.basis, alpha_);
    ++solution.solves;
    if (lemke_.solve_basis(lcp, alpha_) <= options.warm_feasible) {
      form_.impulses(lemke_.z(), p_);
      if (consider(attempt, SolveMethod::warm, p_, alpha_)) return true;
    }
  }
  const LemkeResult lemke = lemke_.solve(lcp, options.lemke);
  ++solution.solves;
  solution.iterations += lemke.pivots;
  if (lemke.outcome == LemkeOutcome::solved || lemke.outcome == LemkeOutcome::numerical_failure) {
    form_.impulses(lemke_.z(), p_);
    if (consider(attempt, SolveMethod::lemke, p_, lemke_.basic())) return true;
  } else {
    solution.reason = to_string(lemke.outcome);
  }
  return false;
}

bool ContactSolver::by_iterating(const Try& attempt, const WarmStart& warm) {
  const auto& [problem, options, solution] = attempt;
  const bool cascade = options.method == SolveMethod::cascade;
  scaled_.set(problem);
  x_.resize(problem.rows());
  if (solution.status == Status::approximate) {  // what Lemke found is a start
    scaled_.unknowns(solution.p, x_);
  } else if (usable(warm.p, problem)) {
    scaled_.unknowns(warm.p, x_);
  } else {
    std::ranges::fill(x_, 0.0);
  }
  const auto asked = [&](SolveMethod method) { return cascade || options.method == method; };
  const auto go_back_to_best = [&] {
    if (solution.status == Status::approximate) scaled_.unknowns(solution.p, x_);
    if (!std::ranges::all_of(x_, [](double x) { return std::isfinite(x); })) std::ranges::fill(x_, 0.0);
  };
  if (asked(SolveMethod::gauss_seidel)) {
    GaussSeidelOptions sweeps = options.gauss_seidel;
    if (cascade) sweeps.least_sweeps = kFirstSweeps, sweeps.most_expected = kMostExpectedSweeps;
    if (iterate(attempt, SolveMethod::gauss_seidel, gauss_seidel_, sweeps)) return true;
    if (cascade) go_back_to_best();
  }
  if (asked(SolveMethod::newton)) {
    if (iterate(attempt, SolveMethod::newton, newton_, options.newton)) return true;
    if (cascade && solution.residual.deciding() <= kFinest) return false;
  }
  if (asked(SolveMethod::interior_point)) {
    if (InteriorPoint::applies(scaled_)) {
      // Its path begins far inside the cones; a start that Newton failed from leads off it.
      if (cascade) std::ranges::fill(x_, 0.0);
      if (iterate(attempt, SolveMethod::interior_point, interior_point_, options.interior_point)) return true;
      if (iterate(attempt, SolveMethod::interior_point, newton_, options.newton)) return true;  // polish
    } else if (!cascade) {
      solution.reason = "friction set";
    }
  }
  // Longer runs from a better start.
  const NewtonOptions& patient = options.patient_newton;
  if (cascade) {
    GaussSeidelOptions sweeps = options.gauss_seidel;
    sweeps.most_sweeps = std::min(sweeps.most_sweeps, kMoreSweeps);
    go_back_to_best();
    if (iterate(attempt, SolveMethod::gauss_seidel, gauss_seidel_, sweeps)) return true;
    if (iterate(attempt, SolveMethod::newton, newton_, patient)) return true;
    go_back_to_best();
  }
  if (asked(SolveMethod::admm)) {
    AdmmOptions admm = options.admm;
    if (cascade) admm.most_iterations = std::min(admm.most_iterations, kAdmmIterations);
    if (iterate(attempt, SolveMethod::admm, admm_, admm)) return true;
    if (iterate(attempt, SolveMethod::admm, newton_, patient)) return true;
  }
  return false;
}

void ContactSolver::take_least_norm(const Try& attempt) {
  const auto& [problem, options, solution] = attempt;
  scaled_.set(problem);
  x_.resize(problem.rows());
  scaled_.unknowns(solution.p, x_);
  const MinimumNormResult result = minimum_norm_.refine(scaled_, kShareOfTolerance * options.tolerance, x_);
  solution.iterations += result.iterations;
  solution.impulses = result.unique ? Impulses::unique : Impulses::any;
  if (result.unique || !result.refined) return;
  scaled_.impulses(x_, p_);
  if (consider(attempt, solution.method, p_)) solution.impulses = Impulses::least_norm;
}

/// Runs a method from x_ to a share of the tolerance, and on where the judge asks for more.
template <class Method, class Options>
bool ContactSolver::iterate(const Try& attempt, SolveMethod name, Method& method, Options options) {
  Solution& solution = attempt.solution;
  options.tolerance = kShareOfTolerance * attempt.options.tolerance;
  for (int tightenings = 0; tightenings <= kMostTightenings; ++tightenings) {
    const IterativeResult result = method.solve(scaled_, options, x_);
    ++solution.solves;
    solution.iterations += result.iterations;
    scaled_.impulses(x_, p_);
    if (consider(attempt, name, p_)) return true;
    if constexpr (std::is_same_v<Method, Newton>) {
      if (!method.body_changes().empty()) {
        v_next_.resize(attempt.problem.motion.v_free.size());
        scaled_.body_velocities(method.body_changes(), v_next_);
        if (consider_motion(attempt, name, p_)) return true;
      }
    }
    if (!result.converged) break;
    options.tolerance *= kTighter;
  }
  return false;
}

/// Puts an answer before the judge and keeps it if it is the best so far; true if it is certified.
bool ContactSolver::consider(const Try& attempt, SolveMethod method, std::span<const double> p,
                             std::span<const char> alpha) {
  v_next_.resize(attempt.problem.motion.v_free.size());
  if (attempt.problem.factored()) velocity_after(attempt.problem, p, v_next_);
  return consider_motion(attempt, method, p, alpha);
}

/// The same with the velocities in v_next_.
bool ContactSolver::consider_motion(const Try& attempt, SolveMethod method, std::span<const double> p,
                                    std::span<const char> alpha) {
  const auto& [problem, options, solution] = attempt;
  u_.resize(problem.rows());
  const Residual residual = judge_motion(problem, p, v_next_, u_, judge_);
  const bool certified = residual.within(options.tolerance);
  if (!certified && (solution.status == Status::certified ||
                     !(residual.deciding() < std::min(solution.residual.deciding(), kWorthless))))
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

Solution solve(const ContactProblem& problem, const SolveOptions& options) {
  Solution solution;
  ContactSolver().solve(problem, options, {}, solution);
  return solution;
}

}  // namespace pawl
