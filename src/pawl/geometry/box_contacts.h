#pragma once
// Contact sets of two boxes in space, faster than those of any two polytopes.

#include <pawl/geometry/contact_set.h>

namespace pawl {

/// What contact_set says of two boxes of which a `comes_first`; `mirrored` gives it as that of (b, a). False,
/// with nothing said, for the few that take more: boxes apart whose nearest features are none of the deepest
/// axis, points in one place, and sets of more than four to be thinned out.
bool contacts_of_boxes(const PlacedConvex& a, const PlacedConvex& b, double reach, int most, bool mirrored,
                       ContactSet& set);

}  // namespace pawl
