#pragma once
// Linear system of a complementary basis.

#include <span>
#include <vector>

#include <pawl/lcp.h>

namespace pawl::internal {

/// The system M_RC z_C = -q_R with rows R and columns C of a mixed LCP, and its memory.
class BasisSystem {
 public:
  /// Factors with complete pivoting. Returns the rank: the number of pivots above `smallest` times the
  /// largest.
  int factor(const MixedLcp& lcp, std::span<const int> rows, std::span<const int> columns, double smallest);
  /// Last pivot within the rank over the largest; 1 if the rank is 0.
  double min_pivot_ratio() const { return min_pivot_ratio_; }
  /// Adds the correction of z_C at the current z, `steps` times. From z = 0 the first step solves the system,
  /// and further steps refine. Columns beyond the rank are unchanged.
  void refine(const MixedLcp& lcp, std::span<double> z, int steps);

 private:
  int rank_ = 0;
  double min_pivot_ratio_ = 1;
  std::vector<int> rows_, columns_, row_pivot_, column_pivot_;
  std::vector<double> factor_, correction_;
};

}  // namespace pawl::internal
