#pragma once
// Contact sets of two boxes in space, faster than those of any two polytopes.

#include <pawl/geometry.h>

namespace pawl::internal {

/// What collide says of two boxes of which a `is_canonical_order`; `mirrored` gives it as that of (b, a).
/// False, with nothing said, for the few that take more: boxes apart whose nearest features are none of the
/// deepest axis, points in one place, and sets of more than four to be thinned out.
bool collide_boxes(const PosedConvex& a, const PosedConvex& b, double contact_margin, int max_points,
                   bool mirrored, Manifold& manifold);

}  // namespace pawl::internal
