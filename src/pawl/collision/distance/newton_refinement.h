#pragma once
// Newton refinement of an approximate separating direction of two cores.

#include <pawl/collision/distance/separating_direction.h>

namespace pawl::internal {

/// The nearby optimum, by Newton's method on the pieces that the simplex names, or on a flat face almost
/// perpendicular to n. The result is never worse than evaluate_direction, up to rounding.
SeparatingDirection newton_refine(const CorePair& pair, const Simplex& simplex, const Vec3& n);

}  // namespace pawl::internal
