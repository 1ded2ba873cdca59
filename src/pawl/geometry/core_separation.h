#pragma once
// The signed gap of any two cores.

#include <pawl/geometry/polish.h>

namespace pawl {

/// In the frame of the first; margins are left aside.
Optimum core_separation(const PlacedConvex& a, const PlacedConvex& b);

/// The same of the shapes themselves, in the world: `separation` where there is no closed form and a
/// `comes_first`.
Separation separation_in_order(const PlacedConvex& a, const PlacedConvex& b);

}  // namespace pawl
