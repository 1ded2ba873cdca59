#pragma once
// Circles and straight lines in space, and the closest points of two of them.

#include <pawl/collision/shapes/core_ops.h>

namespace pawl::internal {

/// A circle center + cos(t) e + sin(t) f, or a line center + t e with f = 0, t from 0 to 1.
struct Curve {
  Vec3 center, e, f;
  bool round = false;
};

/// The parameter of a point on a curve.
struct CurveParameter {
  double c = 1, s = 0;  // cos t and sin t; on a line t and 0

  Vec3 point(const Curve& curve) const { return curve.center + c * curve.e + s * curve.f; }
  Vec3 tangent(const Curve& curve) const { return curve.round ? c * curve.f - s * curve.e : curve.e; }
  Vec3 second_derivative(const Curve& curve) const {
    return curve.round ? curve.center - point(curve) : Vec3{};
  }
  void move(const Curve& curve, double by);
};

/// Parameter of the point closest to x.
CurveParameter closest_parameter(const Curve& curve, const Vec3& x);

/// Newton's method for the points whose connecting line is perpendicular to both curves. False if it does not
/// converge, or converges beyond an end.
bool find_closest_points(const Curve& a, const Curve& b, CurveParameter& x, CurveParameter& y);

/// A rim of a core, placed by X: below (0) or above (1).
Curve rim_of(const Convex& shape, int rim, const Pose& X);

}  // namespace pawl::internal
