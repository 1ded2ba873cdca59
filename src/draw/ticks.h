#pragma once
// Where an axis has its numbers, and how they are written.

#include <string>
#include <vector>

namespace pawl::internal {

/// An axis from low to high, both finite, that has been widened to be neither empty nor (logarithmic) at 0.
struct AxisRange {
  double low = 0, high = 1;
  bool logarithmic = false;

  /// 0 at low, 1 at high.
  double to_fraction(double value) const;
};

/// A range that holds all values that can be drawn, with some room at both ends; 0 … 1, or 1 … 10, of none.
AxisRange range_of(const std::vector<const std::vector<double>*>& values, bool logarithmic);

struct Tick {
  double value = 0;
  std::string text;  // empty: a line without a number
};

/// About `wanted` numbers at multiples of 1, 2 or 5 times a power of ten; of a logarithmic axis at powers of
/// ten.
std::vector<Tick> ticks_of(const AxisRange& range, int wanted);

}  // namespace pawl::internal
