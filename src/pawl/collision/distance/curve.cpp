#include <pawl/collision/distance/curve.h>

#include <algorithm>

#include <pawl/base/tolerances.h>

namespace pawl::internal {

void CurveParameter::move(const Curve& curve, double by) {
  if (!curve.round) {
    c += by;
    return;
  }
  const double length = std::sqrt(1 + by * by), next = c - by * s;
  s = (s + by * c) / length;
  c = next / length;
}

CurveParameter closest_parameter(const Curve& curve, const Vec3& x) {
  const Vec3 d = x - curve.center;
  const double along = dot(d, curve.e) / dot(curve.e, curve.e);
  if (!curve.round) return {along, 0};
  const double up = dot(d, curve.f) / dot(curve.e, curve.e), length = std::sqrt(along * along + up * up);
  return length > 0 ? CurveParameter{along / length, up / length} : CurveParameter{};
}

bool find_closest_points(const Curve& a, const Curve& b, CurveParameter& x, CurveParameter& y) {
  constexpr int kMaxIterations = 12;
  for (int step = 0; step < kMaxIterations; ++step) {
    const Vec3 w = x.point(a) - y.point(b), ta = x.tangent(a), tb = y.tangent(b);
    const double f = dot(ta, w), g = dot(tb, w), fy = -dot(ta, tb);
    const double fx = dot(x.second_derivative(a), w) + dot(ta, ta),
                 gy = dot(y.second_derivative(b), w) - dot(tb, tb);
    const double det = fx * gy + fy * fy;
    const double dx = (fy * g - gy * f) / det, dy = (-fy * f - fx * g) / det;
    if (!(std::abs(dx) < 10 && std::abs(dy) < 10)) return false;
    x.move(a, dx);
    y.move(b, dy);
    // Quadratic convergence: the next step would be below rounding.
    if (std::max(std::abs(dx), std::abs(dy)) < tolerances::kQuadratic) break;
  }
  const auto is_beyond_end = [](const Curve& curve, const CurveParameter& parameter) {
    return !curve.round && !(parameter.c >= -tolerances::kOnEdge && parameter.c <= 1 + tolerances::kOnEdge);
  };
  return !is_beyond_end(a, x) && !is_beyond_end(b, y);
}

Curve rim_of(const Convex& shape, int rim, const Pose& X) {
  const auto [radius, height] = core_ops(shape).rim(shape, rim);
  return {X * Vec3{0, 0, height}, radius * column(X.R, 0), radius * column(X.R, 1), true};
}

}  // namespace pawl::internal
