#include <pawl/geometry/crossing.h>

#include <algorithm>
#include <utility>

namespace pawl {
namespace {

/// A circle center + cos(t) e + sin(t) f, or a line center + t e with f = 0.
struct Curve {
  Vec3 center, e, f;
  bool round = false;
};

/// A point on it that moves.
struct Place {
  double c = 1, s = 0;  // cos and sin of t; on a line t and 0

  Vec3 point(const Curve& curve) const { return curve.center + c * curve.e + s * curve.f; }
  Vec3 tangent(const Curve& curve) const { return curve.round ? c * curve.f - s * curve.e : curve.e; }
  Vec3 bend(const Curve& curve) const { return curve.round ? curve.center - point(curve) : Vec3{}; }
  void move(const Curve& curve, double by) {
    if (!curve.round) {
      c += by;
      return;
    }
    const double length = std::sqrt(1 + by * by), next = c - by * s;
    s = (s + by * c) / length;
    c = next / length;
  }
};

/// The place nearest to x.
Place place_near(const Curve& curve, const Vec3& x) {
  const Vec3 d = x - curve.center;
  const double along = dot(d, curve.e) / dot(curve.e, curve.e);
  if (!curve.round) return {along, 0};
  const double up = dot(d, curve.f) / dot(curve.e, curve.e), length = std::sqrt(along * along + up * up);
  return length > 0 ? Place{along / length, up / length} : Place{};
}

Vec3 column(const Mat3& R, int i) {
  return {R(0, i), R(1, i), R(2, i)};
}

/// Through one or two pieces of a core placed by X: the rim that both are, or the edge between two vertices.
std::optional<Curve> curve_of(const Convex& shape, int piece, int other, const Pose& X) {
  const bool cylinder = shape.core == CoreKind::cylinder;
  if (cylinder || shape.core == CoreKind::cone) {
    if (piece != other || (!cylinder && piece == 1)) return {};
    const double height = cylinder && piece == 1 ? shape.half.z : -shape.half.z;
    return Curve{X * Vec3{0, 0, height}, shape.half.x * column(X.R, 0), shape.half.x * column(X.R, 1), true};
  }
  if (piece == other || shape.core == CoreKind::ellipsoid || shape.core == CoreKind::point) return {};
  const Vec3 from = support_of_piece(shape, piece, {}), to = support_of_piece(shape, other, {});
  return Curve{X * from, X.R * (to - from), {}, false};
}

/// Whether no direction is better than the crossing's n, of depth D = -s. With unit tangents t at an angle γ,
/// the direction cos θ n + sin θ e has a depth of at least D cos θ + x, where a straight curve with the
/// length l to its nearer end gives x = l sin θ |e · t|, and a round one of radius r, as the support of its
/// disc, x ≥ ½ r sin² θ (e · t)². One of the two |e · t| is at least sin(γ/2). So the depth is D or more as
/// far as τ = tan(θ/2) has τ ≤ sin(γ/2) l/D and τ² ≤ sin²(γ/2) r/D - 1. What is left is near -n, where the
/// difference of the two centres is a point of b - a that lies as deep, and far more.
bool is_best_crossing(const CorePair& pair, const Optimum& optimum, const Curve& a, const Curve& b,
                      const Place& x, const Place& y) {
  const double depth = -optimum.s;
  const Vec3 ta = normalized(x.tangent(a)), tb = normalized(y.tangent(b));
  const double sin2 = 0.5 * (1 - std::abs(dot(ta, tb)));  // of half the angle
  const auto reach2 = [&](const Curve& curve, const Place& place) {
    const double length = norm(curve.e);
    if (curve.round) return sin2 * length / depth - 1;
    const double end = std::min(place.c, 1 - place.c) * length / depth;
    return end > 0 ? sin2 * end * end : 0;
  };
  const double tau2 = std::min(reach2(a, x), reach2(b, y));
  if (!(tau2 > 1)) return false;
  const Vec3 c = pair.R_AB * core_center(pair.b) + pair.p_AB - core_center(pair.a);
  const double back = -dot(c, optimum.n), aside = norm(c + back * optimum.n);
  return back > 0 && back * (tau2 - 1) - aside * 2 * std::sqrt(tau2) >= depth * (tau2 + 1);
}

/// A point of either curve, such that the line through both is square to both curves.
std::optional<Optimum> crossing(const CorePair& pair, const Curve& a, const Curve& b, Place x, Place y,
                                const Vec3& n) {
  constexpr int kMostSteps = 12;
  for (int step = 0; step < kMostSteps; ++step) {
    const Vec3 w = x.point(a) - y.point(b), ta = x.tangent(a), tb = y.tangent(b);
    const double f = dot(ta, w), g = dot(tb, w), fy = -dot(ta, tb);
    const double fx = dot(x.bend(a), w) + dot(ta, ta), gy = dot(y.bend(b), w) - dot(tb, tb);
    const double det = fx * gy + fy * fy;
    const double dx = (fy * g - gy * f) / det, dy = (-fy * f - fx * g) / det;
    if (!(std::abs(dx) < 10 && std::abs(dy) < 10)) return {};
    x.move(a, dx);
    y.move(b, dy);
    if (std::max(std::abs(dx), std::abs(dy)) < 1e-9) break;  // the next step would be below rounding
  }
  const auto is_beyond_end = [](const Curve& curve, const Place& place) {
    return !curve.round && !(place.c >= -1e-12 && place.c <= 1 + 1e-12);
  };
  if (is_beyond_end(a, x) || is_beyond_end(b, y)) return {};
  Optimum optimum;
  const Vec3 across = cross(x.tangent(a), y.tangent(b));
  const double length = norm(across);
  if (length == 0) return {};
  optimum.n = (dot(across, n) > 0 ? 1 : -1) * across / length;
  optimum.a = x.point(a);
  optimum.b = y.point(b);
  optimum.s = dot(optimum.n, support(pair, optimum.n).w);
  optimum.error = norm(optimum.a - optimum.b - optimum.s * optimum.n);
  optimum.count = 1;
  optimum.carriers[0] = optimum.a - optimum.b;
  if (!is_exact(pair, optimum)) return {};
  optimum.proven = optimum.s < 0 && is_best_crossing(pair, optimum, a, b, x, y);
  return optimum;
}

}  // namespace

std::optional<Optimum> optimum_on_crossing(const CorePair& pair, const Simplex& simplex, const Vec3& n) {
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
      const Place x = place_near(*a, (1 - weight) * p.a + weight * q.a);
      const Place y = place_near(*b, (1 - weight) * p.b + weight * q.b);
      if (const auto found = crossing(pair, *a, *b, x, y, n)) return found;
    }
  }
  return {};
}

}  // namespace pawl
