#pragma once
// Active-set method for a few planar contacts, whose laws are piecewise linear.

#include <array>
#include <span>

#include <pawl/contact_problem.h>
#include <pawl/solve/contact/iterative.h>
#include <pawl/solve/contact/one_contact.h>
#include <pawl/solver.h>

namespace pawl::internal {

/// Each contact is open, sticks, or slides in one of two directions; in each state its law is linear. One
/// Gauss-Seidel sweep gives the initial states. The linear equations of these states have one solution, which
/// implies new states. If they are unchanged, it is the solution of the problem.
/// This is Newton's method on the natural map without a proximal term. It needs a few steps if W is regular,
/// and gives up otherwise.
class PlanarActiveSet {
 public:
  /// True for problems in Delassus form with up to eight rows, without bilateral rows, and with intervals as
  /// friction sets.
  static bool applies(const ContactProblem& problem);
  /// p receives the solution if `converged`.
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
  // Scaled by the radii.
  std::array<double, kMaxRows * kMaxRows> W_;
  Vector q_, x_, e_;
  std::array<State, kMaxRows> states_;  // [contacts]
};

}  // namespace pawl::internal
