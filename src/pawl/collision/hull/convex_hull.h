#pragma once
// Convex hulls of points in space and in the plane.

#include <span>

#include <pawl/collision/shapes/polytope.h>

namespace pawl::internal {

/// The vertices of the hull are input points, in input order. Facets that are coplanar up to the rounding of
/// the coordinates are merged into one face. Throws Error if a point is not finite or the points span no
/// volume.
Polytope convex_hull(std::span<const Vec3> points);

/// The hull of points in the plane z = 0. Vertices are counter-clockwise, starting with the lowest input
/// index.
Polytope polygon_hull(std::span<const Vec3> points);

}  // namespace pawl::internal
