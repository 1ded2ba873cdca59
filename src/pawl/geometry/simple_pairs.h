#pragma once
// Closed forms for pairs of points, segments, boxes and ellipsoids.

#include <utility>

#include <pawl/geometry/polish.h>

namespace pawl {

/// Any, but the same from both sides.
Vec3 normal_of_concentric(const PlacedConvex& a, const PlacedConvex& b);

/// Two balls; here, since it takes no longer than a call.
inline Separation separation_of_balls(const PlacedConvex& a, const PlacedConvex& b) {
  const Vec3 d = a.X_WS.p - b.X_WS.p;
  const double distance = norm(d), gap = distance - (a.shape.margin + b.shape.margin);
  Vec3 n = (1 / distance) * d;
  if (distance == 0) n = normal_of_concentric(a, b);
  return {gap, n, a.X_WS.p - a.shape.margin * n, b.X_WS.p + b.shape.margin * n};
}

/// The points center ± half; half = 0 is a point.
struct Segment {
  Vec3 center, half;  // m
};

/// The line of a capsule or a cylinder, placed by X; of a ball its centre.
Segment segment_of(const Convex& shape, const Pose& X);

/// Out of the line of a segment, when nothing else says which way: in the plane, or as near to z as it goes.
Vec3 any_normal(const Vec3& along, bool planar);

/// Nearest parameters s, t in [-1, 1] of two segments. The determinant of the two lines is taken as |a × b|²:
/// as aa bb - ab ab it would be rounding alone below 1e-8 rad, and s with it.
std::pair<double, double> nearest(const Segment& a, const Segment& b);

/// In any frame that both are given in; planar: in z = 0.
Optimum separation_of(const Segment& a, const Segment& b, bool planar);

/// How far a point is from a body, and where: out of the body along n; less than 0 within.
struct Height {
  double s = 0;  // m
  Vec3 n;        // unit
};

/// A point and a box |x_i| ≤ half_i, in the box's frame.
Height height_over_box(const Vec3& point, const Vec3& half, bool planar);

/// A point and an ellipsoid Σ (x_i/half_i)² ≤ 1, in its frame.
Height height_over_ellipsoid(const Vec3& point, const Vec3& half, bool planar);

/// The parameter in [-1, 1] of the point of a segment that is the nearest to a box in space, in the box's
/// frame.
double nearest_to_box(const Segment& segment, const Vec3& half);

}  // namespace pawl
