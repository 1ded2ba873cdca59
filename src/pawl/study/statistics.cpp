#include <pawl/study/statistics.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>

namespace pawl::internal {
namespace {

constexpr double kZ = 1.959963984540054;  // 97.5 % quantile of the normal distribution

double sum_of(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

double squares_about(std::span<const double> values, double center) {
  double sum = 0;
  for (double x : values) sum += (x - center) * (x - center);
  return sum;
}

}  // namespace

Interval wilson_interval(std::uint64_t successes, std::uint64_t n) {
  if (n == 0) return {0, 1};
  const auto count = static_cast<double>(n);
  const double p = static_cast<double>(successes) / count;
  const double z2 = kZ * kZ / count;
  const double center = (p + z2 / 2) / (1 + z2);
  const double half = kZ / (1 + z2) * std::sqrt(p * (1 - p) / count + z2 / (4 * count));
  // The ends are exactly 0 and 1 where they are in theory.
  return {successes == 0 ? 0 : center - half, successes == n ? 1 : center + half};
}

double quantile(std::span<const double> sorted, double p) {
  assert(!sorted.empty());
  const double at = p * static_cast<double>(sorted.size() - 1);
  const auto i = std::min(static_cast<std::size_t>(at), sorted.size() - 1);
  if (i + 1 == sorted.size()) return sorted[i];
  return sorted[i] + (at - static_cast<double>(i)) * (sorted[i + 1] - sorted[i]);
}

Mean mean_of(std::span<const double> values) {
  if (values.empty()) return {};
  const auto n = static_cast<double>(values.size());
  Mean result{sum_of(values) / n, 0, 0};
  if (values.size() < 2) return result;
  result.deviation = std::sqrt(squares_about(values, result.mean) / (n - 1));
  result.half_width = kZ * result.deviation / std::sqrt(n);
  return result;
}

double main_effect(std::span<const double> x, std::span<const double> y, int groups) {
  assert(x.size() == y.size());
  const std::size_t n = x.size();
  if (n < 3) return 0;
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return x[i]; });
  std::vector<double> sorted(n);
  for (std::size_t i = 0; i < n; ++i) sorted[i] = y[order[i]];
  const double mean = sum_of(sorted) / static_cast<double>(n);
  const double total = squares_about(sorted, mean);
  double within = 0;
  std::size_t k = 0;
  for (std::size_t begin = 0; begin < n; ++k) {
    std::size_t end = std::max(begin + 1, (k + 1) * n / static_cast<std::size_t>(groups));
    end = std::min(end, n);
    while (end < n && x[order[end]] == x[order[end - 1]]) ++end;
    const std::span<const double> group(&sorted[begin], end - begin);
    within += squares_about(group, sum_of(group) / static_cast<double>(group.size()));
    begin = end;
  }
  if (k < 2 || k >= n || !(total > 0)) return 0;
  const double unbiased = within / static_cast<double>(n - k) * static_cast<double>(n - 1);
  return std::clamp(1 - unbiased / total, 0.0, 1.0);
}

}  // namespace pawl::internal
