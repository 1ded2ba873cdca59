#pragma once
// Shapes with poses, and random polytopes and poses.

#include <utility>
#include <vector>

#include <pawl/collision/hull/convex_hull.h>
#include <pawl/collision/shapes/polytope.h>
#include <unit/base/random.h>
#include <unit/collision/shapes/convex_of.h>

namespace pawl::internal::testing {

/// A shape with a pose.
struct Body {
  Convex shape;
  Pose X;

  PosedConvex posed() const { return {shape, X}; }
  const Polytope& polytope() const { return *shape.polytope; }
};

inline Body body_of(CoreKind core, const Vec3& half, const Pose& X, double rounding_radius = 0,
                    bool planar = false) {
  return {convex_of(core, half, rounding_radius, planar), X};
}

inline Body body_of(Polytope polytope, const Pose& X, double rounding_radius = 0, bool planar = false) {
  return {Convex::hull(std::move(polytope), rounding_radius, planar), X};
}

inline Body box(const Vec3& half, const Pose& X, double rounding_radius = 0) {
  return body_of(CoreKind::box, half, X, rounding_radius);
}

/// The hull of random points on a sphere; every point is a vertex.
inline Polytope ball_hull(Random& random, int corners, double radius) {
  std::vector<Vec3> points;
  for (int i = 0; i < corners; ++i) points.push_back(radius * random.unit());
  return convex_hull(points);
}

/// The 24 rotations of a cube onto itself, exact.
inline std::vector<Mat3> cube_rotations() {
  std::vector<Mat3> rotations;
  const int orders[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {1, 0, 2}, {2, 1, 0}};
  for (int o = 0; o < 6; ++o) {
    for (int signs = 0; signs < 8; ++signs) {
      Mat3 R;
      double turn = o < 3 ? 1 : -1;
      for (int i = 0; i < 3; ++i) {
        R(i, orders[o][i]) = signs & (1 << i) ? -1 : 1;
        turn *= R(i, orders[o][i]);
      }
      if (turn > 0) rotations.push_back(R);
    }
  }
  return rotations;
}

inline Pose random_pose(Random& random, double distance, bool planar = false) {
  if (!planar) return {to_matrix(random.rotation()), random.vec(distance)};
  const Vec3 p = random.vec(distance);
  return {to_matrix(quat_exp({0, 0, random.uniform(-3.14, 3.14)})), {p.x, p.y, 0}};
}

}  // namespace pawl::internal::testing
