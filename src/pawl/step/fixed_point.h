#pragma once
// The stopping criterion of the fixed-point iteration for methods that linearise at the end of the step.

#include <algorithm>
#include <cmath>
#include <span>

namespace pawl::internal {

// Tolerance of the iteration, relative to the run's tolerance.
inline constexpr double kFixedPointFraction = 1e-1;

/// max |now − before| / max velocity. The maximum includes the free motion, which is the only scale at rest.
/// Changes up to `rounding` (m/s) count as zero.
inline double relative_change(std::span<const double> now, std::span<const double> before,
                              std::span<const double> free, double rounding) {
  double change = 0, size = 0;
  for (std::size_t i = 0; i < now.size(); ++i) {
    change = std::max(change, std::abs(now[i] - before[i]));
    size = std::max({size, std::abs(now[i]), std::abs(before[i]), std::abs(free[i])});
  }
  return change > rounding ? (change - rounding) / size : 0;
}

}  // namespace pawl::internal
