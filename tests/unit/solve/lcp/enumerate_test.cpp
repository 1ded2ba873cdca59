#include <pawl/solve/lcp/enumerate.h>

#include <gmock/gmock.h>

#include <limits>

#include "unit/problem/random.h"
#include "unit/solve/lcp/exact_lcp.h"
#include "unit/solve/lcp/lcp_oracle.h"

namespace pawl::internal {
namespace enumerate_test {

using testing::DoubleNear;
using testing::ElementsAre;
using testing::Pointwise;

Enumeration all_of(const Lcp& lcp) {
  return Enumerator().enumerate(lcp);
}

TEST(Enumerate, FindsAllSolutionsOfATextbookProblem) {
  // M = [0 1; 1 0], q = -1: only (1, 1).
  const Enumeration all = all_of({2, {0, 1, 1, 0}, {-1, -1}});
  EXPECT_TRUE(all.complete);
  ASSERT_EQ(all.solutions.size(), 1);
  EXPECT_THAT(all.solutions[0].z, ElementsAre(1, 1));
  EXPECT_TRUE(all.solutions[0].isolated);

  const Enumeration three = all_of({2, {1, 2, 2, 1}, {-1, -1}});
  EXPECT_TRUE(three.complete);
  ASSERT_EQ(three.solutions.size(), 3);
  EXPECT_THAT(three.solutions[0].alpha, ElementsAre(1, 0));
  EXPECT_THAT(three.solutions[0].z, ElementsAre(1, 0));
  EXPECT_THAT(three.solutions[1].z, ElementsAre(0, 1));
  EXPECT_THAT(three.solutions[2].z, Pointwise(DoubleNear(1e-15), {1.0 / 3, 1.0 / 3}));
}

TEST(Enumerate, ProvesThatThereIsNoSolution) {
  for (const Lcp& lcp : {Lcp{1, {0}, {-1}}, Lcp{1, {-1}, {-1}}, Lcp{2, {1, -1, -1, 1}, {-1, -1}}}) {
    const Enumeration all = all_of(lcp);
    EXPECT_TRUE(all.complete) << to_text(lcp);
    EXPECT_TRUE(all.solutions.empty()) << to_text(lcp);
  }
}

TEST(Enumerate, TellsPolyhedraOfSolutionsFromIsolatedOnes) {
  // Two legs under one load: z_0 + z_1 = 2.
  const Enumeration legs = all_of({2, {1, 1, 1, 1}, {-2, -2}});
  EXPECT_TRUE(legs.complete);
  ASSERT_EQ(legs.solutions.size(), 3);
  for (const ComplementarySolution& solution : legs.solutions) {
    EXPECT_FALSE(solution.isolated) << "each is a point of the same segment";
    EXPECT_NEAR(solution.z[0] + solution.z[1], 2, 1e-15);
  }
  // z_0 is arbitrary at z_1 = 1. The second is singular, but signs leave one point.
  const Enumeration open = all_of({2, {0, 0, 0, 1}, {0, -1}});
  ASSERT_EQ(open.solutions.size(), 2);
  EXPECT_FALSE(open.solutions[0].isolated);
  const Enumeration held = all_of({2, {1, 1, 1, 1}, {0, 0}});
  ASSERT_EQ(held.solutions.size(), 4);
  for (const ComplementarySolution& solution : held.solutions) EXPECT_TRUE(solution.isolated);
}

TEST(Enumerate, StopsWithAsManySolutionsAsAsked) {
  const Enumeration one = Enumerator().enumerate(Lcp{2, {1, 2, 2, 1}, {-1, -1}}, {.max_solutions = 1});
  EXPECT_EQ(one.solutions.size(), 1);
  EXPECT_FALSE(one.complete);
}

TEST(Enumerate, FindsSolutionsOfMixedProblems) {
  // x free: x - z + 1 = 0, w = x + 2 z - 3 ≥ 0: z = 4/3, x = 1/3.
  const Enumeration all = Enumerator().enumerate(MixedLcp{2, {1, -1, 1, 2}, {1, -3}, {1, 0}});
  EXPECT_TRUE(all.complete);
  ASSERT_EQ(all.solutions.size(), 1);
  EXPECT_THAT(all.solutions[0].z, Pointwise(DoubleNear(1e-15), {1.0 / 3, 4.0 / 3}));
  EXPECT_THAT(all.solutions[0].alpha, ElementsAre(0, 1));
  // With a free variable in no row, no solution is isolated.
  const Enumeration open = Enumerator().enumerate(MixedLcp{2, {0, 0, 0, 1}, {0, -1}, {1, 0}});
  ASSERT_EQ(open.solutions.size(), 1);
  EXPECT_FALSE(open.solutions[0].isolated);
}

TEST(Enumerate, LeavesWhatIsTooNearToCallUndecided) {
  // z = (2e12, 2e12) is a solution if all digits of M are exact.
  const Enumeration near = all_of({2, {1, -1, -1, 1 + 1e-12}, {-1, -1}});
  EXPECT_FALSE(near.complete);
  EXPECT_TRUE(near.solutions.empty());
  // Decided if the determinant is clearly nonzero or exactly 0.
  EXPECT_EQ(all_of({2, {1, -1, -1, 1.5}, {-1, -1}}).solutions.size(), 1);
  EXPECT_TRUE(all_of({2, {1, -1, -1, 1}, {-1, -1}}).complete);
}

TEST(Enumerate, DoesNotDependOnUnits) {
  const Lcp lcp{3, {1, 2, -1, 2, 1, 0, 1, 1, 0}, {-1, -1, -1}};
  const Enumeration plain = all_of(lcp);
  const double rows[] = {1e-9, 1e5, 3e12}, columns[] = {1e10, 1e-6, 7};
  Lcp scaled = lcp;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) scaled.M[i * 3 + j] *= rows[i] * columns[j];
    scaled.q[i] *= rows[i];
  }
  const Enumeration other = all_of(scaled);
  EXPECT_EQ(other.complete, plain.complete);
  ASSERT_EQ(other.solutions.size(), plain.solutions.size());
  for (std::size_t k = 0; k < plain.solutions.size(); ++k) {
    EXPECT_EQ(other.solutions[k].alpha, plain.solutions[k].alpha);
    for (int j = 0; j < 3; ++j)
      EXPECT_NEAR(other.solutions[k].z[j] * columns[j], plain.solutions[k].z[j], 1e-13);
  }
}

TEST(Enumerate, FindsNothingInWhatIsNotFiniteOrNotOfOneSize) {
  for (const double bad : {std::nan(""), HUGE_VAL}) {
    const Enumeration all = all_of({1, {1}, {bad}});
    EXPECT_FALSE(all.complete);
    EXPECT_TRUE(all.solutions.empty());
  }
  EXPECT_FALSE(all_of({2, {1}, {1, 1}}).complete);
}

/// Every basis of small integer problems against exact arithmetic.
void compare_with_exact(MixedLcp& lcp, bool kinds) {
  const Enumeration all = Enumerator().enumerate(lcp);
  ASSERT_TRUE(all.complete) << to_text(lcp);
  std::size_t next = 0;
  unsigned free = 0;
  for (int i = 0; i < lcp.n; ++i) free |= lcp.free[i] ? 1u << i : 0;
  for (unsigned alpha = 0; alpha < (1u << lcp.n); ++alpha) {
    if (alpha & free) continue;
    const exact::Kind kind = exact::solutions_of_basis(lcp, alpha);
    unsigned listed = ~0u;
    if (next < all.solutions.size()) {
      listed = 0;
      for (int i = 0; i < lcp.n; ++i) listed |= all.solutions[next].alpha[i] ? 1u << i : 0;
    }
    ASSERT_EQ(listed == alpha, kind != exact::Kind::empty) << "basis " << alpha << " of\n" << to_text(lcp);
    if (listed != alpha) continue;
    const ComplementarySolution& solution = all.solutions[next++];
    EXPECT_LE(residual_of(lcp, solution.z), 1e-14) << to_text(lcp);
    if (kinds && kind == exact::Kind::polyhedron) {
      EXPECT_FALSE(solution.isolated) << to_text(lcp);
    }
    if (kinds && kind == exact::Kind::point && solution.isolated) continue;
    if (kinds && kind == exact::Kind::point) {  // it then lies in the polyhedron of another basis
      bool other = false;
      for (unsigned beta = 0; beta < (1u << lcp.n); ++beta) {
        other |= exact::solutions_of_basis(lcp, beta) == exact::Kind::polyhedron;
      }
      EXPECT_TRUE(other) << to_text(lcp);
    }
  }
  ASSERT_EQ(next, all.solutions.size()) << to_text(lcp);
}

TEST(Enumerate, AgreesWithExactArithmeticOnIntegers) {
  Random random(1);
  for (int trial = 0; trial < 3000 && !HasFailure(); ++trial) {
    const int n = random.integer(1, 4), largest = random.integer(1, 3);
    MixedLcp lcp{n, std::vector<double>(n * n), std::vector<double>(n), std::vector<char>(n, 0)};
    for (double& x : lcp.M) x = random.integer(-largest, largest) * random.integer(0, 1);
    for (double& x : lcp.q) x = random.integer(-2, 1);
    compare_with_exact(lcp, /*kinds=*/true);
  }
}

TEST(Enumerate, AgreesWithExactArithmeticOnMixedIntegerProblems) {
  Random random(2);
  for (int trial = 0; trial < 2000 && !HasFailure(); ++trial) {
    const int n = random.integer(1, 4), largest = random.integer(1, 2);
    MixedLcp lcp{n, std::vector<double>(n * n), std::vector<double>(n), std::vector<char>(n, 0)};
    for (double& x : lcp.M) x = random.integer(-largest, largest) * random.integer(0, 1);
    for (double& x : lcp.q) x = random.integer(-2, 1);
    for (char& free : lcp.free) free = static_cast<char>(random.integer(0, 1));
    compare_with_exact(lcp, /*kinds=*/false);
  }
}

}  // namespace enumerate_test
}  // namespace pawl::internal
