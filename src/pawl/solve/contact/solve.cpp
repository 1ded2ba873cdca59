#include <pawl/solver.h>

#include <array>

#include <pawl/solve/contact/cascade.h>

namespace pawl {

namespace {

constexpr std::array<std::string_view, 8> kNames{"none",   "warm", "lemke", "nsgs",
                                                 "newton", "ipm",  "admm",  "cascade"};

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
    if (newton->stall_iterations < 0) return "newton.stall_iterations below 0";
    if (!(newton->min_proximal > 0 && newton->min_proximal <= 1)) return "newton.min_proximal not in (0, 1]";
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

class ContactSolver::Methods : public internal::Cascade {};

ContactSolver::ContactSolver() : methods_(std::make_unique<Methods>()) {}
ContactSolver::ContactSolver(ContactSolver&&) noexcept = default;
ContactSolver& ContactSolver::operator=(ContactSolver&&) noexcept = default;
ContactSolver::~ContactSolver() = default;

void ContactSolver::solve(const ContactProblem& problem, const SolveOptions& options, const WarmStart& warm,
                          Solution& solution) {
  methods_->solve(problem, options, warm, solution);
}

void ContactSolver::refine(const ContactProblem& problem, const SolveOptions& options, Solution& solution) {
  methods_->refine(problem, options, solution);
}

void ContactSolver::choose_least_norm(const ContactProblem& problem, const SolveOptions& options,
                                      Solution& solution) {
  methods_->choose_least_norm(problem, options, solution);
}

Solution solve(const ContactProblem& problem, const SolveOptions& options) {
  Solution solution;
  ContactSolver().solve(problem, options, {}, solution);
  return solution;
}

}  // namespace pawl
