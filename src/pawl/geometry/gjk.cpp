#include <pawl/geometry/gjk.h>

#include <algorithm>
#include <limits>

namespace pawl {
namespace {

/// The nearest point of the plane, line or point through some of the vertices, if it lies within their hull.
struct Foot {
  bool inside = false;
  Vec3 point;
  std::array<double, 4> weights{};  // in the order of the vertices given
};

Foot foot_on_line(const Vec3& a, const Vec3& b) {
  const Vec3 along = b - a;
  const double length2 = dot(along, along), way = -dot(a, along);
  if (!(way > 0 && way < length2)) return {};  // beyond an end
  const double t = way / length2;
  if (!(t > 0 && t < 1)) return {};
  // From the nearer end, so that a long line costs the foot no digits.
  return {true, t < 0.5 ? a + t * along : b - (1 - t) * along, {1 - t, t}};
}

Foot foot_on_plane(const Vec3& a, const Vec3& b, const Vec3& c) {
  const Vec3 ab = b - a, ac = c - a, n = cross(ab, ac);
  const double nn = dot(n, n);
  if (!(nn > 1e-28 * dot(ab, ab) * dot(ac, ac))) return {};  // no plane
  const double to_b = dot(n, cross(ac, a)), to_c = dot(n, cross(a, ab));
  if (!(to_b > 0 && to_c > 0)) return {};
  const double tb = to_b / nn, tc = to_c / nn, ta = 1 - tb - tc;
  if (!(ta > 0 && tb > 0 && tc > 0)) return {};
  return {true, (dot(n, a) / nn) * n, {ta, tb, tc}};
}

/// Whether a tetrahedron holds the origin. One without volume holds nothing.
Foot foot_in_solid(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
  const Vec3 ab = b - a, ac = c - a, ad = d - a;
  const double volume = dot(ab, cross(ac, ad));
  if (!(std::abs(volume) > 1e-14 * norm(ab) * norm(ac) * norm(ad))) return {};
  const double tb = -dot(a, cross(ac, ad)) / volume, tc = -dot(a, cross(ad, ab)) / volume,
               td = -dot(a, cross(ab, ac)) / volume, ta = 1 - tb - tc - td;
  if (!(ta >= 0 && tb >= 0 && tc >= 0 && td >= 0)) return {};
  return {true, {}, {ta, tb, tc, td}};
}

struct Best {
  double distance2 = std::numeric_limits<double>::infinity();
  Foot foot;
  std::array<int, 4> vertices{};
  int count = 0;

  void look_at(const Foot& other, std::array<int, 4> which, int how_many) {
    if (!other.inside || !(dot(other.point, other.point) < distance2)) return;
    distance2 = dot(other.point, other.point);
    foot = other;
    vertices = which;
    count = how_many;
  }
};

bool holds(const Simplex& simplex, const PairSupport& point) {
  for (int i = 0; i < simplex.count; ++i) {
    if (simplex.points[i].w == point.w) return true;
  }
  return false;
}

}  // namespace

Vec3 nearest_of_simplex(Simplex& simplex) {
  // Every face with the last point is measured and the nearest taken: a few more products than a tree of
  // sign tests, but no rounding can send it to the wrong branch.
  const int last = simplex.count - 1;
  const auto w = [&](int i) -> const Vec3& { return simplex.points[i].w; };
  Best best;
  best.look_at({true, w(last), {1}}, {last}, 1);
  for (int i = 0; i < last; ++i) best.look_at(foot_on_line(w(i), w(last)), {i, last}, 2);
  for (int i = 0; i < last; ++i) {
    for (int j = i + 1; j < last; ++j) {
      best.look_at(foot_on_plane(w(i), w(j), w(last)), {i, j, last}, 3);
    }
  }
  if (last == 3) best.look_at(foot_in_solid(w(0), w(1), w(2), w(3)), {0, 1, 2, 3}, 4);
  simplex.count = best.count;
  for (int i = 0; i < best.count; ++i) {  // vertices ascend: none is overwritten before it has moved
    if (best.vertices[i] != i) simplex.points[i] = simplex.points[best.vertices[i]];
    simplex.weights[i] = best.foot.weights[i];
  }
  return best.foot.point;
}

Nearest start_nearest(const CorePair& pair, const Vec3& n) {
  Nearest nearest;
  nearest.simplex.count = 1;
  nearest.simplex.points[0] = support(pair, n);
  nearest.simplex.weights[0] = 1;
  nearest.w = nearest.simplex.points[0].w;
  nearest.upper = norm(nearest.w);
  nearest.overlap = nearest.upper <= pair.rounding;
  return nearest;
}

void improve_nearest(const CorePair& pair, double tolerance, Nearest& nearest) {
  constexpr int kMostRounds = 200;
  const double enough = std::max(tolerance, pair.rounding);
  for (int round = 0; round < kMostRounds; ++round) {
    if (nearest.overlap || nearest.stalled || nearest.upper - nearest.lower <= enough) return;
    Simplex& simplex = nearest.simplex;
    const PairSupport& hint = simplex.points[simplex.count - 1];
    const Vec3 n = nearest.w / nearest.upper;
    const PairSupport next = support(pair, n, hint.piece_a, hint.piece_b);
    nearest.lower = std::max(nearest.lower, dot(n, next.w));
    if (holds(simplex, next)) {
      nearest.stalled = true;
      return;
    }
    Simplex grown = simplex;
    grown.points[grown.count++] = next;
    const Vec3 w = nearest_of_simplex(grown);
    const double upper = norm(w);
    if (!(upper < nearest.upper)) {
      nearest.stalled = true;
      return;
    }
    simplex = grown;
    nearest.w = w;
    nearest.upper = upper;
    nearest.overlap = simplex.count == 4 || upper <= pair.rounding;
  }
  nearest.stalled = true;
}

}  // namespace pawl
