#pragma once
// Solids on surfaces: meshes, height fields, polylines.

#include <vector>

#include <pawl/geometry/contact_set.h>
#include <pawl/geometry/surface.h>

namespace pawl {

/// Appends the points of contact with gap ≤ reach (at most the solid's own radius), ordered by feature. A
/// surface is solid behind its pieces: a piece is felt by what has its centre before it. Normals are those of
/// pieces and, on convex and open edges and corners, those between them, so that a body that slides over an
/// inner edge does not feel it. Of each normal at most `most` points stay (1 … 8; in the plane 2), the
/// deepest and those that spread the widest.
void surface_contacts(const PlacedConvex& a, const Surface& surface, const Pose& X_WS, double reach,
                      std::vector<ContactPoint>& points, int most = 4);

/// The least gap; +∞ where the solid is behind all pieces.
double surface_gap(const PlacedConvex& a, const Surface& surface, const Pose& X_WS);

/// Around the whole surface, in the world: tight where it is not turned.
Box bounding_box(const Surface& surface, const Pose& X_WS);

}  // namespace pawl
