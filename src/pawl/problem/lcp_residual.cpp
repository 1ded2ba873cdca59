#include <pawl/lcp.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include <pawl/base/numeric_util.h>

namespace pawl {

using namespace internal;

namespace {

constexpr double kMaxCancellation = 1e6;  // cap on the terms of M z, relative to the largest |q|

/// An empty `free` means no free rows.
LcpResidual judge_rows(int n, std::span<const double> M, std::span<const double> q,
                       std::span<const char> free, std::span<const double> z, std::span<double> w) {
  LcpResidual result;
  const double z_largest = largest(z), q_largest = largest(q);
  const double most = q_largest > 0 ? kMaxCancellation * q_largest : kInfinity;
  for (int i = 0; i < n; ++i) {
    double terms = 0, sum = 0;
    w[i] = q[i];
    for (int j = 0; j < n; ++j) {
      w[i] += M[i * n + j] * z[j];
      sum += std::abs(M[i * n + j] * z[j]);
      terms += std::abs(M[i * n + j]) * z_largest;
    }
    if (!std::isfinite(w[i]) || !std::isfinite(terms)) return {kInfinity, kInfinity};
    const double w_size = std::abs(q[i]) + std::min(terms, most);
    const double relative_w = w_size > 0 ? w[i] / w_size : 0;
    const double relative_z = z_largest > 0 ? z[i] / z_largest : 0;
    const double unknown = sum > most ? kEpsilon * sum / w_size : 0;  // rounding error possible in w_i
    if (!free.empty() && free[i]) {
      result.equation = std::max({result.equation, std::abs(relative_w), unknown});
    } else {
      result.natural_map =
          std::max({result.natural_map, std::abs(std::min(relative_z, relative_w)), unknown});
    }
  }
  return result;
}

template <class Problem>
LcpResidual judge_problem(const Problem& lcp, std::span<const char> free, std::span<const double> z,
                          std::span<double> w) {
  const auto n = static_cast<std::size_t>(lcp.n);
  if (!well_formed(lcp) || z.size() != n || w.size() != n) return {kInfinity, kInfinity};
  return judge_rows(lcp.n, lcp.M, lcp.q, free, z, w);
}

}  // namespace

bool well_formed(const Lcp& lcp) {
  const auto n = static_cast<std::size_t>(lcp.n);
  return lcp.n >= 0 && lcp.M.size() == n * n && lcp.q.size() == n && all_finite(lcp.M) && all_finite(lcp.q);
}

bool well_formed(const MixedLcp& lcp) {
  const auto n = static_cast<std::size_t>(lcp.n);
  return lcp.n >= 0 && lcp.M.size() == n * n && lcp.q.size() == n && lcp.free.size() == n &&
         all_finite(lcp.M) && all_finite(lcp.q);
}

LcpResidual judge(const Lcp& lcp, std::span<const double> z, std::span<double> w) {
  return judge_problem(lcp, {}, z, w);
}

LcpResidual judge(const MixedLcp& lcp, std::span<const double> z, std::span<double> w) {
  return judge_problem(lcp, lcp.free, z, w);
}

}  // namespace pawl
