#include <pawl/linalg/block_lu.h>

#include <gmock/gmock.h>

#include <Eigen/Dense>
#include <algorithm>
#include <set>
#include <utility>

#include "unit/problem/random.h"
#include "unit/record/allocation_count.h"

namespace pawl::internal {
namespace block_lu_test {

using Pattern = std::set<std::pair<int, int>>;  // block rows and columns

/// Zero blocks at the pattern; the diagonal is always stored.
BlockMatrix zeros(const std::vector<int>& sizes, Pattern pattern) {
  BlockMatrix A;
  const int n = static_cast<int>(sizes.size());
  for (int i = 0; i < n; ++i) pattern.emplace(i, i);
  std::size_t offset = 0;
  for (int i = 0; i < n; ++i) {
    A.begin.push_back(A.begin.back() + sizes[i]);
    for (const auto& [row, column] : pattern) {
      if (row != i) continue;
      A.entries.push_back({column, offset});
      offset += static_cast<std::size_t>(sizes[i]) * sizes[column];
    }
    A.row.push_back(static_cast<int>(A.entries.size()));
  }
  A.values.assign(offset, 0.0);
  return A;
}

/// Unsymmetric values; the diagonal dominates its row.
void fill(Random& random, BlockMatrix& A) {
  for (double& value : A.values) value = random.uniform(-1, 1);
  std::vector<double> sums(A.size(), 0.0);
  for (int i = 0; i < A.blocks(); ++i) {
    for (const BlockMatrix::Block& block : A.row_entries(i)) {
      for (int k = 0; k < A.size_of(i) * A.size_of(block.column); ++k) {
        sums[A.begin[i] + k / A.size_of(block.column)] += std::abs(A.values[block.offset + k]);
      }
    }
    for (int r = 0; r < A.size_of(i); ++r) {
      A.values[A.find(i, i)->offset + r * (A.size_of(i) + 1)] += 0.6 * sums[A.begin[i] + r];
    }
  }
}

Eigen::MatrixXd dense_of(const BlockMatrix& A) {
  const std::vector<double> values = dense(A);
  return Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>(
      values.data(), A.size(), A.size());
}

Eigen::VectorXd random_rhs(Random& random, int n) {
  Eigen::VectorXd b(n);
  for (double& value : b) value = random.uniform(-1, 1);
  return b;
}

Eigen::VectorXd solve_copy(BlockLu& lu, const Eigen::VectorXd& b) {
  Eigen::VectorXd x = b;
  lu.solve({x.data(), static_cast<std::size_t>(x.size())});
  return x;
}

void expect_solves(BlockLu& lu, const BlockMatrix& A, Random& random, const std::string& what) {
  const Eigen::VectorXd b = random_rhs(random, A.size());
  lu.analyse(A);
  EXPECT_EQ(lu.factor(A), 0) << what;
  const Eigen::VectorXd x = solve_copy(lu, b), expected = dense_of(A).fullPivLu().solve(b);
  EXPECT_LE((x - expected).cwiseAbs().maxCoeff(), 1e-11 * expected.cwiseAbs().maxCoeff()) << what;
}

std::vector<int> random_sizes(Random& random, int blocks) {
  std::vector<int> sizes(blocks);
  for (int& size : sizes) size = random.integer(1, 6);
  return sizes;
}

/// About `per_row` blocks per row; mostly (i, j) without (j, i).
Pattern random_pattern(Random& random, int blocks, double per_row) {
  Pattern pattern;
  for (int k = 0; k < per_row * blocks; ++k) {
    pattern.emplace(random.integer(0, blocks - 1), random.integer(0, blocks - 1));
  }
  return pattern;
}

TEST(BlockLu, SolvesWhatADenseFactorisationSolves) {
  Random random(1);
  BlockLu lu;  // reused: nothing of the last pattern may remain
  for (int trial = 0; trial < 200; ++trial) {
    const int blocks = random.integer(1, 25);
    const double per_row = random.magnitude(0.1, 6);
    BlockMatrix A = zeros(random_sizes(random, blocks), random_pattern(random, blocks, per_row));
    fill(random, A);
    expect_solves(lu, A, random,
                  "trial " + std::to_string(trial) + ", " + std::to_string(blocks) + " blocks");
  }
}

TEST(BlockLu, SolvesOneBlock) {
  Random random(2);
  for (int size = 1; size <= 6; ++size) {
    BlockLu lu;
    BlockMatrix A = zeros({size}, {});
    fill(random, A);
    expect_solves(lu, A, random, "size " + std::to_string(size));
  }
}

TEST(BlockLu, SolvesDenseMatricesWiderThanAnySupernode) {
  Random random(3);
  BlockLu lu;
  Pattern all;
  for (int i = 0; i < 40; ++i) {
    for (int j = 0; j < 40; ++j) all.emplace(i, j);
  }
  BlockMatrix A = zeros(std::vector<int>(40, 4), all);
  fill(random, A);
  expect_solves(lu, A, random, "160 rows");
}

TEST(BlockLu, SolvesPartsThatAreNotConnected) {
  Random random(4);
  BlockLu lu;
  Pattern chains;  // 0-3-6-…, 1-4-7-…; 2, 5, 8, … are isolated
  for (int i = 0; i + 3 < 30; ++i) {
    if (i % 3 < 2) chains.insert({{i, i + 3}, {i + 3, i}});
  }
  BlockMatrix A = zeros(random_sizes(random, 30), chains);
  fill(random, A);
  expect_solves(lu, A, random, "chains");
}

TEST(BlockLu, SolvesTriangularPatterns) {
  Random random(5);
  BlockLu lu;
  for (const bool upper : {false, true}) {
    Pattern pattern;
    for (int i = 0; i < 12; ++i) {
      for (int j = 0; j < i; j += 2) upper ? pattern.emplace(j, i) : pattern.emplace(i, j);
    }
    BlockMatrix A = zeros(random_sizes(random, 12), pattern);
    fill(random, A);
    expect_solves(lu, A, random, upper ? "upper" : "lower");
  }
}

TEST(BlockLu, SolvesGridsWhoseFrontsHaveManyChildren) {
  Random random(6);
  BlockLu lu;
  constexpr int kSide = 12;
  Pattern grid;
  for (int i = 0; i < kSide * kSide; ++i) {
    if (i % kSide + 1 < kSide) grid.insert({{i, i + 1}, {i + 1, i}});
    if (i + kSide < kSide * kSide) grid.insert({{i, i + kSide}, {i + kSide, i}});
  }
  BlockMatrix A = zeros(std::vector<int>(kSide * kSide, 2), grid);
  fill(random, A);
  expect_solves(lu, A, random, "grid");
}

// [0 B; C 0]: neither diagonal block has a pivot, but both together do.
TEST(BlockLu, FindsPivotsInOtherBlocksOfASupernode) {
  Random random(7);
  BlockLu lu;
  for (int size = 1; size <= 6; ++size) {
    BlockMatrix A = zeros({size, size}, {{0, 1}, {1, 0}});
    for (const auto& [i, j] : {std::pair(0, 1), std::pair(1, 0)}) {
      for (int r = 0; r < size; ++r) {
        for (int c = 0; c < size; ++c) {
          A.values[A.find(i, j)->offset + r * size + c] = random.uniform(-1, 1) + (r == c ? 3 : 0);
        }
      }
    }
    expect_solves(lu, A, random, "size " + std::to_string(size));
  }
}

// Blocks with a zero diagonal: the pivots are other rows of the same block.
TEST(BlockLu, FindsPivotsOffTheDiagonalOfABlock) {
  Random random(8);
  BlockLu lu;
  constexpr int kSize = 5;
  BlockMatrix A = zeros(std::vector<int>(6, kSize), {{0, 3}, {3, 0}, {1, 4}, {4, 1}, {3, 5}, {5, 3}});
  for (double& value : A.values) value = random.uniform(-0.1, 0.1);
  for (int i = 0; i < A.blocks(); ++i) {
    double* D = A.values.data() + A.find(i, i)->offset;
    for (int r = 0; r < kSize; ++r) D[r * (kSize + 1)] = 0, D[r * kSize + (r + 2) % kSize] = 2;
  }
  expect_solves(lu, A, random, "shifted diagonal");
}

TEST(BlockLu, FactorsNewValuesInAnAnalysedPattern) {
  Random random(9);
  BlockLu lu;
  BlockMatrix A = zeros(random_sizes(random, 20), random_pattern(random, 20, 3));
  for (int time = 0; time < 3; ++time) {
    fill(random, A);
    expect_solves(lu, A, random, "time " + std::to_string(time));
  }
}

// The offsets of the values may change while the pattern stays.
TEST(BlockLu, FindsValuesThatMovedInMemory) {
  Random random(10);
  BlockLu lu;
  BlockMatrix A = zeros({2, 3}, {{0, 1}, {1, 0}});
  fill(random, A);
  expect_solves(lu, A, random, "as laid out first");
  BlockMatrix B = A;
  B.values.clear();
  for (auto block = B.entries.rbegin(); block != B.entries.rend(); ++block) {
    const std::size_t from = block->offset;
    const auto index = static_cast<int>(B.entries.rend() - block) - 1;
    const int size = B.size_of(index < B.row[1] ? 0 : 1) * B.size_of(block->column);
    block->offset = B.values.size();
    B.values.insert(B.values.end(), A.values.begin() + from, A.values.begin() + from + size);
  }
  ASSERT_EQ(dense(A), dense(B));
  expect_solves(lu, B, random, "turned round");
}

TEST(BlockLu, AllocatesInTheAnalysisOnly) {
  Random random(11);
  BlockLu lu;
  BlockMatrix A = zeros(random_sizes(random, 30), random_pattern(random, 30, 3));
  fill(random, A);
  std::vector<double> x(A.size(), 1.0);
  lu.analyse(A);
  for (int time = 0; time < 2; ++time) {
    const long before = allocation_count();
    lu.analyse(A);
    lu.factor(A);
    lu.solve(x);
    EXPECT_EQ(allocation_count() - before, 0) << "time " << time;
  }
}

TEST(BlockLu, GivesTheSameBitsAgain) {
  Random random(12);
  BlockMatrix A = zeros(random_sizes(random, 20), random_pattern(random, 20, 3)),
              B = zeros(random_sizes(random, 9), random_pattern(random, 9, 2));
  fill(random, A);
  fill(random, B);
  const Eigen::VectorXd b = random_rhs(random, A.size());
  BlockLu once, again;
  once.analyse(A);
  once.factor(A);
  const Eigen::VectorXd first = solve_copy(once, b);
  again.analyse(B);
  again.factor(B);
  again.analyse(A);
  again.factor(A);
  EXPECT_EQ(first, solve_copy(again, b)) << "after another matrix";
  again.factor(A);
  EXPECT_EQ(first, solve_copy(again, b)) << "factored twice";
}

TEST(BlockLu, CountsPivotsThatItReplacesAndStaysFinite) {
  Random random(13);
  BlockLu lu;
  for (int trial = 0; trial < 50; ++trial) {
    const int blocks = random.integer(1, 10);
    BlockMatrix A = zeros(random_sizes(random, blocks), random_pattern(random, blocks, 2));
    fill(random, A);
    // A zero row.
    const int i = random.integer(0, blocks - 1), r = random.integer(0, A.size_of(i) - 1);
    for (const BlockMatrix::Block& block : A.row_entries(i)) {
      std::fill_n(A.values.begin() + block.offset + r * A.size_of(block.column), A.size_of(block.column), 0);
    }
    lu.analyse(A);
    EXPECT_GE(lu.factor(A), 1) << "trial " << trial;
    EXPECT_TRUE(solve_copy(lu, random_rhs(random, A.size())).allFinite()) << "trial " << trial;
  }
}

TEST(BlockLu, ReplacesEveryPivotOfTheZeroMatrix) {
  BlockLu lu;
  const BlockMatrix A = zeros({3, 2}, {{0, 1}});
  lu.analyse(A);
  EXPECT_EQ(lu.factor(A), 5);
  EXPECT_TRUE(solve_copy(lu, Eigen::VectorXd::Ones(5)).allFinite());
}

TEST(BlockLu, FactorsTheMatrixOfNoRows) {
  BlockLu lu;
  const BlockMatrix A;
  lu.analyse(A);
  EXPECT_EQ(lu.factor(A), 0);
  lu.solve({});
  EXPECT_EQ(lu.work(), 0);
}

TEST(BlockLu, HasWorkLinearInTheLengthOfAChain) {
  BlockLu lu;
  double before = 0;
  for (const int length : {100, 200}) {
    Pattern chain;
    for (int i = 0; i + 1 < length; ++i) chain.insert({{i, i + 1}, {i + 1, i}});
    lu.analyse(zeros(std::vector<int>(length, 3), chain));
    if (before > 0) {
      EXPECT_LE(lu.work(), 2.5 * before) << "fill-in grows faster than the chain";
    }
    before = lu.work();
  }
}

}  // namespace block_lu_test
}  // namespace pawl::internal
