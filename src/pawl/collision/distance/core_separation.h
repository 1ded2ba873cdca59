#pragma once
// The signed gap of any two cores.

#include <pawl/collision/distance/separating_direction.h>

namespace pawl::internal {

/// In the frame of the first; margins are left aside.
SeparatingDirection core_separation(const PosedConvex& a, const PosedConvex& b);

}  // namespace pawl::internal
