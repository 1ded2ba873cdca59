// Contact manifolds of all pairs of kinds in poses of every kind: aligned, touching, deep, concentric.
// PAWL_POSES sets the number of poses per pair.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include <pawl/collision/distance/signed_distance.h>
#include <pawl/geometry.h>
#include <unit/base/worst.h>
#include <unit/collision/shapes/random_convex.h>

namespace pawl::internal {
namespace collide_campaign_test {

using namespace testing;

/// Distance of a point outside a shape.
double outside(const Vec3& x, const PosedConvex& posed) {
  Convex point;
  point.planar = posed.shape.planar;
  return separation({point, {Mat3::identity(), x}}, posed).gap;
}

struct Errors {
  WorstValue min_gap{"least gap over size"}, apart{"witnesses over size"}, off{"off the surface over size"};
};

void check_pair(Random& random, const PosedConvex& a, const PosedConvex& b, Errors& errors) {
  const double size = std::max(size_of(a.shape), size_of(b.shape)), contact_margin = 0.02 * size;
  const double gap = separation(a, b).gap;
  Manifold manifold;
  collide(a, b, contact_margin, 1 + random.below(8), manifold);
  ASSERT_EQ(manifold.count > 0, gap <= contact_margin) << gap / size;
  double min_gap = contact_margin;
  for (int i = 0; i < manifold.count; ++i) {
    const ManifoldPoint& point = manifold.points[i];
    min_gap = std::min(min_gap, point.gap);
    ASSERT_TRUE(i == 0 || manifold.points[i - 1].feature < point.feature) << "by feature, each once";
    ASSERT_TRUE(is_finite(point.point_a) && is_finite(point.point_b) && point.gap <= contact_margin);
    errors.apart.add((point.point_a - point.point_b - point.gap * point.normal) * (1 / size));
    errors.apart.add(norm(point.normal) - 1);
    // Projections of tilted features may lie beside the feature, by the tilt times the gap of the cores. Ends
    // of rounded shapes may lie inside, where another part covers them. The deepest points are on the
    // surface.
    const double slack =
        0.2 * std::abs(point.gap + a.shape.rounding_radius + b.shape.rounding_radius) + 1e-9 * size;
    for (const double out : {outside(point.point_a, a), outside(point.point_b, b)}) {
      errors.off.add(std::max(0.0, out - slack) / size);
      if (point.gap <= gap) errors.off.add(std::max(0.0, -out - 1e-9 * size) / size);
    }
  }
  if (manifold.count > 0) errors.min_gap.add((min_gap - gap) / size);
}

void campaign(CoreKind kind_a, CoreKind kind_b, bool planar, double slender, Errors& errors) {
  Random random(static_cast<unsigned>(kind_a) * 10 + static_cast<unsigned>(kind_b));
  for (int sample = 0; sample < testing::poses_per_pair(40 * kPoseKinds); ++sample) {
    const double size = random.scale(1e-3, 1e2);
    Convex a, b;
    a = random_convex(random, kind_a, planar, size, slender);
    b = random_convex(random, kind_b, planar, size * random.scale(0.2, 1), slender);
    Pose X_a, X_b;
    random_poses(random, static_cast<PoseKind>(sample % kPoseKinds), a, b, X_a, X_b);
    check_pair(random, {a, X_a}, {b, X_b}, errors);
  }
}

template <class Cores>
void expect_all_pairs_hold(const Cores& cores, bool planar, double slender) {
  for (const CoreKind kind_a : cores) {
    for (const CoreKind kind_b : cores) {
      SCOPED_TRACE(name_of(kind_a) + " and " + name_of(kind_b));
      Errors errors;
      campaign(kind_a, kind_b, planar, slender, errors);
      const bool curved = std::max(kind_a, kind_b) >= CoreKind::ellipsoid;
      errors.min_gap.expect_at_most(curved ? 1e-9 : 1e-11);
      errors.apart.expect_at_most(1e-13);
      errors.off.expect_at_most(curved ? 1e-8 : 1e-11);
    }
  }
}

TEST(ManifoldCampaign, HoldsForAllPairsInSpace) {
  expect_all_pairs_hold(kSpatialCores, false, 10);
}

TEST(ManifoldCampaign, HoldsForAllPairsInThePlane) {
  expect_all_pairs_hold(kPlanarCores, true, 10);
}

}  // namespace collide_campaign_test
}  // namespace pawl::internal
