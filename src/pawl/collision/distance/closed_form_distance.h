#pragma once
// Closed forms for pairs of points, segments, boxes and ellipsoids.

#include <algorithm>
#include <limits>
#include <utility>

#include <pawl/collision/distance/separating_direction.h>
#include <pawl/geometry.h>

namespace pawl::internal {

/// Any, but the same from both sides.
Vec3 normal_of_concentric(const PosedConvex& a, const PosedConvex& b);

/// Two balls; here, since it takes no longer than a call.
inline Separation separation_of_balls(const PosedConvex& a, const PosedConvex& b) {
  const Vec3 d = a.X_WS.p - b.X_WS.p;
  const double distance = norm(d), gap = distance - (a.shape.rounding_radius + b.shape.rounding_radius);
  Vec3 n = (1 / distance) * d;
  if (distance == 0) n = normal_of_concentric(a, b);
  return {gap, n, a.X_WS.p - a.shape.rounding_radius * n, b.X_WS.p + b.shape.rounding_radius * n};
}

inline Separation mirrored(const Separation& other) {
  return {other.gap, -other.normal, other.point_b, other.point_a};
}

/// The points center ± half; half = 0 is a point.
struct Segment {
  Vec3 center, half;  // m
};

/// The line of a capsule or a cylinder, placed by X; of a ball its centre.
inline Segment segment_of(const Convex& shape, const Pose& X) {
  const int axis = shape.planar ? 0 : 2;
  const double half = shape.core == CoreKind::point ? 0 : shape.half[axis];
  return {X.p, half * Vec3{X.R(0, axis), X.R(1, axis), X.R(2, axis)}};
}

/// Out of the line of a segment, when nothing else says which way: in the plane, or as near to z as it goes.
Vec3 any_normal(const Vec3& along, bool planar);

/// Nearest parameters s, t in [-1, 1] of two segments. The determinant of the two lines is taken as |a × b|²:
/// as aa bb - ab ab it would be rounding alone below 1e-8 rad, and s with it.
std::pair<double, double> nearest(const Segment& a, const Segment& b);

/// In any frame that both are given in; planar: in z = 0.
SeparatingDirection separation_of(const Segment& a, const Segment& b, bool planar);

/// How far a point is from a body, and where: out of the body along n; less than 0 within.
struct SignedDistance {
  double s = 0;  // m
  Vec3 n;        // unit
};

/// Two shapes whose points nearest to each other are a core's point of a, in the world, and what lies below
/// it along the height over b's core, in b's frame.
inline Separation separation_from_distance(const PosedConvex& a, const PosedConvex& b, const Vec3& core_a,
                                           const SignedDistance& height) {
  const Vec3 normal = b.X_WS.R * height.n;
  const double gap = height.s - (a.shape.rounding_radius + b.shape.rounding_radius);
  const Vec3 point_a = core_a - a.shape.rounding_radius * normal;
  return {gap, normal, point_a, point_a - gap * normal};
}

/// A point and a box |x_i| ≤ half_i, in the box's frame.
inline SignedDistance signed_distance_to_box(const Vec3& point, const Vec3& half, bool planar) {
  const auto beyond = [](double x, double h) { return x - std::clamp(x, -h, h); };
  const Vec3 over{beyond(point.x, half.x), beyond(point.y, half.y), beyond(point.z, half.z)};
  if (const double distance = norm(over); distance > 0) return {distance, (1 / distance) * over};
  SignedDistance height{-std::numeric_limits<double>::infinity(), {}};
  int face = 0;
  for (int i = 0; i < (planar ? 2 : 3); ++i) {
    const double along = std::abs(point[i]) - half[i];
    if (along > height.s) height.s = along, face = i;
  }
  height.n[face] = point[face] < 0 ? -1 : 1;
  return height;
}

/// A ball and a box.
inline Separation separation_of_ball_and_box(const PosedConvex& ball, const PosedConvex& box) {
  const Vec3 point = transpose(box.X_WS.R) * (ball.X_WS.p - box.X_WS.p);
  return separation_from_distance(ball, box, ball.X_WS.p,
                                  signed_distance_to_box(point, box.shape.half, box.shape.planar));
}

/// A point and an ellipsoid Σ (x_i/half_i)² ≤ 1, in its frame.
SignedDistance signed_distance_to_ellipsoid(const Vec3& point, const Vec3& half, bool planar);

/// The parameter in [-1, 1] of the point of a segment that is the nearest to a box in space, in the box's
/// frame.
double closest_parameter_to_box(const Segment& segment, const Vec3& half);

}  // namespace pawl::internal
