#pragma once
// Contact manifolds of two boxes in space: a fast path of `collide`.

#include <pawl/geometry.h>

namespace pawl::internal {

/// The result of collide for two boxes in canonical order (`is_canonical_order`); `mirrored` gives that of
/// (b, a). Returns false where the fast path does not apply:
/// - separated boxes whose closest features are not the features of the best axis;
/// - coincident points;
/// - more than `max_points` points, if `max_points` is not four or they are collinear.
bool collide_boxes(const PosedConvex& a, const PosedConvex& b, double contact_margin, int max_points,
                   bool mirrored, Manifold& manifold);

}  // namespace pawl::internal
