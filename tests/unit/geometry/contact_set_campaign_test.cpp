// Contact sets of every two kinds of shapes in poses of every kind: aligned, touching, deep, concentric.
// PAWL_POSES sets the number of poses a pair.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include <pawl/geometry/contact_set.h>
#include <unit/base/worst.h>
#include <unit/geometry/random_convex.h>

namespace pawl {
namespace {

using namespace testing;

/// How far a point is out of a shape.
double outside(const Vec3& x, const PlacedConvex& placed) {
  Convex point;
  point.planar = placed.shape.planar;
  return separation({point, {Mat3::identity(), x}}, placed).gap;
}

struct Errors {
  Worst least{"least gap over size"}, apart{"witnesses over size"}, off{"off the surface over size"};
};

void look_at(Random& random, const PlacedConvex& a, const PlacedConvex& b, Errors& errors) {
  const double size = std::max(size_of(a.shape), size_of(b.shape)), reach = 0.02 * size;
  const double gap = separation(a, b).gap;
  ContactSet set;
  contact_set(a, b, reach, 1 + random.below(8), set);
  ASSERT_EQ(set.count > 0, gap <= reach) << gap / size;
  double least = reach;
  for (int i = 0; i < set.count; ++i) {
    const ContactPoint& point = set.points[i];
    least = std::min(least, point.gap);
    ASSERT_TRUE(i == 0 || set.points[i - 1].feature < point.feature) << "by feature, each once";
    ASSERT_TRUE(is_finite(point.point_a) && is_finite(point.point_b) && point.gap <= reach);
    errors.apart.add((point.point_a - point.point_b - point.gap * point.normal) * (1 / size));
    errors.apart.add(norm(point.normal) - 1);
    // Feet of tilted features may lie a little beside the feature, by the tilt times the gap of cores; ends
    // of what has a margin may lie within, where another part covers them. The deepest are on the surface.
    const double slack = 0.2 * std::abs(point.gap + a.shape.margin + b.shape.margin) + 1e-9 * size;
    for (const double out : {outside(point.point_a, a), outside(point.point_b, b)}) {
      errors.off.add(std::max(0.0, out - slack) / size);
      if (point.gap <= gap) errors.off.add(std::max(0.0, -out - 1e-9 * size) / size);
    }
  }
  if (set.count > 0) errors.least.add((least - gap) / size);
}

void campaign(CoreKind kind_a, CoreKind kind_b, bool planar, double slender, Errors& errors) {
  Random random(static_cast<unsigned>(kind_a) * 10 + static_cast<unsigned>(kind_b));
  for (int sample = 0; sample < testing::poses_a_pair(40 * kPoseKinds); ++sample) {
    const double size = random.scale(1e-3, 1e2);
    OwnedConvex a, b;
    make_random(random, kind_a, planar, size, slender, a);
    make_random(random, kind_b, planar, size * random.scale(0.2, 1), slender, b);
    Pose X_a, X_b;
    random_poses(random, static_cast<PoseKind>(sample % kPoseKinds), a.convex, b.convex, X_a, X_b);
    look_at(random, {a.convex, X_a}, {b.convex, X_b}, errors);
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
      errors.least.expect_at_most(curved ? 1e-9 : 1e-11);
      errors.apart.expect_at_most(1e-13);
      errors.off.expect_at_most(curved ? 1e-8 : 1e-11);
    }
  }
}

TEST(ContactSetCampaign, HoldsForAllPairsInSpace) {
  expect_all_pairs_hold(kSpatialCores, false, 10);
}

TEST(ContactSetCampaign, HoldsForAllPairsInThePlane) {
  expect_all_pairs_hold(kPlanarCores, true, 10);
}

}  // namespace
}  // namespace pawl
