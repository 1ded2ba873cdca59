#include <pawl/solve/lcp/equilibrate.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace pawl::internal {
namespace {

constexpr int kNothing = std::numeric_limits<int>::min();
constexpr int kRounds = 12;         // each halves the remaining exponents
constexpr int kMaxExponent = 1000;  // keeps the factors finite

}  // namespace

void Equilibrated::scale(const MixedLcp& lcp) {
  const int n = lcp.n;
  problem_.n = n;
  problem_.M.assign(lcp.M.begin(), lcp.M.end());
  problem_.q.assign(lcp.q.begin(), lcp.q.end());
  problem_.free.assign(lcp.free.begin(), lcp.free.end());
  row_.assign(n, 0);
  column_.assign(n, 0);
  // Repeatedly scale rows and columns by the root of their largest entry [Ruiz2001].
  for (int round = 0; round < kRounds; ++round) {
    row_largest_.assign(n, kNothing);
    column_largest_.assign(n, kNothing);
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) {
        if (lcp.M[i * n + j] == 0) continue;
        const int exponent = std::ilogb(lcp.M[i * n + j]) + row_[i] + column_[j];
        row_largest_[i] = std::max(row_largest_[i], exponent);
        column_largest_[j] = std::max(column_largest_[j], exponent);
      }
    }
    bool changed = false;
    for (int i = 0; i < n; ++i) {
      const int row_step = row_largest_[i] == kNothing ? 0 : row_largest_[i] / 2;
      const int column_step = column_largest_[i] == kNothing ? 0 : column_largest_[i] / 2;
      row_[i] = std::clamp(row_[i] - row_step, -kMaxExponent, kMaxExponent);
      column_[i] = std::clamp(column_[i] - column_step, -kMaxExponent, kMaxExponent);
      changed |= row_step != 0 || column_step != 0;
    }
    if (!changed) break;
  }
  int largest = kNothing;
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) problem_.M[i * n + j] = std::ldexp(lcp.M[i * n + j], row_[i] + column_[j]);
    if (lcp.q[i] != 0) largest = std::max(largest, std::ilogb(lcp.q[i]) + row_[i]);
  }
  q_exponent_ = largest == kNothing ? 0 : -largest;
  for (int i = 0; i < n; ++i) problem_.q[i] = std::ldexp(lcp.q[i], row_[i] + q_exponent_);
}

void Equilibrated::unscale(std::span<double> z, std::span<double> w) const {
  for (int i = 0; i < problem_.n; ++i) {
    z[i] = std::ldexp(z[i], column_[i] - q_exponent_);
    w[i] = std::ldexp(w[i], -row_[i] - q_exponent_);
  }
}

void Equilibrated::unscale_multipliers(std::span<double> y) const {
  for (int i = 0; i < problem_.n; ++i) y[i] = std::ldexp(y[i], row_[i]);
}

}  // namespace pawl::internal
