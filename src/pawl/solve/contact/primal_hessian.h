#pragma once
// Matrices over the bodies of a problem in primal form.

#include <span>
#include <utility>
#include <vector>

#include <pawl/linalg/block_matrix.h>
#include <pawl/solve/contact/scaled_problem.h>

namespace pawl::internal {

/// shift I + Yᵀ G Y with block-diagonal G. Its size is the number of body velocities, for any number of rows.
class PrimalHessian {
 public:
  /// Sets the pattern: bodies are coupled if they share a block of rows.
  void set_pattern(const ScaledProblem& problem);
  /// Sets the values. The block of G for block i starts at offset[i].
  void assemble(const ScaledProblem& problem, double shift, std::span<const double> G,
                std::span<const int> offset);
  const BlockMatrix& matrix() const { return A_; }

 private:
  BlockMatrix A_;
  std::vector<std::pair<int, int>> body_pairs_;
  std::vector<double> G_Y_;
};

}  // namespace pawl::internal
