#include <pawl/solve/lcp/basis_system.h>

#include <gmock/gmock.h>

namespace pawl::internal {
namespace basis_system_test {

using testing::DoubleNear;
using testing::Pointwise;

const MixedLcp kProblem{3, {2, 1, 0, 1, 2, 0, 4, 2, 0}, {-5, -6, -10}, {0, 0, 0}};

TEST(BasisSystem, SolvesTheRowsAndColumnsOfABasis) {
  BasisSystem system;
  std::vector<double> z(3, 0.0);
  EXPECT_EQ(system.factor(kProblem, std::vector{0, 1}, std::vector{0, 1}, 1e-13), 2);
  EXPECT_DOUBLE_EQ(system.min_pivot_ratio(), 0.75);
  system.refine(kProblem, z, 2);
  EXPECT_THAT(z, Pointwise(DoubleNear(1e-15), {4.0 / 3, 7.0 / 3, 0.0}));
}

TEST(BasisSystem, LeavesColumnsBeyondTheRankAsTheyAre) {
  BasisSystem system;
  std::vector<double> z{0, 1, 7};
  EXPECT_EQ(system.factor(kProblem, std::vector{0, 2}, std::vector{0, 1, 2}, 1e-13), 1);
  system.refine(kProblem, z, 1);
  EXPECT_THAT(z, testing::ElementsAre(2, 1, 7));
}

TEST(BasisSystem, OfNoRowsIsRegular) {
  BasisSystem system;
  std::vector<double> z(3, 1.0);
  EXPECT_EQ(system.factor(kProblem, {}, {}, 1e-13), 0);
  EXPECT_EQ(system.min_pivot_ratio(), 1);
  system.refine(kProblem, z, 1);
  EXPECT_THAT(z, testing::ElementsAre(1, 1, 1));
}

}  // namespace basis_system_test
}  // namespace pawl::internal
