#pragma once
// How two polytopes lie to each other: the direction along which they are apart the most, or overlap the
// least.

#include <pawl/collision/distance/separating_axis.h>

namespace pawl::internal {

/// The largest separation of the cores (margins left aside) of a and b over the normals of their faces and
/// the common normals of their edges; both must be points, segments, boxes or polytopes. Where it is ≤ 0 it
/// is the signed gap, otherwise a lower bound of the distance. Values that differ by rounding count as equal:
/// then a face is preferred to edges, and among faces that of the shape which `is_canonical_order`. Shapes
/// without any axis (a point and a segment, parallel segments) get one square to both, of kind none, whose
/// value is no more than a lower bound.
SatResult find_separating_axis(const PosedConvex& a, const PosedConvex& b);
/// The same of a pair of which a `is_canonical_order`. The search ends with any axis that separates by more
/// than `max_separation` (m).
SatResult find_separating_axis_canonical(const PosedConvex& a, const PosedConvex& b,
                                         double max_separation = std::numeric_limits<double>::infinity());

}  // namespace pawl::internal
