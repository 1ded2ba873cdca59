#pragma once
// Polygons cut into triangles. Internal to geometry/.

#include <array>
#include <vector>

#include <pawl/math.h>

namespace pawl::internal {

/// Adds n - 2 triangles of a polygon with n ≥ 3 corners, convex or not, flat or nearly, in its sense of
/// rotation. Returns why not, or null.
const char* triangulate(const std::vector<Vec3>& polygon, std::vector<std::array<int, 3>>& triangles);

}  // namespace pawl::internal
