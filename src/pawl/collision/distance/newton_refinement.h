#pragma once
// From a good guess of the direction in which two cores are the least apart to the exact one.

#include <pawl/collision/distance/separating_direction.h>

namespace pawl::internal {

/// The optimum nearby, by Newton's method on the pieces that the simplex names, or on a flat face that n is
/// nearly square to. What it returns is never worse than evaluate_direction by more than rounding.
SeparatingDirection newton_refine(const CorePair& pair, const Simplex& simplex, const Vec3& n);

}  // namespace pawl::internal
