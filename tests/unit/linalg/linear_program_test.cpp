#include <pawl/linalg/linear_program.h>

#include <gmock/gmock.h>

#include <Eigen/Dense>

#include "unit/problem/random.h"

namespace pawl::internal {
namespace linear_program_test {

using ::testing::DoubleNear;
using ::testing::Pointwise;

TEST(SimplexMethod, SolvesATextbookProgram) {
  // maximise 3x + 5y, x ≤ 4, 2y ≤ 12, 3x + 2y ≤ 18 with slacks: x = 2, y = 6.
  const LinearProgram program{
      3, 5, {1, 0, 1, 0, 0, 0, 2, 0, 1, 0, 3, 2, 0, 0, 1}, {4, 12, 18}, {3, 5, 0, 0, 0}, {0, 0, 0, 0, 0}};
  SimplexMethod simplex;
  ASSERT_EQ(simplex.solve(program), LinearProgramOutcome::optimal);
  EXPECT_THAT(simplex.x(), Pointwise(DoubleNear(1e-14), {2.0, 6.0, 2.0, 0.0, 0.0}));
}

TEST(SimplexMethod, SaysUnboundedWithAFeasiblePoint) {
  SimplexMethod simplex;
  ASSERT_EQ(simplex.solve({1, 2, {1, -1}, {1}, {1, 0}, {0, 0}}), LinearProgramOutcome::unbounded);
  EXPECT_NEAR(simplex.x()[0] - simplex.x()[1], 1, 1e-15);
  // A free variable in no row.
  EXPECT_EQ(simplex.solve({1, 2, {1, 0}, {1}, {0, -1}, {0, 1}}), LinearProgramOutcome::unbounded);
}

TEST(SimplexMethod, ProvesThatNothingIsFeasible) {
  SimplexMethod simplex;
  ASSERT_EQ(simplex.solve({1, 2, {1, 2}, {-1}, {0, 0}, {0, 0}}), LinearProgramOutcome::infeasible);
  EXPECT_GT(simplex.y()[0], 0);
  // Two inconsistent equations in a free x.
  ASSERT_EQ(simplex.solve({2, 1, {1, 1}, {1, 2}, {0}, {1}}), LinearProgramOutcome::infeasible);
  EXPECT_DOUBLE_EQ(simplex.y()[0], -simplex.y()[1]);
  // A row without columns.
  EXPECT_EQ(simplex.solve({1, 1, {0}, {1}, {0}, {0}}), LinearProgramOutcome::infeasible);
}

TEST(SimplexMethod, UsesFreeVariablesBelowZero) {
  SimplexMethod simplex;
  ASSERT_EQ(simplex.solve({1, 2, {1, 2}, {-1}, {0, 0}, {1, 0}}), LinearProgramOutcome::optimal);
  EXPECT_DOUBLE_EQ(simplex.x()[0], -1);
}

TEST(SimplexMethod, DropsRowsThatSayNothingNew) {
  SimplexMethod simplex;
  ASSERT_EQ(simplex.solve({3, 2, {1, 1, 2, 2, 0, 0}, {1, 2, 0}, {0, 1}, {0, 0}}),
            LinearProgramOutcome::optimal);
  EXPECT_THAT(simplex.x(), Pointwise(DoubleNear(1e-15), {0.0, 1.0}));
}

TEST(SimplexMethod, DoesNotCycleOnBealesProgram) {
  const LinearProgram program{
      3,
      7,
      {0.25, -60, -0.04, 9, 1, 0, 0, 0.5, -90, -0.02, 3, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1},
      {0, 0, 1},
      {0.75, -150, 0.02, -6, 0, 0, 0},
      std::vector<char>(7, 0)};
  SimplexMethod simplex;
  ASSERT_EQ(simplex.solve(program), LinearProgramOutcome::optimal);
  double value = 0;
  for (int j = 0; j < 7; ++j) value += program.c[j] * simplex.x()[j];
  EXPECT_NEAR(value, 0.05, 1e-14);
}

TEST(SimplexMethod, DoesNotProveWhatIsTooNearToCall) {
  SimplexMethod simplex;
  EXPECT_EQ(simplex.solve({2, 1, {1, 1}, {1, 1 + 1e-9}, {0}, {0}}), LinearProgramOutcome::undecided);
  EXPECT_EQ(simplex.solve({2, 1, {1, 1}, {1, 1 + 1e-6}, {0}, {0}}), LinearProgramOutcome::infeasible);
  EXPECT_EQ(simplex.solve({2, 1, {1, 1}, {1, 1 + 1e-15}, {0}, {0}}), LinearProgramOutcome::optimal);
}

TEST(SimplexMethod, IsUndecidedAtItsLimitOfPivotsAndForWhatIsNotFinite) {
  SimplexMethod simplex;
  EXPECT_EQ(simplex.solve({1, 1, {1}, {1}, {0}, {0}}, {.pivots_per_column = 0}),
            LinearProgramOutcome::undecided);
  for (const double bad : {std::nan(""), HUGE_VAL}) {
    for (int at = 0; at < 2; ++at) {
      LinearProgram program{1, 1, {1}, {1}, {0}, {0}};
      (at == 0 ? program.A : program.b)[0] = bad;
      EXPECT_EQ(simplex.solve(program), LinearProgramOutcome::undecided);
    }
  }
}

/// Every point and every proof, on programs of whole numbers that are degenerate and often have redundant
/// rows.
TEST(SimplexMethod, PointsAndProofsHoldOnRandomPrograms) {
  Random random(1);
  SimplexMethod simplex;
  int infeasible = 0, feasible = 0;
  for (int trial = 0; trial < 20000; ++trial) {
    const int rows = random.integer(1, 5), columns = random.integer(1, 6);
    LinearProgram program{rows, columns, {}, {}, {}, {}};
    for (int k = 0; k < rows * columns; ++k) program.A.push_back(random.integer(-2, 2));
    for (int i = 0; i < rows; ++i) program.b.push_back(random.integer(-1, 1));
    for (int j = 0; j < columns; ++j) {
      program.c.push_back(random.integer(-1, 1));
      program.free.push_back(random.integer(0, 4) == 0);
    }
    const LinearProgramOutcome outcome = simplex.solve(program);
    ASSERT_NE(outcome, LinearProgramOutcome::undecided) << trial;
    const bool proof = outcome == LinearProgramOutcome::infeasible;
    ++(proof ? infeasible : feasible);
    using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    const Eigen::Map<const Matrix> A(program.A.data(), rows, columns);
    const Eigen::Map<const Eigen::VectorXd> b(program.b.data(), rows), x(simplex.x().data(), columns),
        y(simplex.y().data(), rows);
    if (proof) {
      const Eigen::VectorXd slopes = A.transpose() * y;
      EXPECT_LT(y.dot(b), -1e-3);
      for (int j = 0; j < columns; ++j) {
        EXPECT_GE(slopes[j], -1e-13);
        if (program.free[j]) {
          EXPECT_LE(slopes[j], 1e-13);
        }
      }
    } else {
      EXPECT_LE((A * x - b).cwiseAbs().maxCoeff(), 1e-12) << trial;
      for (int j = 0; j < columns; ++j) EXPECT_TRUE(program.free[j] || x[j] >= 0);
    }
  }
  EXPECT_GT(infeasible, 3000);
  EXPECT_GT(feasible, 3000);
}

TEST(SimplexMethod, NamesItsOutcomes) {
  EXPECT_EQ(to_string(LinearProgramOutcome::optimal), "optimal");
  EXPECT_EQ(to_string(LinearProgramOutcome::unbounded), "unbounded");
  EXPECT_EQ(to_string(LinearProgramOutcome::infeasible), "infeasible");
  EXPECT_EQ(to_string(LinearProgramOutcome::undecided), "undecided");
}

}  // namespace linear_program_test
}  // namespace pawl::internal
