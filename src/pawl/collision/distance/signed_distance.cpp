#include <pawl/collision/distance/signed_distance.h>

#include <optional>

#include <pawl/collision/distance/closed_form_distance.h>
#include <pawl/collision/distance/core_separation.h>
#include <pawl/collision/distance/separating_axis.h>
#include <pawl/collision/shapes/support.h>

namespace pawl {

using namespace internal;

namespace {

/// From the frame X of an optimum to the world. The two points lie half the gap to each side of the middle of
/// those found, so that they differ by the gap along the normal to rounding.
Separation in_world(const Convex& a, const Convex& b, const Pose& X, const SeparatingDirection& core) {
  Separation result;
  result.normal = X.R * core.n;
  result.gap = core.s - (a.rounding_radius + b.rounding_radius);
  const Vec3 middle = X * (0.5 * (core.a + core.b));
  result.point_a = middle + (0.5 * core.s - a.rounding_radius) * result.normal;
  result.point_b = middle - (0.5 * core.s - b.rounding_radius) * result.normal;
  return result;
}

bool is_segment(const Convex& shape) {
  return shape.core == CoreKind::point || shape.core == CoreKind::segment;
}

Separation ball_and_ellipsoid(const PosedConvex& a, const PosedConvex& b) {
  const Vec3 point = transpose(b.X_WS.R) * (a.X_WS.p - b.X_WS.p);
  return separation_from_distance(a, b, a.X_WS.p,
                                  signed_distance_to_ellipsoid(point, b.shape.half, b.shape.planar));
}

/// A segment well clear of a box in space; none where they are nearer than a hundredth of their sizes: there
/// the way from one to the other gives the normal two digits less.
std::optional<Separation> segment_and_box(const PosedConvex& a, const PosedConvex& b) {
  const Mat3 Rt = transpose(b.X_WS.R);
  const Segment posed = segment_of(a.shape, {a.X_WS.R, a.X_WS.p - b.X_WS.p});
  const Segment line{Rt * posed.center, Rt * posed.half};
  const double t = closest_parameter_to_box(line, b.shape.half);
  const SignedDistance height = signed_distance_to_box(line.center + t * line.half, b.shape.half, false);
  if (height.s <= 1e-2 * (a.shape.half.z + core_radius(b.shape))) return {};
  return separation_from_distance(a, b, a.X_WS.p + t * posed.half, height);
}

}  // namespace

Separation separation(const PosedConvex& a, const PosedConvex& b) {
  const auto are = [&](CoreKind one, CoreKind other) { return a.shape.core == one && b.shape.core == other; };
  if (are(CoreKind::point, CoreKind::point)) return separation_of_balls(a, b);
  if (are(CoreKind::point, CoreKind::box)) return separation_of_ball_and_box(a, b);
  if (are(CoreKind::point, CoreKind::ellipsoid)) return ball_and_ellipsoid(a, b);
  if (are(CoreKind::box, CoreKind::point) || are(CoreKind::ellipsoid, CoreKind::point) ||
      !is_canonical_order(a, b)) {
    return mirrored(separation(b, a));
  }
  if (is_segment(a.shape) && is_segment(b.shape)) {
    const Vec3& origin = b.X_WS.p;
    const Segment line_a = segment_of(a.shape, {a.X_WS.R, a.X_WS.p - origin});
    const SeparatingDirection core =
        separation_of(line_a, segment_of(b.shape, {b.X_WS.R, {}}), a.shape.planar);
    return in_world(a.shape, b.shape, {Mat3::identity(), origin}, core);
  }
  if (!a.shape.planar && are(CoreKind::segment, CoreKind::box)) {
    if (const auto apart = segment_and_box(a, b)) return *apart;
  } else if (!a.shape.planar && are(CoreKind::box, CoreKind::segment)) {
    if (const auto apart = segment_and_box(b, a)) return mirrored(*apart);
  }
  return separation_ordered(a, b);
}

Separation internal::separation_ordered(const PosedConvex& a, const PosedConvex& b) {
  return in_world(a.shape, b.shape, a.X_WS, core_separation(a, b));
}

Separation separation(const PosedConvex& a, const HalfSpace& b) {
  const Vec3 point = a.X_WS * support(a.shape, transpose(a.X_WS.R) * -b.normal).point;
  const double height = dot(b.normal, point) - b.offset;
  Separation result;
  result.gap = height - a.shape.rounding_radius;
  result.normal = b.normal;
  result.point_a = point - a.shape.rounding_radius * b.normal;
  result.point_b = point - height * b.normal;
  return result;
}

}  // namespace pawl
