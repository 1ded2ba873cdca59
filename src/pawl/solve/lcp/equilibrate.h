#pragma once

#include <span>
#include <vector>

#include <pawl/lcp.h>

namespace pawl::internal {

/// A problem in better units. Positive factors of rows and columns change no law of a complementarity
/// problem: with
///   M' = R M C,  q' = s R q,  z = C z' / s,  w = R⁻¹ w' / s
/// z solves one where z' solves the other. R, C and s are powers of two, so that nothing is rounded, and
/// bring the largest entry of each row and column of M, and of q, near 1. R = C where M is symmetric.
class Equilibrated {
 public:
  void scale(const MixedLcp& lcp);

  const MixedLcp& problem() const { return problem_; }
  /// z := C z / s, w := R⁻¹ w / s.
  void unscale(std::span<double> z, std::span<double> w) const;
  /// Multipliers of the scaled rows as such of the posed ones: y := R y.
  void unscale_multipliers(std::span<double> y) const;

 private:
  MixedLcp problem_;
  std::vector<int> row_, column_;                  // [n] binary exponents of R and C
  std::vector<int> row_largest_, column_largest_;  // [n] of the largest entries, at present
  int q_exponent_ = 0;                             // of s
};

}  // namespace pawl::internal
