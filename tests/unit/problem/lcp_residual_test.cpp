#include <pawl/lcp.h>

#include <gmock/gmock.h>

#include <limits>
#include <vector>

namespace pawl::internal {
namespace lcp_residual_test {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

template <class Problem>
LcpResidual residual(const Problem& lcp, const std::vector<double>& z) {
  std::vector<double> w(lcp.n);
  return judge(lcp, z, w);
}

const Lcp kCoupled{2, {2, 1, 1, 2}, {-5, -6}};  // z = (4/3, 7/3)
const MixedLcp kMixed{3, {1, 0, 1, 0, 2, 1, 1, 0, 1}, {-1, -2, 3}, {0, 1, 0}};

TEST(LcpResidual, IsZeroForASolutionAndGivesItsW) {
  const Lcp lcp{2, {2, 1, 1, 2}, {-2, 3}};
  std::vector<double> w(2);
  const LcpResidual exact = judge(lcp, std::vector<double>{1, 0}, w);
  EXPECT_EQ(exact.worst(), 0);
  EXPECT_TRUE(exact.within(0));
  EXPECT_THAT(w, testing::ElementsAre(0, 4));
  EXPECT_EQ(residual(kMixed, {1, 1, 0}).worst(), 0);
  EXPECT_EQ(residual(Lcp{}, {}).worst(), 0);
}

TEST(LcpResidual, MeasuresEachLawAgainstItsTerms) {
  EXPECT_DOUBLE_EQ(residual(kCoupled, {0, 0}).natural_map, 1);                           // w = q < 0
  EXPECT_DOUBLE_EQ(residual(Lcp{1, {1}, {3}}, {1}).natural_map, 1);                      // z = 1, w = 4
  EXPECT_DOUBLE_EQ(residual(Lcp{1, {2}, {-1}}, {0.25}).natural_map, 0.5 / 1.5);          // w = -0.5
  EXPECT_DOUBLE_EQ(residual(Lcp{2, {1, 0, 0, 1}, {-4, 1}}, {4, -1}).natural_map, 0.25);  // z_1/max|z|
}

TEST(LcpResidual, TellsFreeRowsFromComplementaryOnes) {
  const LcpResidual negative_w = residual(kMixed, {1, 2, 0});  // the equation is 2 z_1 = 2
  EXPECT_DOUBLE_EQ(negative_w.equation, 2.0 / (2 + 3 * 2));
  EXPECT_EQ(negative_w.natural_map, 0);
  EXPECT_EQ(residual(MixedLcp{1, {-1}, {-3}, {1}}, {-3}).worst(), 0) << "free variables may be negative";
  EXPECT_DOUBLE_EQ(residual(MixedLcp{1, {1}, {3}, {1}}, {0}).equation, 1) << "w > 0 is no equation";
  EXPECT_FALSE(negative_w.within(0.1));
}

TEST(LcpResidual, DoesNotDependOnTheScaleOfMOrQ) {
  for (const double scale : {1e-200, 1e-13, 1e13, 1e200}) {
    const double expected = residual(Lcp{1, {2}, {-1}}, {0.25}).natural_map;
    EXPECT_DOUBLE_EQ(residual(Lcp{1, {2 * scale}, {-scale}}, {0.25}).natural_map, expected);
    EXPECT_DOUBLE_EQ(residual(Lcp{1, {2}, {-scale}}, {0.25 * scale}).natural_map, expected);
  }
}

TEST(LcpResidual, IsNotFooledByAPointFarOutAlongARay) {
  const Lcp unsolvable{2, {1, -1, -1, 1}, {-1, -1}};
  for (const double far : {1e6, 1e12, 1e15, 1e100}) {
    EXPECT_GT(residual(unsolvable, {far, far}).natural_map, 1e-7) << far;
  }
}

TEST(LcpResidual, IsInfiniteForWhatIsNotFiniteOrNotOfTheSameSize) {
  for (const double bad : {std::nan(""), kInfinity, -kInfinity}) {
    for (int at = 0; at < 8; ++at) {
      Lcp lcp = kCoupled;
      MixedLcp mixed{2, lcp.M, lcp.q, {0, 1}};
      std::vector<double> z{4.0 / 3, 7.0 / 3};
      (at < 4 ? lcp.M[at] : at < 6 ? lcp.q[at - 4] : z[at - 6]) = bad;
      mixed.M = lcp.M;
      mixed.q = lcp.q;
      EXPECT_EQ(residual(lcp, z).worst(), kInfinity) << at;
      EXPECT_EQ(residual(mixed, z).worst(), kInfinity) << at;
      EXPECT_FALSE(residual(lcp, z).within(1e300));
      EXPECT_EQ(well_formed(lcp), at >= 6);
    }
  }
  EXPECT_EQ(residual(kCoupled, {1}).worst(), kInfinity);
  EXPECT_EQ(residual(Lcp{2, {1, 2, 3}, {1, 2}}, {1, 2}).worst(), kInfinity);
  EXPECT_EQ(residual(MixedLcp{1, {1}, {1}, {}}, {0}).worst(), kInfinity);
  EXPECT_EQ(residual(Lcp{1, {1e300}, {-1}}, {1e300}).worst(), kInfinity) << "w overflows";
  EXPECT_FALSE(well_formed(Lcp{-1, {1}, {}}));
}

}  // namespace lcp_residual_test
}  // namespace pawl::internal
