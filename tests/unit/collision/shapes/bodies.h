#pragma once
// Shapes that own their polytopes, and random ones of every kind.

#include <memory>
#include <vector>

#include <pawl/collision/shapes/convex.h>
#include <pawl/collision/shapes/hull.h>
#include <unit/base/random.h>

namespace pawl::testing {

/// A shape that owns its polytope, with a pose.
struct Body {
  std::shared_ptr<const Polytope> polytope;
  Convex shape;
  Pose X;

  PosedConvex posed() const { return {shape, X}; }
};

inline Body body_of(CoreKind core, const Vec3& half, const Pose& X, double rounding_radius = 0,
                    bool planar = false) {
  Body body;
  if (core == CoreKind::box) body.polytope = std::make_shared<Polytope>(make_box(half, planar));
  if (core == CoreKind::segment) {
    body.polytope = std::make_shared<Polytope>(make_segment(planar ? half.x : half.z, planar));
  }
  body.shape = {core, planar, rounding_radius, half, body.polytope.get()};
  body.X = X;
  return body;
}

inline Body body_of(Polytope polytope, const Pose& X, double rounding_radius = 0, bool planar = false) {
  Body body;
  body.polytope = std::make_shared<Polytope>(std::move(polytope));
  body.shape = {CoreKind::polytope, planar, rounding_radius, {}, body.polytope.get()};
  body.X = X;
  return body;
}

inline Body box(const Vec3& half, const Pose& X, double rounding_radius = 0) {
  return body_of(CoreKind::box, half, X, rounding_radius);
}

/// Points on a sphere, so that all are vertices.
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

}  // namespace pawl::testing
