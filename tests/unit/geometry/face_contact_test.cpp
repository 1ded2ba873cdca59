// What is said to be the best direction without a search, against a search.

#include <gtest/gtest.h>

#include <pawl/geometry/face_contact.h>
#include <pawl/geometry/least_depth.h>
#include <pawl/geometry/overhang.h>
#include <pawl/geometry/side_contact.h>
#include <unit/base/worst.h>
#include <unit/geometry/random_convex.h>

namespace pawl {
namespace {

using testing::kPoseKinds;
using testing::make_random;
using testing::OwnedConvex;
using testing::PoseKind;
using testing::Random;
using testing::random_poses;
using testing::Worst;

/// How much better than the optimum any of many directions is, over the size: from all around, and nearby.
double missed(Random& random, const CorePair& pair, const Optimum& optimum) {
  double most = optimum.s;
  for (int i = 0; i < 400; ++i) {
    const Vec3 n = normalized(random.unit() + (i % 2 == 0 ? 0 : random.scale(1, 1e6)) * optimum.n);
    most = std::max(most, dot(n, support(pair, n).w));
  }
  return (most - optimum.s) / pair.size;
}

/// Calls look(random, pair) for pairs of curved cores in poses of every kind.
template <class Look>
void for_each_pair(Look look) {
  constexpr std::array kinds{CoreKind::segment,   CoreKind::box,      CoreKind::polytope,
                             CoreKind::ellipsoid, CoreKind::cylinder, CoreKind::cone};
  OwnedConvex a, b;
  for (int i = 0; i < 8000; ++i) {
    Random random(static_cast<unsigned>(i));
    const double size = random.scale(1e-3, 1e2);
    make_random(random, random.below(2) == 0 ? CoreKind::cylinder : CoreKind::cone, false, size, 10, a);
    make_random(random, kinds[static_cast<std::size_t>(random.below(6))], false, size * random.scale(0.1, 1),
                10, b);
    a.convex.margin = b.convex.margin = 0;
    Pose X_a, X_b;
    random_poses(random, static_cast<PoseKind>(i % kPoseKinds), a.convex, b.convex, X_a, X_b);
    look(random, core_pair({a.convex, X_a}, {b.convex, X_b}));
  }
}

/// What a function finds is exact but for rounding, which grows with the size and the distance, and the best
/// of all directions; and it finds more than `least` of them, both of cores that overlap and of those apart.
void expect_best(std::optional<Optimum> (*find)(const CorePair&), int least) {
  Worst better("better"), error("error");
  int overlapping = 0, apart = 0;
  for_each_pair([&](Random& random, const CorePair& pair) {
    const std::optional<Optimum> found = find(pair);
    if (!found) return;
    better.add(missed(random, pair, *found));
    error.add(norm(found->a - found->b - found->s * found->n) / (1e15 * pair.rounding));
    ++(found->s <= 0 ? overlapping : apart);
  });
  EXPECT_GT(overlapping, least);
  EXPECT_GT(apart, least);
  better.expect_at_most(1e-14);
  error.expect_at_most(1e-14);
}

TEST(FaceContact, IsTheBestOfAllDirectionsWhereItIsFound) {
  expect_best(optimum_on_a_face, 300);
}

TEST(Overhang, IsTheBestOfAllDirectionsWhereItIsFound) {
  expect_best(optimum_on_overhang, 100);
}

TEST(SideContact, IsTheBestOfAllDirectionsWhereItIsFound) {
  expect_best(optimum_on_a_side, 500);
}

TEST(Crossing, IsTheBestOfAllDirectionsWhereItIsProven) {
  Worst better("better");
  int proven = 0;
  for_each_pair([&](Random& random, const CorePair& pair) {
    const Optimum found = climb(pair, random.unit());
    if (!found.proven) return;
    better.add(missed(random, pair, found));
    ++proven;
  });
  EXPECT_GT(proven, 100);
  better.expect_at_most(1e-14);
}

}  // namespace
}  // namespace pawl
