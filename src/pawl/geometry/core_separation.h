#pragma once
// The signed gap of any two cores.

#include <pawl/geometry/polish.h>

namespace pawl {

/// In the frame of the first; margins are left aside.
Optimum core_separation(const PlacedConvex& a, const PlacedConvex& b);

}  // namespace pawl
