#pragma once
// Nonsmooth Gauss-Seidel: each contact in turn solved exactly, all others held.

#include <span>
#include <vector>

#include <pawl/solve/contact/iterative.h>
#include <pawl/solve/contact/one_contact.h>
#include <pawl/solve/contact/scaled_problem.h>
#include <pawl/solver.h>

namespace pawl::internal {

class GaussSeidel {
 public:
  /// x holds the start and receives the last iterate.
  IterativeResult solve(ScaledProblem& problem, const GaussSeidelOptions& options, std::span<double> x);
  /// One sweep from zero over the contacts of a condensed problem as it is posed: p is the answer where those
  /// that act do not move one another, as far as the others stay apart. False as soon as two of them do.
  bool solve_decoupled(const ContactProblem& problem, std::span<double> p);

 private:
  void prepare(const ScaledProblem& problem);
  double sweep_delassus(const ScaledProblem& problem, const BlockMatrix& W, double relaxation,
                        std::span<double> x);
  double sweep_primal(const ScaledProblem& problem, double relaxation, std::span<double> x);
  double update(const ScaledProblem& problem, int block, double relaxation, std::span<double> x);

  OneContact one_contact_;
  std::vector<double> w_;
  std::vector<double> y_;              // Yᵀ x of a factored problem
  std::vector<double> joint_factors_;  // of the bilateral blocks on the diagonal
  std::vector<int> joint_pivots_;
  std::vector<int> joint_offset_;
  std::vector<double> other_, old_;  // of one block: velocities without its own impulses, and impulses before
};

}  // namespace pawl::internal
