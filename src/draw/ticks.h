#pragma once
// Positions and labels of axis ticks.

#include <string>
#include <vector>

namespace pawl::internal {

/// Finite limits of an axis, widened so that low < high and, if logarithmic, low > 0.
struct AxisRange {
  double low = 0, high = 1;
  bool logarithmic = false;

  /// 0 at low, 1 at high.
  double to_fraction(double value) const;
};

/// A range that contains all drawable values, padded at both ends. Without values: 0 … 1, or 1 … 10 if
/// logarithmic.
AxisRange range_of(const std::vector<const std::vector<double>*>& values, bool logarithmic);

struct Tick {
  double value = 0;
  std::string text;  // empty: a tick without a label
};

/// About `wanted` labels at multiples of 1, 2 or 5 times a power of ten, or at powers of ten if logarithmic.
std::vector<Tick> ticks_of(const AxisRange& range, int wanted);

}  // namespace pawl::internal
