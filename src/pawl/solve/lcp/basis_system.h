#pragma once

#include <span>
#include <vector>

#include <pawl/lcp.h>

namespace pawl::internal {

/// The linear system of a basis, M_RC z_C = -q_R with rows R and columns C of a complementarity problem, with
/// its memory.
class BasisSystem {
 public:
  /// Factorises with complete pivoting; the rank counts pivots above `smallest` times the largest.
  int factor(const MixedLcp& lcp, std::span<const int> rows, std::span<const int> columns, double smallest);
  /// The last pivot within the rank, against the largest; 1 where there is none.
  double min_pivot_ratio() const { return min_pivot_ratio_; }
  /// Adds to z_C what the system asks for at the present z, `steps` times: the first from z = 0 solves,
  /// others refine. Columns beyond the rank stay as they are.
  void refine(const MixedLcp& lcp, std::span<double> z, int steps);

 private:
  int rank_ = 0;
  double min_pivot_ratio_ = 1;
  std::vector<int> rows_, columns_, row_pivot_, column_pivot_;
  std::vector<double> factor_, correction_;
};

}  // namespace pawl::internal
