#pragma once
// Contact sets of a capsule and a box in space, faster than those of any two polytopes.

#include <pawl/geometry/contact_set.h>

namespace pawl {

/// What contact_set says of them; `capsule_first` gives it as that of (capsule, box), else of (box, capsule).
/// False, with nothing said, for the few that take more: where the nearest features are none of the deepest
/// axis, and two points in one place.
bool contacts_of_capsule_and_box(const PlacedConvex& capsule, const PlacedConvex& box, double reach, int most,
                                 bool capsule_first, ContactSet& set);

}  // namespace pawl
