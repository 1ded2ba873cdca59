#pragma once
// Separating axis test of two polytopes: the axis of largest separation or least overlap.

#include <pawl/collision/distance/separating_axis.h>

namespace pawl::internal {

/// The largest separation of the cores of a and b, without rounding radii, over their face normals and the
/// common normals of their edges. Both must be points, segments, boxes or polytopes. If it is ≤ 0 it is the
/// signed distance, otherwise a lower bound of the distance.
/// Values within rounding count as equal: faces are preferred to edges, and among faces the shape that comes
/// first in `is_canonical_order`. Pairs without any axis (a point and a segment, parallel segments) get one
/// perpendicular to both, of kind none. Its value is a lower bound only.
SatResult find_separating_axis(const PosedConvex& a, const PosedConvex& b);
/// The same for a pair in canonical order (`is_canonical_order`). The search stops at any axis with a
/// separation above `max_separation` (m).
SatResult find_separating_axis_canonical(const PosedConvex& a, const PosedConvex& b,
                                         double max_separation = std::numeric_limits<double>::infinity());

}  // namespace pawl::internal
