// The signed distance of every pair of convex shapes against bounds from both sides. A direction is a lower
// bound. The upper bound is the distance of two points of the shapes if they are apart, and a search over
// directions if they overlap.
// PAWL_POSES sets the number of poses per pair. It also prints, for each kind of pose, the worst distance of
// a witness point from its shape and the worst gap missed.
#include <gtest/gtest.h>

#include <cstdlib>
#include <iomanip>
#include <iostream>

#include <unit/base/worst.h>
#include <unit/collision/shapes/random_convex.h>

namespace pawl::internal {
namespace separation_test {

using testing::core_support;
using testing::kPoseKinds;
using testing::outside;
using testing::PoseKind;
using testing::Random;
using testing::random_convex;
using testing::random_poses;
using testing::searched_gap;
using testing::separation_along;
using testing::size_of;
using testing::WorstValue;

bool is_curved(CoreKind kind) {
  return kind == CoreKind::ellipsoid || kind == CoreKind::cylinder || kind == CoreKind::cone ||
         kind == CoreKind::frustum;
}

struct PairOfCores {
  CoreKind a, b;
  bool planar;
};

std::vector<PairOfCores> all_pairs() {
  std::vector<PairOfCores> pairs;
  const auto add = [&](const auto& kinds, bool planar) {
    for (std::size_t i = 0; i < kinds.size(); ++i) {
      for (std::size_t j = i; j < kinds.size(); ++j) pairs.push_back({kinds[i], kinds[j], planar});
    }
  };
  add(testing::kSpatialCores, false);
  add(testing::kPlanarCores, true);
  return pairs;
}

std::string pair_name(const PairOfCores& pair) {
  return testing::name_of(pair.a) + "_" + testing::name_of(pair.b) + (pair.planar ? "_planar" : "");
}

class SeparationOf : public ::testing::TestWithParam<PairOfCores> {};
INSTANTIATE_TEST_SUITE_P(EveryPair, SeparationOf, ::testing::ValuesIn(all_pairs()),
                         [](const auto& pair) { return pair_name(pair.param); });

struct Errors {
  double bound = 0, witness = 0, missed = 0, identity = 0;
};

/// All in units of the larger shape's size.
Errors errors_of(Random& random, const PosedConvex& a, const PosedConvex& b, const Separation& found,
                 bool search) {
  const double size = std::max(size_of(a.shape), size_of(b.shape));
  Errors errors;
  errors.bound = std::abs(separation_along(a, b, found.normal) - found.gap) / size;
  const Vec3 core_a = inverse(a.X_WS) * (found.point_a + a.shape.rounding_radius * found.normal);
  const Vec3 core_b = inverse(b.X_WS) * (found.point_b - b.shape.rounding_radius * found.normal);
  errors.witness = std::max(outside(a.shape, core_a), outside(b.shape, core_b)) / size;
  errors.identity = std::max(norm(found.point_a - found.point_b - found.gap * found.normal) / size,
                             std::abs(norm(found.normal) - 1));
  if (a.shape.planar) errors.identity = std::max(errors.identity, std::abs(found.normal.z));
  if (search) errors.missed = std::max(searched_gap(random, a, b, found.normal) - found.gap, 0.0) / size;
  return errors;
}

/// The errors of one pose. The index of the pose alone determines it, so that it can be reproduced.
Errors errors_at(const PairOfCores& pair, int pose) {
  Random random(static_cast<unsigned>(pose));
  Convex shape_a, shape_b;
  const double size = random.scale(1e-3, 1e2);
  shape_a = random_convex(random, pair.a, pair.planar, size, 10);
  shape_b = random_convex(random, pair.b, pair.planar, size * random.scale(0.1, 1), 10);
  Pose X_a, X_b;
  const auto kind = static_cast<PoseKind>(pose % kPoseKinds);
  random_poses(random, kind, shape_a, shape_b, X_a, X_b);
  const PosedConvex a{shape_a, X_a}, b{shape_b, X_b};
  const Separation found = separation(a, b);
  return errors_of(random, a, b, found,
                   found.gap + a.shape.rounding_radius + b.shape.rounding_radius < 1e-9 * size);
}

TEST_P(SeparationOf, IsTheLargestSeparationOfAllDirectionsAtAnySizeInAnyPose) {
  const auto [kind_a, kind_b, planar] = GetParam();
  const double tolerance = is_curved(kind_a) || is_curved(kind_b) ? 1e-10 : 1e-12;
  WorstValue bound("bound"), witness("witness"), missed("missed"), identity("identity");
  std::array<Errors, kPoseKinds> worst{};
  for (int i = 0; i < testing::poses_per_pair(500); ++i) {
    const Errors errors = errors_at(GetParam(), i);
    bound.add(errors.bound);
    witness.add(errors.witness);
    missed.add(errors.missed);
    identity.add(errors.identity);
    Errors& w = worst[i % kPoseKinds];
    w = {std::max(w.bound, errors.bound), std::max(w.witness, errors.witness),
         std::max(w.missed, errors.missed), std::max(w.identity, errors.identity)};
    if (!(errors.witness <= 1e-8 && errors.missed <= tolerance && errors.bound <= 1e-12)) {
      std::cout << pair_name(GetParam()) << ", pose " << i << ": bound " << errors.bound << ", witness "
                << errors.witness << ", missed " << errors.missed << "\n";
    }
  }
  if (std::getenv("PAWL_POSES")) {
    std::cout << "| " << pair_name(GetParam());
    std::cout << std::setprecision(1) << std::scientific;
    for (const Errors& w : worst) std::cout << " | " << w.witness << " " << w.missed;
    std::cout << " |\n";
  }
  bound.expect_at_most(1e-12);
  identity.expect_at_most(1e-13);
  witness.expect_at_most(1e-8);
  missed.expect_at_most(tolerance);
}

TEST(Separation, IsFoundAmongDirectionsThatAreNearlyAsGood) {
  using enum CoreKind;
  struct Ring {
    CoreKind a, b;
    int pose;
  };
  WorstValue missed("missed");
  for (const auto& [a, b, pose] :
       {Ring{segment, ellipsoid, 11239}, Ring{segment, ellipsoid, 75783}, Ring{segment, cone, 40239},
        Ring{ellipsoid, cylinder, 29029}, Ring{ellipsoid, cylinder, 35021}, Ring{ellipsoid, cylinder, 49701},
        Ring{ellipsoid, cylinder, 96261}, Ring{cone, cone, 40508}}) {
    missed.add(errors_at({a, b, false}, pose).missed);
  }
  missed.expect_at_most(1e-10);
}

}  // namespace separation_test
}  // namespace pawl::internal
