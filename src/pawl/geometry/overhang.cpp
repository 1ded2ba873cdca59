#include <pawl/geometry/overhang.h>

#include <algorithm>
#include <limits>
#include <span>

#include <pawl/geometry/crossing.h>
#include <pawl/geometry/face_contact.h>
#include <pawl/geometry/side_contact.h>

namespace pawl {
namespace {

/// A face in axes of its own: u and v in its plane, w up.
struct Ground {
  Vec3 middle, along, across, normal;     // in the shape's frame
  std::span<const Polytope::Side> sides;  // of a polytope's face
  double radius = 0;                      // of a cap, m

  Vec3 turned(const Vec3& d) const { return {dot(along, d), dot(across, d), dot(normal, d)}; }
  Vec3 place(double u, double v) const { return middle + u * along + v * across; }
};

Ground ground_of(const Convex& shape, const FlatFace& face) {
  if (!face.of) return {face.center, {1, 0, 0}, {0, 1, 0}, face.normal, {}, shape.half.x};
  const Polytope::Face& own = *face.of;
  const std::span sides(shape.polytope->sides.data() + own.begin, shape.polytope->sides.data() + own.end);
  return {own.middle, own.along, own.across, own.normal, sides, 0};
}

/// Where something comes to the outline of a face, seen from above.
struct Exit {
  double u = 0, v = 0;
  int side = -1;  // of a polytope's face
};

/// The way down of a line p + t d, |t| ≤ 1, to the outline.
std::optional<Exit> way_down(const Ground& ground, const Vec3& p, Vec3 d) {
  if (d.z > 0) d = -d;
  double from = -1, to = 1;
  int side = -1;
  if (ground.radius > 0) {
    const double dd = d.x * d.x + d.y * d.y, pd = p.x * d.x + p.y * d.y, pp = p.x * p.x + p.y * p.y;
    const double square = pd * pd - dd * (pp - ground.radius * ground.radius);
    if (!(square >= 0)) return {};
    to = (std::sqrt(square) - pd) / dd;
  }
  for (int k = 0; k < static_cast<int>(ground.sides.size()); ++k) {
    const Polytope::Side& s = ground.sides[k];
    const double slope = s.in_u * d.x + s.in_v * d.y, inside = s.in_u * p.x + s.in_v * p.y - s.offset;
    if (slope > 0) from = std::max(from, -inside / slope);
    if (slope < 0 && inside < -slope * to) to = -inside / slope, side = k;
  }
  if (!(to < 1 && to > from)) return {};
  return Exit{p.x + to * d.x, p.y + to * d.y, side};
}

/// The lowest of the places where a rim, taken for a circle, crosses the outline.
class LowestCrossing {
 public:
  LowestCrossing(const Vec3& center, const Vec3& axis) : center_(center), axis_(axis) {}

  void look_at(double u, double v, int side) {
    const double drop = (axis_.x * (u - center_.x) + axis_.y * (v - center_.y)) / axis_.z;
    if (drop > most_) most_ = drop, exit_ = Exit{u, v, side};
  }
  const std::optional<Exit>& exit() const { return exit_; }

 private:
  const Vec3 &center_, &axis_;
  double most_ = -std::numeric_limits<double>::infinity();
  std::optional<Exit> exit_;
};

std::optional<Exit> lowest_of_rim(const Ground& ground, const Vec3& c, double radius, const Vec3& axis) {
  LowestCrossing lowest(c, axis);
  const double r2 = radius * radius;
  if (ground.radius > 0) {
    const double dd = c.x * c.x + c.y * c.y, t = 0.5 * (dd + ground.radius * ground.radius - r2) / dd;
    const double square = ground.radius * ground.radius / dd - t * t;
    if (!(square >= 0)) return {};
    const double q = std::sqrt(square);
    lowest.look_at(t * c.x - q * c.y, t * c.y + q * c.x, -1);
    lowest.look_at(t * c.x + q * c.y, t * c.y - q * c.x, -1);
  }
  const int count = static_cast<int>(ground.sides.size());
  for (int k = 0; k < count; ++k) {
    const Polytope::Side &s = ground.sides[k], &next = ground.sides[k + 1 < count ? k + 1 : 0];
    const double inside = s.in_u * c.x + s.in_v * c.y - s.offset, square = r2 - inside * inside;
    if (!(square >= 0)) continue;
    const double u = c.x - inside * s.in_u, v = c.y - inside * s.in_v, q = std::sqrt(square);
    const auto along = [&](double x, double y) { return s.in_v * x - s.in_u * y; };
    const double from = along(s.u - u, s.v - v), to = along(next.u - u, next.v - v);
    for (const double way : {-q, q}) {
      if (way >= from && way <= to) lowest.look_at(u + way * s.in_v, v - way * s.in_u, k);
    }
  }
  return lowest.exit();
}

/// One core lies over a face of the other, `own`.
struct Overhang {
  const CorePair& pair;
  bool own_is_a;
  const Convex &own, &other;
  FlatFace face;
  Pose X_own, X_other;  // in the pair's frame

  Curve outline_at(const Exit& exit) const {
    if (!face.of) return rim_of(own, face.normal.z > 0 ? 1 : 0, X_own);
    const int i = face.of->begin + exit.side, next = i + 1 < face.of->end ? i + 1 : face.of->begin;
    const Vec3 &from = own.polytope->vertices[own.polytope->loops[i]],
               &to = own.polytope->vertices[own.polytope->loops[next]];
    return {X_own * from, X_own.R * (to - from), {}, false};
  }

  std::optional<Optimum> by_side(const Ground& ground, const Exit& exit) const {
    const Vec3 guess = X_own * ground.place(exit.u, exit.v);
    const double h = other.half.z;
    const Curve outline = outline_at(exit),
                axis{X_other * Vec3{0, 0, -h}, 2 * h * column(X_other.R, 2), {}, false};
    Place on_outline = place_near(outline, guess), on_axis = place_near(axis, guess);
    if (!make_square(outline, axis, on_outline, on_axis)) return {};
    const Vec3 x = on_outline.point(outline), y = on_axis.point(axis);
    return optimum_around_axes(pair, {!own_is_a, own_is_a}, own_is_a ? x : y, own_is_a ? y : x);
  }

  std::optional<Optimum> by_rim(const Ground& ground, const Exit& exit, int rim) const {
    const Vec3 guess = X_own * ground.place(exit.u, exit.v);
    const Curve outline = outline_at(exit), curve = rim_of(other, rim, X_other);
    const Place x = place_near(outline, guess), y = place_near(curve, guess);
    const Vec3 up = X_own.R * ground.normal;
    const std::optional<Optimum> found =
        own_is_a ? crossing(pair, outline, curve, x, y, -up) : crossing(pair, curve, outline, y, x, up);
    if (found && found->s <= 0 && !found->proven && !is_surely_best(pair, *found)) return {};
    return found;
  }
};

std::optional<Optimum> overhang_over(const CorePair& pair, bool own_is_a) {
  const Convex &own = own_is_a ? pair.a : pair.b, &other = own_is_a ? pair.b : pair.a;
  if (!has_rim(other)) return {};
  const Pose X_b{pair.R_AB, pair.p_AB}, X = own_is_a ? X_b : inverse(X_b);  // of the other over the face
  const std::optional<FlatFace> face = face_towards(own, X.p);
  if (!face) return {};
  const Overhang overhang{
      pair, own_is_a, own, other, *face, own_is_a ? Pose{} : X_b, own_is_a ? X_b : Pose{}};
  const Ground ground = ground_of(own, *face);
  const Vec3 center = ground.turned(X.p - ground.middle), axis = ground.turned(column(X.R, 2));
  // Of a cylinder that lies rather than stands, the side is the lower.
  if (other.core == CoreKind::cylinder && std::abs(axis.z) < 0.7) {
    if (const auto exit = way_down(ground, center, other.half.z * axis)) {
      if (const auto found = overhang.by_side(ground, *exit)) return found;
    }
  }
  const int rim = other.core == CoreKind::cylinder && axis.z < 0 ? 1 : 0;
  if (axis.z == 0 || (other.core == CoreKind::cone && axis.z < 0)) return {};
  const Vec3 rim_center = center + (rim == 1 ? other.half.z : -other.half.z) * axis;
  if (const auto exit = lowest_of_rim(ground, rim_center, other.half.x, axis)) {
    return overhang.by_rim(ground, *exit, rim);
  }
  return {};
}

}  // namespace

std::optional<Optimum> optimum_on_overhang(const CorePair& pair) {
  if (pair.a.planar) return {};
  std::optional<Optimum> found = overhang_over(pair, true);
  if (!found) found = overhang_over(pair, false);
  return found;
}

}  // namespace pawl
