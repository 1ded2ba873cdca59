#pragma once
// Convex hulls of points.

#include <span>

#include <pawl/collision/shapes/polytope.h>

namespace pawl::internal {

/// The hull's corners are points as given, in the order given; its faces are whole: facets that lie in one
/// plane, to the rounding of the points' coordinates, are one. Throws Error for points that are no finite
/// numbers or span no volume.
Polytope convex_hull(std::span<const Vec3> points);

/// The same in the plane z = 0: counter-clockwise, beginning with the corner that was given first.
Polytope polygon_hull(std::span<const Vec3> points);

}  // namespace pawl::internal
