#include <gtest/gtest.h>

#include <algorithm>

#include <pawl/collision/distance/separating_axes.h>
#include <pawl/geometry.h>
#include <unit/base/worst.h>
#include <unit/collision/shapes/random_convex.h>

namespace pawl::internal::testing {
namespace box_contacts_test {

/// The same box as a general polytope.
Convex as_polytope(const Convex& box) {
  Convex plain = box;
  if (box.core == CoreKind::box) plain.core = CoreKind::polytope;
  return plain;
}

/// A box, or a capsule, and a box.
struct BoxPair {
  Convex a, b;
  Pose X_a, X_b;
  double size;

  double rounding_radii() const { return a.rounding_radius + b.rounding_radius; }
  /// Through the middle of a box the ways out to both sides may be as long.
  bool is_deep() const {
    const auto thickness = [](const Convex& shape) {
      return shape.core == CoreKind::box ? std::min({shape.half.x, shape.half.y, shape.half.z})
                                         : shape.half.z;
    };
    const double depth = -find_separating_axis({a, X_a}, {b, X_b}).best.value;
    return depth > 0.9 * std::min(thickness(a), thickness(b));
  }
};

/// Random or equal sizes, in poses of all kinds.
void make_pair(Random& random, CoreKind kind, BoxPair& pair) {
  pair.size = random.scale(1e-3, 1e2);
  pair.a = random_convex(random, kind, false, pair.size, 30);
  pair.b = random_convex(random, CoreKind::box, false, pair.size, 30);
  if (kind == CoreKind::box && random.below(4) == 0) {
    pair.b.half = pair.a.half;
    pair.b.polytope = pair.a.polytope;
  }
  const auto pose = static_cast<PoseKind>(random.below(kPoseKinds));
  random_poses(random, pose, pair.a, pair.b, pair.X_a, pair.X_b);
}

const ManifoldPoint& deepest(const Manifold& manifold) {
  return *std::min_element(manifold.points.begin(), manifold.points.begin() + manifold.count,
                           [](const ManifoldPoint& x, const ManifoldPoint& y) { return x.gap < y.gap; });
}

bool have_the_same_features(const Manifold& x, const Manifold& y) {
  return std::equal(x.points.begin(), x.points.begin() + x.count, y.points.begin(),
                    y.points.begin() + y.count,
                    [](const ManifoldPoint& p, const ManifoldPoint& q) { return p.feature == q.feature; });
}

bool have_the_same_points(const Manifold& x, const Manifold& y, double tolerance) {
  const auto is_in_y = [&](const ManifoldPoint& p) {
    return std::any_of(y.points.begin(), y.points.begin() + y.count, [&](const ManifoldPoint& q) {
      return norm(p.point_a - q.point_a) <= tolerance && std::abs(p.gap - q.gap) <= tolerance;
    });
  };
  return x.count == y.count && std::all_of(x.points.begin(), x.points.begin() + x.count, is_in_y);
}

/// Compares the fast paths of boxes and capsules with the general code for polytopes.
void expect_same_as_polytopes(CoreKind kind) {
  Random random(11);
  WorstValue gap("gap over size"), point("point over size"), normal("normal");
  int compared = 0, ties = 0;
  BoxPair pair;
  for (int sample = poses_per_pair(20000); sample > 0; --sample) {
    make_pair(random, kind, pair);
    if (pair.is_deep()) continue;
    const double contact_margin = pair.size * random.scale(1e-3, 1) - random.below(2) * pair.rounding_radii();
    const int max_points = random.below(3) == 0 ? 1 + random.below(8) : 4;
    const Convex plain_a = as_polytope(pair.a), plain_b = as_polytope(pair.b);
    Manifold box, plain;
    collide({pair.a, pair.X_a}, {pair.b, pair.X_b}, contact_margin, max_points, box);
    collide({plain_a, pair.X_a}, {plain_b, pair.X_b}, contact_margin, max_points, plain);
    ASSERT_EQ(box.count == 0, plain.count == 0) << sample;
    if (box.count == 0) continue;
    ++compared;
    gap.add((deepest(box).gap - deepest(plain).gap) / pair.size);
    if (have_the_same_features(box, plain)) {
      for (int i = 0; i < box.count; ++i) {
        const ManifoldPoint &x = box.points[i], &y = plain.points[i];
        gap.add((x.gap - y.gap) / pair.size);
        normal.add(x.normal - y.normal);
        point.add((x.point_a - y.point_a) / pair.size);
        point.add((x.point_b - y.point_b) / pair.size);
      }
    } else {
      // Rounding decides which of two equally deep faces is the reference, and the feature of a corner on an
      // edge.
      ++ties;
      const bool other_way = norm(deepest(box).normal - deepest(plain).normal) > 0.1;
      EXPECT_TRUE(other_way || have_the_same_points(box, plain, 1e-9 * pair.size)) << sample;
    }
  }
  EXPECT_LE(ties, compared / 1000);
  gap.expect_at_most(1e-13);
  normal.expect_at_most(1e-13);
  point.expect_at_most(1e-12);
}

TEST(BoxContacts, MatchTheGeneralPolytopePath) {
  expect_same_as_polytopes(CoreKind::box);
}

TEST(BoxContacts, OfACapsuleMatchTheGeneralPolytopePath) {
  expect_same_as_polytopes(CoreKind::segment);
}

}  // namespace box_contacts_test
}  // namespace pawl::internal::testing
