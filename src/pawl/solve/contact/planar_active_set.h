#pragma once
// A few contacts in the plane, solved exactly: their laws are linear in pieces.

#include <array>
#include <span>

#include <pawl/contact_problem.h>
#include <pawl/solve/contact/iterative.h>
#include <pawl/solve/contact/one_contact.h>
#include <pawl/solver.h>

namespace pawl::internal {

/// Each contact is open, sticks, or slides one way or the other; its law is then linear. The states after one
/// sweep of Gauss-Seidel are a guess. The linear equations of a guess have one solution, which asks for
/// states itself, and if these are the same it is the answer. That is Newton's method on the natural map,
/// without a proximal term: it needs no more than a few steps where W is regular, and leaves other problems
/// to others.
class PlanarActiveSet {
 public:
  /// Whether it is for problems like this one: condensed, up to eight rows, contacts alone and intervals as
  /// their friction sets.
  static bool applies(const ContactProblem& problem);
  /// p receives the answer, where `converged`.
  IterativeResult solve(const ContactProblem& problem, std::span<double> p);

 private:
  static constexpr int kMaxRows = 8;
  using Vector = std::array<double, kMaxRows>;
  enum class State : signed char { open, sticks, slides_forward, slides_backward };

  void gather(const ContactProblem& problem);
  bool sweep(const ContactProblem& problem);
  bool solve_states(const ContactProblem& problem);
  bool update_states(const ContactProblem& problem);
  double row_velocity(int row) const;

  OneContact one_contact_;
  int rows_ = 0;
  // In the measure of the radii.
  std::array<double, kMaxRows * kMaxRows> W_;
  Vector q_, x_, e_;
  std::array<State, kMaxRows> states_;  // [contacts]
};

}  // namespace pawl::internal
