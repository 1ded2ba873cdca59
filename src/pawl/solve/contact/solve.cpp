#include <pawl/solver.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <type_traits>

#include <pawl/base/numeric_util.h>
#include <pawl/problem/delassus.h>
#include <pawl/solve/contact/admm.h>
#include <pawl/solve/contact/gauss_seidel.h>
#include <pawl/solve/contact/interior_point.h>
#include <pawl/solve/contact/iterative.h>
#include <pawl/solve/contact/minimum_norm.h>
#include <pawl/solve/contact/natural_map.h>
#include <pawl/solve/contact/newton.h>
#include <pawl/solve/contact/planar_active_set.h>
#include <pawl/solve/contact/polyhedral_lcp.h>
#include <pawl/solve/contact/scaled_problem.h>

namespace pawl {

using namespace internal;

namespace {

constexpr std::array<std::string_view, 8> kNames{"none",   "warm", "lemke", "nsgs",
                                                 "newton", "ipm",  "admm",  "cascade"};
constexpr double kToleranceFraction = 0.1;  // tolerance of a method, relative to that of judge()
constexpr double kTighteningFactor = 0.01;  // factor on it if the result is not certified
constexpr int kMaxTightenings = 2;
constexpr int kRefinementSteps = 4;
constexpr int kMaxRefinedRows = 100;  // for larger problems the extra factorisations are expensive
/// Results with a larger residual are rejected, not even approximate.
constexpr double kMaxApproximateResidual = 1e-2;
constexpr double kResidualFloor = 1e-11;        // later methods would not improve on this
constexpr int kMaxUnknownsPivotingFirst = 400;  // limit for pivoting as the first method
/// Limit for pivoting as the last method; takes some seconds.
constexpr int kMaxUnknownsPivotingLast = 1000;
constexpr double kMaxEntries = 1e7;  // of W, for interior point and ADMM: 80 MB
constexpr int kFirstSweeps = 6;      // Gauss-Seidel sweeps before Newton, …
constexpr int kFewRows = 50;  // … halved for up to this many rows, where factoring is as cheap as sweeps …
constexpr int kMaxExpectedSweeps = 8;  // … and continued if convergence is expected within this many
constexpr int kMoreSweeps = 400;       // Gauss-Seidel sweeps for a better start, if the first attempt failed
constexpr int kAdmmIterations = 500;   // the same for ADMM

bool any_polyhedron(const ContactProblem& problem) {
  return std::ranges::any_of(problem.friction, [](const FrictionSet& set) {
    return set.kind == FrictionKind::polyhedron && !set.frictionless();
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

int pivoting_unknowns(const ContactProblem& problem) {
  int unknowns = 0;
  for (int i = 0; i < problem.blocks(); ++i) unknowns += unknowns_of(problem, i);
  return unknowns;
}

/// False for a start of another size or with non-finite entries.
bool usable(std::span<const double> p, const ContactProblem& problem) {
  return p.size() == static_cast<std::size_t>(problem.rows()) && all_finite(p);
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

std::string_view validate(const SolveOptions& options) {
  for (const NewtonOptions* newton : {&options.newton, &options.patient_newton}) {
    if (newton->memory < 1) return "newton.memory below 1";
    if (newton->stall_iterations < 0) return "newton.stray below 0";
    if (!(newton->min_proximal > 0 && newton->min_proximal <= 1))
      return "newton.least_proximal not in (0, 1]";
  }
  if (!(options.admm.penalty > 0)) return "admm.penalty not above 0";
  if (options.admm.penalty_interval < 1) return "admm.penalty_interval below 1";
  return {};
}

std::string_view to_string(ForceUniqueness impulses) {
  switch (impulses) {
    case ForceUniqueness::unknown:
      return "unknown";
    case ForceUniqueness::unique:
      return "unique";
    case ForceUniqueness::least_norm:
      return "least norm";
    case ForceUniqueness::any:
      return "any";
  }
  return "?";
}

class ContactSolver::Methods {
 public:
  void solve(const ContactProblem& problem, const SolveOptions& options, const WarmStart& warm,
             Solution& solution);
  void refine(const ContactProblem& problem, const SolveOptions& options, Solution& solution);

 private:
  struct SolveContext {
    const ContactProblem& problem;
    const SolveOptions& options;
    Solution& solution;
  };
  void find_answer(const SolveContext& context, const WarmStart& warm);
  bool solve_by_pivoting(const SolveContext& context, const WarmStart& warm);
  bool solve_by_iteration(const SolveContext& context, const WarmStart& warm);
  void refine_by_newton(const SolveContext& context);
  void select_least_norm(const SolveContext& context);
  void scale(const ContactProblem& problem);
  template <class Method, class Options>
  bool iterate(const SolveContext& context, SolveMethod name, Method& method, Options options);
  bool consider(const SolveContext& context, SolveMethod method, std::span<const double> p,
                std::span<const char> alpha = {});
  bool consider_motion(const SolveContext& context, SolveMethod method, std::span<const double> p,
                       std::span<const char> alpha = {});
  void consider_if_better(const SolveContext& context, SolveMethod method);

  ScaledProblem scaled_;
  bool is_scaled_ = false;  // scaled_ holds the current problem
  BlockMatrix W_;
  DelassusScratch delassus_scratch_;
  JudgeScratch judge_;
  PolyhedralLcp form_;
  Lemke lemke_;
  PlanarActiveSet planar_active_set_;
  GaussSeidel gauss_seidel_;
  Newton newton_;
  InteriorPoint interior_point_;
  Admm admm_;
  MinimumNorm minimum_norm_;
  UniquenessCheck uniqueness_check_;
  std::vector<char> alpha_;
  std::vector<double> x_, w_, projected_, p_, u_, v_next_;
};

ContactSolver::ContactSolver() : methods_(std::make_unique<Methods>()) {}
ContactSolver::ContactSolver(ContactSolver&&) noexcept = default;
ContactSolver& ContactSolver::operator=(ContactSolver&&) noexcept = default;
ContactSolver::~ContactSolver() = default;

void ContactSolver::solve(const ContactProblem& problem, const SolveOptions& options, const WarmStart& warm,
                          Solution& solution) {
  methods_->solve(problem, options, warm, solution);
}

void ContactSolver::Methods::solve(const ContactProblem& problem, const SolveOptions& options,
                                   const WarmStart& warm, Solution& solution) {
  solution.status = Status::refused;
  solution.method = SolveMethod::none;
  solution.reason = "iteration limit";
  solution.residual = {};
  solution.residual.natural_map = std::numeric_limits<double>::infinity();
  solution.impulses = ForceUniqueness::unknown;
  solution.size = problem.rows();
  solution.iterations = solution.solves = 0;
  solution.basis.assign(std::max(problem.contacts, 0), 0);
  const SolveContext context{problem, options, solution};
  std::string_view wrong = validate(problem);
  if (wrong.empty()) wrong = validate(options);
  if (wrong.empty()) {
    find_answer(context, warm);
  } else {
    solution.reason = wrong;
  }
  if (solution.status == Status::refused) {  // return the motion without impulses
    solution.p.assign(std::max(problem.rows(), 0), 0.0);
    solution.u.assign(problem.b.begin(), problem.b.end());
    solution.v_next.assign(problem.motion.v_free.begin(), problem.motion.v_free.end());
  }
}

void ContactSolver::refine(const ContactProblem& problem, const SolveOptions& options, Solution& solution) {
  methods_->refine(problem, options, solution);
}

void ContactSolver::Methods::refine(const ContactProblem& problem, const SolveOptions& options,
                                    Solution& solution) {
  const SolveContext context{problem, options, solution};
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
  consider_if_better(context, SolveMethod::gauss_seidel);
  if (solution.residual.worst() > kToleranceFraction * options.tolerance) refine_by_newton(context);
}

void ContactSolver::Methods::find_answer(const SolveContext& context, const WarmStart& warm) {
  const auto& [problem, options, solution] = context;
  is_scaled_ = false;
  p_.assign(problem.rows(), 0.0);
  // Polyhedral friction is linear: pivoting gives an exact solution or reports failure. Its cost is cubic in
  // the number of unknowns, so for large problems it is the last resort.
  const bool cascade = options.method == SolveMethod::cascade, linear = cascade && any_polyhedron(problem);
  const int unknowns = linear ? pivoting_unknowns(problem) : 0;
  const bool pivots_first =
      options.method == SolveMethod::lemke || (linear && unknowns <= kMaxUnknownsPivotingFirst);
  const bool certified =
      (all_separate(problem) && consider(context, SolveMethod::none, p_)) ||
      (pivots_first && solve_by_pivoting(context, warm)) ||
      (options.method != SolveMethod::lemke && solve_by_iteration(context, warm)) ||
      (linear && !pivots_first && unknowns <= kMaxUnknownsPivotingLast && solve_by_pivoting(context, warm));
  if (solution.status == Status::approximate) solution.reason = "residual";
  if (certified && solution.residual.worst() > options.target_residual && problem.contacts > 0 &&
      problem.rows() <= kMaxRefinedRows) {
    refine_by_newton(context);
  }
  // A problem of joints alone is linear, and regularisation has already selected among redundant impulses.
  const bool may_choose = problem.contacts > 0 || options.check_uniqueness;
  if (certified && options.least_norm && may_choose) select_least_norm(context);
}

bool ContactSolver::Methods::solve_by_pivoting(const SolveContext& context, const WarmStart& warm) {
  const auto& [problem, options, solution] = context;
  const std::string_view unsupported_reason = PolyhedralLcp::unsupported_reason(problem);
  if (!unsupported_reason.empty() || pivoting_unknowns(problem) > options.max_unknowns) {
    // Not a reason for the cascade: other methods follow.
    if (options.method == SolveMethod::lemke)
      solution.reason = unsupported_reason.empty() ? "too large" : unsupported_reason;
    return false;
  }
  if (problem.primal()) compute_delassus(problem, W_, delassus_scratch_);
  if (!form_.formulate(problem, problem.primal() ? W_ : problem.W)) {
    solution.reason = "bilateral rows that contradict one another, or are not finite";
    return false;
  }
  const Lcp& lcp = form_.lcp();
  solution.size = lcp.n;
  if (warm.basis.size() == static_cast<std::size_t>(problem.contacts)) {
    form_.basis_to_alpha(warm.basis, alpha_);
    ++solution.solves;
    if (lemke_.solve_basis(lcp, alpha_) <= options.warm_feasibility_tolerance) {
      form_.impulses(lemke_.z(), p_);
      if (consider(context, SolveMethod::warm, p_, alpha_)) return true;
    }
  }
  const LemkeResult lemke = lemke_.solve(lcp, options.lemke);
  ++solution.solves;
  solution.iterations += lemke.pivots;
  if (lemke.outcome == LemkeOutcome::solved || lemke.outcome == LemkeOutcome::numerical_failure) {
    form_.impulses(lemke_.z(), p_);
    if (consider(context, SolveMethod::lemke, p_, lemke_.basic())) return true;
  } else {
    solution.reason = to_string(lemke.outcome);
  }
  return false;
}

bool ContactSolver::Methods::solve_by_iteration(const SolveContext& context, const WarmStart& warm) {
  const ContactProblem& problem = context.problem;
  const SolveOptions& options = context.options;
  Solution& solution = context.solution;
  const bool cascade = options.method == SolveMethod::cascade;
  const bool warmed = usable(warm.p, problem);
  if (cascade && !warmed && !problem.primal() && problem.contacts == problem.blocks()) {
    if (gauss_seidel_.solve_decoupled(problem, p_)) {
      ++solution.solves;
      ++solution.iterations;
      if (consider(context, SolveMethod::gauss_seidel, p_)) return true;
    } else if (PlanarActiveSet::applies(problem)) {
      const IterativeResult result = planar_active_set_.solve(problem, p_);
      ++solution.solves;
      solution.iterations += result.iterations;
      if (result.converged && consider(context, SolveMethod::newton, p_)) return true;
    }
  }
  scale(problem);
  if (solution.status == Status::approximate) {  // start from Lemke's result
    scaled_.to_scaled(solution.p, x_);
  } else if (warmed) {
    scaled_.to_scaled(warm.p, x_);
  } else {
    std::ranges::fill(x_, 0.0);
  }
  const auto asked = [&](SolveMethod method) { return cascade || options.method == method; };
  const auto restore_best = [&] {
    if (solution.status == Status::approximate) scaled_.to_scaled(solution.p, x_);
    if (!all_finite(x_)) std::ranges::fill(x_, 0.0);
  };
  // Without contacts the equations are linear: one interior-point step solves them. One sweep solves a single
  // block.
  if (cascade && problem.contacts == 0 && problem.blocks() > 1) {
    if (iterate(context, SolveMethod::interior_point, interior_point_, options.interior_point)) return true;
    restore_best();
  }
  if (asked(SolveMethod::gauss_seidel)) {
    GaussSeidelOptions sweeps = options.gauss_seidel;
    if (cascade) {
      sweeps.min_sweeps = problem.rows() <= kFewRows ? kFirstSweeps / 2 : kFirstSweeps;
      sweeps.max_expected_sweeps = kMaxExpectedSweeps;
    }
    if (iterate(context, SolveMethod::gauss_seidel, gauss_seidel_, sweeps)) return true;
    if (cascade) restore_best();
  }
  if (asked(SolveMethod::newton)) {
    if (iterate(context, SolveMethod::newton, newton_, options.newton)) return true;
    if (cascade && solution.residual.worst() <= kResidualFloor) return false;
  }
  // Bodies that touch thousands of others make W dense. The methods above do not need W.
  const bool too_large = scaled_.entries_of_W() > kMaxEntries;
  if (too_large && (options.method == SolveMethod::interior_point || options.method == SolveMethod::admm))
    solution.reason = "too large";
  if (asked(SolveMethod::interior_point) && !too_large) {
    if (InteriorPoint::applies(scaled_)) {
      // The central path starts far inside the cones. A start from which Newton failed would lead away from
      // it.
      if (cascade) std::ranges::fill(x_, 0.0);
      if (iterate(context, SolveMethod::interior_point, interior_point_, options.interior_point)) return true;
      if (iterate(context, SolveMethod::interior_point, newton_, options.newton)) return true;  // refine
    } else if (!cascade) {
      solution.reason = "friction set";
    }
  }
  // Longer runs from a better start.
  const NewtonOptions& patient = options.patient_newton;
  if (cascade) {
    GaussSeidelOptions sweeps = options.gauss_seidel;
    sweeps.max_sweeps = std::min(sweeps.max_sweeps, kMoreSweeps);
    restore_best();
    if (iterate(context, SolveMethod::gauss_seidel, gauss_seidel_, sweeps)) return true;
    if (iterate(context, SolveMethod::newton, newton_, patient)) return true;
    restore_best();
  }
  if (asked(SolveMethod::admm) && !too_large) {
    AdmmOptions admm = options.admm;
    if (cascade) admm.max_iterations = std::min(admm.max_iterations, kAdmmIterations);
    if (iterate(context, SolveMethod::admm, admm_, admm)) return true;
    if (iterate(context, SolveMethod::admm, newton_, patient)) return true;
  }
  return false;
}

/// Gauss-Seidel stops near the tolerance, and its error accumulates over a run: bodies creep. A few Newton
/// steps remove it.
void ContactSolver::Methods::refine_by_newton(const SolveContext& context) {
  const auto& [problem, options, solution] = context;
  scale(problem);
  scaled_.to_scaled(solution.p, x_);
  NewtonOptions newton = options.newton;
  newton.tolerance = kToleranceFraction * options.target_residual;
  newton.max_iterations = kRefinementSteps;
  solution.iterations += newton_.solve(scaled_, newton, x_).iterations;
  ++solution.solves;
  consider_if_better(context, solution.method);
}

/// Velocities are unchanged, unless the laws held so loosely that the velocities were refined first.
void ContactSolver::Methods::select_least_norm(const SolveContext& context) {
  const auto& [problem, options, solution] = context;
  if (problem.primal() && uniqueness_check_.impulses_are_unique(problem)) {
    solution.impulses = ForceUniqueness::unique;
    return;
  }
  scale(problem);
  scaled_.to_scaled(solution.p, x_);
  const double tolerance = kToleranceFraction * options.tolerance;
  MinimumNormResult result = minimum_norm_.refine(scaled_, tolerance, x_);
  solution.iterations += result.iterations;
  if (result.same && options.check_uniqueness) {
    projected_.assign(x_.begin(), x_.end());
    result.unique = !minimum_norm_.has_other_solutions(scaled_, tolerance, projected_);
  }
  solution.impulses = result.unique ? ForceUniqueness::unique : ForceUniqueness::any;
  if (!result.refined) return;
  scaled_.impulses(x_, p_);
  v_next_.assign(solution.v_next.begin(), solution.v_next.end());
  const bool taken = consider_motion(context, solution.method, p_) || consider(context, solution.method, p_);
  if (taken && !result.unique) solution.impulses = ForceUniqueness::least_norm;
}

/// Prepares scaled_ and x_, once per solve.
void ContactSolver::Methods::scale(const ContactProblem& problem) {
  x_.resize(problem.rows());
  if (!is_scaled_) scaled_.set(problem);
  is_scaled_ = true;
}

/// Runs a method from x_ to a fraction of the tolerance, and tightens it if the result is not certified.
template <class Method, class Options>
bool ContactSolver::Methods::iterate(const SolveContext& context, SolveMethod name, Method& method,
                                     Options options) {
  Solution& solution = context.solution;
  options.tolerance = kToleranceFraction * context.options.tolerance;
  // The first sweeps of a cascade only provide a start for Newton. Their result is judged only if it may be
  // certified.
  const bool only_a_start = std::is_same_v<Method, GaussSeidel> &&
                            context.options.method == SolveMethod::cascade &&
                            solution.status == Status::refused;
  for (int tightenings = 0; tightenings <= kMaxTightenings; ++tightenings) {
    const IterativeResult result = method.solve(scaled_, options, x_);
    ++solution.solves;
    solution.iterations += result.iterations;
    if (only_a_start && !(result.error <= context.options.tolerance)) return false;
    scaled_.impulses(x_, p_);
    if (consider(context, name, p_)) return true;
    if constexpr (std::is_same_v<Method, Newton>) {
      if (!method.body_velocity_changes().empty()) {
        v_next_.resize(context.problem.motion.v_free.size());
        scaled_.body_velocities(method.body_velocity_changes(), v_next_);
        if (consider_motion(context, name, p_)) return true;
      }
    }
    // A contact far smaller than the others carries their rounding error. Projecting it on its laws last
    // removes it.
    w_.resize(x_.size());
    scaled_.velocities(x_, w_);
    projected_.assign(x_.begin(), x_.end());
    project_on_constraints(scaled_, w_, projected_);
    scaled_.impulses(projected_, p_);
    if (consider(context, name, p_)) return true;
    if (!result.converged) break;
    options.tolerance *= kTighteningFactor;
  }
  return false;
}

/// Judges a solution and keeps it if it is the best so far. Returns true if it is certified.
bool ContactSolver::Methods::consider(const SolveContext& context, SolveMethod method,
                                      std::span<const double> p, std::span<const char> alpha) {
  v_next_.resize(context.problem.motion.v_free.size());
  if (context.problem.primal()) velocity_after(context.problem, p, v_next_);
  return consider_motion(context, method, p, alpha);
}

/// The same with the velocities in v_next_.
bool ContactSolver::Methods::consider_motion(const SolveContext& context, SolveMethod method,
                                             std::span<const double> p, std::span<const char> alpha) {
  const auto& [problem, options, solution] = context;
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
void ContactSolver::Methods::consider_if_better(const SolveContext& context, SolveMethod method) {
  const ContactProblem& problem = context.problem;
  p_.resize(problem.rows());
  scaled_.impulses(x_, p_);
  v_next_.resize(problem.motion.v_free.size());
  if (problem.primal()) velocity_after(problem, p_, v_next_);
  u_.resize(problem.rows());
  const double residual = judge_motion(problem, p_, v_next_, u_, judge_).worst();
  if (residual < context.solution.residual.worst()) consider_motion(context, method, p_);
}

Solution solve(const ContactProblem& problem, const SolveOptions& options) {
  Solution solution;
  ContactSolver().solve(problem, options, {}, solution);
  return solution;
}

}  // namespace pawl
