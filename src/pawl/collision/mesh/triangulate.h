#pragma once
// Triangulates polygons; internal to this folder.

#include <array>
#include <vector>

#include <pawl/math.h>

namespace pawl::internal {

/// Adds the n - 2 triangles of a polygon with n ≥ 3 corners, convex or not, flat or nearly so, with its
/// orientation. Returns null, or the reason of failure.
const char* triangulate(const std::vector<Vec3>& polygon, std::vector<std::array<int, 3>>& triangles);

}  // namespace pawl::internal
