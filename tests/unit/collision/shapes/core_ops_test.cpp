#include <pawl/collision/shapes/core_ops.h>

#include <gtest/gtest.h>

#include <pawl/collision/shapes/bounds.h>
#include <unit/base/worst.h>
#include <unit/collision/shapes/random_convex.h>

namespace pawl::internal::testing {
namespace core_ops_test {

TEST(CoreOps, AreFoundByTheirKind) {
  for (int kind = 0; kind < kCoreKinds; ++kind) {
    EXPECT_EQ(static_cast<int>(core_ops(static_cast<CoreKind>(kind)).kind), kind);
  }
  EXPECT_EQ(kSpatialCores.size(), static_cast<std::size_t>(kCoreKinds))
      << "random tests must cover all kinds";
}

TEST(CoreOps, BoundEveryCoreAsItsSupportFunctionDoes) {
  Random random(1);
  WorstValue box("box over size"), radius("bounding radius over size"), inner("inner radius over size");
  for (const CoreKind kind : kSpatialCores) {
    for (int i = 0; i < 500; ++i) {
      const Convex shape = random_convex(random, kind, false, 1, 10);
      const Pose X{random_turn(random, false), random.vec(1)};
      const Aabb bounds = bounding_box({shape, X});
      const auto reach = [&](const Vec3& n) { return core_support(shape, n) + shape.rounding_radius; };
      for (int axis = 0; axis < 3; ++axis) {
        Vec3 n;
        n[axis] = 1;
        box.add(bounds.high[axis] - X.p[axis] - reach(transpose(X.R) * n));
        box.add(bounds.low[axis] - X.p[axis] + reach(transpose(X.R) * -n));
      }
      const Vec3 n = random.unit();
      radius.add(std::max(0.0, reach(n) - bounding_radius(shape)));
      inner.add(std::max(0.0, inner_radius(shape) - 0.5 * (reach(n) + reach(-n))));
    }
  }
  box.expect_at_most(1e-14);
  radius.expect_at_most(1e-14);
  inner.expect_at_most(1e-14);
}

}  // namespace core_ops_test
}  // namespace pawl::internal::testing
