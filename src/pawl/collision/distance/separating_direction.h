#pragma once
// A separating direction of two cores, and its error.

#include <pawl/collision/distance/gjk.h>

namespace pawl::internal {

/// A direction n and its two witness points, in the frame of the first core. The signed distance of two cores
/// is
///     max s(n) over all unit n,   s(n) = min n · (a - b) over the points a, b of the cores,
/// so every s is a lower bound. The best direction has points a, b with a - b = s n. Separated cores have
/// only one such direction.
struct SeparatingDirection {
  Vec3 n;
  double s = 0;  // m
  Vec3 a, b;     // m
  /// |a - b - s n|: 0 at an optimum. If s > 0, the gap is at most s + error.
  double error = 0;
  bool proven = false;  // overlapping cores: no other direction is better
  int count = 0;
  std::array<Vec3, 4> support_points;  // points of a - b whose convex combination is a - b, m
};

/// Evaluates a direction with a given convex combination of points.
SeparatingDirection evaluate_direction(const CorePair& pair, const Simplex& simplex, const Vec3& n);

/// True if `one` is better: the larger s, or the smaller error if they are equal within rounding.
bool is_better(const CorePair& pair, const SeparatingDirection& one, const SeparatingDirection& other);

/// True if the error is within rounding.
bool is_exact(const CorePair& pair, const SeparatingDirection& optimum);

}  // namespace pawl::internal
