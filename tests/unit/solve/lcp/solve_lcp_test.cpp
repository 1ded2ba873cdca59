#include <pawl/lcp.h>

#include <gmock/gmock.h>

#include <limits>

#include "unit/problem/random.h"
#include "unit/record/allocation_count.h"
#include "unit/solve/lcp/lcp_oracle.h"

namespace pawl::internal {
namespace solve_lcp_test {

using testing::DoubleNear;
using testing::ElementsAre;
using testing::Pointwise;

template <class Problem>
LcpSolution solved(const Problem& lcp, const LcpOptions& options = {}, std::span<const char> warm = {}) {
  LcpSolver solver;
  LcpSolution solution;
  solver.solve(lcp, options, warm, solution);
  return solution;
}

const Lcp kCoupled{2, {2, 1, 1, 2}, {-5, -6}};
// [CottlePangStone1992, 4.4.23]
const Lcp kGame{4, {0, 0, 10, 30, 0, 0, 20, 15, 10, 30, 0, 0, 20, 15, 0, 0}, {-1, -1, -1, -1}};

TEST(LcpSolver, CertifiesWhatLemkeSolves) {
  const LcpSolution solution = solved(kCoupled);
  EXPECT_EQ(solution.status, Status::certified);
  EXPECT_EQ(solution.solver, "lemke");
  EXPECT_EQ(solution.reason, "");
  EXPECT_THAT(solution.z, Pointwise(DoubleNear(1e-15), {4.0 / 3, 7.0 / 3}));
  EXPECT_THAT(solution.w, Pointwise(DoubleNear(1e-15), {0.0, 0.0}));
  EXPECT_THAT(solution.alpha, ElementsAre(1, 1));
}

TEST(LcpSolver, TakesAWarmBasisThatStillHolds) {
  LcpSolver solver;
  LcpSolution solution;
  solver.solve(kCoupled, {}, std::vector<char>{1, 1}, solution);
  EXPECT_EQ(solution.solver, "warm");
  EXPECT_EQ(solution.status, Status::certified);
  EXPECT_EQ(solution.pivots, 0);
  solver.solve(kCoupled, {}, std::vector<char>{1, 0}, solution);
  EXPECT_EQ(solution.solver, "lemke");
  EXPECT_EQ(solution.status, Status::certified);
}

TEST(LcpSolver, SolvesAGameWhereEveryCoveringVectorEndsOnARay) {
  const LcpSolution restarted = solved(kGame, {.max_enumerated_rows = 0});
  EXPECT_EQ(restarted.status, Status::certified) << restarted.reason;
  EXPECT_EQ(restarted.solver, "lemke");
  const LcpSolution enumerated = solved(kGame, {.restarts = 0});
  EXPECT_EQ(enumerated.status, Status::certified);
  EXPECT_EQ(enumerated.solver, "enumeration");
  const LcpSolution refused = solved(kGame, {.restarts = 0, .max_enumerated_rows = 0});
  EXPECT_EQ(refused.status, Status::refused);
  EXPECT_EQ(refused.reason, "ray");
}

TEST(LcpSolver, ProvesThatNothingIsFeasibleWithACertificate) {
  const Lcp lcp{2, {1, -1, -1, 1}, {-1, -1}};
  const LcpSolution solution = solved(lcp, {.max_enumerated_rows = 0});
  EXPECT_EQ(solution.status, Status::no_solution);
  EXPECT_EQ(solution.solver, "infeasible");
  const auto& y = solution.certificate;
  ASSERT_EQ(y.size(), 2);
  EXPECT_GE(std::min(y[0], y[1]), 0);
  EXPECT_LE(y[0] * 1 + y[1] * -1, 1e-15);
  EXPECT_LE(y[0] * -1 + y[1] * 1, 1e-15);
  EXPECT_LT(y[0] * -1 + y[1] * -1, 0);
}

TEST(LcpSolver, ProvesByTryingAllBasesThatAFeasibleProblemHasNoSolution) {
  // z = (0, 1) is feasible, w_1 = z_1 - 1/2, but no complementary point is.
  const Lcp lcp{2, {0, 1, 0, 1}, {-1, -0.5}};
  const LcpSolution solution = solved(lcp);
  EXPECT_EQ(solution.status, Status::no_solution);
  EXPECT_EQ(solution.solver, "enumeration");
  EXPECT_TRUE(solution.certificate.empty());
  EXPECT_EQ(solved(lcp, {.max_enumerated_rows = 1}).status, Status::refused);
}

TEST(LcpSolver, IsApproximateWhereTheToleranceIsOutOfReach) {
  const LcpSolution solution = solved(Lcp{2, {3, 1, 1, 3}, {-0.1, -0.7}}, {.tolerance = -1});
  EXPECT_EQ(solution.status, Status::approximate);
  EXPECT_EQ(solution.reason, "residual");
  EXPECT_LE(solution.residual.worst(), 1e-15);
}

TEST(LcpSolver, SolvesMixedProblems) {
  const LcpSolution regular = solved(MixedLcp{2, {1, -1, 1, 2}, {1, -3}, {1, 0}});
  EXPECT_EQ(regular.status, Status::certified);
  EXPECT_THAT(regular.z, Pointwise(DoubleNear(1e-15), {1.0 / 3, 4.0 / 3}));
  EXPECT_THAT(regular.alpha, ElementsAre(0, 1));
  EXPECT_EQ(solved(MixedLcp{2, {1, -1, 1, 2}, {1, -3}, {1, 0}}, {}, regular.alpha).solver, "warm");
  const LcpSolution saddle = solved(MixedLcp{2, {0, 1, 1, 1}, {-2, -5}, {1, 0}});
  EXPECT_EQ(saddle.status, Status::certified);
  EXPECT_THAT(saddle.z, Pointwise(DoubleNear(1e-15), {3.0, 2.0}));
  const LcpSolution linear = solved(MixedLcp{1, {4}, {8}, {1}});
  EXPECT_THAT(linear.z, ElementsAre(-2));
}

TEST(LcpSolver, ProvesThatEquationsContradictEachOther) {
  const LcpSolution solution = solved(MixedLcp{3, {1, 1, 1, 2, 2, 2, 1, 1, 2}, {-3, -5, -4}, {1, 1, 0}});
  EXPECT_EQ(solution.status, Status::no_solution);
  EXPECT_EQ(solution.solver, "infeasible");
  EXPECT_DOUBLE_EQ(solution.certificate[0], -2 * solution.certificate[1]);
}

TEST(LcpSolver, RefusesWhatIsNotFiniteOrNotOfOneSize) {
  for (const double bad : {std::nan(""), HUGE_VAL, -HUGE_VAL}) {
    for (int at = 0; at < 6; ++at) {
      Lcp lcp = kCoupled;
      (at < 4 ? lcp.M[at] : lcp.q[at - 4]) = bad;
      EXPECT_EQ(solved(lcp).status, Status::refused);
      EXPECT_EQ(solved(MixedLcp{2, lcp.M, lcp.q, {1, 0}}).status, Status::refused);
    }
  }
  EXPECT_EQ(solved(Lcp{2, {1, 2, 3}, {1, 2}}).status, Status::refused);
  EXPECT_EQ(solved(MixedLcp{2, kCoupled.M, kCoupled.q, {1}}).status, Status::refused);
  EXPECT_EQ(solved(Lcp{}).status, Status::certified);
}

TEST(LcpSolver, SolvesInAnyUnits) {
  const double rows[] = {1e-9, 1e5, 3e12}, columns[] = {1e10, 1e-6, 7};
  Lcp lcp{3, {4, 1, 0, 1, 4, 1, 0, 1, 4}, {-1, 2, -3}};
  const LcpSolution plain = solved(lcp);
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) lcp.M[i * 3 + j] *= rows[i] * columns[j];
    lcp.q[i] *= rows[i];
  }
  const LcpSolution scaled = solved(lcp);
  EXPECT_EQ(scaled.status, Status::certified);
  for (int j = 0; j < 3; ++j) EXPECT_NEAR(scaled.z[j] * columns[j], plain.z[j], 1e-14);
}

TEST(LcpSolver, DoesNotHideAWrongVariableBehindALargeOne) {
  // In the original units, w_1 = -0.5 is negligible against the term that z_0 = 1e13 could add to its row.
  const Lcp lcp{2, {1e-13, 0, 1e-13, 1}, {-1, -1}};
  LcpSolver solver;
  LcpSolution solution;
  solver.solve(lcp, {}, {}, solution);
  EXPECT_EQ(solution.status, Status::certified);
  EXPECT_NEAR(solution.z[1], 0, 1e-12);
}

TEST(LcpSolver, AllocatesNothingOnceWarm) {
  Random random(1);
  const int n = 12;
  Lcp lcp{n, std::vector<double>(n * n), std::vector<double>(n)};
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) lcp.M[i * n + j] = random.uniform(-1, 1) + (i == j ? n : 0);
    lcp.q[i] = random.uniform(-1, 0.2);
  }
  MixedLcp mixed{n, lcp.M, lcp.q, std::vector<char>(n, 0)};
  for (int i = 0; i < n; i += 3) mixed.free[i] = 1;
  const MixedLcp infeasible{2, {1, -1, -1, 1}, {-1, -1}, {0, 0}};
  LcpSolver solver;
  LcpSolution solution;
  std::vector<char> warm;
  const auto run = [&] {
    solver.solve(lcp, {}, {}, solution);
    warm.assign(solution.alpha.begin(), solution.alpha.end());
    EXPECT_EQ(solution.solver, "lemke");
    solver.solve(lcp, {}, warm, solution);
    EXPECT_EQ(solution.solver, "warm");
    solver.solve(mixed, {}, {}, solution);
    EXPECT_EQ(solution.status, Status::certified);
    solver.solve(infeasible, {}, {}, solution);
    EXPECT_EQ(solution.status, Status::no_solution);
  };
  run();
  const long before = allocation_count();
  run();
  EXPECT_EQ(allocation_count() - before, 0);
}

}  // namespace solve_lcp_test
}  // namespace pawl::internal
