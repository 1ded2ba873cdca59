#pragma once
// Semismooth Newton on the natural map, with proximal regularisation and a line search.

#include <span>
#include <vector>

#include <pawl/linalg/block_lu.h>
#include <pawl/solve/contact/iterative.h>
#include <pawl/solve/contact/primal_hessian.h>
#include <pawl/solve/contact/reduced_delassus_system.h>
#include <pawl/solve/contact/scaled_problem.h>
#include <pawl/solver.h>

namespace pawl::internal {

/// F(x) = x - Π(x - w), w = W x + q, is zero at a solution; Π takes x_n - w_n to its positive part and
/// x_f - w_f into the friction set. One step solves
///   [ ∂F/∂x + ∂F/∂w (W + α I) ] Δx = -F,
/// the proximal term α keeping it regular where W is not. For a factored problem without
/// many more velocities than rows the same step is found from the bodies' velocities, Δy = Yᵀ Δx: with C =
/// ∂F/∂x + α ∂F/∂w, block diagonal,
///   [ I + Yᵀ C⁻¹ ∂F/∂w Y ] Δy = -Yᵀ C⁻¹ F - g,   Δx = -C⁻¹ (F + ∂F/∂w Y Δy).
/// There y is an unknown of its own, with g = y - Yᵀ x going to 0: between a heavy and a light body Yᵀ x is a
/// small difference of large numbers, and y is not. Where contacts are many to a pair of bodies, and only W
/// is known, the step is found from the rows of W that the others follow from (ReducedDelassusSystem). α is a
/// share of the error and, contact by contact, falls as its impulse grows. Full steps may run in circles,
/// from one set of sliding contacts to another and back; the share grows while they do, which shortens them,
/// and falls again with every new best.
class Newton {
 public:
  /// x holds the start and receives the best iterate.
  IterativeResult solve(ScaledProblem& problem, const NewtonOptions& options, std::span<double> x);
  /// y that belongs to the best iterate; empty where it was found by contacts.
  std::span<const double> body_velocity_changes() const { return best_y_; }

 private:
  double evaluate(ScaledProblem& problem, std::span<const double> x, std::span<const double> y,
                  std::span<double> F);
  void differentiate_map(const ScaledProblem& problem, std::span<const double> x);
  void set_proximal(const ScaledProblem& problem, double proximal_fraction, double least,
                    std::span<const double> x);
  void choose_system(ScaledProblem& problem, std::span<const double> x);
  void use_contact_system(ScaledProblem& problem);
  void factor(ScaledProblem& problem);
  void factor_by_contacts(const BlockMatrix& W);
  void set_step(ScaledProblem& problem, std::span<const double> x);
  void step_by_contacts();
  bool step_by_groups(ScaledProblem& problem);
  void step_by_bodies(const ScaledProblem& problem, std::span<const double> x);
  void invert_blocks(const ScaledProblem& problem);
  void invert(int n, double* inverse);
  void set_residual(const ScaledProblem& problem);
  void apply_C_inverse(const ScaledProblem& problem, std::span<double> x);
  void subtract_G_dw(const ScaledProblem& problem, std::span<double> x);
  void solve_by_groups(const ScaledProblem& problem, std::span<double> x);
  void solve_by_bodies(const ScaledProblem& problem, std::span<double> x, std::span<double> y);

  /// What the linear system of a step is over.
  enum class System { contacts, groups, bodies };
  System system_ = System::contacts;
  BlockLu lu_;
  ReducedDelassusSystem reduced_system_;
  BlockMatrix A_;                 // the matrix to be factored, of contacts
  PrimalHessian primal_hessian_;  // or of bodies
  std::vector<double> w_, F_, step_, trial_, trial_F_, best_;
  std::vector<double> dF_dx_, dF_dw_;  // ∂F/∂x and ∂F/∂w, block by block
  std::vector<int> offset_;            // [blocks] of a block in these
  std::vector<double> alpha_;          // [blocks]
  std::vector<double> C_inverse_, G_;  // C⁻¹ and C⁻¹ ∂F/∂w
  std::vector<double> y_, y_step_, trial_y_, best_y_, y_residual_, residual_;
  std::vector<double> Y_x_;  // Yᵀ x
  std::vector<double> dw_;   // [rows] what a step does to w
  std::vector<double> small_, column_;
  std::vector<int> small_pivots_;
  std::vector<double> merits_;  // of the last iterates, in turn
};

}  // namespace pawl::internal
