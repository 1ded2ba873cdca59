#include <pawl/collision/distance/crossing.h>

#include <algorithm>

namespace pawl::internal {
namespace {

/// The curve through one or two pieces of a core placed by X. Equal pieces give their rim, two vertices the
/// edge between them.
std::optional<Curve> curve_of(const Convex& shape, int piece, int other, const Pose& X) {
  if (const auto rim = core_ops(shape).rim) {
    if (piece != other || rim(shape, piece).radius == 0) return {};
    return rim_of(shape, piece, X);
  }
  if (piece == other) return {};
  const Vec3 from = support_of_piece(shape, piece, {}), to = support_of_piece(shape, other, {});
  return Curve{X * from, X.R * (to - from), {}, false};
}

/// True if no direction is better than the normal n of the crossing, with depth D = -s. Let t be the unit
/// tangents of the two curves, at an angle γ. The direction cos θ n + sin θ e has a depth of at least D cos θ
/// + x, with
///     x = l sin θ |e · t|        on a straight curve, where l is the distance to its nearer end,
///     x ≥ ½ r sin² θ (e · t)²    on a circle of radius r, from the support function of its disc.
/// One of the two |e · t| is at least sin(γ/2). So the depth is at least D for all τ = tan(θ/2) with
///     τ ≤ sin(γ/2) l/D   and   τ² ≤ sin²(γ/2) r/D - 1.
/// The remaining directions are near -n. There the difference of the centres, a point of b - a, must give a
/// depth of at least D.
bool is_best_crossing(const CorePair& pair, const SeparatingDirection& optimum, const Curve& a,
                      const Curve& b, const CurveParameter& x, const CurveParameter& y) {
  const double depth = -optimum.s;
  const Vec3 ta = normalized(x.tangent(a)), tb = normalized(y.tangent(b));
  const double sin2 = 0.5 * (1 - std::abs(dot(ta, tb)));  // of half the angle
  const auto tau2_limit = [&](const Curve& curve, const CurveParameter& parameter) {
    const double length = norm(curve.e);
    if (curve.round) return sin2 * length / depth - 1;
    const double end = std::min(parameter.c, 1 - parameter.c) * length / depth;
    return end > 0 ? sin2 * end * end : 0;
  };
  const double tau2 = std::min(tau2_limit(a, x), tau2_limit(b, y));
  if (!(tau2 > 1)) return false;
  const Vec3 c = pair.R_AB * core_center(pair.b) + pair.p_AB - core_center(pair.a);
  const double back = -dot(c, optimum.n), aside = norm(c + back * optimum.n);
  return back > 0 && back * (tau2 - 1) - aside * 2 * std::sqrt(tau2) >= depth * (tau2 + 1);
}

}  // namespace

std::optional<SeparatingDirection> crossing(const CorePair& pair, const Curve& a, const Curve& b,
                                            CurveParameter x, CurveParameter y, const Vec3& n) {
  if (!find_closest_points(a, b, x, y)) return {};
  SeparatingDirection optimum;
  const Vec3 across = cross(x.tangent(a), y.tangent(b));
  const double length = norm(across);
  if (length == 0) return {};
  optimum.n = (dot(across, n) > 0 ? 1 : -1) * across / length;
  optimum.a = x.point(a);
  optimum.b = y.point(b);
  optimum.s = dot(optimum.n, support(pair, optimum.n).w);
  optimum.error = norm(optimum.a - optimum.b - optimum.s * optimum.n);
  optimum.count = 1;
  optimum.support_points[0] = optimum.a - optimum.b;
  if (!is_exact(pair, optimum)) return {};
  optimum.proven = optimum.s < 0 && is_best_crossing(pair, optimum, a, b, x, y);
  return optimum;
}

std::optional<SeparatingDirection> optimum_on_crossing(const CorePair& pair, const Simplex& simplex,
                                                       const Vec3& n) {
  if (pair.a.planar) return {};
  if (!has_rim(pair.a) && !has_rim(pair.b)) return {};
  for (int i = 0; i < simplex.count; ++i) {
    for (int j = i; j < simplex.count; ++j) {
      const PairSupport &p = simplex.points[i], &q = simplex.points[j];
      const std::optional<Curve> a = curve_of(pair.a, p.piece_a, q.piece_a, {});
      const std::optional<Curve> b = curve_of(pair.b, p.piece_b, q.piece_b, {pair.R_AB, pair.p_AB});
      if (!a || !b) continue;
      const double sum = simplex.weights[i] + simplex.weights[j];
      const double weight = i == j || sum == 0 ? 0.5 : simplex.weights[j] / sum;
      const CurveParameter x = closest_parameter(*a, (1 - weight) * p.a + weight * q.a);
      const CurveParameter y = closest_parameter(*b, (1 - weight) * p.b + weight * q.b);
      if (const auto found = crossing(pair, *a, *b, x, y, n)) return found;
    }
  }
  return {};
}

}  // namespace pawl::internal
