#pragma once
// Interior-point method on the exact Coulomb law with maximum dissipation, without convex relaxation.

#include <array>
#include <span>
#include <vector>

#include <pawl/linalg/block_lu.h>
#include <pawl/solve/contact/iterative.h>
#include <pawl/solve/contact/scaled_problem.h>
#include <pawl/solver.h>

namespace pawl::internal {

/// For contacts without friction or with round sets F(μ x_n) = { ‖x_f‖ ≤ μ x_n } in 1 to 3 dimensions. The
/// change of variables of [DeSaxceFeng1998] gives the contact law
///   K ∋ y ⊥ z ∈ K,   x = E y,   z = E w + s e,   s = ‖z_f‖,   E = diag(1, μ, …, μ),   e = (1, 0, …, 0),
/// where K is the self-dual Lorentz cone ‖y_f‖ ≤ y_n. At μ = 0 friction vanishes from these equations. The
/// method follows y ∘ z = τ e (Jordan product) to τ = 0 by Newton steps in y, z and s together.
class InteriorPoint {
 public:
  static bool applies(const ScaledProblem& problem);

  /// x holds a guess and receives the best iterate. If the method does not apply, x is unchanged and the
  /// iteration count is 0.
  IterativeResult solve(ScaledProblem& problem, const InteriorPointOptions& options, std::span<double> x);

 private:
  using Vector = std::array<double, 4>;  // rows of one contact, padded with 0

  /// Nesterov-Todd scaling: T = Q diag(scaling) Qᵀ, T y = T⁻¹ z = λ.
  struct Cone {
    int begin = 0, n = 0;  // rows of the contact
    double mu = 0;
    std::array<Vector, 4> Q{};  // columns of Q
    Vector scaling{};
    Vector lambda{};
    double s = 0;
    Vector slope{};  // ds/dz
  };

  void start(const ScaledProblem& problem, double distance, std::span<const double> x);
  void set_impulses(std::span<double> x) const;
  double duality_measure(double length) const;
  void scale_cones();
  void assemble(const ScaledProblem& problem, const BlockMatrix& W);
  void compute_step(double tau, double residual_fraction, bool corrected);
  double max_step_length(double fraction) const;
  double centrality(double length) const;
  void take_step(double length);

  static Vector segment(const Cone& cone, std::span<const double> rows);
  static Vector apply_T(const Cone& cone, const Vector& v);
  static Vector apply_T_inverse(const Cone& cone, const Vector& v);

  BlockLu lu_;
  BlockMatrix A_;
  std::vector<Cone> cones_;      // [contacts]
  std::vector<double> y_, z_;    // [rows], z on contact rows only
  std::vector<double> x_, w_;    // [rows]
  std::vector<double> dy_, dz_;  // [rows] the step; on contact rows T Δy and T⁻¹ Δz
  std::vector<double> d_, v_;  // [rows] T Δy + T⁻¹ Δz; right-hand side and solution of the linear system
};

}  // namespace pawl::internal
