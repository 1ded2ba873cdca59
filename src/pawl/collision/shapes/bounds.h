#pragma once
// Bounding boxes and bounding radii of convex shapes.

#include <pawl/collision/shapes/aabb.h>
#include <pawl/geometry.h>

namespace pawl::internal {

/// The smallest AABB in the world frame that contains the shape, rounding radius included.
Aabb bounding_box(const PosedConvex& posed);

/// Radius of a ball about the shape's origin that contains the shape, rounding radius included, m.
double bounding_radius(const Convex& shape);

/// Radius of a ball that fits into the shape, rounding radius included, m: at most half its thickness.
double inner_radius(const Convex& shape);

}  // namespace pawl::internal
