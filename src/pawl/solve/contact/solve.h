#pragma once
// From a contact problem to an answer that the judge has seen.

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <pawl/problem/residual.h>
#include <pawl/problem/status.h>
#include <pawl/solve/contact/iterative.h>
#include <pawl/solve/contact/polyhedral_lcp.h>
#include <pawl/solve/lcp/lemke.h>

namespace pawl {

/// In the order of the cascade: a later one was harder to come by.
enum class SolveMethod : std::uint8_t {
  none,  // no impulse at all
  warm,  // the active set of an earlier answer
  lemke,
  gauss_seidel,
  newton,
  interior_point,
  admm,
  cascade,  // as asked for: one after the other until the judge is content
};
/// As commands and reports call it.
std::string_view to_string(SolveMethod method);
/// The methods that can be asked for, by name; none where there is no such.
std::optional<SolveMethod> solve_method(std::string_view name);

struct SolveOptions {
  double tolerance = 1e-8;     // of the judged residual
  double target_residual = 1;  // a certified answer with a residual above this is given a few steps of
                               // Newton's method more, where the problem is small
  SolveMethod method = SolveMethod::cascade;
  double warm_feasibility_tolerance =
      1e-14;  // how far, relatively, an old basis may fall below 0 and still be put before the judge
  int max_unknowns = 3000;  // of a dense linear complementarity problem: larger ones are not for Lemke
  LemkeOptions lemke;
  GaussSeidelOptions gauss_seidel;
  NewtonOptions newton;
  NewtonOptions patient_newton{.max_iterations = 150, .patience = 60};  // where the others have failed
  InteriorPointOptions interior_point;
  AdmmOptions admm;
  bool least_norm = false;       // of all impulses that give the same motion, those of least norm
  bool check_uniqueness = true;  // say of these whether there are others, even where that takes as long again
};

/// What is wrong with options that no method could work with; empty where nothing is.
std::string_view validate(const SolveOptions& options);

/// Whether other impulses give the same motion under the same laws.
enum class ForceUniqueness : std::uint8_t {
  unknown,     // not asked
  unique,      // there are no others
  least_norm,  // there are, and these are the ones of least norm
  any,         // there are, and those of least norm were not found
};
std::string_view to_string(ForceUniqueness impulses);

/// What is kept of an answer for the next problem like it. Either may be empty; what is not of the problem's
/// size or not finite is left aside. Not the vectors of the solution to be written, which is cleared first.
struct WarmStart {
  std::span<const double> p;            // [rows]
  std::span<const ContactBasis> basis;  // [contacts]
};

struct Solution {
  Status status = Status::refused;
  SolveMethod method = SolveMethod::none;  // what found it
  std::string_view reason;                 // why there is no better status; empty when certified
  std::vector<double> p;                   // [rows] impulses, N s
  std::vector<double> u;                   // [rows] velocities that follow, m/s
  std::vector<double> v_next;              // body velocities that follow, where the problem is factored
  std::vector<ContactBasis> basis;         // [contacts] for the next warm start; 0 where Lemke was not used
  ForceUniqueness impulses = ForceUniqueness::unknown;
  Residual residual;
  int size = 0;        // unknowns of the problem as its last method saw it
  int iterations = 0;  // pivots, sweeps and steps of all methods tried
  int solves = 0;      // methods tried
};

/// All methods, each with its memory. The first answer that the judge certifies is taken; else the one with
/// the least residual. Budgets are counts of iterations, so that the answer does not depend on the clock.
class ContactSolver {
 public:
  ContactSolver();
  ContactSolver(ContactSolver&&) noexcept;
  ContactSolver& operator=(ContactSolver&&) noexcept;
  ~ContactSolver();

  void solve(const ContactProblem& problem, const SolveOptions& options, const WarmStart& warm,
             Solution& solution);

 private:
  class Methods;
  std::unique_ptr<Methods> methods_;
};

/// One problem, solved once.
Solution solve(const ContactProblem& problem, const SolveOptions& options = {});

}  // namespace pawl
