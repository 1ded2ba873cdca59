#pragma once
// The direction in which two cores that overlap are separated by the shortest way.

#include <pawl/collision/distance/separating_direction.h>

namespace pawl::internal {

/// The best of all optima. Of cores that overlap there may be many, each the best of its neighbourhood: the
/// sphere of directions is searched by branch and bound until no other can be better by more than rounding.
/// `start` is a direction to begin with.
SeparatingDirection penetration_depth(const CorePair& pair, const Vec3& start);

/// The points that a direction separates, when it is known to be an optimum.
SeparatingDirection evaluate_optimal_direction(const CorePair& pair, const Vec3& n);

/// The optimum that lies uphill of n.
SeparatingDirection local_ascent(const CorePair& pair, const Vec3& n);

}  // namespace pawl::internal
