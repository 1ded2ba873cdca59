#pragma once
// When the passes of a step that is linearised at its own end have come to rest.

#include <algorithm>
#include <cmath>
#include <span>

namespace pawl::internal {

inline constexpr double kFixedPointFraction = 1e-1;  // of the run's tolerance: where the iteration stops

/// How much the rates changed from one pass to the next, against the largest rate in play, that of free
/// motion included: at rest nothing else has a size. Changes up to `rounding` (m/s) are none.
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
