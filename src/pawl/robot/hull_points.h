#pragma once
// Meshes as convex hulls.

#include <span>
#include <vector>

#include <pawl/math.h>

namespace pawl::internal {

/// The corners of a convex hull, and its faces as SceneShape has them.
struct HullPoints {
  std::vector<Vec3> points;  // m
  std::vector<std::vector<int>> faces;
};

/// Throws Error if the points lie in a plane.
HullPoints hull_of(std::span<const Vec3> points);

}  // namespace pawl::internal
