#include <pawl/collision/distance/gjk.h>

#include <algorithm>
#include <limits>

#include <pawl/base/tolerances.h>

namespace pawl::internal {
namespace {

/// The point of the hull of a simplex closest to the origin, and its vertices. All faces that contain the
/// last vertex are tested and the closest is taken. This costs a few more products than a tree of sign tests,
/// but rounding cannot select a wrong branch.
class SimplexProjection {
 public:
  explicit SimplexProjection(const Simplex& simplex) : simplex_(simplex) {
    const int last = simplex.count - 1;
    keep_if_nearer(w(last), {last}, {1}, 1);
    for (int i = 0; i < last; ++i) test_edge(i, last);
    for (int i = 0; i < last; ++i) {
      for (int j = i + 1; j < last; ++j) test_triangle(i, j, last);
    }
    if (last == 3) test_tetrahedron();
  }
  const Vec3& point() const { return point_; }

  /// Reduces the simplex to the vertices of the closest point.
  void reduce(Simplex& simplex) const {
    simplex.count = count_;
    for (int i = 0; i < count_; ++i) {  // vertices ascend, so none is overwritten before it is moved
      if (vertices_[i] != i) simplex.points[i] = simplex.points[vertices_[i]];
      simplex.weights[i] = weights_[i];
    }
  }

 private:
  const Vec3& w(int i) const { return simplex_.points[i].w; }

  void keep_if_nearer(const Vec3& point, std::array<int, 4> vertices, std::array<double, 4> weights,
                      int count) {
    const double distance2 = dot(point, point);
    if (!(distance2 < distance2_)) return;
    distance2_ = distance2;
    point_ = point;
    vertices_ = vertices;
    weights_ = weights;
    count_ = count;
  }

  void test_edge(int i, int j) {
    const Vec3 &a = w(i), &b = w(j), along = b - a;
    const double length2 = dot(along, along), projection = -dot(a, along);
    if (!(projection > 0 && projection < length2)) return;  // beyond an end
    const double t = projection / length2;
    if (!(t > 0 && t < 1)) return;
    // From the nearer end, so that a long edge costs no digits.
    keep_if_nearer(t < 0.5 ? a + t * along : b - (1 - t) * along, {i, j}, {1 - t, t}, 2);
  }

  void test_triangle(int i, int j, int k) {
    const Vec3 &a = w(i), ab = w(j) - a, ac = w(k) - a, n = cross(ab, ac);
    const double nn = dot(n, n);
    if (!(nn > tolerances::kZeroLength2 * dot(ab, ab) * dot(ac, ac))) return;  // degenerate
    const double to_b = dot(n, cross(ac, a)), to_c = dot(n, cross(a, ab));
    if (!(to_b > 0 && to_c > 0 && to_b + to_c < nn)) return;
    const double tb = to_b / nn, tc = to_c / nn, ta = 1 - tb - tc;
    if (!(ta > 0 && tb > 0 && tc > 0)) return;
    keep_if_nearer((dot(n, a) / nn) * n, {i, j, k}, {ta, tb, tc}, 3);
  }

  /// Tests whether the tetrahedron contains the origin. A degenerate one contains nothing.
  void test_tetrahedron() {
    const Vec3 &a = w(0), ab = w(1) - a, ac = w(2) - a, ad = w(3) - a;
    const double volume = dot(ab, cross(ac, ad));
    if (!(std::abs(volume) > tolerances::kZeroLength * norm(ab) * norm(ac) * norm(ad))) return;
    const double tb = -dot(a, cross(ac, ad)) / volume, tc = -dot(a, cross(ad, ab)) / volume,
                 td = -dot(a, cross(ab, ac)) / volume, ta = 1 - tb - tc - td;
    if (!(ta >= 0 && tb >= 0 && tc >= 0 && td >= 0)) return;
    keep_if_nearer({}, {0, 1, 2, 3}, {ta, tb, tc, td}, 4);
  }

  const Simplex& simplex_;
  double distance2_ = std::numeric_limits<double>::infinity();
  Vec3 point_;
  std::array<int, 4> vertices_{};
  std::array<double, 4> weights_{};
  int count_ = 0;
};

bool contains(const Simplex& simplex, const PairSupport& point) {
  for (int i = 0; i < simplex.count; ++i) {
    if (simplex.points[i].w == point.w) return true;
  }
  return false;
}

}  // namespace

Vec3 initial_direction(const CorePair& pair) {
  const Vec3 d = core_center(pair.a) - (pair.R_AB * core_center(pair.b) + pair.p_AB);
  const double length = norm(d);
  if (length > pair.rounding) return d / length;
  return pair.a.planar ? Vec3{0, 1, 0} : Vec3{0, 0, 1};
}

GjkState start_gjk(const CorePair& pair, const Vec3& n) {
  GjkState nearest;
  nearest.simplex.count = 1;
  nearest.simplex.points[0] = support(pair, n);
  nearest.simplex.weights[0] = 1;
  nearest.w = nearest.simplex.points[0].w;
  nearest.upper = norm(nearest.w);
  nearest.overlap = nearest.upper <= pair.rounding;
  return nearest;
}

void iterate_gjk(const CorePair& pair, double tolerance, GjkState& nearest) {
  constexpr int kMaxRounds = 200;
  const double accuracy = std::max(tolerance, pair.rounding);
  for (int round = 0; round < kMaxRounds; ++round) {
    if (nearest.overlap || nearest.stalled || nearest.upper - nearest.lower <= accuracy) return;
    Simplex& simplex = nearest.simplex;
    const PairSupport& hint = simplex.points[simplex.count - 1];
    const Vec3 n = nearest.w / nearest.upper;
    const PairSupport next = support(pair, n, hint.piece_a, hint.piece_b);
    nearest.lower = std::max(nearest.lower, dot(n, next.w));
    if (contains(simplex, next)) {
      nearest.stalled = true;
      return;
    }
    simplex.points[simplex.count++] = next;
    const SimplexProjection now(simplex);
    const double upper = norm(now.point());
    if (!(upper < nearest.upper)) {
      --simplex.count;
      nearest.stalled = true;
      return;
    }
    now.reduce(simplex);
    nearest.w = now.point();
    nearest.upper = upper;
    nearest.overlap = simplex.count == 4 || upper <= pair.rounding;
  }
  nearest.stalled = true;
}

}  // namespace pawl::internal
