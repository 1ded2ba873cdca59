#pragma once
// Contact manifolds of a capsule and a box in space: a fast path of `collide`.

#include <pawl/geometry.h>

namespace pawl::internal {

/// The result of collide for (capsule, box) if `capsule_first`, else for (box, capsule). Returns false where
/// the fast path does not apply: the best axis does not give the closest features, two points coincide, or
/// there are more than `max_points`.
bool collide_capsule_box(const PosedConvex& capsule, const PosedConvex& box, double contact_margin,
                         int max_points, bool capsule_first, Manifold& manifold);

}  // namespace pawl::internal
