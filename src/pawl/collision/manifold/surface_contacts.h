#pragma once
// Contacts of convex solids with surfaces: meshes, height fields and polylines.

#include <vector>

#include <pawl/collision/mesh/surface.h>
#include <pawl/geometry.h>

namespace pawl::internal {

/// Appends the contacts with gap ≤ contact_margin (limited to the solid's bounding radius), ordered by
/// feature. A surface is solid behind its pieces: a piece has contacts only with solids whose centre is in
/// front of it. Normals are those of the pieces and, on convex and open edges and corners, the directions
/// between them. So a body that slides over an inner edge has no contact with it.
/// For each normal at most `max_points` points are kept (1 … 8; in the plane 2): the deepest, and those that
/// span the largest area.
void surface_contacts(const PosedConvex& a, const Surface& surface, const Pose& X_WS, double contact_margin,
                      std::vector<ManifoldPoint>& points, int max_points = 4);

/// The least gap; +∞ if the solid is behind all pieces.
double surface_gap(const PosedConvex& a, const Surface& surface, const Pose& X_WS);

/// AABB of the whole surface in the world frame; tight if the surface is not rotated.
Aabb bounding_box(const Surface& surface, const Pose& X_WS);

}  // namespace pawl::internal
