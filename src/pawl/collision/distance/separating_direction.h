#pragma once
// A direction that separates two cores, and how good it is.

#include <pawl/collision/distance/gjk.h>

namespace pawl::internal {

/// A direction and the two points that it separates, in the frame of the first core. The signed gap of two
/// cores is the largest s(n) = min n · (a - b) over all unit n, so every s is a lower bound of it. The best
/// one has points a, b with a - b = s n; of a separated pair it is the only such.
struct SeparatingDirection {
  Vec3 n;
  double s = 0;  // m
  Vec3 a, b;     // m
  /// |a - b - s n|: 0 at an optimum. When s > 0 the gap is at most s + error.
  double error = 0;
  bool proven = false;  // cores that overlap: no other direction is better
  int count = 0;
  std::array<Vec3, 4> support_points;  // the points of a - b that a - b was mixed from, m
};

/// That of a direction and a convex combination of points, as they are.
SeparatingDirection evaluate_direction(const CorePair& pair, const Simplex& simplex, const Vec3& n);

/// Whether one is the better answer: the larger s, and where these are the same but for rounding the smaller
/// error.
bool is_better(const CorePair& pair, const SeparatingDirection& one, const SeparatingDirection& other);

/// Whether rounding alone is left of the error.
bool is_exact(const CorePair& pair, const SeparatingDirection& optimum);

}  // namespace pawl::internal
