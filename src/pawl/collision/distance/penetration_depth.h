#pragma once
// Penetration depth of two overlapping cores: the global optimum over all directions.

#include <pawl/collision/distance/separating_direction.h>

namespace pawl::internal {

/// The best of all optima. Overlapping cores may have many local optima. Branch and bound over the sphere of
/// directions stops when no other can be better by more than rounding. `start` is the initial direction.
SeparatingDirection penetration_depth(const CorePair& pair, const Vec3& start);

/// Evaluates a direction that is known to be an optimum, with its witness points.
SeparatingDirection evaluate_optimal_direction(const CorePair& pair, const Vec3& n);

/// The local optimum reached by ascent of s from n.
SeparatingDirection local_ascent(const CorePair& pair, const Vec3& n);

}  // namespace pawl::internal
