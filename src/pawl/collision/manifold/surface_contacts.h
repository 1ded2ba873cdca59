#pragma once
// Solids on surfaces: meshes, height fields, polylines.

#include <vector>

#include <pawl/collision/mesh/surface.h>
#include <pawl/geometry.h>

namespace pawl::internal {

/// Appends the points of contact with gap ≤ reach (at most the solid's own radius), ordered by feature. A
/// surface is solid behind its pieces: a piece is felt by what has its centre before it. Normals are those of
/// pieces and, on convex and open edges and corners, those between them, so that a body that slides over an
/// inner edge does not feel it. Of each normal at most `max_points` points stay (1 … 8; in the plane 2), the
/// deepest and those that spread the widest.
void surface_contacts(const PosedConvex& a, const Surface& surface, const Pose& X_WS, double contact_margin,
                      std::vector<ManifoldPoint>& points, int max_points = 4);

/// The least gap; +∞ where the solid is behind all pieces.
double surface_gap(const PosedConvex& a, const Surface& surface, const Pose& X_WS);

/// Around the whole surface, in the world: tight where it is not turned.
Aabb bounding_box(const Surface& surface, const Pose& X_WS);

}  // namespace pawl::internal
