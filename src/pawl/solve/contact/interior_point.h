#pragma once
// Interior-point method on Coulomb's law as it stands, maximum work included: no convex stand-in for it.

#include <array>
#include <span>
#include <vector>

#include <pawl/linalg/block_lu.h>
#include <pawl/solve/contact/iterative.h>
#include <pawl/solve/contact/scaled_problem.h>
#include <pawl/solver.h>

namespace pawl::internal {

/// For friction sets that are none or round: F(μ x_n) = { ‖x_f‖ ≤ μ x_n }, in 0 to 3 dimensions. There the
/// law of a contact reads, by the change of variables of [DeSaxceFeng1998],
///   K ∋ y ⊥ z ∈ K,   x = E y,   z = E w + s e,   s = ‖z_f‖,   E = diag(1, μ, …, μ),   e = (1, 0, …, 0),
/// with K the Lorentz cone ‖y_f‖ ≤ y_n, which is its own dual. At μ = 0 friction drops out by itself.
/// The method follows y ∘ z = τ e (Jordan product) to τ = 0 by Newton steps in y, z and s at once.
class InteriorPoint {
 public:
  static bool applies(const ScaledProblem& problem);

  /// x holds a guess and receives the best iterate. Where the method does not apply, x stays as it is and no
  /// iteration is counted.
  IterativeResult solve(ScaledProblem& problem, const InteriorPointOptions& options, std::span<double> x);

 private:
  using Vector = std::array<double, 4>;  // of one contact; entries beyond its rows are 0

  /// The scaling of Nesterov and Todd: T = Q diag(stretch) Qᵀ, T y = T⁻¹ z = λ.
  struct Cone {
    int begin = 0, n = 0;  // its rows
    double mu = 0;
    std::array<Vector, 4> Q{};  // its columns
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
  std::vector<double> y_, z_;    // [rows], z on those of contacts
  std::vector<double> x_, w_;    // [rows]
  std::vector<double> dy_, dz_;  // [rows] the step, as T Δy and T⁻¹ Δz on rows of contacts
  std::vector<double> d_, v_;    // [rows] T Δy + T⁻¹ Δz, and what the linear system is solved for
};

}  // namespace pawl::internal
