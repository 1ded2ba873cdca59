#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include <Eigen/Dense>

#include <pawl/linalg/eigenvalues.h>

namespace pawl::internal {
namespace eigenvalues_test {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

RowMajor random_matrix(int rows, int columns, std::mt19937& random) {
  std::normal_distribution<double> normal;
  RowMajor A(rows, columns);
  for (int i = 0; i < A.size(); ++i) A.data()[i] = normal(random);
  return A;
}

TEST(Eigenvalues, LargestOfSymmetricMatricesMatchesEigen) {
  std::mt19937 random(1);
  for (int n = 1; n <= 20; ++n) {
    const RowMajor B = random_matrix(n, n, random), A = B + B.transpose();
    const double expected =
        Eigen::SelfAdjointEigenSolver<RowMajor>(A, Eigen::EigenvaluesOnly).eigenvalues().maxCoeff();
    EXPECT_NEAR(largest_eigenvalue({A.data(), static_cast<std::size_t>(A.size())}, n), expected,
                1e-12 * A.norm());
  }
}

TEST(Eigenvalues, OfADiagonalMatrixAreItsEntries) {
  const double A[] = {-3, 0, 0, 0, 7, 0, 0, 0, 2};
  EXPECT_EQ(largest_eigenvalue(A, 3), 7);
}

TEST(SingularValues, MatchEigenForAnyShapeAndRank) {
  std::mt19937 random(2);
  for (const auto& [rows, columns, rank] :
       {std::array{4, 4, 4}, std::array{3, 6, 3}, std::array{9, 6, 6}, std::array{8, 6, 3}}) {
    const RowMajor A = random_matrix(rows, rank, random) * random_matrix(rank, columns, random);
    const std::vector<double> found =
        singular_values({A.data(), static_cast<std::size_t>(A.size())}, rows, columns);
    const Eigen::VectorXd expected = Eigen::JacobiSVD<RowMajor>(A).singularValues();
    ASSERT_EQ(found.size(), static_cast<std::size_t>(rows));
    for (int i = 0; i < rows; ++i) {
      EXPECT_NEAR(found[i], i < expected.size() ? expected[i] : 0, 1e-13 * expected[0]);
    }
  }
}

}  // namespace eigenvalues_test
}  // namespace pawl::internal
