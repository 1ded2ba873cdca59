// Lemke against the enumeration of all bases, on small problems of the matrix classes covered by theory.

#include <gtest/gtest.h>

#include <pawl/solve/lcp/lemke.h>

#include "unit/problem/random.h"
#include "unit/solve/lcp/lcp_oracle.h"

namespace pawl::internal {
namespace lemke_random_test {

constexpr int kProblems = 4000;  // per class

RowMatrix random_matrix(Random& random, int rows, int columns) {
  return RowMatrix::NullaryExpr(rows, columns, [&] { return random.uniform(-1, 1); });
}

Lcp with_matrix(const RowMatrix& M) {
  Lcp lcp{static_cast<int>(M.rows()), {M.data(), M.data() + M.size()}, std::vector<double>(M.rows())};
  return lcp;
}

void set_random_q(Lcp& lcp, Random& random) {
  for (double& x : lcp.q) x = random.uniform(-1, 0.3);
}

/// q = w - M z with random z, w ≥ 0, many of them 0.
void set_feasible_q(Lcp& lcp, Random& random) {
  Eigen::VectorXd z(lcp.n), w(lcp.n);
  for (int i = 0; i < lcp.n; ++i) {
    z[i] = random.integer(0, 1) * random.uniform(0, 1);
    w[i] = random.integer(0, 1) * random.uniform(0, 1);
  }
  const Eigen::VectorXd q = w - matrix_of(lcp) * z;
  lcp.q.assign(q.data(), q.data() + lcp.n);
}

/// Solved to full precision.
void expect_solved(const Lcp& lcp, Lemke& lemke) {
  const LemkeResult result = lemke.solve(lcp);
  ASSERT_EQ(result.outcome, LemkeOutcome::solved) << to_string(result.outcome) << '\n' << to_text(lcp);
  ASSERT_LE(residual_of(lcp, lemke.z()), 1e-12) << to_text(lcp);
}

/// Compares Lemke's outcomes with the enumeration of all bases.
struct Tally {
  int solved = 0, right_rays = 0, missed = 0, gave_up = 0;

  void add(const Lcp& lcp, Lemke& lemke) {
    const LemkeResult result = lemke.solve(lcp);
    switch (result.outcome) {
      case LemkeOutcome::solved:
        ++solved;
        EXPECT_LE(residual_of(lcp, lemke.z()), 1e-12) << "a wrong answer for\n" << to_text(lcp);
        break;
      case LemkeOutcome::ray:
        ++(enumerate_solutions(lcp).empty() ? right_rays : missed);
        break;
      default:
        ++gave_up;
    }
  }
  void record() const {
    testing::Test::RecordProperty("solved", solved);
    testing::Test::RecordProperty("rays_without_a_solution", right_rays);
    testing::Test::RecordProperty("rays_though_a_solution_exists", missed);
  }
};

TEST(LemkeRandom, FindsTheOneSolutionOfPositiveDefiniteProblems) {
  Random random(1);
  Lemke lemke;
  for (int trial = 0; trial < kProblems && !testing::Test::HasFailure(); ++trial) {
    const int n = random.integer(1, 6);
    const RowMatrix A = random_matrix(random, n, n), skew = random_matrix(random, n, n);
    Lcp lcp = with_matrix(A * A.transpose() + 0.05 * RowMatrix::Identity(n, n) +
                          random.integer(0, 1) * (skew - skew.transpose()));
    set_random_q(lcp, random);
    expect_solved(lcp, lemke);
    const auto solutions = enumerate_solutions(lcp);
    ASSERT_FALSE(solutions.empty()) << to_text(lcp);
    for (int i = 0; i < n; ++i) EXPECT_NEAR(lemke.z()[i], solutions[0][i], 1e-10) << to_text(lcp);
  }
}

/// Diagonally dominant by rows, with columns of any scale: a P-matrix, not definite.
Lcp random_p_problem(Random& random) {
  const int n = random.integer(1, 6);
  RowMatrix M = random_matrix(random, n, n);
  for (int i = 0; i < n; ++i) {
    M(i, i) = 0;
    M(i, i) = M.row(i).cwiseAbs().sum() + random.uniform(0.01, 1);
  }
  for (int i = 0; i < n; ++i) M.col(i) *= random.magnitude(1e-2, 1e2);
  Lcp lcp = with_matrix(M);
  set_random_q(lcp, random);
  return lcp;
}

TEST(LemkeRandom, FindsTheOneSolutionOfPMatrices) {
  Random random(2);
  Lemke lemke;
  for (int trial = 0; trial < kProblems && !testing::Test::HasFailure(); ++trial) {
    const Lcp lcp = random_p_problem(random);
    expect_solved(lcp, lemke);
    const auto solutions = enumerate_solutions(lcp);
    ASSERT_FALSE(solutions.empty()) << to_text(lcp);
    for (int i = 0; i < lcp.n; ++i) EXPECT_NEAR(lemke.z()[i], solutions[0][i], 1e-10 * (1 + solutions[0][i]));
  }
}

TEST(LemkeRandom, FindsTheSameSolutionOfPMatricesWithAnyCoveringVectorAndInFewPivots) {
  Random random(9);
  Lemke lemke, covered;
  for (int trial = 0; trial < kProblems && !testing::Test::HasFailure(); ++trial) {
    const Lcp lcp = random_p_problem(random);
    std::vector<double> cover(lcp.n);
    for (double& d : cover) d = random.magnitude(1e-3, 1e3);
    expect_solved(lcp, lemke);
    const LemkeResult result = covered.solve(lcp, {}, cover);
    ASSERT_EQ(result.outcome, LemkeOutcome::solved) << to_text(lcp);
    EXPECT_LE(result.pivots, 1 << lcp.n) << "a second try was needed for\n" << to_text(lcp);
    EXPECT_EQ(covered.basic(), lemke.basic()) << to_text(lcp);
    EXPECT_EQ(covered.z(), lemke.z()) << "the same basis is solved for the same bits";
  }
}

TEST(LemkeRandom, SolvesEverySemidefiniteProblemThatIsFeasible) {
  Random random(3);
  Lemke lemke;
  for (int trial = 0; trial < kProblems && !testing::Test::HasFailure(); ++trial) {
    const int n = random.integer(1, 6);
    const RowMatrix A = random_matrix(random, n, random.integer(1, n)), skew = random_matrix(random, n, n);
    Lcp lcp = with_matrix(A * A.transpose() + random.integer(0, 1) * (skew - skew.transpose()));
    set_feasible_q(lcp, random);
    expect_solved(lcp, lemke);
  }
}

TEST(LemkeRandom, SolvesEveryFeasibleSemidefiniteIntegerProblem) {
  Random random(4);
  Lemke lemke;
  for (int trial = 0; trial < kProblems && !testing::Test::HasFailure(); ++trial) {
    const int n = random.integer(1, 6);
    RowMatrix A(n, random.integer(1, n)), skew(n, n);
    for (double& x : A.reshaped()) x = random.integer(-1, 1);
    for (double& x : skew.reshaped()) x = random.integer(-1, 1);
    Lcp lcp = with_matrix(A * A.transpose() + random.integer(0, 1) * (skew - skew.transpose()));
    Eigen::VectorXd z(n), w(n);
    for (double& x : z) x = random.integer(0, 2);
    for (double& x : w) x = random.integer(0, 1);
    const Eigen::VectorXd q = w - matrix_of(lcp) * z;
    lcp.q.assign(q.data(), q.data() + n);
    expect_solved(lcp, lemke);
  }
}

TEST(LemkeRandom, SolvesEveryStrictlyCopositiveProblem) {
  Random random(5);
  Lemke lemke;
  for (int trial = 0; trial < kProblems && !testing::Test::HasFailure(); ++trial) {
    const int n = random.integer(1, 6);
    Lcp lcp = with_matrix(random_matrix(random, n, n).cwiseMax(0) + 0.1 * RowMatrix::Identity(n, n));
    set_random_q(lcp, random);
    expect_solved(lcp, lemke);
  }
}

TEST(LemkeRandom, IsNeverWrongOnAnyMatrix) {
  Random random(6);
  Lemke lemke;
  Tally tally;
  for (int trial = 0; trial < kProblems; ++trial) {
    const int n = random.integer(1, 6);
    Lcp lcp = with_matrix(random_matrix(random, n, n));
    set_random_q(lcp, random);
    tally.add(lcp, lemke);
  }
  tally.record();
  EXPECT_EQ(tally.gave_up, 0);
  EXPECT_GT(tally.solved, kProblems / 4);
  EXPECT_GT(tally.right_rays, kProblems / 10);
}

TEST(LemkeRandom, IsNeverWrongOnDegenerateIntegerProblems) {
  Random random(7);
  Lemke lemke;
  Tally tally;
  for (int trial = 0; trial < kProblems; ++trial) {
    const int n = random.integer(1, 6), largest = random.integer(1, 3);
    Lcp lcp{n, std::vector<double>(n * n), std::vector<double>(n)};
    for (double& x : lcp.M) x = random.integer(-largest, largest);
    for (double& x : lcp.q) x = random.integer(-1, 0);
    tally.add(lcp, lemke);
  }
  tally.record();
  EXPECT_EQ(tally.gave_up, 0);  // no cycles
  EXPECT_GT(tally.solved, kProblems / 4);
}

TEST(LemkeRandom, FindsNoSolutionWhereThereIsNone) {
  Random random(8);
  Lemke lemke;
  for (int trial = 0; trial < kProblems; ++trial) {
    const int n = random.integer(1, 6), row = random.integer(0, n - 1);
    RowMatrix M = random_matrix(random, n, n);
    M.row(row) = -M.row(row).cwiseAbs();  // w of this row can only decrease
    Lcp lcp = with_matrix(M);
    set_random_q(lcp, random);
    lcp.q[row] = -random.uniform(0.01, 1);
    EXPECT_EQ(lemke.solve(lcp).outcome, LemkeOutcome::ray) << to_text(lcp);
  }
}

}  // namespace lemke_random_test
}  // namespace pawl::internal
