#include <pawl/geometry/core_separation.h>

#include <pawl/geometry/contact_feature.h>
#include <pawl/geometry/face_contact.h>
#include <pawl/geometry/least_depth.h>
#include <pawl/geometry/separating_axes.h>
#include <pawl/geometry/simple_pairs.h>

namespace pawl {
namespace {

/// From one core to the other, whatever their centres say.
Vec3 first_direction(const CorePair& pair) {
  const Vec3 d = core_center(pair.a) - (pair.R_AB * core_center(pair.b) + pair.p_AB);
  const double length = norm(d);
  if (length > pair.rounding) return d / length;
  return pair.a.planar ? Vec3{0, 1, 0} : Vec3{0, 0, 1};
}

bool is_cylinder(const Convex& shape) {
  return shape.core == CoreKind::cylinder;
}

Convex axis_of(const Convex& cylinder) {
  return {CoreKind::segment, false, 0, {0, 0, cylinder.half.z}, nullptr};
}

/// Whether the nearest point lies between the ends of the axis of a, or else of b.
bool has_both_ends(const Simplex& simplex, bool of_a) {
  const auto piece = [&](int i) { return of_a ? simplex.points[i].piece_a : simplex.points[i].piece_b; };
  for (int i = 1; i < simplex.count; ++i) {
    if (piece(i) != piece(0)) return true;
  }
  return false;
}

/// The side of a cylinder is its axis grown by its radius. While the axis does not meet the other core the
/// two are apart, and where its nearest point is none of its ends, the side of the cylinder is nearest there.
std::optional<Optimum> optimum_on_a_side(const CorePair& pair, bool of_a, bool of_b) {
  const Convex thin_a = of_a ? axis_of(pair.a) : pair.a, thin_b = of_b ? axis_of(pair.b) : pair.b;
  const CorePair thin{thin_a, thin_b, pair.R_AB, pair.p_AB, pair.size, pair.rounding};
  const Vec3 axis_b{pair.R_AB(0, 2), pair.R_AB(1, 2), pair.R_AB(2, 2)};
  Optimum optimum;
  if (of_a && of_b) {
    optimum = separation_of({{}, {0, 0, pair.a.half.z}}, {pair.p_AB, pair.b.half.z * axis_b}, false);
  } else {
    Nearest nearest = start_nearest(thin, first_direction(thin));
    const Vec3 axis = of_a ? Vec3{0, 0, 1} : axis_b;
    for (const double tolerance : {1e-3, 1e-6, 1e-9}) {
      improve_nearest(thin, tolerance * pair.size, nearest);
      if (nearest.overlap || std::abs(dot(nearest.w, axis)) > 0.1 * nearest.upper) return {};
      const bool rough = tolerance == 1e-3;  // only shows the ends of the axis
      if (rough || !has_both_ends(nearest.simplex, of_a)) continue;
      optimum = polish(thin, nearest.simplex, nearest.w / nearest.upper);
      if (is_exact(thin, optimum)) break;
    }
  }
  if (!(optimum.s > 1e-3 * pair.size)) return {};
  const double end = 1 - 1e-12;
  if (of_a && std::abs(optimum.a.z) >= end * pair.a.half.z) return {};
  if (of_b && std::abs(dot(axis_b, optimum.b - pair.p_AB)) >= end * pair.b.half.z) return {};
  const double radius_a = of_a ? pair.a.half.x : 0, radius_b = of_b ? pair.b.half.x : 0;
  optimum.a -= radius_a * optimum.n;
  optimum.b += radius_b * optimum.n;
  optimum.s = dot(optimum.n, support(pair, optimum.n).w);
  optimum.error = norm(optimum.a - optimum.b - optimum.s * optimum.n);
  if (!is_exact(pair, optimum)) return {};
  if (optimum.s <= 0 && !is_surely_best(pair, optimum)) return {};
  return optimum;
}

std::optional<Optimum> optimum_on_any_side(const CorePair& pair) {
  const bool a = is_cylinder(pair.a), b = is_cylinder(pair.b);
  std::optional<Optimum> optimum;
  if (a && b) optimum = optimum_on_a_side(pair, true, true);
  if (a && !optimum) optimum = optimum_on_a_side(pair, true, false);
  if (b && !optimum) optimum = optimum_on_a_side(pair, false, true);
  return optimum;
}

/// GJK finds the pieces, Newton's method the digits; if the pieces were the wrong ones GJK goes on.
Optimum search(const CorePair& pair, const PlacedConvex& a, const PlacedConvex& b) {
  const bool flat = core_polytope(a.shape) && core_polytope(b.shape);
  if (!flat) {
    if (const std::optional<Optimum> on_face = optimum_on_a_face(pair)) return *on_face;
    if (const std::optional<Optimum> on_side = optimum_on_any_side(pair)) return *on_side;
  }
  // Flat faces at rest on each other take their normals as they are stored, and not from points that touch.
  const double clear = flat ? 1e-9 * pair.size : 0;
  Vec3 n = first_direction(pair);
  Nearest nearest = start_nearest(pair, n);
  Optimum best;
  bool found = false;
  const bool rims = has_rim(a.shape) || has_rim(b.shape);  // tell their pieces late
  for (const double tolerance : {1e-3, 1e-6, 1e-9, 1e-12, 0.0}) {
    if (rims && tolerance == 1e-3) continue;
    improve_nearest(pair, tolerance * pair.size, nearest);
    if (nearest.overlap) break;
    n = nearest.w / nearest.upper;
    const Optimum now = polish(pair, nearest.simplex, n);
    if (!found || is_better(pair, now, best)) best = now;
    found = true;
    if (best.s > clear && is_exact(pair, best)) return best;
    if (nearest.stalled) break;
  }
  const Optimum other = flat ? optimum_along(pair, transpose(a.X_WS.R) * deepest_axis(a, b).best.normal)
                             : least_depth(pair, found ? best.n : n);
  return found && is_better(pair, best, other) ? best : other;
}

/// On a face the other core lies with the one point that is farthest along the face's normal, exactly. A
/// mixture of points nearby is off by the square root of what it is too high.
void settle_on_face(const CorePair& pair, Optimum& optimum) {
  using Kind = CoreFeature::Kind;
  const Vec3& n = optimum.n;
  const Kind a = exposed_feature(pair.a, -n, {}).kind;
  const Kind b = exposed_feature(pair.b, transpose(pair.R_AB) * n, {}).kind;
  const PairSupport farthest = support(pair, n);
  if (b == Kind::face && a == Kind::curve) {
    optimum.a = farthest.a;
    optimum.b = optimum.a - optimum.s * n;
  } else if (a == Kind::face && b == Kind::curve) {
    optimum.b = farthest.b;
    optimum.a = optimum.b + optimum.s * n;
  }
}

}  // namespace

Optimum core_separation(const PlacedConvex& a, const PlacedConvex& b) {
  const CorePair pair = core_pair(a, b);
  Optimum optimum = search(pair, a, b);
  if (!core_polytope(a.shape) || !core_polytope(b.shape)) settle_on_face(pair, optimum);
  return optimum;
}

}  // namespace pawl
