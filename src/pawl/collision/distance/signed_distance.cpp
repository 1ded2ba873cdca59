#include <pawl/collision/distance/signed_distance.h>

#include <optional>

#include <pawl/base/tolerances.h>
#include <pawl/collision/distance/closed_form_distance.h>
#include <pawl/collision/distance/core_separation.h>
#include <pawl/collision/distance/separating_axis.h>
#include <pawl/collision/shapes/core_ops.h>
#include <pawl/collision/shapes/support.h>

namespace pawl {

using namespace internal;

namespace {

/// Transforms a separating direction from frame X to the world and adds the rounding radii. The witness
/// points lie half the gap to either side of their midpoint, so point_a - point_b = gap · normal up to
/// rounding.
Separation in_world(const Convex& a, const Convex& b, const Pose& X, const SeparatingDirection& core) {
  Separation result;
  result.normal = X.R * core.n;
  result.gap = core.s - (a.rounding_radius + b.rounding_radius);
  const Vec3 middle = X * (0.5 * (core.a + core.b));
  result.point_a = middle + (0.5 * core.s - a.rounding_radius) * result.normal;
  result.point_b = middle - (0.5 * core.s - b.rounding_radius) * result.normal;
  return result;
}

using PairSeparation = Separation (*)(const PosedConvex& a, const PosedConvex& b);

template <PairSeparation kSeparation>
Separation swapped(const PosedConvex& a, const PosedConvex& b) {
  return mirrored(kSeparation(b, a));
}

Separation any_pair(const PosedConvex& a, const PosedConvex& b) {
  return is_canonical_order(a, b) ? separation_ordered(a, b) : mirrored(separation_ordered(b, a));
}

Separation ball_and_ellipsoid(const PosedConvex& a, const PosedConvex& b) {
  const Vec3 point = transpose(b.X_WS.R) * (a.X_WS.p - b.X_WS.p);
  return separation_from_distance(a, b, a.X_WS.p,
                                  signed_distance_to_ellipsoid(point, b.shape.half, b.shape.planar));
}

/// Two segments; a point is a segment of length 0.
Separation two_segments(const PosedConvex& a, const PosedConvex& b) {
  if (!is_canonical_order(a, b)) return mirrored(two_segments(b, a));
  const Vec3& origin = b.X_WS.p;
  const Segment line_a = segment_of(a.shape, {a.X_WS.R, a.X_WS.p - origin});
  const SeparatingDirection core = separation_of(line_a, segment_of(b.shape, {b.X_WS.R, {}}), a.shape.planar);
  return in_world(a.shape, b.shape, {Mat3::identity(), origin}, core);
}

/// A segment and a box in space, if their distance exceeds 1 % of their sizes. Closer pairs return nullopt:
/// the difference of the witness points would lose two digits of the normal.
std::optional<Separation> clear_segment_and_box(const PosedConvex& a, const PosedConvex& b) {
  const Mat3 Rt = transpose(b.X_WS.R);
  const Segment posed = segment_of(a.shape, {a.X_WS.R, a.X_WS.p - b.X_WS.p});
  const Segment line{Rt * posed.center, Rt * posed.half};
  const double t = closest_parameter_to_box(line, b.shape.half);
  const SignedDistance height = signed_distance_to_box(line.center + t * line.half, b.shape.half, false);
  if (height.s <= tolerances::kRough * (a.shape.half.z + core_radius(b.shape))) return {};
  return separation_from_distance(a, b, a.X_WS.p + t * posed.half, height);
}

Separation segment_and_box(const PosedConvex& a, const PosedConvex& b) {
  if (!a.shape.planar) {
    if (const auto apart = clear_segment_and_box(a, b)) return *apart;
  }
  return any_pair(a, b);
}

constexpr PairTable<PairSeparation> kPairs = [] {
  PairTable<PairSeparation> pairs(any_pair);
  using enum CoreKind;
  pairs.set(point, point, separation_of_balls, separation_of_balls);
  pairs.set(point, box, separation_of_ball_and_box, swapped<separation_of_ball_and_box>);
  pairs.set(point, ellipsoid, ball_and_ellipsoid, swapped<ball_and_ellipsoid>);
  pairs.set(point, segment, two_segments, two_segments);
  pairs.set(segment, segment, two_segments, two_segments);
  pairs.set(segment, box, segment_and_box, swapped<segment_and_box>);
  return pairs;
}();

}  // namespace

Separation separation(const PosedConvex& a, const PosedConvex& b) {
  return kPairs(a.shape, b.shape)(a, b);
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
