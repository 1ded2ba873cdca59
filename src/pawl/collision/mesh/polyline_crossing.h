#pragma once
// Detects polylines that cross themselves.

#include <optional>
#include <span>
#include <utility>

#include <pawl/math.h>

namespace pawl::internal {

/// Two pieces of a polyline in z = 0 that certainly cross, as the indices of their first points, the later
/// piece first. A vertex of one piece on the other counts if the line passes through there; pieces that touch
/// without crossing do not. Gives up once 10⁸ pairs of pieces with overlapping AABBs were tested.
std::optional<std::pair<int, int>> crossing_pieces(std::span<const Vec3> points);

}  // namespace pawl::internal
