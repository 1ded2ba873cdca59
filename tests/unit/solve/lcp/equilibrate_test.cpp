#include <pawl/solve/lcp/equilibrate.h>

#include <gmock/gmock.h>

#include <cmath>

#include "unit/problem/random.h"

namespace pawl::internal {
namespace equilibrate_test {

MixedLcp badly_scaled(Random& random, int n, double worst) {
  MixedLcp lcp{n, std::vector<double>(n * n), std::vector<double>(n), std::vector<char>(n, 0)};
  for (double& x : lcp.M) x = random.uniform(0.5, 1);
  for (double& x : lcp.q) x = random.uniform(-1, 1);
  for (int i = 0; i < n; ++i) {
    const double row = random.magnitude(1 / worst, worst), column = random.magnitude(1 / worst, worst);
    for (int k = 0; k < n; ++k) {
      lcp.M[i * n + k] *= row;
      lcp.M[k * n + i] *= column;
    }
    lcp.q[i] *= row;
  }
  return lcp;
}

TEST(Equilibrated, BringsEveryRowAndColumnNearOne) {
  Random random(1);
  Equilibrated scaled;
  for (int trial = 0; trial < 100; ++trial) {
    const int n = random.integer(1, 8);
    scaled.scale(badly_scaled(random, n, 1e40));
    for (int i = 0; i < n; ++i) {
      double row = 0, column = 0;
      for (int k = 0; k < n; ++k) {
        row = std::max(row, scaled.problem().M[i * n + k]);
        column = std::max(column, scaled.problem().M[k * n + i]);
      }
      EXPECT_GT(std::min(row, column), 0.24);
      EXPECT_LT(std::max(row, column), 4.1);
    }
  }
}

TEST(Equilibrated, IsTheSameProblemToTheLastBit) {
  Random random(2);
  Equilibrated scaled;
  for (int trial = 0; trial < 100; ++trial) {
    const int n = random.integer(1, 8);
    const MixedLcp lcp = badly_scaled(random, n, 1e10);
    scaled.scale(lcp);
    std::vector<double> z(n), w(scaled.problem().q);
    for (int j = 0; j < n; ++j) z[j] = random.uniform(-1, 1);
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) w[i] += scaled.problem().M[i * n + j] * z[j];
    }
    scaled.unscale(z, w);
    for (int i = 0; i < n; ++i) {
      double posed = lcp.q[i];
      for (int j = 0; j < n; ++j) posed += lcp.M[i * n + j] * z[j];
      EXPECT_EQ(w[i], posed);
    }
  }
}

TEST(Equilibrated, LeavesZerosAndKeepsSymmetry) {
  Equilibrated scaled;
  const MixedLcp lcp{3, {0, 0, 0, 0, 1e8, 2, 0, 2, 1e-4}, {0, 0, 0}, {0, 1, 0}};
  scaled.scale(lcp);
  const MixedLcp& problem = scaled.problem();
  EXPECT_EQ(problem.free, lcp.free);
  EXPECT_EQ(problem.q, lcp.q);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(problem.M[i], 0);
    for (int j = 0; j < 3; ++j) EXPECT_EQ(problem.M[i * 3 + j], problem.M[j * 3 + i]);
  }
}

TEST(Equilibrated, GivesMultipliersInTheUnitsOfThePosedRows) {
  Random random(3);
  const int n = 4;
  const MixedLcp lcp = badly_scaled(random, n, 1e10);
  Equilibrated scaled;
  scaled.scale(lcp);
  std::vector<double> y(n, 1.0);
  double before = 0, after = 0;
  for (int i = 0; i < n; ++i) before += scaled.problem().q[i];
  scaled.unscale_multipliers(y);
  for (int i = 0; i < n; ++i) after += y[i] * lcp.q[i];
  int exponent = 0;
  EXPECT_EQ(std::abs(std::frexp(after / before, &exponent)), 0.5) << "the same up to the scale of q";
}

}  // namespace equilibrate_test
}  // namespace pawl::internal
