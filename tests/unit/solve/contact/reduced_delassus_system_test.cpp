#include <pawl/solve/contact/reduced_delassus_system.h>

#include <gmock/gmock.h>

#include <limits>

#include "unit/solve/contact/box_stack.h"

namespace pawl::internal {
namespace reduced_delassus_system_test {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Vector = Eigen::VectorXd;

/// The rows of each group have rank six, with blocks within a group and between consecutive groups: J V Kᵀ, V
/// in blocks of six. K = J if W is symmetric.
BlockMatrix chain(Random& random, const std::vector<int>& members, bool symmetric) {
  const int groups = static_cast<int>(members.size());
  std::vector<int> begin{0}, group_of;
  for (int g = 0; g < groups; ++g) {
    for (int k = 0; k < members[g]; ++k) {
      begin.push_back(begin.back() + 3);
      group_of.push_back(g);
    }
  }
  const auto values = [&](Eigen::Index rows, Eigen::Index columns) {
    return Matrix(Matrix::NullaryExpr(rows, columns, [&] { return random.uniform(-1, 1); }));
  };
  Matrix J = Matrix::Zero(begin.back(), 6 * groups), K = J, V = Matrix::Zero(6 * groups, 6 * groups);
  for (std::size_t i = 0; i < group_of.size(); ++i) {
    J.block(begin[i], 6 * group_of[i], 3, 6) = values(3, 6);
    K.block(begin[i], 6 * group_of[i], 3, 6) =
        J.block(begin[i], 6 * group_of[i], 3, 6) + (symmetric ? 0 : 0.1) * values(3, 6);
  }
  for (int g = 0; g < groups; ++g) {
    V.block(6 * g, 6 * g, 6, 6) = Matrix::Identity(6, 6);
    if (g == 0) continue;
    V.block(6 * g, 6 * g - 6, 6, 6) = 0.2 * values(6, 6);
    V.block(6 * g - 6, 6 * g, 6, 6) =
        symmetric ? Matrix(V.block(6 * g, 6 * g - 6, 6, 6).transpose()) : Matrix(0.2 * values(6, 6));
  }
  const Matrix W = J * V * K.transpose();
  return to_block_matrix(begin, {W.data(), static_cast<std::size_t>(W.size())});
}

Matrix dense_of(const BlockMatrix& A) {
  const std::vector<double> values = dense(A);
  return Eigen::Map<const Matrix>(values.data(), A.size(), A.size());
}

/// Relative error of x as a solution of [1 + G W] x = f, with a block-diagonal G of the given size.
double error_with(Random& random, const BlockMatrix& W, double size, ReducedDelassusSystem& system) {
  std::vector<double> G;
  std::vector<int> offset;
  Matrix A = Matrix::Zero(W.size(), W.size());
  for (int i = 0; i < W.blocks(); ++i) {
    const int n = W.size_of(i);
    offset.push_back(static_cast<int>(G.size()));
    for (int r = 0; r < n; ++r) {
      for (int c = 0; c < n; ++c) {
        G.push_back(size * (r == c ? 1 : random.uniform(-0.2, 0.2)));
        A(W.begin[i] + r, W.begin[i] + c) = G.back();
      }
    }
  }
  std::vector<double> f(W.size()), moved(W.size());
  for (double& value : f) value = random.uniform(-1, 1);
  const Eigen::Map<const Vector> f_all(f.data(), W.size()), moved_all(moved.data(), W.size());
  system.factor(G, offset);
  system.solve(f, moved);
  const Vector x = f_all - A * moved_all;
  const Vector exact = (Matrix::Identity(W.size(), W.size()) + A * dense_of(W)).fullPivLu().solve(f_all);
  return (x - exact).cwiseAbs().maxCoeff() / exact.cwiseAbs().maxCoeff();
}

TEST(ReducedDelassusSystem, SolvesTheWholeSystemFromItsIndependentRows) {
  Random random(1);
  ReducedDelassusSystem system;
  for (const bool symmetric : {true, false}) {
    for (const std::vector<int>& members :
         {std::vector{4, 4, 4, 4}, {3, 5, 4, 9, 4}, {20}, {7, 1, 7, 2, 7}}) {
      const BlockMatrix W = chain(random, members, symmetric);
      ASSERT_TRUE(system.reduce(W));
      SCOPED_TRACE(testing::PrintToString(members) + (symmetric ? " symmetric" : ""));
      EXPECT_LT(error_with(random, W, 1, system), 1e-11);
      EXPECT_LT(error_with(random, W, 1e-3, system), 1e-11);
      EXPECT_LT(error_with(random, W, 1e5, system), 1e-7);
    }
  }
}

TEST(ReducedDelassusSystem, ReducesAStackOfBoxesWhateverTheUnits) {
  Random random(2);
  ReducedDelassusSystem system;
  for (const double unit : {1e-9, 1.0, 1e9}) {
    BlockMatrix W = delassus(box_stack(std::vector<double>(6, 1.0), 8));
    for (double& value : W.values) value *= unit;
    ASSERT_TRUE(system.reduce(W));
    EXPECT_LT(error_with(random, W, 1 / unit, system), 1e-11);
  }
}

TEST(ReducedDelassusSystem, RefusesWhereRowsAreIndependentOrFew) {
  Random random(3);
  ReducedDelassusSystem system;
  EXPECT_TRUE(system.reduce(chain(random, {4, 4, 4, 4}, true)));
  EXPECT_FALSE(system.reduce(chain(random, {2, 2, 2, 2, 2, 2, 2, 2}, true)));  // six rows of rank six
  EXPECT_FALSE(system.reduce(chain(random, {4, 4}, true)));                    // cheap to factor directly
  BlockMatrix independent = chain(random, {4, 4, 4, 4}, true);
  for (int i = 0; i < independent.blocks(); ++i) {
    for (int r = 0; r < 3; ++r) independent.values[independent.find(i, i)->offset + 4 * r] += 1;
  }
  EXPECT_FALSE(system.reduce(independent));
}

TEST(ReducedDelassusSystem, RefusesNanAndImmovableGroups) {
  Random random(4);
  ReducedDelassusSystem system;
  BlockMatrix W = chain(random, {4, 4, 4, 4}, true);
  for (const double value : {0.0, std::numeric_limits<double>::quiet_NaN()}) {
    for (int i = 4; i < 8; ++i) {
      for (int j = 4; j < 8; ++j) std::fill_n(W.values.begin() + W.find(i, j)->offset, 9, value);
    }
    EXPECT_FALSE(system.reduce(W));
  }
}

}  // namespace reduced_delassus_system_test
}  // namespace pawl::internal
