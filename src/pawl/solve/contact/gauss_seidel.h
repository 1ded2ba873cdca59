#pragma once
// Nonsmooth Gauss-Seidel: solves each contact exactly in turn, with the impulses of all others fixed.

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
  /// One sweep from p = 0 over the contacts of a problem in Delassus form, in physical units. Returns false
  /// as soon as two acting contacts couple. Otherwise p is the solution, provided that all other contacts
  /// still separate.
  bool solve_decoupled(const ContactProblem& problem, std::span<double> p);

 private:
  void prepare(const ScaledProblem& problem);
  double sweep_delassus(const ScaledProblem& problem, const BlockMatrix& W, double relaxation,
                        std::span<double> x);
  double sweep_primal(const ScaledProblem& problem, double relaxation, std::span<double> x);
  double update(const ScaledProblem& problem, int block, double relaxation, std::span<double> x);

  OneContact one_contact_;
  std::vector<double> w_;
  std::vector<double> y_;              // Yᵀ x in primal form
  std::vector<double> joint_factors_;  // LU factors of the bilateral diagonal blocks
  std::vector<int> joint_pivots_;
  std::vector<int> joint_offset_;
  std::vector<double> other_, old_;  // of one block: velocities without its own impulses; previous impulses
};

}  // namespace pawl::internal
