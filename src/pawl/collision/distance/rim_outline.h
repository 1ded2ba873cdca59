#pragma once
// Separating directions where a side or a rim extends beyond the outline of the face below it.

#include <optional>

#include <pawl/collision/distance/separating_direction.h>

namespace pawl::internal {

/// The optimum where the side of a cylinder, or the rim of a cylinder or cone, crosses the outline of the
/// other core's face below. Empty if it is not proven optimal.
std::optional<SeparatingDirection> rim_outline_direction(const CorePair& pair);

}  // namespace pawl::internal
