#include <pawl/collision/distance/closed_form_distance.h>

#include <algorithm>
#include <limits>
#include <utility>

#include <pawl/base/tolerances.h>
#include <pawl/collision/distance/separating_axis.h>

namespace pawl::internal {
namespace {

double separation_along(const Segment& a, const Segment& b, const Vec3& n) {
  return dot(n, a.center - b.center) - std::abs(dot(n, a.half)) - std::abs(dot(n, b.half));
}

Vec3 unit_or_zero(const Vec3& v) {
  const double length = norm(v);
  return length > 0 ? v / length : Vec3{};
}

/// Segments that touch or nearly do, so that the offset d of their closest points hardly determines the
/// normal. Takes the best of these directions: perpendicular to both segments, perpendicular to one towards
/// the other, between two ends, and those from d.
SeparatingDirection separation_of_touching(const Segment& a, const Segment& b, double s, double t,
                                           const Vec3& d, bool planar) {
  SeparatingDirection best;
  best.s = -std::numeric_limits<double>::infinity();
  const auto consider = [&](const Vec3& direction) {
    const Vec3 n = unit_or_zero(direction);
    if (n == Vec3{}) return;
    const double along = separation_along(a, b, n);
    if (along > best.s) best.s = along, best.n = n;
  };
  const Vec3 in_a = (s > 0 ? -1.0 : 1.0) * unit_or_zero(a.half);  // from the nearer end to the other
  const Vec3 in_b = (t > 0 ? -1.0 : 1.0) * unit_or_zero(b.half);
  const Vec3 cross_ab = planar ? Vec3{} : cross(in_a, in_b);
  for (const Vec3& n : {cross_ab, any_normal(b.half, planar), any_normal(a.half, planar)}) {
    consider(n);
    consider(-n);
  }
  consider(in_a - dot(in_a, in_b) * in_b);
  consider(dot(in_a, in_b) * in_a - in_b);
  consider(in_a - in_b);
  consider(d);
  consider(d - dot(d, in_a) * in_a);
  consider(d - dot(d, in_b) * in_b);
  best.a = a.center + s * a.half;
  best.b = b.center + t * b.half;
  const double length = norm(a.half) + norm(b.half);
  if (planar &&
      best.s < -tolerances::kZeroLength * length) {  // an end of one segment has passed the side of the other
    const double slope_a = dot(best.n, a.half), slope_b = dot(best.n, b.half);
    if (std::abs(slope_a) > std::abs(slope_b)) {
      best.a = a.center - std::copysign(1.0, slope_a) * a.half;
      best.b = best.a - best.s * best.n;
    } else {
      best.b = b.center + std::copysign(1.0, slope_b) * b.half;
      best.a = best.b + best.s * best.n;
    }
  }
  return best;
}

}  // namespace

Vec3 normal_of_concentric(const PosedConvex& a, const PosedConvex& b) {
  const Vec3 n = a.shape.planar ? Vec3{0, 1, 0} : Vec3{0, 0, 1};
  return is_canonical_order(a, b) ? n : -n;
}

Vec3 any_normal(const Vec3& along, bool planar) {
  const double length = norm(along);
  if (planar) return length > 0 ? Vec3{-along.y, along.x, 0} / length : Vec3{0, 1, 0};
  if (length == 0) return {0, 0, 1};
  const Vec3 d = along / length;
  const Vec3 out = Vec3{0, 0, 1} - d.z * d;
  return norm(out) > kClearlyOblique ? normalized(out) : normalized(Vec3{1, 0, 0} - d.x * d);
}

std::pair<double, double> nearest(const Segment& a, const Segment& b) {
  const Vec3 r = a.center - b.center;
  const double aa = dot(a.half, a.half), bb = dot(b.half, b.half), ab = dot(a.half, b.half);
  const double ar = dot(a.half, r), br = dot(b.half, r);
  const auto unit = [](double x) { return std::clamp(x, -1.0, 1.0); };
  if (aa == 0 && bb == 0) return {0, 0};
  if (aa == 0) return {0, unit(br / bb)};
  if (bb == 0) return {unit(-ar / aa), 0};
  const Vec3 cross_ab = cross(a.half, b.half);
  const double det = dot(cross_ab, cross_ab);
  double s = det > 0 ? unit(dot(cross_ab, cross(b.half, r)) / det) : 0;
  const double t = unit((ab * s + br) / bb);
  s = unit((ab * t - ar) / aa);
  return {s, t};
}

SeparatingDirection separation_of(const Segment& a, const Segment& b, bool planar) {
  const auto [s, t] = nearest(a, b);
  // Not as a difference of the two points, which loses digits far from the origin.
  const Vec3 r = a.center - b.center, d = r + s * a.half - t * b.half;
  const double distance2 = dot(d, d);
  if (distance2 <= tolerances::kMedium * (dot(a.half, a.half) + dot(b.half, b.half))) {
    return separation_of_touching(a, b, s, t, d, planar);
  }
  SeparatingDirection apart;
  apart.s = std::sqrt(distance2);
  apart.n = d / apart.s;
  apart.a = a.center + s * a.half;
  apart.b = b.center + t * b.half;
  return apart;
}

/// With x = center + t half, half the derivative of the squared distance by t is Σ segment.half_i (x_i -
/// clamp(x_i)). It never decreases with t and is linear between the points where the line enters or leaves a
/// slab of the box. The root lies between the last such point with a negative value and the next one.
double closest_parameter_to_box(const Segment& segment, const Vec3& half) {
  const auto slope = [&](double t) {
    double sum = 0;
    for (int i = 0; i < 3; ++i) {
      const double x = segment.center[i] + t * segment.half[i];
      sum += segment.half[i] * (x - std::clamp(x, -half[i], half[i]));
    }
    return sum;
  };
  double low = -1, high = 1, at_low = slope(low), at_high = slope(high);
  if (at_low >= 0) return at_high <= 0 ? 0 : low;
  if (at_high <= 0) return high;
  for (int i = 0; i < 3; ++i) {
    if (segment.half[i] == 0) continue;
    for (const double side : {-half[i], half[i]}) {
      const double t = (side - segment.center[i]) / segment.half[i];
      if (!(t > low && t < high)) continue;
      const double now = slope(t);
      if (now == 0) return t;
      now < 0 ? (low = t, at_low = now) : (high = t, at_high = now);
    }
  }
  return low + (high - low) * (at_low / (at_low - at_high));
}

/// Let h be the least of the h_i. The closest point of the surface is x_i = h_i² y_i/(t + h_i²), where t >
/// -h² is the largest root of
///     g(t) = Σ (h_i y_i/(t + h_i²))² - 1
/// (D. Eberly, Distance from a Point to an Ellipse, an Ellipsoid, or a Hyperellipsoid). There g is convex and
/// decreasing, so Newton's method from the left converges without overshooting.
/// In the code, t is measured from -h² in units of h², and z_i = h_i |y_i|/h². Then the denominators are t +
/// (h_i² - h²)/h² and lose no digits.
SignedDistance signed_distance_to_ellipsoid(const Vec3& point, const Vec3& half, bool planar) {
  const int axes = planar ? 2 : 3;
  int least = 0;
  for (int i = 1; i < axes; ++i) {
    if (half[i] < half[least]) least = i;
  }
  const double unit = 1 / (half[least] * half[least]);
  Vec3 z, more;  // h_i |y_i| and h_i² - h², in units of h²
  for (int i = 0; i < axes; ++i) {
    z[i] = unit * half[i] * std::abs(point[i]);
    more[i] = unit * (half[i] - half[least]) * (half[i] + half[least]);
  }
  const auto g = [&](double t, double& slope) {
    double sum = -1;
    slope = 0;
    for (int i = 0; i < axes; ++i) {
      if (z[i] == 0) continue;
      const double ratio = z[i] / (t + more[i]);
      sum += ratio * ratio;
      slope -= 2 * ratio * ratio / (t + more[i]);
    }
    return sum;
  };
  // Each term alone is 1 at t = z_i - more_i, which is left of the root.
  double t = 0;
  for (int i = 0; i < axes; ++i) t = std::max(t, z[i] - more[i]);
  for (int step = 0; step < 100; ++step) {
    double slope = 0;
    const double value = g(t, slope);
    if (!(value > 0)) break;  // also where t = 0 and the point lies on the symmetry planes
    const double next = t - value / slope;
    if (!(next > t)) break;
    t = next;
  }
  Vec3 on, gradient;
  double rest = 1;
  for (int i = 0; i < axes; ++i) {
    if (i == least && t == 0) continue;
    const double ratio = z[i] == 0 ? 0 : z[i] / (t + more[i]);  // x_i/h_i
    rest -= ratio * ratio;
    on[i] = std::copysign(half[i] * ratio, point[i]);
    gradient[i] = std::copysign(ratio / half[i], point[i]);
  }
  if (t == 0) {  // close to the centre, where two points of the surface are equally close
    const double ratio = std::sqrt(std::max(rest, 0.0));
    on[least] = std::copysign(half[least] * ratio, point[least]);
    gradient[least] = std::copysign(ratio / half[least], point[least]);
  }
  const Vec3 n = normalized(half[least] * gradient);
  return {dot(n, point - on), n};
}

}  // namespace pawl::internal
