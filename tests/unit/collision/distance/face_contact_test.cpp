// Directions that are proven optimal without a search, compared with a search.

#include <gtest/gtest.h>

#include <pawl/collision/distance/cylinder_side.h>
#include <pawl/collision/distance/face_contact.h>
#include <pawl/collision/distance/penetration_depth.h>
#include <pawl/collision/distance/rim_outline.h>
#include <unit/base/worst.h>
#include <unit/collision/shapes/random_convex.h>

namespace pawl::internal {
namespace face_contact_test {

using testing::kPoseKinds;
using testing::PoseKind;
using testing::Random;
using testing::random_convex;
using testing::random_poses;
using testing::WorstValue;

/// Improvement over the optimum by the best of many directions, all around and nearby, as a fraction of the
/// size.
double missed(Random& random, const CorePair& pair, const SeparatingDirection& optimum) {
  double most = optimum.s;
  for (int i = 0; i < 400; ++i) {
    const Vec3 n = normalized(random.unit() + (i % 2 == 0 ? 0 : random.scale(1, 1e6)) * optimum.n);
    most = std::max(most, dot(n, support(pair, n).w));
  }
  return (most - optimum.s) / pair.size;
}

/// Calls visit(random, pair) for pairs of curved cores in poses of every kind.
template <class Visit>
void for_each_pair(Visit visit) {
  constexpr std::array kinds{CoreKind::segment,  CoreKind::box,  CoreKind::polytope, CoreKind::ellipsoid,
                             CoreKind::cylinder, CoreKind::cone, CoreKind::frustum};
  constexpr std::array rims{CoreKind::cylinder, CoreKind::cylinder, CoreKind::cone, CoreKind::frustum};
  Convex a, b;
  for (int i = 0; i < 8000; ++i) {
    Random random(static_cast<unsigned>(i));
    const double size = random.scale(1e-3, 1e2);
    a = random_convex(random, rims[random.below(rims.size())], false, size, 10);
    b = random_convex(random, kinds[random.below(kinds.size())], false, size * random.scale(0.1, 1), 10);
    a.rounding_radius = b.rounding_radius = 0;
    Pose X_a, X_b;
    random_poses(random, static_cast<PoseKind>(i % kPoseKinds), a, b, X_a, X_b);
    visit(random, core_pair({a, X_a}, {b, X_b}));
  }
}

/// The result of a function is the best of all directions and exact within rounding, which grows with size
/// and distance. More than `min_count` are found, for overlapping and for separated cores.
void expect_best(std::optional<SeparatingDirection> (*find)(const CorePair&), int min_count) {
  WorstValue better("better"), error("error");
  int overlapping = 0, apart = 0;
  for_each_pair([&](Random& random, const CorePair& pair) {
    const std::optional<SeparatingDirection> found = find(pair);
    if (!found) return;
    better.add(missed(random, pair, *found));
    error.add(norm(found->a - found->b - found->s * found->n) / (1e15 * pair.rounding));
    ++(found->s <= 0 ? overlapping : apart);
  });
  EXPECT_GT(overlapping, min_count);
  EXPECT_GT(apart, min_count);
  better.expect_at_most(1e-14);
  error.expect_at_most(1e-14);
}

TEST(FaceContact, IsTheBestOfAllDirectionsWhereItIsFound) {
  expect_best(optimum_on_a_face, 300);
}

TEST(RimOutline, IsTheBestOfAllDirectionsWhereItIsFound) {
  expect_best(rim_outline_direction, 100);
}

TEST(CylinderSide, IsTheBestOfAllDirectionsWhereItIsFound) {
  expect_best(cylinder_side_direction, 500);
}

/// One on top of the other, tilted by up to 1e-3, cylinders lying or upright, with a gap of up to ±1e-3 of
/// the size.
TEST(RimOutline, ClosedFormsCoverCylindersAtRestWithoutASearch) {
  int searched = 0, total = 0;
  Convex a, b;
  for (int i = 0; i < 4000; ++i) {
    Random random(static_cast<unsigned>(i));
    constexpr std::array kinds{CoreKind::cylinder, CoreKind::box, CoreKind::polytope};
    const double size = random.scale(1e-3, 1e2);
    a = random_convex(random, CoreKind::cylinder, false, size, 3);
    b = random_convex(random, kinds[static_cast<std::size_t>(i % 3)], false, size, 3);
    const Mat3 tilt = to_matrix(quat_exp(1e-3 * random.unit())),
               turn = to_matrix(quat_exp({0, 0, random.uniform(-3, 3)}));
    const Mat3 lay =
        random.below(2) == 0 ? to_matrix(quat_exp({std::numbers::pi / 2, 0, 0})) : Mat3::identity();
    Pose X{tilt * turn * lay, size * Vec3{random.uniform(-0.3, 0.3), random.uniform(-0.3, 0.3), 0}};
    const Vec3 up{0, 0, 1};
    X.p.z = dot(up, support(b, up).point) - dot(up, X.R * support(a, transpose(X.R) * -up).point) +
            1e-3 * size * random.uniform(-1, 1);
    const CorePair pair = core_pair({a, X}, {b, Pose{}});
    ++total;
    if (!optimum_on_a_face(pair) && !rim_outline_direction(pair) && !cylinder_side_direction(pair))
      ++searched;
  }
  EXPECT_LT(searched, total / 100);
}

TEST(Crossing, IsTheBestOfAllDirectionsWhereItIsProven) {
  WorstValue better("better");
  int proven = 0;
  for_each_pair([&](Random& random, const CorePair& pair) {
    const SeparatingDirection found = local_ascent(pair, random.unit());
    if (!found.proven) return;
    better.add(missed(random, pair, found));
    ++proven;
  });
  EXPECT_GT(proven, 100);
  better.expect_at_most(1e-14);
}

}  // namespace face_contact_test
}  // namespace pawl::internal
