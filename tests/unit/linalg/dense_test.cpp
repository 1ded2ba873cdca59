#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <vector>

#include <pawl/linalg/dense.h>
#include <unit/base/random.h>
#include <unit/base/worst.h>

namespace pawl::internal {
namespace dense_test {

using testing::Random;
using testing::WorstValue;
using Matrix = std::vector<double>;  // row-major

constexpr int kLargest = 20;
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

std::vector<double> times(const Matrix& A, int n, const std::vector<double>& x) {
  std::vector<double> y(n, 0.0);
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) y[i] += A[i * n + j] * x[j];
  }
  return y;
}

/// B Bᵀ + 0.1 I: positive definite, eigenvalues from 0.1 to about n.
Matrix random_definite(Random& random, int n) {
  const Matrix B = random.numbers(n * n);
  Matrix A(n * n, 0.0);
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      for (int k = 0; k < n; ++k) A[i * n + j] += B[i * n + k] * B[j * n + k];
    }
    A[i * n + i] += 0.1;
  }
  return A;
}

TEST(Cholesky, FactorTimesItsTransposeIsTheMatrix) {
  Random random(1);
  WorstValue error("relative error");
  for (int n = 1; n <= kLargest; ++n) {
    const Matrix A = random_definite(random, n);
    Matrix L = A;
    ASSERT_TRUE(cholesky(L, n));
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j <= i; ++j) {
        double product = 0;
        for (int k = 0; k <= j; ++k) product += L[i * n + k] * L[j * n + k];
        error.add((product - A[i * n + j]) / n);
      }
      for (int j = i + 1; j < n; ++j) EXPECT_EQ(L[i * n + j], A[i * n + j]) << "the upper triangle is left";
    }
  }
  error.expect_at_most(2e-15);
}

TEST(Cholesky, SolvesWithBothTriangles) {
  Random random(2);
  WorstValue error("error");
  for (int n = 1; n <= kLargest; ++n) {
    Matrix A = random_definite(random, n);
    const std::vector<double> x = random.numbers(n);
    std::vector<double> solved = times(A, n, x);
    ASSERT_TRUE(cholesky(A, n));
    solve_lower(A, n, solved);
    solve_lower_transposed(A, n, solved);
    error.add_difference(solved, x);
  }
  error.expect_at_most(1e-12);  // condition number up to 200 n
}

TEST(Cholesky, RefusesWhatIsNotPositiveDefinite) {
  for (Matrix A : {Matrix{1, 2, 2, 1}, Matrix{1, 1, 1, 1}, Matrix{0, 0, 0, 0}, Matrix{-1, 0, 0, 1},
                   Matrix{1, 0, kNan, 1}, Matrix{kNan, 0, 0, 1}}) {
    EXPECT_FALSE(cholesky(A, 2)) << A[0] << ' ' << A[2] << ' ' << A[3];
  }
}

TEST(Lu, SolvesRandomSystems) {
  Random random(3);
  WorstValue error("backward error");
  for (int n = 1; n <= kLargest; ++n) {
    for (int sample = 0; sample < 20; ++sample) {
      const double scale = random.scale(1e-100, 1e100);
      Matrix A = random.numbers(n * n, scale);
      const std::vector<double> b = random.numbers(n);
      Matrix factors = A;
      std::vector<int> pivot(n);
      ASSERT_TRUE(lu(factors, n, pivot, 1e-14));
      std::vector<double> x = b;
      lu_solve(factors, n, pivot, x);
      double size = 0;
      for (const double xi : x) size += std::abs(xi);
      // Gaussian elimination with pivoting solves a nearby system exactly, even if ill-conditioned.
      error.add_difference(times(A, n, x), b, scale * size);
    }
  }
  error.expect_at_most(5e-15);
}

TEST(Lu, PivotsPastZerosOnTheDiagonal) {
  const Matrix A{0, 2, 0, 0, 0, 3, 4, 0, 0};  // x -> (2 x_1, 3 x_2, 4 x_0)
  Matrix factors = A;
  std::vector<int> pivot(3);
  ASSERT_TRUE(lu(factors, 3, pivot, 1e-14));
  std::vector<double> x{2, 3, 4};
  lu_solve(factors, 3, pivot, x);
  EXPECT_EQ(x, (std::vector<double>{1, 1, 1}));
}

TEST(Lu, RefusesSingularMatricesAtAnyScale) {
  Random random(4);
  for (int n = 2; n <= kLargest; ++n) {
    Matrix A = random.numbers(n * n, random.scale(1e-100, 1e100));
    for (int j = 0; j < n; ++j) A[(n - 1) * n + j] = A[j] - 0.5 * A[(n - 2) * n + j];  // dependent rows
    std::vector<int> pivot(n);
    EXPECT_FALSE(lu(A, n, pivot, 1e-13)) << "n = " << n;
  }
  std::vector<int> pivot(2);
  Matrix zero{0, 0, 0, 0}, nan{kNan, 1, 1, 1};
  EXPECT_FALSE(lu(zero, 2, pivot, 1e-13));
  EXPECT_FALSE(lu(nan, 2, pivot, 1e-13));
}

TEST(LuComplete, FindsTheRankAndASolutionOfConsistentSystems) {
  Random random(5);
  WorstValue error("error");
  for (int trial = 0; trial < 300; ++trial) {
    const int rows = 1 + random.below(8), columns = 1 + random.below(8);
    const int rank = random.below(std::min(rows, columns) + 1);
    const Matrix B = random.numbers(rows * rank), C = random.numbers(rank * columns);
    Matrix A(rows * columns, 0.0);
    for (int i = 0; i < rows; ++i) {
      for (int k = 0; k < rank; ++k) {
        for (int j = 0; j < columns; ++j) A[i * columns + j] += B[i * rank + k] * C[k * columns + j];
      }
    }
    const std::vector<double> y = random.numbers(columns);
    std::vector<double> b(rows, 0.0), x(std::max(rows, columns), 0.0);
    for (int i = 0; i < rows; ++i) {
      for (int j = 0; j < columns; ++j) b[i] += A[i * columns + j] * y[j];
      x[i] = b[i];
    }
    Matrix factors = A;
    std::vector<int> row_pivot(rows), column_pivot(columns);
    ASSERT_EQ(lu_complete(factors, rows, columns, row_pivot, column_pivot, 1e-12), rank);
    lu_complete_solve(factors, columns, rank, row_pivot, column_pivot, x);
    EXPECT_LE(columns - std::count(x.begin(), x.begin() + columns, 0.0), rank) << "open unknowns are 0";
    for (int i = 0; i < rows; ++i) {
      for (int j = 0; j < columns; ++j) b[i] -= A[i * columns + j] * x[j];
      error.add(b[i]);
    }
  }
  error.expect_at_most(1e-12);
}

TEST(LuComplete, HasRankZeroIfAllEntriesAreZeroOrNan) {
  std::vector<int> rows(2), columns(2);
  Matrix zero{0, 0, 0, 0}, nan{kNan, kNan, kNan, kNan};
  EXPECT_EQ(lu_complete(zero, 2, 2, rows, columns, 1e-13), 0);
  EXPECT_EQ(lu_complete(nan, 2, 2, rows, columns, 1e-13), 0);
}

TEST(Exchange, SwapsAVariableWithARow) {
  Matrix A{2, 1, 3, 4};
  std::vector<double> b{-6, 5};
  exchange(A, b, 2, 0, 1);  // x_1 = y_0 - 2 x_0 + 6,  y_1 = 3 x_0 + 4 x_1 + 5
  EXPECT_EQ(A, (Matrix{-2, 1, -5, 4}));
  EXPECT_EQ(b, (std::vector<double>{6, 29}));
  exchange(A, b, 2, 0, 1);
  EXPECT_EQ(A, (Matrix{2, 1, 3, 4}));
  EXPECT_EQ(b, (std::vector<double>{-6, 5}));
}

TEST(Multiply, GivesTheSumsOfProductsOfEveryShape) {
  const Matrix A{1, 2, 3, 4, 5, 6}, B{7, 8, 9, 10, 11, 12};
  Matrix C(4, kNan);
  multiply(A.data(), B.data(), 2, 3, 2, C.data());  // [2 × 3] [3 × 2]
  EXPECT_EQ(C, (Matrix{58, 64, 139, 154}));
  C.assign(9, kNan);
  multiply(A.data(), B.data(), 3, 2, 3, C.data());  // [3 × 2] [2 × 3]
  EXPECT_EQ(C, (Matrix{27, 30, 33, 61, 68, 75, 95, 106, 117}));
  C.assign(4, kNan);
  multiply(A.data(), B.data(), 2, 0, 2, C.data());
  EXPECT_EQ(C, Matrix(4, 0.0)) << "no sum is 0";
}

}  // namespace dense_test
}  // namespace pawl::internal
