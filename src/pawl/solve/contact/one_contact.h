#pragma once
// One contact alone, its law solved exactly: the step of Gauss-Seidel.

#include <pawl/friction_set.h>
#include <pawl/solve/lcp/lemke.h>

namespace pawl::internal {

class OneContact {
 public:
  /// Finds x with w = W x + q and 0 ≤ w_n ⊥ x_n ≥ 0, x_f ∈ argmax { -w_f · x' : x' ∈ F(μ x_n) }, for n ≤ 4
  /// rows with W row by row, all in the measure of the set's radii. x holds a guess and receives the answer.
  /// A contact that separates without impulse carries none, though it may have other answers. False, and x as
  /// it was, where none was found (W is not positive definite).
  bool solve(int n, const double* W, const double* q, const FrictionSet& set, double* x);

 private:
  bool solve_polyhedron(int n, const double* W, const double* q, const FrictionSet& set, double* x);

  Lemke lemke_;
  Lcp lcp_;
};

}  // namespace pawl::internal
