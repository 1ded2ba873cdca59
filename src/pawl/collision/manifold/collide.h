#pragma once
// The points through which two shapes carry each other.

#include <pawl/collision/manifold/manifold.h>
#include <pawl/collision/shapes/convex.h>

namespace pawl {

/// Points of contact with gap ≤ reach, at most `max_points` (1 … 8) of a pair, ordered by feature; among them
/// is always the one of least gap, which is the pair's signed gap. The same configuration gives the same set,
/// to the last bit, whichever shape comes first.
void collide(const PosedConvex& a, const PosedConvex& b, double contact_margin, int max_points,
             Manifold& manifold);
void collide(const PosedConvex& a, const HalfSpace& b, double contact_margin, int max_points,
             Manifold& manifold);

}  // namespace pawl
