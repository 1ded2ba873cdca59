#pragma once
// Constants, and maxima that propagate NaN as +∞; std::max would lose it.

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

namespace pawl::internal {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();
inline constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

/// maximum := max(maximum, value), where a NaN counts as +∞.
inline void nan_max(double& maximum, double value) {
  if (!(value <= maximum)) maximum = std::isnan(value) ? kInfinity : value;
}

/// max |x_i|; 0 if x is empty, +∞ if any element is NaN.
inline double largest(std::span<const double> x) {
  double result = 0;
  for (const double value : x) nan_max(result, std::abs(value));
  return result;
}

inline bool all_finite(std::span<const double> x) {
  bool all = true;
  for (const double value : x) all &= std::isfinite(value);
  return all;
}

}  // namespace pawl::internal
