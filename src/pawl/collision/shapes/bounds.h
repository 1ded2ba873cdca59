#pragma once
// How far shapes reach.

#include <pawl/collision/shapes/aabb.h>
#include <pawl/geometry.h>

namespace pawl::internal {

/// The smallest box of the world's axes that holds the shape, margin included.
Aabb bounding_box(const PosedConvex& posed);

/// Of the ball about the shape's origin that holds it, margin included, m.
double bounding_radius(const Convex& shape);

/// Of a ball that fits into the shape, margin included, m: half of how thick it is, or less.
double inner_radius(const Convex& shape);

}  // namespace pawl::internal
