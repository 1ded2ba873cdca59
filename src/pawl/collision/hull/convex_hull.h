#pragma once
// Convex hulls of points.

#include <span>
#include <vector>

#include <pawl/collision/shapes/polytope.h>

namespace pawl::internal {

/// The hull's corners are points as given, in the order given; its faces are whole: facets that lie in one
/// plane, to the rounding of the points' coordinates, are one. Throws Error for points that are no finite
/// numbers or span no volume.
Polytope convex_hull(std::span<const Vec3> points);

/// The same in the plane z = 0: counter-clockwise, beginning with the corner that was given first.
Polytope polygon_hull(std::span<const Vec3> points);

/// The faces of the hull as loops of indices into `points`, in the order of the hull's faces; in the plane
/// one loop, the polygon.
std::vector<std::vector<int>> hull_faces(std::span<const Vec3> points, bool planar);

}  // namespace pawl::internal
