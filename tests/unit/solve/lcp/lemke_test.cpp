#include <pawl/solve/lcp/lemke.h>

#include <gmock/gmock.h>

#include <limits>

#include "unit/solve/lcp/lcp_oracle.h"

namespace pawl::internal {
namespace lemke_test {

using testing::DoubleNear;
using testing::ElementsAre;
using testing::Pointwise;

void expect_solution(const Lcp& lcp, const std::vector<double>& expected) {
  Lemke lemke;
  ASSERT_EQ(lemke.solve(lcp).outcome, LemkeOutcome::solved) << to_text(lcp);
  EXPECT_THAT(lemke.z(), Pointwise(DoubleNear(1e-14), expected)) << to_text(lcp);
  for (int i = 0; i < lcp.n; ++i) {
    if (!lemke.basic()[i]) {
      EXPECT_EQ(lemke.z()[i], 0);
    }
  }
}

TEST(Lemke, SolvesTextbookProblems) {
  expect_solution({1, {2}, {-3}}, {1.5});
  expect_solution({2, {2, 1, 1, 2}, {-5, -6}}, {4.0 / 3, 7.0 / 3});
  expect_solution({2, {0, 1, -1, 0}, {-1, 2}}, {2, 1});  // skew: a linear program
  expect_solution({3, {0, -1, 2, 2, 0, -2, -1, 1, 0}, {-3, 6, -1}}, {0, 1, 3});
}

TEST(Lemke, TakesZeroWhereQIsNotNegative) {
  for (const auto& q : {std::vector<double>{1, 2, 3}, {0, 0, 0}, {0, 5, 0}, {-0.0, 0, 1}}) {
    Lemke lemke;
    const LemkeResult result = lemke.solve({3, {-1, 2, 3, 4, -5, 6, 7, 8, -9}, q});
    EXPECT_EQ(result.outcome, LemkeOutcome::solved);
    EXPECT_EQ(result.pivots, 0);
    EXPECT_THAT(lemke.z(), ElementsAre(0, 0, 0));
  }
}

TEST(Lemke, SolvesTheProblemOfNoRows) {
  Lemke lemke;
  EXPECT_EQ(lemke.solve({}).outcome, LemkeOutcome::solved);
  EXPECT_TRUE(lemke.z().empty());
}

/// 1 on the diagonal and 2 on one side of it, q = -1.
Lcp murty(int n, bool lower) {
  Lcp lcp{n, std::vector<double>(n * n), std::vector<double>(n, -1)};
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) lcp.M[i * n + j] = i == j ? 1 : (i > j) == lower ? 2 : 0;
  }
  return lcp;
}

TEST(Lemke, SolvesMurtysTriangularProblems) {
  for (int n = 2; n <= 7; ++n) {
    std::vector<double> first(n), last(n);
    first.front() = last.back() = 1;
    expect_solution(murty(n, /*lower=*/true), first);
    expect_solution(murty(n, /*lower=*/false), last);
  }
}

TEST(Lemke, NeedsExponentiallyManyPivotsForMurtysProblemAndSaysSoWhereItMayNot) {
  const Lcp lcp = murty(12, /*lower=*/true);
  Lemke lemke;
  EXPECT_EQ(lemke.solve(lcp).outcome, LemkeOutcome::iteration_limit);
  const LemkeResult result = lemke.solve(lcp, {.pivots_per_row = 1000});
  EXPECT_EQ(result.outcome, LemkeOutcome::solved);
  EXPECT_EQ(result.pivots, 1 << 12);
  EXPECT_EQ(lemke.z()[0], 1);
  EXPECT_EQ(residual_of(lcp, lemke.z()), 0);
}

TEST(Lemke, SolvesSingularProblemsThatHaveASolution) {
  // Four legs of a table: rank one, so the load is split arbitrarily.
  const Lcp table{4, std::vector<double>(16, 1.0), std::vector<double>(4, -2.0)};
  Lemke lemke;
  ASSERT_EQ(lemke.solve(table).outcome, LemkeOutcome::solved);
  EXPECT_LE(residual_of(table, lemke.z()), 1e-15);
  expect_solution({2, {0, 0, 0, 1}, {0, -1}}, {0, 1});
}

TEST(Lemke, ReportsRayWhenNoSolutionExists) {
  Lemke lemke;
  EXPECT_EQ(lemke.solve({1, {0}, {-1}}).outcome, LemkeOutcome::ray);
  EXPECT_EQ(lemke.solve({1, {-1}, {-1}}).outcome, LemkeOutcome::ray);
  EXPECT_EQ(lemke.solve({2, {1, -1, -1, 1}, {-1, -1}}).outcome, LemkeOutcome::ray);
  EXPECT_EQ(lemke.solve({2, {0, 1, -1, 0}, {1, -1}}).outcome, LemkeOutcome::ray);
}

TEST(Lemke, ReportsRayThoughASolutionExists) {
  // A bimatrix game [CottlePangStone1992, 4.4.23]: a ray proves nothing.
  const Lcp game{4, {0, 0, 10, 30, 0, 0, 20, 15, 10, 30, 0, 0, 20, 15, 0, 0}, {-1, -1, -1, -1}};
  EXPECT_FALSE(enumerate_solutions(game).empty());
  Lemke lemke;
  EXPECT_EQ(lemke.solve(game).outcome, LemkeOutcome::ray);
}

TEST(Lemke, MayFindWithAnotherCoveringVectorWhatOneMisses) {
  const Lcp lcp{3, {1, 2, -2, 2, 0, 1, 1, 1, 2}, {-1, -1, -1}};
  Lemke lemke;
  EXPECT_EQ(lemke.solve(lcp).outcome, LemkeOutcome::ray);
  ASSERT_EQ(lemke.solve(lcp, {}, std::vector<double>{3, 2, 1}).outcome, LemkeOutcome::solved);
  EXPECT_THAT(lemke.z(), ElementsAre(1, 0, 0));
}

// If ties went to the first row, each of these would cycle. Found by random search.
TEST(Lemke, BreaksTiesLexicographicallyAndSoDoesNotCycle) {
  const std::vector<Lcp> cycling{
      {3, {0, 2, 2, 2, 1, 1, -2, 2, 1}, {-1, -1, -1}},
      {4, {0, 1, 3, 2, 0, 1, 1, 3, 0, 0, 2, 1, -1, 0, -2, 2}, {-1, -1, -1, -1}},
      {5,
       {2, 1, 2, 2, -1, -2, 0, 1, 0, 1, -1, -1, 1, -1, 2, -1, 0, 2, 1, -1, -2, 1, 0, 2, 0},
       {-1, 0, -1, -1, -1}},
  };
  for (const Lcp& lcp : cycling) {
    Lemke lemke;
    const LemkeResult result = lemke.solve(lcp);
    EXPECT_EQ(result.outcome, LemkeOutcome::solved) << to_text(lcp);
    EXPECT_LE(residual_of(lcp, lemke.z()), 1e-15) << to_text(lcp);
    EXPECT_LE(result.pivots, 10) << to_text(lcp);
  }
}

TEST(Lemke, StopsAtItsLimitOfPivots) {
  const int n = 150;
  Lcp chain{n, std::vector<double>(n * n), std::vector<double>(n, -1)};
  for (int i = 0; i < n; ++i) chain.M[i * n + i] = 1 + i;
  Lemke lemke;
  EXPECT_EQ(lemke.solve(chain).outcome, LemkeOutcome::solved);
  EXPECT_EQ(lemke.solve(chain, {.pivots_per_row = 0, .refreshed_pivots_per_row = 0}).outcome,
            LemkeOutcome::iteration_limit);
}

TEST(Lemke, SolvesNothingThatIsNotFinite) {
  const double nan = std::nan(""), infinity = std::numeric_limits<double>::infinity();
  Lemke lemke;
  for (const double bad : {nan, infinity, -infinity}) {
    for (int at = 0; at < 6; ++at) {
      Lcp lcp{2, {2, 1, 1, 2}, {-5, -6}};
      (at < 4 ? lcp.M[at] : lcp.q[at - 4]) = bad;
      EXPECT_NE(lemke.solve(lcp).outcome, LemkeOutcome::solved) << to_text(lcp);
    }
  }
}

TEST(Lemke, ScaleOfTheRightHandSideScalesTheAnswer) {
  for (const double scale : {1e-200, 1e-20, 1e20, 1e200}) {
    Lemke lemke;
    ASSERT_EQ(lemke.solve({2, {2, 1, 1, 2}, {-5 * scale, -6 * scale}}).outcome, LemkeOutcome::solved);
    EXPECT_NEAR(lemke.z()[0] / scale, 4.0 / 3, 1e-14);
    EXPECT_NEAR(lemke.z()[1] / scale, 7.0 / 3, 1e-14);
  }
}

TEST(Lemke, KeepsNothingOfTheLastProblem) {
  const Lcp large{3, {4, 1, 0, 1, 4, 1, 0, 1, 4}, {-1, 2, -3}}, small{2, {2, 1, 1, 2}, {-5, -6}};
  Lemke fresh, used;
  fresh.solve(large);
  used.solve(small);
  used.solve({1, {-1}, {-1}});
  used.solve(large);
  EXPECT_EQ(used.z(), fresh.z());
  EXPECT_EQ(used.basic(), fresh.basic());
}

TEST(Lemke, SolvesAGivenBasisAndSaysHowFarItIsFromFeasible) {
  const Lcp lcp{2, {2, 1, 1, 2}, {-5, -6}};
  Lemke lemke;
  EXPECT_EQ(lemke.solve_basis(lcp, std::vector<char>{1, 1}), 0);
  EXPECT_THAT(lemke.z(), Pointwise(DoubleNear(1e-15), std::vector{4.0 / 3, 7.0 / 3}));
  EXPECT_DOUBLE_EQ(lemke.solve_basis(lcp, std::vector<char>{0, 0}), 1);
  EXPECT_DOUBLE_EQ(lemke.solve_basis(lcp, std::vector<char>{1, 0}), (6 - 2.5) / (6 + 2.5));
  const Lcp one_sided{2, {1, 0, 0, 1}, {-1, 3}};
  EXPECT_DOUBLE_EQ(lemke.solve_basis(one_sided, std::vector<char>{1, 1}), 1);  // z_1 = -3
  EXPECT_THAT(lemke.z(), ElementsAre(1, 0));
  const Lcp singular{2, {1, 1, 1, 1}, {-1, -1}};
  EXPECT_EQ(lemke.solve_basis(singular, std::vector<char>{1, 1}), std::numeric_limits<double>::infinity());
}

TEST(Lemke, NamesItsOutcomes) {
  EXPECT_EQ(to_string(LemkeOutcome::solved), "solved");
  EXPECT_EQ(to_string(LemkeOutcome::ray), "ray");
  EXPECT_EQ(to_string(LemkeOutcome::iteration_limit), "iteration limit");
  EXPECT_EQ(to_string(LemkeOutcome::numerical_failure), "numerical failure");
}

}  // namespace lemke_test
}  // namespace pawl::internal
