#include <pawl/collision/distance/rim_outline.h>

#include <algorithm>
#include <limits>
#include <span>

#include <pawl/collision/distance/crossing.h>
#include <pawl/collision/distance/cylinder_side.h>
#include <pawl/collision/distance/face_contact.h>

namespace pawl::internal {
namespace {

/// A face and its frame: u and v in its plane, w along the normal.
struct FaceFrame {
  Vec3 middle, along, across, normal;     // in the frame of the shape
  std::span<const Polytope::Side> sides;  // polytope: sides of the face
  double radius = 0;                      // cap: m

  Vec3 to_face_axes(const Vec3& d) const { return {dot(along, d), dot(across, d), dot(normal, d)}; }
  Vec3 point_at(double u, double v) const { return middle + u * along + v * across; }
};

FaceFrame face_frame_of(const Convex& shape, const FlatFace& face) {
  if (!face.of) return {face.center, {1, 0, 0}, {0, 1, 0}, face.normal, {}, face.radius};
  const Polytope::Face& own = *face.of;
  const std::span sides(shape.polytope->sides.data() + own.begin, shape.polytope->sides.data() + own.end);
  return {own.middle, own.along, own.across, own.normal, sides, 0};
}

/// Where a line or rim crosses the outline of a face, as seen along the normal.
struct OutlinePoint {
  double u = 0, v = 0;
  int side = -1;  // polytope: index of the side
};

/// Follows the line p + t d, |t| ≤ 1, downwards to the outline.
std::optional<OutlinePoint> descend_to_outline(const FaceFrame& frame, const Vec3& p, Vec3 d) {
  if (d.z > 0) d = -d;
  double from = -1, to = 1;
  int side = -1;
  if (frame.radius > 0) {
    const double dd = d.x * d.x + d.y * d.y, pd = p.x * d.x + p.y * d.y, pp = p.x * p.x + p.y * p.y;
    const double discriminant = pd * pd - dd * (pp - frame.radius * frame.radius);
    if (!(discriminant >= 0)) return {};
    to = (std::sqrt(discriminant) - pd) / dd;
  }
  for (int k = 0; k < static_cast<int>(frame.sides.size()); ++k) {
    const Polytope::Side& s = frame.sides[k];
    const double slope = s.in_u * d.x + s.in_v * d.y, inside = s.in_u * p.x + s.in_v * p.y - s.offset;
    if (slope > 0) from = std::max(from, -inside / slope);
    if (slope < 0 && inside < -slope * to) to = -inside / slope, side = k;
  }
  if (!(to < 1 && to > from)) return {};
  return OutlinePoint{p.x + to * d.x, p.y + to * d.y, side};
}

/// The lowest crossing of a rim, seen as a circle, with the outline.
class LowestCrossing {
 public:
  LowestCrossing(const Vec3& center, const Vec3& axis) : center_(center), axis_(axis) {}

  void consider(double u, double v, int side) {
    const double drop = (axis_.x * (u - center_.x) + axis_.y * (v - center_.y)) / axis_.z;
    if (drop > max_drop_) max_drop_ = drop, exit_ = OutlinePoint{u, v, side};
  }
  const std::optional<OutlinePoint>& exit() const { return exit_; }

 private:
  const Vec3 &center_, &axis_;
  double max_drop_ = -std::numeric_limits<double>::infinity();
  std::optional<OutlinePoint> exit_;
};

std::optional<OutlinePoint> lowest_rim_crossing(const FaceFrame& frame, const Vec3& c, double radius,
                                                const Vec3& axis) {
  LowestCrossing lowest(c, axis);
  const double r2 = radius * radius;
  if (frame.radius > 0) {
    const double dd = c.x * c.x + c.y * c.y, t = 0.5 * (dd + frame.radius * frame.radius - r2) / dd;
    const double discriminant = frame.radius * frame.radius / dd - t * t;
    if (!(discriminant >= 0)) return {};
    const double q = std::sqrt(discriminant);
    lowest.consider(t * c.x - q * c.y, t * c.y + q * c.x, -1);
    lowest.consider(t * c.x + q * c.y, t * c.y - q * c.x, -1);
  }
  const int count = static_cast<int>(frame.sides.size());
  for (int k = 0; k < count; ++k) {
    const Polytope::Side &s = frame.sides[k], &next = frame.sides[k + 1 < count ? k + 1 : 0];
    const double inside = s.in_u * c.x + s.in_v * c.y - s.offset, discriminant = r2 - inside * inside;
    if (!(discriminant >= 0)) continue;
    const double u = c.x - inside * s.in_u, v = c.y - inside * s.in_v, q = std::sqrt(discriminant);
    const auto along = [&](double x, double y) { return s.in_v * x - s.in_u * y; };
    const double from = along(s.u - u, s.v - v), to = along(next.u - u, next.v - v);
    for (const double chord_offset : {-q, q}) {
      if (chord_offset >= from && chord_offset <= to)
        lowest.consider(u + chord_offset * s.in_v, v - chord_offset * s.in_u, k);
    }
  }
  return lowest.exit();
}

/// One core lies over a face of the other core, `own`.
struct RimOverFace {
  const CorePair& pair;
  bool own_is_a;
  const Convex &own, &other;
  FlatFace face;
  Pose X_own, X_other;  // in the frame of the pair

  Curve outline_at(const OutlinePoint& exit) const {
    if (!face.of) return rim_of(own, face.normal.z > 0 ? 1 : 0, X_own);
    const int i = face.of->begin + exit.side, next = i + 1 < face.of->end ? i + 1 : face.of->begin;
    const Vec3 &from = own.polytope->vertices[own.polytope->loops[i]],
               &to = own.polytope->vertices[own.polytope->loops[next]];
    return {X_own * from, X_own.R * (to - from), {}, false};
  }

  std::optional<SeparatingDirection> direction_from_side(const FaceFrame& frame,
                                                         const OutlinePoint& exit) const {
    const Vec3 guess = X_own * frame.point_at(exit.u, exit.v);
    const double h = other.half.z;
    const Curve outline = outline_at(exit),
                axis{X_other * Vec3{0, 0, -h}, 2 * h * column(X_other.R, 2), {}, false};
    CurveParameter on_outline = closest_parameter(outline, guess), on_axis = closest_parameter(axis, guess);
    if (!find_closest_points(outline, axis, on_outline, on_axis)) return {};
    const Vec3 x = on_outline.point(outline), y = on_axis.point(axis);
    return direction_from_axes(pair, {!own_is_a, own_is_a}, own_is_a ? x : y, own_is_a ? y : x);
  }

  std::optional<SeparatingDirection> direction_from_rim(const FaceFrame& frame, const OutlinePoint& exit,
                                                        int rim) const {
    const Vec3 guess = X_own * frame.point_at(exit.u, exit.v);
    const Curve outline = outline_at(exit), curve = rim_of(other, rim, X_other);
    const CurveParameter x = closest_parameter(outline, guess), y = closest_parameter(curve, guess);
    const Vec3 up = X_own.R * frame.normal;
    const std::optional<SeparatingDirection> found =
        own_is_a ? crossing(pair, outline, curve, x, y, -up) : crossing(pair, curve, outline, y, x, up);
    if (found && found->s <= 0 && !found->proven && !is_proven_optimal(pair, *found)) return {};
    return found;
  }
};

std::optional<SeparatingDirection> rim_direction_over_face(const CorePair& pair, bool own_is_a) {
  const Convex &own = own_is_a ? pair.a : pair.b, &other = own_is_a ? pair.b : pair.a;
  if (!has_rim(other)) return {};
  // X is the pose of the other core in the frame of `own`.
  const Pose X_b{pair.R_AB, pair.p_AB}, X = own_is_a ? X_b : inverse(X_b);
  const std::optional<FlatFace> face = face_towards(own, X.p);
  if (!face) return {};
  const RimOverFace candidate{
      pair, own_is_a, own, other, *face, own_is_a ? Pose{} : X_b, own_is_a ? X_b : Pose{}};
  const FaceFrame frame = face_frame_of(own, *face);
  const Vec3 center = frame.to_face_axes(X.p - frame.middle), axis = frame.to_face_axes(column(X.R, 2));
  // If the cylinder lies rather than stands, its side is lower than its rim.
  if (other.core == CoreKind::cylinder && std::abs(axis.z) < 0.7) {
    if (const auto exit = descend_to_outline(frame, center, other.half.z * axis)) {
      if (const auto found = candidate.direction_from_side(frame, *exit)) return found;
    }
  }
  const int rim = axis.z < 0 ? 1 : 0;
  const auto [radius, height] = core_ops(other).rim(other, rim);
  if (axis.z == 0 || radius == 0) return {};
  if (const auto exit = lowest_rim_crossing(frame, center + height * axis, radius, axis)) {
    return candidate.direction_from_rim(frame, *exit, rim);
  }
  return {};
}

}  // namespace

std::optional<SeparatingDirection> rim_outline_direction(const CorePair& pair) {
  if (pair.a.planar) return {};
  std::optional<SeparatingDirection> found = rim_direction_over_face(pair, true);
  if (!found) found = rim_direction_over_face(pair, false);
  return found;
}

}  // namespace pawl::internal
