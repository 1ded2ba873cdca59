#include <gtest/gtest.h>

#include <pawl/collision/distance/gjk.h>
#include <unit/base/worst.h>
#include <unit/collision/shapes/random_convex.h>

namespace pawl::internal {
namespace gjk_test {

using testing::kSpatialCores;
using testing::name_of;
using testing::Random;
using testing::random_convex;
using testing::random_turn;
using testing::WorstValue;

class SupportOf : public ::testing::TestWithParam<CoreKind> {};
INSTANTIATE_TEST_SUITE_P(EveryCore, SupportOf, ::testing::ValuesIn(kSpatialCores),
                         [](const auto& kind) { return name_of(kind.param); });

TEST_P(SupportOf, IsAnExtremePointOfTheCore) {
  WorstValue far("as far"), within("within");
  Convex shape;
  for (int i = 0; i < 2000; ++i) {
    Random random(static_cast<unsigned>(i));
    shape = random_convex(random, GetParam(), false, 1, 10);
    const Vec3 n = i % 4 == 0 ? normalized(Vec3{0, 0, i % 8 == 0 ? 1.0 : -1.0}) : random.unit();
    const Support found = support(shape, n);
    far.add(dot(n, found.point) - testing::core_support(shape, n));
    within.add(testing::outside(shape, found.point));
    within.add(found.point - support_of_piece(shape, found.piece, n));
  }
  far.expect_at_most(1e-15);
  within.expect_at_most(1e-15);
}

TEST_P(SupportOf, MovesAsItsDerivativeSays) {
  WorstValue error("derivative");
  Convex shape;
  for (int i = 0; i < 500; ++i) {
    Random random(static_cast<unsigned>(i));
    shape = random_convex(random, GetParam(), false, 1, 4);
    Vec3 n = random.unit();
    if (n.x * n.x + n.y * n.y < 0.1) n = normalized(n + Vec3{1, 0, 0});  // not near the kink of a cap
    const int piece = support(shape, n).piece;
    const Mat3 H = support_derivative(shape, piece, n);
    const Vec3 step = 1e-5 * random.unit();
    const Vec3 difference =
        support_of_piece(shape, piece, n + step) - support_of_piece(shape, piece, n - step);
    error.add(difference / 2e-5 - 1e5 * (H * step));
  }
  error.expect_at_most(1e-6);
}

TEST(Support, OfALargePolytopeIsFoundByHillClimbing) {
  std::vector<Vec3> corners;
  for (int i = 0; i < 100; ++i)
    corners.push_back({std::cos(0.02 * std::numbers::pi * i), std::sin(0.02 * std::numbers::pi * i), 0});
  const Convex shape = Convex::hull(make_polygon(corners), 0, true);
  Random random(1);
  for (int i = 0; i < 1000; ++i) {
    const double turn = random.uniform(-4, 4);
    const Vec3 n{std::cos(turn), std::sin(turn), 0};
    EXPECT_DOUBLE_EQ(dot(n, support(shape, n, random.below(100)).point), testing::core_support(shape, n));
  }
}

TEST(Gjk, BracketsTheDistanceOfSpheresMadeOfEllipsoids) {
  for (int i = 0; i < 1000; ++i) {
    Random random(static_cast<unsigned>(i));
    const double size = random.scale(1e-3, 1e2);
    const Convex a = Convex::ellipsoid({size, size, size}), b = Convex::ellipsoid(0.5 * a.half);
    const Vec3 d = random.uniform(1.6, 4) * size * random.unit();
    const CorePair pair = core_pair({a, {}}, {b, {random_turn(random, false), d}});
    GjkState nearest = start_gjk(pair, random.unit());
    iterate_gjk(pair, 1e-6 * size, nearest);
    const double distance = norm(d) - 1.5 * size;
    EXPECT_FALSE(nearest.overlap);
    EXPECT_LE(nearest.lower, distance + 1e-14 * size);
    EXPECT_GE(nearest.upper, distance - 1e-14 * size);
    EXPECT_LE(nearest.upper - nearest.lower, 1e-6 * size);
  }
}

TEST(Gjk, FindsTheDistanceOfParallelFaces) {
  for (int i = 0; i < 1000; ++i) {
    Random random(static_cast<unsigned>(i));
    const double size = random.scale(1e-3, 1e2), gap = size * random.scale(1e-9, 1);
    const Convex box = Convex::box({size, size, size});
    const Pose X{testing::quarter_turn(random, false),
                 {random.uniform(-1, 1) * size, random.below(3) * size, 2 * size + gap}};
    const CorePair pair = core_pair({box, {}}, {box, X});
    GjkState nearest = start_gjk(pair, random.unit());
    iterate_gjk(pair, 0, nearest);
    EXPECT_FALSE(nearest.overlap);
    EXPECT_NEAR(nearest.upper, gap, 1e-14 * size);
  }
}

TEST(Gjk, DetectsOverlappingBoxes) {
  const Convex box = Convex::box({1, 1, 1});
  for (int i = 0; i < 1000; ++i) {
    Random random(static_cast<unsigned>(i));
    const CorePair pair = core_pair({box, {}}, {box, {random_turn(random, false), random.vec(0.9)}});
    GjkState nearest = start_gjk(pair, random.unit());
    iterate_gjk(pair, 0, nearest);
    EXPECT_TRUE(nearest.overlap || nearest.upper < 1e-14);
  }
}

}  // namespace gjk_test
}  // namespace pawl::internal
