#pragma once
// A convex hull shared by the contact benchmarks.

#include <random>
#include <vector>

#include <pawl/collision/hull/convex_hull.h>

namespace pawl::internal::bench {

/// The hull of a ball of height `size`, with a flat face at the bottom and the top so that it can rest.
inline Polytope hull_with_flat_faces(int corners, double size) {
  std::mt19937_64 engine(7);
  std::normal_distribution<double> normal;
  std::vector<Vec3> points;
  for (int i = 0; i < corners - 8; ++i) {
    const Vec3 p = normalized(Vec3{normal(engine), normal(engine), normal(engine)});
    points.push_back({0.55 * size * p.x, 0.55 * size * p.y, 0.425 * size * p.z});
  }
  for (int i = 0; i < 8; ++i) {
    const double x = i & 1 ? 0.25 : -0.25, y = i & 2 ? 0.25 : -0.25, z = i & 4 ? 0.5 : -0.5;
    points.push_back(size * Vec3{x, y, z});
  }
  return convex_hull(points);
}

}  // namespace pawl::internal::bench
