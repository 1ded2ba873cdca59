#pragma once
// Figures that are the worst or the largest of many, and never lose what is no number: std::max would.

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

namespace pawl::internal {

/// figure := max(figure, value); what is no number is the worst of all, +∞.
inline void nan_max(double& maximum, double value) {
  if (!(value <= maximum)) maximum = std::isnan(value) ? std::numeric_limits<double>::infinity() : value;
}

/// The largest |x|, 0 of none; +∞ where any is no number.
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
