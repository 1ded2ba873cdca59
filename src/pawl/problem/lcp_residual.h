#pragma once
// The one judge of answers to linear complementarity problems, plain and mixed.

#include <span>

#include <pawl/problem/lcp.h>
#include <pawl/problem/mixed_lcp.h>

namespace pawl {

/// Worst figures over the rows of one problem: dimensionless, ≥ 0, and 0 where the law holds exactly.
struct LcpResidual {
  double natural_map = 0;  // complementary rows: |min(z_i, w_i)|, each of the two against its size
  double equation = 0;     // free rows: |w_i| against its size

  double worst() const { return natural_map > equation ? natural_map : equation; }
  bool within(double tolerance) const { return natural_map <= tolerance && equation <= tolerance; }
};

/// Judges z by the laws of the problem and gives back the w that follows. z_i is measured by the largest |z|,
/// and w_i by |q_i| and the terms that the largest |z| could add to it, these by no more than 10⁶ times the
/// largest |q|. (Without that bound a point far out along a ray of M, M z ≈ 0, would pass for any q.) What is
/// not finite, or not of the problem's size, is infinitely wrong.
LcpResidual judge(const Lcp& lcp, std::span<const double> z, std::span<double> w);
LcpResidual judge(const MixedLcp& lcp, std::span<const double> z, std::span<double> w);

/// The arrays have the sizes that n says, and every number is finite.
bool well_formed(const Lcp& lcp);
bool well_formed(const MixedLcp& lcp);

}  // namespace pawl
