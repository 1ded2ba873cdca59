#pragma once
// Exact solver for a single contact, the local step of Gauss-Seidel.

#include <pawl/friction_set.h>
#include <pawl/solve/lcp/lemke.h>

namespace pawl::internal {

class OneContact {
 public:
  /// Finds x with w = W x + q, 0 ≤ w_n ⊥ x_n ≥ 0 and x_f ∈ argmax { -w_f · x' : x' ∈ F(μ x_n) }. W is
  /// row-major with n ≤ 4 rows; all quantities are scaled by the radii of the set. x holds a guess and
  /// receives the solution. If q_n ≥ 0 the result is x = 0, even if other solutions exist. Returns false and
  /// leaves x unchanged if no solution is found, for example if W is not positive definite.
  bool solve(int n, const double* W, const double* q, const FrictionSet& set, double* x);

 private:
  bool solve_polyhedron(int n, const double* W, const double* q, const FrictionSet& set, double* x);

  Lemke lemke_;
  Lcp lcp_;
};

}  // namespace pawl::internal
