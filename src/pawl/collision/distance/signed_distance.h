#pragma once
// The signed distance of two convex shapes.

#include <pawl/collision/distance/separation.h>
#include <pawl/collision/shapes/convex.h>

namespace pawl {

/// The signed distance and its witness points: the distance of separated shapes, minus the penetration depth
/// of overlapping ones.
Separation separation(const PosedConvex& a, const PosedConvex& b);
Separation separation(const PosedConvex& a, const HalfSpace& b);

/// The same of the shapes themselves, in the world: `separation` where there is no closed form and a
/// `is_canonical_order`.
Separation separation_ordered(const PosedConvex& a, const PosedConvex& b);

}  // namespace pawl
