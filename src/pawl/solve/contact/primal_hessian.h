#pragma once
// Matrices over the bodies of a factored problem.

#include <span>
#include <utility>
#include <vector>

#include <pawl/linalg/block_matrix.h>
#include <pawl/solve/contact/scaled_problem.h>

namespace pawl::internal {

/// shift I + Yᵀ G Y with G block diagonal, by blocks of rows. The size of the bodies' velocities, however
/// many rows there are.
class PrimalHessian {
 public:
  /// Its pattern: bodies that share a block of rows.
  void set_pattern(const ScaledProblem& problem);
  /// Its values; the block of G that belongs to block i stands at offset[i].
  void assemble(const ScaledProblem& problem, double shift, std::span<const double> G,
                std::span<const int> offset);
  const BlockMatrix& matrix() const { return A_; }

 private:
  BlockMatrix A_;
  std::vector<std::pair<int, int>> body_pairs_;
  std::vector<double> G_Y_;
};

}  // namespace pawl::internal
