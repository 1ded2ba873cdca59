#include <pawl/solve/contact/cascade.h>

#include <algorithm>
#include <limits>
#include <type_traits>

#include <pawl/base/numeric_util.h>
#include <pawl/base/tolerances.h>
#include <pawl/solve/contact/natural_map.h>

namespace pawl::internal {

namespace {

constexpr double kTighteningFactor = 0.01;  // factor on a method's tolerance if its result is not certified
constexpr int kMaxTightenings = 2;
constexpr double kResidualFloor = tolerances::kPivoted;  // later methods would not improve on this
constexpr int kMaxUnknownsPivotingFirst = 400;           // limit for pivoting as the first method
/// Limit for pivoting as the last method; takes some seconds.
constexpr int kMaxUnknownsPivotingLast = 1000;
constexpr double kMaxEntries = 1e7;  // of W, for interior point and ADMM: 80 MB
constexpr int kFewRows = 50;  // kFirstSweeps is halved for these, where factoring is as cheap as sweeps …
constexpr int kMaxExpectedSweeps = 8;  // … and continued if convergence is expected within this many
constexpr int kMoreSweeps = 400;       // Gauss-Seidel sweeps for a better start, if the first attempt failed
constexpr int kAdmmIterations = 500;   // the same for ADMM
constexpr int kMaxRefinedRows = 100;   // for larger problems the extra factorisations are expensive

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

// Column `options`

GaussSeidelOptions first_sweeps(const SolveOptions& options, const ContactProblem& problem) {
  GaussSeidelOptions sweeps = options.gauss_seidel;
  if (options.method == SolveMethod::cascade) {
    sweeps.min_sweeps = problem.rows() <= kFewRows ? kFirstSweeps / 2 : kFirstSweeps;
    sweeps.max_expected_sweeps = kMaxExpectedSweeps;
  }
  return sweeps;
}

GaussSeidelOptions more_sweeps(const SolveOptions& options, const ContactProblem&) {
  GaussSeidelOptions sweeps = options.gauss_seidel;
  sweeps.max_sweeps = std::min(sweeps.max_sweeps, kMoreSweeps);
  return sweeps;
}

NewtonOptions newton(const SolveOptions& options, const ContactProblem&) {
  return options.newton;
}

NewtonOptions patient(const SolveOptions& options, const ContactProblem&) {
  return options.patient_newton;
}

InteriorPointOptions interior_point(const SolveOptions& options, const ContactProblem&) {
  return options.interior_point;
}

AdmmOptions admm(const SolveOptions& options, const ContactProblem&) {
  AdmmOptions admm = options.admm;
  if (options.method == SolveMethod::cascade)
    admm.max_iterations = std::min(admm.max_iterations, kAdmmIterations);
  return admm;
}

}  // namespace

// Polyhedral friction is linear: pivoting gives an exact solution or reports failure. Its cost is cubic in
// the number of unknowns, so for large problems it is the last resort. Without contacts the equations are
// linear: one interior-point step solves them. The central path of the interior-point method starts far
// inside the cones. A start from which Newton failed would lead away from it. Newton then refines its answer,
// and that of ADMM.
// clang-format off
const Cascade::Row Cascade::kTable[] = {
  // method                     applies                    unsupported                       start        run
  {SolveMethod::none,           &Cascade::separates,       nullptr,                          Start::none, &Cascade::take_zero},
  {SolveMethod::lemke,          &Cascade::pivots_first,    &Cascade::not_for_pivoting,       Start::none, &Cascade::solve_by_pivoting},
  {SolveMethod::gauss_seidel,   &Cascade::starts_cold,     nullptr,                          Start::none, &Cascade::solve_directly},
  {SolveMethod::interior_point, &Cascade::has_joints_only, nullptr,                          Start::keep, &Cascade::solve_by<&Cascade::interior_point_, interior_point>},
  {SolveMethod::gauss_seidel,   &Cascade::is_asked,        nullptr,                          Start::best, &Cascade::solve_by<&Cascade::gauss_seidel_, first_sweeps>},
  {SolveMethod::newton,         &Cascade::is_asked,        nullptr,                          Start::best, &Cascade::solve_by_newton},
  {SolveMethod::interior_point, &Cascade::is_asked,        &Cascade::not_for_interior_point, Start::zero, &Cascade::solve_by<&Cascade::interior_point_, interior_point>},
  {SolveMethod::interior_point, &Cascade::is_asked,        &Cascade::not_for_interior_point, Start::keep, &Cascade::solve_by<&Cascade::newton_, newton>},
  {SolveMethod::gauss_seidel,   &Cascade::is_cascade,      nullptr,                          Start::best, &Cascade::solve_by<&Cascade::gauss_seidel_, more_sweeps>},
  {SolveMethod::newton,         &Cascade::is_cascade,      nullptr,                          Start::keep, &Cascade::solve_by<&Cascade::newton_, patient>},
  {SolveMethod::admm,           &Cascade::is_asked,        &Cascade::too_large,              Start::best, &Cascade::solve_by<&Cascade::admm_, admm>},
  {SolveMethod::admm,           &Cascade::is_asked,        &Cascade::too_large,              Start::keep, &Cascade::solve_by<&Cascade::newton_, patient>},
  {SolveMethod::lemke,          &Cascade::pivots_last,     &Cascade::not_for_pivoting,       Start::none, &Cascade::solve_by_pivoting},
};
// clang-format on

/// True if an answer is certified.
bool Cascade::run_table(Call& call) {
  for (const Row& row : kTable) {
    if (!(this->*row.applies)(call, row.method)) continue;
    const std::string_view reason = row.unsupported ? (this->*row.unsupported)(call) : std::string_view{};
    if (!reason.empty()) {
      if (!call.cascade) call.solution.reason = reason;  // in a cascade other methods follow
      continue;
    }
    set_start(call, row.start);
    if ((this->*row.run)(call, row.method)) return true;
  }
  return false;
}

void Cascade::solve(const ContactProblem& problem, const SolveOptions& options, const WarmStart& warm,
                    Solution& solution) {
  solution.status = Status::refused;
  solution.method = SolveMethod::none;
  solution.reason = "iteration limit";
  solution.residual = {};
  solution.residual.natural_map = std::numeric_limits<double>::infinity();
  solution.impulses = ForceUniqueness::unknown;
  solution.size = problem.rows();
  solution.iterations = solution.solves = 0;
  solution.basis.assign(std::max(problem.contacts, 0), 0);
  std::string_view wrong = validate(problem);
  if (wrong.empty()) wrong = validate(options);
  if (wrong.empty()) {
    Call call{problem, options, solution, warm, options.method == SolveMethod::cascade};
    if (call.cascade && any_polyhedron(problem)) call.unknowns = pivoting_unknowns(problem);
    find_answer(call);
  } else {
    solution.reason = wrong;
  }
  if (solution.status == Status::refused) {  // return the motion without impulses
    solution.p.assign(std::max(problem.rows(), 0), 0.0);
    solution.u.assign(problem.b.begin(), problem.b.end());
    solution.v_next.assign(problem.motion.v_free.begin(), problem.motion.v_free.end());
  }
}

void Cascade::find_answer(Call& call) {
  const ContactProblem& problem = call.problem;
  is_scaled_ = false;
  p_.assign(problem.rows(), 0.0);
  const bool certified = run_table(call);
  if (call.solution.status == Status::approximate) call.solution.reason = "residual";
  if (!certified) return;
  if (call.solution.residual.worst() > call.options.target_residual && problem.contacts > 0 &&
      problem.rows() <= kMaxRefinedRows) {
    refine_by_newton(call);
  }
  // A problem of joints alone is linear, and regularisation has already selected among redundant impulses.
  const bool may_choose = problem.contacts > 0 || call.options.check_uniqueness;
  if (call.options.least_norm && may_choose) select_least_norm(call);
}

void Cascade::set_start(Call& call, Start start) {
  if (start == Start::none) return;
  set_first_start(call);
  if (!call.cascade || start == Start::keep) return;
  if (start == Start::zero) {
    std::ranges::fill(x_, 0.0);
    return;
  }
  if (call.solution.status == Status::approximate) scaled_.to_scaled(call.solution.p, x_);
  if (!all_finite(x_)) std::ranges::fill(x_, 0.0);
}

/// Scales the problem. x_ is Lemke's answer if it is approximate, else the warm start, else 0.
void Cascade::set_first_start(Call& call) {
  if (call.started) return;
  call.started = true;
  scale(call.problem);
  if (call.solution.status == Status::approximate) {
    scaled_.to_scaled(call.solution.p, x_);
  } else if (usable(call.warm.p, call.problem)) {
    scaled_.to_scaled(call.warm.p, x_);
  } else {
    std::ranges::fill(x_, 0.0);
  }
}

bool Cascade::is_asked(const Call& call, SolveMethod method) {
  return (call.cascade && !call.at_floor) || call.options.method == method;
}

bool Cascade::is_cascade(const Call& call, SolveMethod) {
  return call.cascade && !call.at_floor;
}

bool Cascade::separates(const Call& call, SolveMethod) {
  return all_separate(call.problem);
}

bool Cascade::pivots_first(const Call& call, SolveMethod) {
  return call.options.method == SolveMethod::lemke ||
         (call.unknowns > 0 && call.unknowns <= kMaxUnknownsPivotingFirst);
}

bool Cascade::pivots_last(const Call& call, SolveMethod) {
  return call.unknowns > kMaxUnknownsPivotingFirst && call.unknowns <= kMaxUnknownsPivotingLast;
}

bool Cascade::starts_cold(const Call& call, SolveMethod) {
  return call.cascade && !usable(call.warm.p, call.problem) && !call.problem.primal() &&
         call.problem.contacts == call.problem.blocks();
}

/// One sweep solves a single block.
bool Cascade::has_joints_only(const Call& call, SolveMethod) {
  return call.cascade && call.problem.contacts == 0 && call.problem.blocks() > 1;
}

std::string_view Cascade::not_for_pivoting(Call& call) {
  const std::string_view reason = PolyhedralLcp::unsupported_reason(call.problem);
  if (!reason.empty()) return reason;
  return pivoting_unknowns(call.problem) > call.options.max_unknowns ? "too large" : "";
}

std::string_view Cascade::not_for_interior_point(Call& call) {
  const std::string_view reason = too_large(call);
  if (!reason.empty()) return reason;
  return InteriorPoint::applies(scaled_) ? "" : "friction set";
}

/// Bodies that touch thousands of others make W dense. Gauss-Seidel and Newton do not need W.
std::string_view Cascade::too_large(Call& call) {
  set_first_start(call);
  return scaled_.entries_of_W() > kMaxEntries ? "too large" : "";
}

bool Cascade::take_zero(Call& call, SolveMethod method) {
  return consider(call, method, p_);
}

bool Cascade::solve_by_pivoting(Call& call, SolveMethod method) {
  const ContactProblem& problem = call.problem;
  Solution& solution = call.solution;
  if (problem.primal()) compute_delassus(problem, W_, delassus_scratch_);
  if (!form_.formulate(problem, problem.primal() ? W_ : problem.W)) {
    solution.reason = "bilateral rows that contradict one another, or are not finite";
    return false;
  }
  const Lcp& lcp = form_.lcp();
  solution.size = lcp.n;
  if (call.warm.basis.size() == static_cast<std::size_t>(problem.contacts)) {
    form_.basis_to_alpha(call.warm.basis, alpha_);
    ++solution.solves;
    if (lemke_.solve_basis(lcp, alpha_) <= call.options.warm_feasibility_tolerance) {
      form_.impulses(lemke_.z(), p_);
      if (consider(call, SolveMethod::warm, p_, alpha_)) return true;
    }
  }
  const LemkeResult lemke = lemke_.solve(lcp, call.options.lemke);
  ++solution.solves;
  solution.iterations += lemke.pivots;
  if (lemke.outcome == LemkeOutcome::solved || lemke.outcome == LemkeOutcome::numerical_failure) {
    form_.impulses(lemke_.z(), p_);
    if (consider(call, method, p_, lemke_.basic())) return true;
  } else {
    solution.reason = to_string(lemke.outcome);
  }
  return false;
}

/// Contacts that do not influence each other, and a few planar ones.
bool Cascade::solve_directly(Call& call, SolveMethod method) {
  Solution& solution = call.solution;
  if (gauss_seidel_.solve_decoupled(call.problem, p_)) {
    ++solution.solves;
    ++solution.iterations;
    return consider(call, method, p_);
  }
  if (!PlanarActiveSet::applies(call.problem)) return false;
  const IterativeResult result = planar_active_set_.solve(call.problem, p_);
  ++solution.solves;
  solution.iterations += result.iterations;
  return result.converged && consider(call, SolveMethod::newton, p_);
}

bool Cascade::solve_by_newton(Call& call, SolveMethod method) {
  if (iterate(call, method, newton_, call.options.newton)) return true;
  call.at_floor = call.solution.residual.worst() <= kResidualFloor;
  return false;
}

template <auto method, auto options>
bool Cascade::solve_by(Call& call, SolveMethod name) {
  return iterate(call, name, this->*method, options(call.options, call.problem));
}

/// Runs a method from x_ to a fraction of the tolerance, and tightens it if the result is not certified.
template <class Method, class Options>
bool Cascade::iterate(Call& call, SolveMethod name, Method& method, Options options) {
  Solution& solution = call.solution;
  options.tolerance = kToleranceFraction * call.options.tolerance;
  // The first sweeps of a cascade only provide a start for Newton. Their result is judged only if it may be
  // certified.
  const bool only_a_start =
      std::is_same_v<Method, GaussSeidel> && call.cascade && solution.status == Status::refused;
  for (int tightenings = 0; tightenings <= kMaxTightenings; ++tightenings) {
    const IterativeResult result = method.solve(scaled_, options, x_);
    ++solution.solves;
    solution.iterations += result.iterations;
    if (only_a_start && !(result.error <= call.options.tolerance)) return false;
    scaled_.impulses(x_, p_);
    if (consider(call, name, p_)) return true;
    if constexpr (std::is_same_v<Method, Newton>) {
      if (!method.body_velocity_changes().empty()) {
        v_next_.resize(call.problem.motion.v_free.size());
        scaled_.body_velocities(method.body_velocity_changes(), v_next_);
        if (consider_motion(call, name, p_)) return true;
      }
    }
    // A contact far smaller than the others carries their rounding error. Projecting it on its laws last
    // removes it.
    w_.resize(x_.size());
    scaled_.velocities(x_, w_);
    projected_.assign(x_.begin(), x_.end());
    project_on_constraints(scaled_, w_, projected_);
    scaled_.impulses(projected_, p_);
    if (consider(call, name, p_)) return true;
    if (!result.converged) break;
    options.tolerance *= kTighteningFactor;
  }
  return false;
}

/// Prepares scaled_ and x_, once per solve.
void Cascade::scale(const ContactProblem& problem) {
  x_.resize(problem.rows());
  if (!is_scaled_) scaled_.set(problem);
  is_scaled_ = true;
}

}  // namespace pawl::internal
