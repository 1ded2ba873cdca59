#pragma once
// Equilibration of linear complementarity problems.

#include <span>
#include <vector>

#include <pawl/lcp.h>

namespace pawl::internal {

/// Scales a problem. Positive row and column factors preserve the laws of a complementarity problem: with
///   M' = R M C,  q' = s R q,  z = C z' / s,  w = R⁻¹ w' / s
/// z solves one problem if and only if z' solves the other. R, C and s are powers of two, so that nothing is
/// rounded. They bring the largest entries of q and of each row and column of M near 1. R = C if M is
/// symmetric.
class Equilibrated {
 public:
  void scale(const MixedLcp& lcp);

  const MixedLcp& problem() const { return problem_; }
  /// z := C z / s, w := R⁻¹ w / s.
  void unscale(std::span<double> z, std::span<double> w) const;
  /// Converts multipliers of the scaled rows to those of the original rows: y := R y.
  void unscale_multipliers(std::span<double> y) const;

 private:
  MixedLcp problem_;
  std::vector<int> row_, column_;                  // [n] binary exponents of R and C
  std::vector<int> row_largest_, column_largest_;  // [n] exponents of the current largest entries
  int q_exponent_ = 0;                             // of s
};

}  // namespace pawl::internal
