#include <pawl/collision/distance/cylinder_side.h>

#include <pawl/base/tolerances.h>
#include <pawl/collision/distance/closed_form_distance.h>
#include <pawl/collision/distance/curve.h>
#include <pawl/collision/distance/face_contact.h>
#include <pawl/collision/distance/newton_refinement.h>

namespace pawl::internal {
namespace {

/// Without a polytope: GJK and Newton's method need none.
Convex axis_of(const Convex& cylinder) {
  return {CoreKind::segment, false, 0, {0, 0, cylinder.half.z}, nullptr};
}

/// True if the closest point lies between the ends of the axis of a (of_a) or of b.
bool is_interior_to_axis(const Simplex& simplex, bool of_a) {
  const auto piece = [&](int i) { return of_a ? simplex.points[i].piece_a : simplex.points[i].piece_b; };
  for (int i = 1; i < simplex.count; ++i) {
    if (piece(i) != piece(0)) return true;
  }
  return false;
}

std::optional<SeparatingDirection> direction_between_sides(const CorePair& pair) {
  const Segment axis_a = segment_of(pair.a, {}), axis_b = segment_of(pair.b, {pair.R_AB, pair.p_AB});
  const auto [s, t] = nearest(axis_a, axis_b);
  return direction_from_axes(pair, {true, true}, axis_a.center + s * axis_a.half,
                             axis_b.center + t * axis_b.half);
}

std::optional<SeparatingDirection> direction_of_side_and_box(const CorePair& pair, bool of_a) {
  const Convex& box = of_a ? pair.b : pair.a;
  const Pose X = of_a ? Pose{pair.R_AB, pair.p_AB} : Pose{};
  const Segment axis = of_a ? segment_of(pair.a, inverse(X)) : segment_of(pair.b, {pair.R_AB, pair.p_AB});
  const Vec3 point = axis.center + closest_parameter_to_box(axis, box.half) * axis.half;
  const SignedDistance height = signed_distance_to_box(point, box.half, false);
  const Vec3 on_axis = X * point, on_box = X * (point - height.s * height.n);
  return direction_from_axes(pair, {of_a, !of_a}, of_a ? on_axis : on_box, of_a ? on_box : on_axis);
}

std::optional<SeparatingDirection> direction_of_side_and_core(const CorePair& pair, bool of_a) {
  const Convex line = axis_of(of_a ? pair.a : pair.b);
  const CorePair thin{of_a ? line : pair.a, of_a ? pair.b : line, pair.R_AB, pair.p_AB, pair.size,
                      pair.rounding};
  const Vec3 axis = of_a ? Vec3{0, 0, 1} : column(pair.R_AB, 2);
  GjkState nearest = start_gjk(thin, initial_direction(thin));
  SeparatingDirection optimum;
  for (const double tolerance : {tolerances::kCoarse, tolerances::kFine, tolerances::kQuadratic}) {
    iterate_gjk(thin, tolerance * pair.size, nearest);
    if (nearest.overlap || std::abs(dot(nearest.w, axis)) > 0.1 * nearest.upper) return {};
    const bool rough = tolerance == tolerances::kCoarse;  // identifies only the ends of the axis
    if (rough || !is_interior_to_axis(nearest.simplex, of_a)) continue;
    optimum = newton_refine(thin, nearest.simplex, nearest.w / nearest.upper);
    if (is_exact(thin, optimum)) break;
  }
  return direction_from_axes(pair, {of_a, !of_a}, optimum.a, optimum.b);
}

}  // namespace

/// The side of a cylinder is its axis grown by its radius. If the axis does not meet the other core and its
/// closest point is not an end, the side is closest there too.
std::optional<SeparatingDirection> direction_from_axes(const CorePair& pair, CylinderSides sides,
                                                       const Vec3& a, const Vec3& b) {
  const Vec3 w = a - b;
  const double distance = norm(w), end = 1 - tolerances::kOnEdge;
  if (!(distance > tolerances::kCoarse * pair.size)) return {};
  if (sides.of_a && std::abs(a.z) >= end * pair.a.half.z) return {};
  if (sides.of_b && std::abs(dot(column(pair.R_AB, 2), b - pair.p_AB)) >= end * pair.b.half.z) return {};
  SeparatingDirection optimum;
  optimum.n = w / distance;
  optimum.a = a - (sides.of_a ? pair.a.half.x : 0) * optimum.n;
  optimum.b = b + (sides.of_b ? pair.b.half.x : 0) * optimum.n;
  optimum.s = dot(optimum.n, support(pair, optimum.n).w);
  optimum.error = norm(optimum.a - optimum.b - optimum.s * optimum.n);
  if (!is_exact(pair, optimum)) return {};
  if (optimum.s <= 0 && !is_proven_optimal(pair, optimum)) return {};
  return optimum;
}

std::optional<SeparatingDirection> cylinder_side_direction(const CorePair& pair) {
  const bool a = pair.a.core == CoreKind::cylinder, b = pair.b.core == CoreKind::cylinder;
  if (!a && !b) return {};
  if (a && b) return direction_between_sides(pair);
  const bool box = (a ? pair.b : pair.a).core == CoreKind::box;
  return box ? direction_of_side_and_box(pair, a) : direction_of_side_and_core(pair, a);
}

}  // namespace pawl::internal
