#pragma once
// Sides and rims that reach beyond the face which they lie over.

#include <optional>

#include <pawl/collision/distance/separating_direction.h>

namespace pawl::internal {

/// The optimum where the side of a cylinder, or the rim of a cylinder or a cone, crosses the outline of the
/// face of the other core that it lies over, if it is proven to be the best of all; none: it may yet be.
std::optional<SeparatingDirection> rim_outline_direction(const CorePair& pair);

}  // namespace pawl::internal
