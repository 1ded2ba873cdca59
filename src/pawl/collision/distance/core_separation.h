#pragma once
// The signed distance of any two convex cores.

#include <pawl/collision/distance/separating_direction.h>

namespace pawl::internal {

/// In the frame of the first core, without rounding radii.
SeparatingDirection core_separation(const PosedConvex& a, const PosedConvex& b);

}  // namespace pawl::internal
