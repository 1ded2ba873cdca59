#include <pawl/solve/lcp/eliminate_free.h>

#include <gmock/gmock.h>

#include "unit/problem/random.h"
#include "unit/solve/lcp/lcp_oracle.h"

namespace pawl::internal {
namespace eliminate_free_test {

using testing::DoubleNear;
using testing::ElementsAre;
using testing::Pointwise;

/// A solution of the mixed problem via the plain one, by enumeration; empty if there is none.
std::vector<double> solve_through(const MixedLcp& mixed, FreeElimination& elimination, bool& complete) {
  std::vector<double> z(mixed.n);
  const Enumeration all = Enumerator().enumerate(elimination.lcp());
  complete = all.complete;
  if (all.solutions.empty()) return {};
  elimination.expand(all.solutions[0].z, z);
  return z;
}

void expect_solution(const MixedLcp& mixed, EliminationOutcome outcome, int rows,
                     const std::vector<double>& expected) {
  FreeElimination elimination;
  ASSERT_EQ(elimination.eliminate(mixed), outcome) << to_text(mixed);
  EXPECT_EQ(elimination.lcp().n, rows);
  bool complete = false;
  EXPECT_THAT(solve_through(mixed, elimination, complete), Pointwise(DoubleNear(1e-14), expected))
      << to_text(mixed);
}

TEST(FreeElimination, TakesARegularFreeBlockOut) {
  expect_solution({2, {1, -1, 1, 2}, {1, -3}, {1, 0}}, EliminationOutcome::eliminated, 1, {1.0 / 3, 4.0 / 3});
  expect_solution({2, {2, 1, -1, 1}, {-3, 1}, {0, 1}}, EliminationOutcome::eliminated, 1, {4.0 / 3, 1.0 / 3});
  expect_solution({1, {4}, {8}, {1}}, EliminationOutcome::eliminated, 0, {-2});
}

TEST(FreeElimination, LeavesAPlainProblemAsItIs) {
  const MixedLcp plain{2, {1, 2, 3, 4}, {5, 6}, {0, 0}};
  FreeElimination elimination;
  EXPECT_EQ(elimination.eliminate(plain), EliminationOutcome::eliminated);
  EXPECT_EQ(elimination.lcp().M, plain.M);
  EXPECT_EQ(elimination.lcp().q, plain.q);
}

TEST(FreeElimination, PivotsThroughAPairWhereTheFreeBlockIsZero) {
  // Saddle point: the equation gives z_1 = 2, then w_1 = z_1 + x - 5 = 0 gives x.
  expect_solution({2, {0, 1, 1, 1}, {-2, -5}, {1, 0}}, EliminationOutcome::eliminated, 1, {3, 2});
}

TEST(FreeElimination, DropsEquationsThatSayNothingNewAndSetsOpenVariablesToZero) {
  // The same equation twice, x_0 + x_1 = 3 - z.
  const MixedLcp twice{3, {1, 1, 1, 2, 2, 2, 1, 1, 2}, {-3, -6, -4}, {1, 1, 0}};
  FreeElimination elimination;
  ASSERT_EQ(elimination.eliminate(twice), EliminationOutcome::eliminated);
  bool complete = false;
  EXPECT_LE(residual_of(twice, solve_through(twice, elimination, complete)), 1e-15);
}

TEST(FreeElimination, SaysWhereEquationsContradictEachOther) {
  FreeElimination elimination;
  EXPECT_EQ(elimination.eliminate({3, {1, 1, 1, 2, 2, 2, 1, 1, 2}, {-3, -5, -4}, {1, 1, 0}}),
            EliminationOutcome::inconsistent);
  EXPECT_EQ(elimination.eliminate({1, {0}, {1}, {1}}), EliminationOutcome::inconsistent);
}

TEST(FreeElimination, SplitsWhatNoPairLinks) {
  // The equation gives z_1 = 1, and x is only in the row of z_2: w_1 = z_1 - 1, w_2 = x + z_2 - 1.
  const MixedLcp unlinked{3, {0, 1, 0, 0, 1, 0, 1, 0, 1}, {-1, -1, -1}, {1, 0, 0}};
  FreeElimination elimination;
  ASSERT_EQ(elimination.eliminate(unlinked), EliminationOutcome::split);
  EXPECT_EQ(elimination.lcp().n, 4);
  bool complete = false;
  const std::vector<double> z = solve_through(unlinked, elimination, complete);
  ASSERT_EQ(z.size(), 3);
  EXPECT_EQ(residual_of(unlinked, z), 0);
}

TEST(FreeElimination, GivesBackTheBasisOfTheMixedProblem) {
  FreeElimination elimination;
  ASSERT_EQ(elimination.eliminate({2, {0, 1, 1, 1}, {-2, -5}, {1, 0}}), EliminationOutcome::eliminated);
  std::vector<char> alpha(2);
  // w_1, now the unknown, is not basic: z_1 is.
  elimination.expand_basis(std::vector<char>{0}, alpha);
  EXPECT_THAT(alpha, ElementsAre(0, 1));
  elimination.expand_basis(std::vector<char>{1}, alpha);
  EXPECT_THAT(alpha, ElementsAre(0, 0));
}

/// The plain problem is solvable if and only if the mixed one is, and solutions map back. Small integers,
/// many zeros.
TEST(FreeElimination, AgreesWithTheEnumerationOfTheMixedProblem) {
  Random random(1);
  FreeElimination elimination;
  int count[3] = {}, solvable = 0;
  for (int trial = 0; trial < 20000 && !HasFailure(); ++trial) {
    const int n = random.integer(1, 6);
    MixedLcp lcp{n, std::vector<double>(n * n), std::vector<double>(n), std::vector<char>(n)};
    for (double& x : lcp.M) x = random.integer(-1, 1) * random.integer(0, 1);
    for (double& x : lcp.q) x = random.integer(-1, 1);
    for (char& free : lcp.free) free = static_cast<char>(random.integer(0, 1));
    const Enumeration all = Enumerator().enumerate(lcp);
    ASSERT_TRUE(all.complete) << to_text(lcp);
    const EliminationOutcome outcome = elimination.eliminate(lcp);
    ++count[static_cast<int>(outcome)];
    if (outcome == EliminationOutcome::inconsistent) {
      EXPECT_TRUE(all.solutions.empty()) << to_text(lcp);
      continue;
    }
    bool complete = false;
    const std::vector<double> z = solve_through(lcp, elimination, complete);
    ASSERT_TRUE(complete) << to_text(lcp);
    ASSERT_EQ(z.empty(), all.solutions.empty()) << to_text(lcp);
    if (z.empty()) continue;
    ++solvable;
    EXPECT_LE(residual_of(lcp, z), 1e-13) << to_text(lcp);
  }
  for (const int outcomes : count) EXPECT_GT(outcomes, 500);
  EXPECT_GT(solvable, 2000);
}

TEST(FreeElimination, NamesItsOutcomes) {
  EXPECT_EQ(to_string(EliminationOutcome::eliminated), "eliminated");
  EXPECT_EQ(to_string(EliminationOutcome::split), "split");
  EXPECT_EQ(to_string(EliminationOutcome::inconsistent), "inconsistent");
}

}  // namespace eliminate_free_test
}  // namespace pawl::internal
