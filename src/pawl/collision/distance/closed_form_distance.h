#pragma once
// Closed-form distances between points, segments, boxes and ellipsoids.

#include <algorithm>
#include <limits>
#include <utility>

#include <pawl/collision/distance/separating_direction.h>
#include <pawl/geometry.h>

namespace pawl::internal {

/// An arbitrary normal that changes its sign when a and b are swapped.
Vec3 normal_of_concentric(const PosedConvex& a, const PosedConvex& b);

/// Two balls; inline, since it costs no more than a call.
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

/// The points center + t half, |t| ≤ 1; a point if half = 0.
struct Segment {
  Vec3 center, half;  // m
};

/// The axis of a capsule or a cylinder, or the centre of a ball, placed by X.
inline Segment segment_of(const Convex& shape, const Pose& X) {
  const int axis = shape.planar ? 0 : 2;
  const double half = shape.core == CoreKind::point ? 0 : shape.half[axis];
  return {X.p, half * Vec3{X.R(0, axis), X.R(1, axis), X.R(2, axis)}};
}

/// An arbitrary unit normal of a segment: in the plane z = 0 if planar, else as close to z as possible.
Vec3 any_normal(const Vec3& along, bool planar);

/// Closest parameters s, t in [-1, 1] of two segments. The determinant of the two lines is computed as |a ×
/// b|². Below 1e-8 rad, aa bb - ab ab would be rounding noise, and so would s.
std::pair<double, double> nearest(const Segment& a, const Segment& b);

/// In any common frame; planar: in z = 0.
SeparatingDirection separation_of(const Segment& a, const Segment& b, bool planar);

/// Signed distance of a point from a body, negative inside, and its direction n out of the body.
struct SignedDistance {
  double s = 0;  // m
  Vec3 n;        // unit
};

/// Separation of two shapes, given the witness point core_a on a's core (world) and its signed distance from
/// b's core (in the frame of b).
inline Separation separation_from_distance(const PosedConvex& a, const PosedConvex& b, const Vec3& core_a,
                                           const SignedDistance& height) {
  const Vec3 normal = b.X_WS.R * height.n;
  const double gap = height.s - (a.shape.rounding_radius + b.shape.rounding_radius);
  const Vec3 point_a = core_a - a.shape.rounding_radius * normal;
  return {gap, normal, point_a, point_a - gap * normal};
}

/// A point and a box |x_i| ≤ half_i, in the frame of the box.
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

inline Separation separation_of_ball_and_box(const PosedConvex& ball, const PosedConvex& box) {
  const Vec3 point = transpose(box.X_WS.R) * (ball.X_WS.p - box.X_WS.p);
  return separation_from_distance(ball, box, ball.X_WS.p,
                                  signed_distance_to_box(point, box.shape.half, box.shape.planar));
}

/// A point and an ellipsoid Σ (x_i/half_i)² ≤ 1, in the frame of the ellipsoid.
SignedDistance signed_distance_to_ellipsoid(const Vec3& point, const Vec3& half, bool planar);

/// Parameter in [-1, 1] of the point of a segment closest to a box in space, in the frame of the box.
double closest_parameter_to_box(const Segment& segment, const Vec3& half);

}  // namespace pawl::internal
