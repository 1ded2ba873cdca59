#pragma once
// The signed gap of any two cores.

#include <pawl/collision/distance/newton_refinement.h>

namespace pawl {

/// In the frame of the first; margins are left aside.
SeparatingDirection core_separation(const PosedConvex& a, const PosedConvex& b);

/// The same of the shapes themselves, in the world: `separation` where there is no closed form and a
/// `is_canonical_order`.
Separation separation_ordered(const PosedConvex& a, const PosedConvex& b);

}  // namespace pawl
