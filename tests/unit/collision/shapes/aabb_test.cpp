#include <pawl/collision/shapes/aabb.h>

#include <limits>

#include <gtest/gtest.h>

#include "unit/collision/broad_phase/random_boxes.h"

namespace pawl::internal {
namespace aabb_test {

using testing::Random;
using testing::random_box;

constexpr Aabb kUnit{{0, 0, 0}, {1, 1, 1}};

TEST(Aabb, IsValidOnlyWithFiniteOrderedBounds) {
  const double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(is_valid(kUnit));
  EXPECT_TRUE(is_valid({{1, 1, 1}, {1, 1, 1}})) << "a point";
  for (int i = 0; i < 3; ++i) {
    for (const double bad : {nan, inf, -inf, 2.}) {
      Aabb box = kUnit;
      box.low[i] = bad;
      EXPECT_FALSE(is_valid(box)) << "low[" << i << "] = " << bad;
    }
    for (const double bad : {nan, inf, -inf, -1.}) {
      Aabb box = kUnit;
      box.high[i] = bad;
      EXPECT_FALSE(is_valid(box)) << "high[" << i << "] = " << bad;
    }
  }
}

TEST(Aabb, OverlapsWhatItTouches) {
  for (int i = 0; i < 3; ++i) {
    Vec3 by;
    by[i] = 1;
    EXPECT_TRUE(overlap(kUnit, testing::translated(kUnit, by)));
    EXPECT_TRUE(overlap(testing::translated(kUnit, by), kUnit));
    by[i] = std::nextafter(1., 2.);
    EXPECT_FALSE(overlap(kUnit, testing::translated(kUnit, by)));
    EXPECT_FALSE(overlap(testing::translated(kUnit, by), kUnit));
  }
}

TEST(Aabb, GapIsTheDistanceOrThePenetrationDepth) {
  EXPECT_EQ(gap(kUnit, {{4, 5, 0}, {5, 6, 1}}), 5);  // 3, 4
  EXPECT_EQ(gap(kUnit, {{0.25, 3, 0}, {0.5, 4, 1}}), 2);
  EXPECT_EQ(gap(kUnit, {{1, 0, 0}, {2, 1, 1}}), 0);
  EXPECT_EQ(gap(kUnit, {{0.75, 0.5, 0.5}, {2, 2, 2}}), -0.25);
  EXPECT_EQ(gap(kUnit, {{0.25, 0.25, 0.25}, {0.5, 0.5, 0.5}}), -0.5)
      << "within: out by its own end, then its side";
}

TEST(Aabb, GapIsALowerBoundOfTheGapOfTheContents) {
  Random random(1);
  for (int i = 0; i < 20000; ++i) {
    const Aabb a = random_box(random, 1, 1e-3, 1), b = random_box(random, 1, 1e-3, 1);
    const Aabb within{a.low + 0.25 * (a.high - a.low), a.high - random.uniform(0, 0.7) * (a.high - a.low)};
    ASSERT_LE(gap(a, b), gap(within, b));
    ASSERT_EQ(gap(a, b), gap(b, a));
    ASSERT_EQ(gap(a, b) <= 0, overlap(a, b));
  }
}

TEST(Aabb, HeightOverAPlaneIsThatOfItsLowestCorner) {
  Random random(2);
  for (int i = 0; i < 1000; ++i) {
    const Aabb box = random_box(random, 1, 0.1, 1);
    const Vec3 n = random.unit();
    double lowest = std::numeric_limits<double>::infinity();
    for (int corner = 0; corner < 8; ++corner) {
      lowest =
          std::min(lowest, dot(n, {corner & 1 ? box.low.x : box.high.x, corner & 2 ? box.low.y : box.high.y,
                                   corner & 4 ? box.low.z : box.high.z}));
    }
    ASSERT_EQ(height_over(box, n, 0.5), lowest - 0.5);
  }
}

TEST(Aabb, AreaHalfPerimeterAndUnionMatchHandComputedValues) {
  EXPECT_EQ(area({{0, 0, 0}, {1, 2, 3}}), 22);
  EXPECT_EQ(half_perimeter({{0, 0, 0}, {1, 2, 3}}), 6);
  EXPECT_EQ(merge(kUnit, {{-1, 0.5, 0}, {0, 0.5, 2}}), (Aabb{{-1, 0, 0}, {1, 1, 2}}));
}

}  // namespace aabb_test
}  // namespace pawl::internal
