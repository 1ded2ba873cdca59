#pragma once
// Statistics of the outcomes of a study.

#include <cstdint>
#include <span>
#include <vector>

namespace pawl::internal {

struct Interval {
  double low = 0, high = 0;
};

/// 95 % interval of a proportion [Wilson1927]; all of [0, 1] for n = 0.
Interval wilson_interval(std::uint64_t successes, std::uint64_t n);

/// Quantile of sorted values, interpolated linearly between order statistics: (n - 1) p from the first.
double quantile(std::span<const double> sorted, double p);

struct Mean {
  double mean = 0, deviation = 0;  // of a single value
  double half_width = 0;           // of the 95 % interval of the mean, for many values
};
Mean mean_of(std::span<const double> values);

/// The share of the variance of y that x alone explains: the correlation ratio over groups of nearly equal x,
/// corrected for its bias (ε²), at least 0. In groups of as many values as possible, at most `groups`; equal
/// x are never split. 0 if y or x is constant.
double main_effect(std::span<const double> x, std::span<const double> y, int groups = 10);

}  // namespace pawl::internal
