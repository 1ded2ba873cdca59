#include <pawl/collision/manifold/segment_contacts.h>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <utility>

#include <pawl/base/tolerances.h>
#include <pawl/collision/distance/closed_form_distance.h>

namespace pawl::internal {
namespace {

/// A segment and the radius of the core about it.
struct ThickSegment : Segment {
  double radius;
};

ThickSegment thick_segment_of(const Convex& shape, const Pose& X) {
  return {segment_of(shape, X), shape.core == CoreKind::cylinder ? shape.half.x : 0};
}

std::uint32_t end_name(double end) {
  return vertex_id(end > 0 ? 1 : 0);
}

const std::uint32_t kSide = edge_id(0, 1);

/// Square of the sine below which two segments count as parallel.
constexpr double kParallel2 = tolerances::kSegmentParallel2;

/// Two lines and the products that determine their closest points.
struct LinePair {
  LinePair(const ThickSegment& first, const ThickSegment& second)
      : a(first),
        b(second),
        r(a.center - b.center),
        cross_ab(cross(a.half, b.half)),
        aa(dot(a.half, a.half)),
        bb(dot(b.half, b.half)),
        ab(dot(a.half, b.half)),
        ar(dot(a.half, r)),
        br(dot(b.half, r)),
        det(dot(cross_ab, cross_ab)) {}

  const ThickSegment &a, &b;
  Vec3 r, cross_ab;
  double aa, bb, ab, ar, br, det;

  bool are_parallel() const { return det <= kParallel2 * aa * bb; }
  /// From a point on b's line to a point on a's.
  Vec3 offset(double s, double t) const { return r + s * a.half - t * b.half; }
  /// True if an offset is zero within rounding, so that its direction is undefined.
  bool are_touching(double distance2) const {
    return distance2 <= tolerances::kZeroLength2 * (dot(r, r) + aa + bb);
  }
  /// From b to a, given the offset d of their points.
  Vec3 normal(const Vec3& d, double distance2, bool planar) const {
    if (!are_touching(distance2)) return (1 / std::sqrt(distance2)) * d;
    return are_parallel() ? any_normal(a.half, planar) : normalized(cross_ab);
  }
};

/// Calls visit(s, t, id_a, id_b) for each pair of features whose closest points are at s and t. Pairs are
/// sides that cross in space, an end and a side, and two ends.
template <class Visit>
void visit_feature_pairs(const LinePair& pair, bool planar, Visit visit) {
  const auto [aa, bb, ab, ar, br] = std::array{pair.aa, pair.bb, pair.ab, pair.ar, pair.br};
  // As in `nearest`, but only interior points count.
  const double across = planar ? 0 : dot(pair.cross_ab, cross(pair.b.half, pair.r));
  if (!planar && std::abs(across) < pair.det && !pair.are_parallel()) {
    const double t = (ab * (across / pair.det) + br) / bb, s = (ab * t - ar) / aa;
    if (std::abs(t) < 1 && std::abs(s) < 1) visit(s, t, kSide, kSide);
  }
  for (const double end : {1.0, -1.0}) {
    const double along_b = br + end * ab;  // of the end's projection, times bb
    if (std::abs(along_b) < bb) {
      visit(end, along_b / bb, end_name(end), kSide);
    } else if (const double foot = along_b > 0 ? 1 : -1; end * (foot * ab - ar) >= aa) {
      visit(end, foot, end_name(end), end_name(foot));
    }
  }
  for (const double end : {1.0, -1.0}) {
    const double along_a = end * ab - ar;
    if (std::abs(along_a) < aa) visit(along_a / aa, end, kSide, end_name(end));
  }
}

/// True if the ends of `line` are on different sides of the line of `other`, in the plane.
bool straddles(const ThickSegment& line, const ThickSegment& other) {
  const double middle = cross(other.half, line.center - other.center).z;
  return std::abs(middle) <= std::abs(cross(other.half, line.half).z);
}

/// Crossing segments in the plane: the least penetration moves an end of one over the line of the other.
void add_crossing_in_plane(const ThickSegment& a, const ThickSegment& b, ManifoldBuilder& points) {
  double min_depth = std::numeric_limits<double>::infinity();
  Vec3 normal, tip, foot;
  std::uint32_t id = 0;
  bool tip_of_a = true;
  for (const bool of_a : {true, false}) {
    const ThickSegment& line = of_a ? b : a;
    const ThickSegment& other = of_a ? a : b;
    const Vec3 n = normalized(Vec3{-line.half.y, line.half.x, 0});
    for (const double end : {-1.0, 1.0}) {
      const double height = dot(n, (other.center - line.center) + end * other.half);
      if (std::abs(height) >= min_depth) continue;
      min_depth = std::abs(height);
      tip = other.center + end * other.half;
      foot = tip - height * n;
      // The tip leaves `line` towards the side of its other end, from where it came.
      const Vec3 out_of_line = end * dot(n, other.half) > 0 ? -n : n;
      normal = of_a ? out_of_line : -out_of_line;
      id = end_name(end);
      tip_of_a = of_a;
    }
  }
  points.add(-min_depth, normal, tip_of_a ? tip : foot, tip_of_a ? foot : tip, tip_of_a ? id : kSide,
             tip_of_a ? kSide : id);
}

struct EndContact {
  double gap;
  Vec3 normal;  // out of the side
  Vec3 on_end, on_side;
};

/// The point of the rim at an end of one line that is closest to the side of another, nearly parallel one.
/// Empty if it lies beyond the other's ends, or deeper than its axis.
std::optional<EndContact> end_on_side(const ThickSegment& line, double end, const ThickSegment& side) {
  const Vec3 tip = line.center + end * line.half;
  const double ll = dot(line.half, line.half), ss = dot(side.half, side.half);
  const auto perpendicular_offset = [&](const Vec3& x) {  // from the axis of the side, perpendicular to it
    const Vec3 d = x - side.center;
    return d - (dot(d, side.half) / ss) * side.half;
  };
  const Vec3 apart = perpendicular_offset(tip);
  const Vec3 down = apart - (dot(apart, line.half) / ll) * line.half;
  const double length = norm(down);
  if (length <= tolerances::kZeroLength * std::sqrt(ll + ss)) return {};
  const Vec3 rim = tip - (line.radius / length) * down;
  const double along = dot(rim - side.center, side.half) / ss;
  const Vec3 d = perpendicular_offset(rim);
  const double distance = norm(d);
  if (std::abs(along) > 1 || dot(d, down) <= 0.9 * distance * length) return {};
  const Vec3 n = d / distance;
  return EndContact{distance - side.radius, n, rim, rim - (distance - side.radius) * n};
}

}  // namespace

void add_segment_contacts(const PosedConvex& placed_a, const PosedConvex& placed_b, const Pose& X_a,
                          const Pose& X_b, ManifoldBuilder& points) {
  const ThickSegment a = thick_segment_of(placed_a.shape, X_a), b = thick_segment_of(placed_b.shape, X_b);
  const LinePair pair(a, b);
  const bool planar = placed_a.shape.planar;
  if (planar && !pair.are_parallel()) {
    const auto [s, t] = nearest(a, b);
    const Vec3 d = pair.offset(s, t);
    const bool cross_in_plane = straddles(a, b) && straddles(b, a);
    // An end that lies on the other's line also takes the normal of that line.
    if (cross_in_plane || pair.are_touching(dot(d, d))) return add_crossing_in_plane(a, b, points);
  }
  visit_feature_pairs(pair, planar, [&](double s, double t, std::uint32_t id_a, std::uint32_t id_b) {
    const Vec3 d = pair.offset(s, t);
    const double distance2 = dot(d, d);
    if (distance2 > points.max_core_distance2()) return;
    points.add(std::sqrt(distance2), pair.normal(d, distance2, planar), a.center + s * a.half,
               b.center + t * b.half, id_a, id_b);
  });
}

bool single_capsule_contact(const PosedConvex& placed_a, const PosedConvex& placed_b, double contact_margin,
                            bool mirrored, Manifold& manifold) {
  const double rounding_radius_a = placed_a.shape.rounding_radius,
               rounding_radius_b = placed_b.shape.rounding_radius;
  const double max_distance = std::max(contact_margin + (rounding_radius_a + rounding_radius_b), 0.0),
               max_distance2 = max_distance * max_distance;
  const Vec3& origin = placed_a.X_WS.p;
  const ThickSegment a = thick_segment_of(placed_a.shape, {placed_a.X_WS.R, {}});
  const ThickSegment b = thick_segment_of(placed_b.shape, {placed_b.X_WS.R, placed_b.X_WS.p - origin});
  const LinePair pair(a, b);
  int count = 0;
  Vec3 d;
  double at = 0, distance2 = 0;
  std::uint32_t id_a = 0, id_b = 0;
  visit_feature_pairs(pair, false, [&](double s, double t, std::uint32_t of_a, std::uint32_t of_b) {
    const Vec3 offset = pair.offset(s, t);
    const double squared = dot(offset, offset);
    if (squared > max_distance2) return;
    ++count;
    at = s, d = offset, distance2 = squared;
    id_a = of_a, id_b = of_b;
  });
  if (count > 1) return false;
  manifold.count = count;
  if (count == 0) return true;
  const double gap = std::sqrt(distance2) - rounding_radius_a - rounding_radius_b;
  const Vec3 n = pair.normal(d, distance2, false);
  const Vec3 point_a = origin + (at * a.half - rounding_radius_a * n), point_b = point_a - gap * n;
  manifold.points[0] = mirrored ? ManifoldPoint{gap, -n, point_b, point_a, feature_pair_id(id_b, id_a)}
                                : ManifoldPoint{gap, n, point_a, point_b, feature_pair_id(id_a, id_b)};
  return true;
}

void add_parallel_side_contacts(const PosedConvex& placed_a, const PosedConvex& placed_b, const Pose& X_a,
                                const Pose& X_b, ManifoldBuilder& points) {
  const auto is_line = [](const Convex& shape) {
    return shape.core == CoreKind::cylinder || shape.core == CoreKind::segment;
  };
  if (!is_line(placed_a.shape) || !is_line(placed_b.shape)) return;
  const ThickSegment a = thick_segment_of(placed_a.shape, X_a), b = thick_segment_of(placed_b.shape, X_b);
  const Vec3 cross_ab = cross(a.half, b.half);
  if (dot(cross_ab, cross_ab) > 0.02 * dot(a.half, a.half) * dot(b.half, b.half)) return;
  const std::uint32_t side = curve_id(CurveIndex::kSide);
  for (const double end : {1.0, -1.0}) {
    const auto id = curve_id(end > 0 ? CurveIndex::kEndAbove : CurveIndex::kEndBelow);
    if (const auto contact = end_on_side(a, end, b)) {
      points.add(contact->gap, contact->normal, contact->on_end, contact->on_side, id, side);
    }
    if (const auto contact = end_on_side(b, end, a)) {
      points.add(contact->gap, -contact->normal, contact->on_side, contact->on_end, side, id);
    }
  }
}

}  // namespace pawl::internal
