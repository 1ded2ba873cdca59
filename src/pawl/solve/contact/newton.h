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

/// F(x) = x - Π(x - w), w = W x + q, vanishes at a solution. Π maps x_n - w_n to its positive part and
/// projects x_f - w_f on the friction set. One step solves
///   [ ∂F/∂x + ∂F/∂w (W + α I) ] Δx = -F,
/// where the proximal term α keeps the matrix regular if W is singular.
///
/// In primal form, unless velocities far outnumber rows, the step is solved over the body velocities, Δy = Yᵀ
/// Δx. With the block-diagonal C = ∂F/∂x + ∂F/∂w (α + compliance),
///   [ I + Yᵀ C⁻¹ ∂F/∂w Y ] Δy = -Yᵀ C⁻¹ F - g,   Δx = -C⁻¹ (F + ∂F/∂w Y Δy).
/// Here y is a separate unknown, and g = y - Yᵀ x converges to 0. Between a heavy and a light body, Yᵀ x is a
/// small difference of large numbers; y is not.
///
/// In Delassus form with many contacts per pair of bodies, the step is solved over independent rows of W
/// (ReducedDelassusSystem).
///
/// α is proportional to the error and, contact by contact, decreases with growing impulse. Full steps may
/// cycle between sets of sliding contacts. The factor of α then grows, which shortens the steps, and it falls
/// again with every new best iterate.
class Newton {
 public:
  /// x holds the start and receives the best iterate.
  IterativeResult solve(ScaledProblem& problem, const NewtonOptions& options, std::span<double> x);
  /// y of the best iterate; empty if the steps were solved over the contacts.
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
  double compliance(const ScaledProblem& problem, int row) const;
  void invert_blocks(const ScaledProblem& problem);
  void invert(int n, double* inverse);
  void set_residual(const ScaledProblem& problem);
  void apply_C_inverse(const ScaledProblem& problem, std::span<double> x);
  void subtract_G_dw(const ScaledProblem& problem, std::span<double> x);
  void solve_by_groups(const ScaledProblem& problem, std::span<double> x);
  void solve_by_bodies(const ScaledProblem& problem, std::span<double> x, std::span<double> y);

  /// Unknowns of the linear system of a step.
  enum class System { contacts, groups, bodies };
  System system_ = System::contacts;
  BlockLu lu_;
  ReducedDelassusSystem reduced_system_;
  BlockMatrix A_;                 // system matrix over the contacts
  PrimalHessian primal_hessian_;  // system matrix over the bodies
  std::vector<double> w_, F_, step_, trial_, trial_F_, best_;
  std::vector<double> dF_dx_, dF_dw_;  // ∂F/∂x and ∂F/∂w, block by block
  std::vector<int> offset_;            // [blocks] offset of a block in both
  std::vector<double> alpha_;          // [blocks]
  std::vector<double> C_inverse_, G_;  // C⁻¹ and C⁻¹ ∂F/∂w
  std::vector<double> y_, y_step_, trial_y_, best_y_, y_residual_, residual_;
  std::vector<double> Y_x_;  // Yᵀ x
  std::vector<double> dw_;   // [rows] change of w by a step
  std::vector<double> small_, column_;
  std::vector<int> small_pivots_;
  std::vector<double> merits_;  // of the last iterates, a ring buffer
};

}  // namespace pawl::internal
