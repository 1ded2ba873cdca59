#pragma once
// Solvers of contact problems. Every answer is judged by the laws (residual.h).

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <pawl/lcp.h>
#include <pawl/residual.h>
#include <pawl/status.h>

namespace pawl {

/// Active set of a contact: bit 0 for p_n, one bit for each friction direction, one for the multiplier λ.
using ContactBasis = std::uint64_t;

struct GaussSeidelOptions {
  double tolerance = 1e-9;  // of the scaled natural map
  int max_sweeps = 10000;
  double relaxation = 1;  // over-relaxation above 1, under-relaxation below
  /// After min_sweeps the method stops if, at the measured rate, it needs more than max_expected_sweeps
  /// sweeps; 0: never.
  int min_sweeps = 10;
  int max_expected_sweeps = 0;
};

struct NewtonOptions {
  double tolerance = 1e-9;  // of the scaled natural map
  int max_iterations = 60;
  double proximal = 0.1;          // proximal weight α as a fraction of the error
  double min_proximal = 1e-6;     // lower bound of α; 1/α amplifies rounding where W is singular
  int stall_iterations = 8;       // after this many iterations without a new best, α is raised …
  double stall_factor = 3;        // … by this factor
  int memory = 5;                 // nonmonotone line search: ‖F‖² may exceed its last few values …
  double max_merit_growth = 1e4;  // … by at most this factor
  int patience = 20;              // stops after this many iterations without a new best
};

struct InteriorPointOptions {
  double tolerance = 1e-9;  // of the scaled natural map
  int max_iterations = 100;
  int patience = 25;            // stops after this many iterations without a new best
  double start_distance = 100;  // of the starting point from the cone boundary
};

struct AdmmOptions {
  double tolerance = 1e-9;  // of the scaled natural map
  int max_iterations = 2000;
  double relaxation = 1.6;  // over-relaxation, in (0, 2)
  double penalty = 0.1;     // initial ρ, in units of the scaled W
  int penalty_interval = 20;
};

/// In the order of the cascade: later methods cost more.
enum class SolveMethod : std::uint8_t {
  none,  // zero impulses
  warm,  // the active set of an earlier solution
  lemke,
  gauss_seidel,
  newton,
  interior_point,
  admm,
  cascade,  // one after the other until the judge certifies an answer
};
/// The name used by commands and reports.
std::string_view to_string(SolveMethod method);
/// The method of this name; nullopt if there is none.
std::optional<SolveMethod> solve_method(std::string_view name);

struct SolveOptions {
  double tolerance = 1e-8;  // of the judged residual
  /// A certified answer with a larger residual is refined by a few Newton steps if the problem is small.
  double target_residual = 1;
  SolveMethod method = SolveMethod::cascade;
  double warm_feasibility_tolerance = 1e-14;  // relative infeasibility up to which an old basis is judged
  int max_unknowns = 3000;                    // Lemke's method is not tried on larger dense LCPs
  LemkeOptions lemke;
  GaussSeidelOptions gauss_seidel;
  NewtonOptions newton;
  NewtonOptions patient_newton{.max_iterations = 150, .patience = 60};  // last resort
  InteriorPointOptions interior_point;
  AdmmOptions admm;
  bool least_norm = false;       // of all impulses with the same motion, take those of least norm
  int least_norm_steps = 60;     // Newton steps of that choice; in states of rest 2 to 10 suffice
  bool check_uniqueness = true;  // tell whether there are others, even if this doubles the time
};

/// The first option out of range; empty if there is none.
std::string_view validate(const SolveOptions& options);

/// Whether other impulses satisfy the laws with the same motion.
enum class ForceUniqueness : std::uint8_t {
  unknown,     // not checked
  unique,      // there are no others
  least_norm,  // there are others; these have the least norm
  any,         // there are others; the least norm was not found
};
std::string_view to_string(ForceUniqueness impulses);

/// Start of the iteration, from the solution of a similar problem. Either span may be empty; one of the wrong
/// size or with a NaN is ignored. The spans must not refer to the Solution being written.
struct WarmStart {
  std::span<const double> p;            // [rows]
  std::span<const ContactBasis> basis;  // [contacts]
};

struct Solution {
  Status status = Status::refused;
  SolveMethod method = SolveMethod::none;  // that found the answer
  std::string_view reason;                 // why the status is not better; empty if certified
  std::vector<double> p;                   // [rows] impulses, N s
  std::vector<double> u;                   // [rows] velocities that follow from p, m/s
  std::vector<double> v_next;              // [nv] generalised velocities, in primal form
  std::vector<ContactBasis> basis;  // [contacts] for the next warm start; 0 unless Lemke's method was used
  ForceUniqueness impulses = ForceUniqueness::unknown;
  Residual residual;
  int size = 0;        // unknowns in the last method
  int iterations = 0;  // pivots, sweeps and Newton steps of all methods tried
  int solves = 0;      // methods tried
};

/// The cascade of methods, with their scratch memory. It returns the first answer that the judge certifies,
/// else the one with the smallest residual. Budgets are iteration counts, so answers do not depend on the
/// clock.
class ContactSolver {
 public:
  ContactSolver();
  ContactSolver(ContactSolver&&) noexcept;
  ContactSolver& operator=(ContactSolver&&) noexcept;
  ~ContactSolver();

  void solve(const ContactProblem& problem, const SolveOptions& options, const WarmStart& warm,
             Solution& solution);
  /// Lowers the residual of a certified answer by a few sweeps, and Newton steps if they do not suffice. The
  /// answer never gets worse. `solution` holds p, u, v_next and the residual.
  void refine(const ContactProblem& problem, const SolveOptions& options, Solution& solution);
  /// Of all impulses with the motion of a certified answer, takes those of least norm, if they are found.
  void choose_least_norm(const ContactProblem& problem, const SolveOptions& options, Solution& solution);

 private:
  class Methods;
  std::unique_ptr<Methods> methods_;
};

/// Solves one problem once.
Solution solve(const ContactProblem& problem, const SolveOptions& options = {});

}  // namespace pawl
