#pragma once
// Contact sets of a capsule and a box in space, faster than those of any two polytopes.

#include <pawl/geometry.h>

namespace pawl::internal {

/// What collide says of them; `capsule_first` gives it as that of (capsule, box), else of (box, capsule).
/// False, with nothing said, for the few that take more: where the nearest features are none of the deepest
/// axis, and two points in one place.
bool collide_capsule_box(const PosedConvex& capsule, const PosedConvex& box, double contact_margin,
                         int max_points, bool capsule_first, Manifold& manifold);

}  // namespace pawl::internal
