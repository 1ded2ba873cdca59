#pragma once
// Polylines that cross themselves.

#include <optional>
#include <span>
#include <utility>

#include <pawl/math.h>

namespace pawl::internal {

/// Two pieces of a polyline in z = 0, from point `first` to the next and from `second` to the next, the later
/// one first, that cross beyond doubt; also where a point of one lies on the other and the line goes through
/// there. Pieces that touch without crossing pass. Gives up on lines so entangled that 10⁸ pairs of pieces
/// are near each other.
std::optional<std::pair<int, int>> crossing_pieces(std::span<const Vec3> points);

}  // namespace pawl::internal
