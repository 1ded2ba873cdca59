#include <pawl/contact_problem.h>

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>

#include "random.h"

#include <pawl/linalg/block_matrix.h>
#include <pawl/problem/delassus.h>

namespace pawl::internal {
namespace contact_problem_test {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Vector = Eigen::VectorXd;

Eigen::Map<const Vector> as_vector(const std::vector<double>& x) {
  return {x.data(), static_cast<Eigen::Index>(x.size())};
}

/// The same rows twice: in blocks and as full matrices.
struct RandomRows {
  ContactProblem problem;
  Matrix M, J;
};

/// Random block and mass block sizes, with or without bilateral blocks. Any mass blocks, or none, act on a
/// block's rows.
RandomRows random_rows(Random& random) {
  RandomRows rows;
  ContactProblem& problem = rows.problem;
  PrimalData& motion = problem.motion;
  problem.contacts = random.integer(1, 7);
  for (int c = 0; c < problem.contacts; ++c) problem.begin.push_back(problem.rows() + random.integer(1, 4));
  for (int i = random.integer(0, 3); i > 0; --i)
    problem.begin.push_back(problem.rows() + random.integer(1, 6));
  problem.zeta.assign(problem.contacts, 0.0);
  problem.friction.resize(problem.contacts);

  int dofs = 0;
  for (int m = random.integer(1, 5); m > 0; --m) {
    const int size = random.integer(1, 7);
    motion.mass_blocks.push_back({dofs, size, static_cast<int>(motion.mass.size())});
    const Matrix A = Matrix::NullaryExpr(size, size, [&] { return random.uniform(-1, 1); });
    const Matrix M = random.magnitude(1e-2, 1e2) * (A * A.transpose() + Matrix::Identity(size, size));
    const Matrix L = M.llt().matrixL();
    motion.mass.insert(motion.mass.end(), M.data(), M.data() + M.size());
    motion.factor.insert(motion.factor.end(), L.data(), L.data() + L.size());
    dofs += size;
  }
  rows.M = Matrix::Zero(dofs, dofs);
  for (const auto& mass : motion.mass_blocks) {
    rows.M.block(mass.begin, mass.begin, mass.size, mass.size) =
        Eigen::Map<const Matrix>(motion.mass.data() + mass.offset, mass.size, mass.size);
  }
  rows.J = Matrix::Zero(problem.rows(), dofs);
  for (int i = 0; i < problem.blocks(); ++i) {
    for (int m = 0; m < static_cast<int>(motion.mass_blocks.size()); ++m) {
      if (random.integer(0, 1) == 0) continue;
      const auto& mass = motion.mass_blocks[m];
      const Matrix block =
          Matrix::NullaryExpr(problem.size_of(i), mass.size, [&] { return random.uniform(-1, 1); });
      motion.jacobian_blocks.push_back({i, m, static_cast<int>(motion.jacobian.size())});
      motion.jacobian.insert(motion.jacobian.end(), block.data(), block.data() + block.size());
      rows.J.block(problem.begin[i], mass.begin, problem.size_of(i), mass.size) = block;
    }
  }
  for (int i = 0; i < dofs; ++i) motion.v_free.push_back(random.uniform(-1, 1));
  return rows;
}

TEST(ContactProblem, HasTheDelassusMatrixOfDenseAlgebra) {
  Random random(1);
  BlockMatrix blocks;
  DelassusScratch scratch;
  for (int trial = 0; trial < 500; ++trial) {
    SCOPED_TRACE(trial);
    RandomRows rows = random_rows(random);
    ContactProblem& problem = rows.problem;
    compute_delassus(problem, blocks, scratch);
    const int n = problem.rows();
    ASSERT_EQ(blocks.begin, problem.begin);
    const std::vector<double> values = dense(blocks);
    const Eigen::Map<const Matrix> W(values.data(), n, n);
    const Matrix expected = rows.J * rows.M.llt().solve(Matrix(rows.J.transpose()));
    EXPECT_LE((W - expected).norm(), 1e-13 * (1 + expected.norm()));
    EXPECT_EQ(W, W.transpose());  // bit for bit
    set_free_velocities(problem);
    const Vector b = rows.J * as_vector(problem.motion.v_free);
    EXPECT_LE((as_vector(problem.b) - b).norm(), 1e-14 * (1 + b.norm()));
  }
}

TEST(ContactProblem, VelocitiesFollowFromImpulsesAsInDenseAlgebra) {
  Random random(2);
  for (int trial = 0; trial < 500; ++trial) {
    SCOPED_TRACE(trial);
    const RandomRows rows = random_rows(random);
    const ContactProblem& problem = rows.problem;
    const PrimalData& motion = problem.motion;
    std::vector<double> p(problem.rows()), v_next(motion.v_free.size(), -7.0), u(problem.rows(), -7.0);
    for (double& x : p) x = random.uniform(-1, 1);

    velocity_after(problem, p, v_next);
    const Vector change = rows.M.llt().solve(rows.J.transpose() * as_vector(p));
    const Vector v_expected = as_vector(motion.v_free) + change;
    EXPECT_LE((as_vector(v_next) - v_expected).norm(), 1e-13 * (1 + change.norm()));

    contact_velocity(problem, v_next, u);
    const Vector u_expected = rows.J * as_vector(v_next);
    EXPECT_LE((as_vector(u) - u_expected).norm(), 1e-14 * (1 + u_expected.norm()) * 10);
  }
}

TEST(ContactProblem, HasAnEmptyDelassusMatrixWithoutContacts) {
  ContactProblem problem;
  problem.motion.mass_blocks = {{0, 1, 0}};
  problem.motion.mass = problem.motion.factor = problem.motion.v_free = {1};
  BlockMatrix W;
  DelassusScratch scratch;
  std::vector<double> v_next(1);
  compute_delassus(problem, W, scratch);
  EXPECT_EQ(W.size(), 0);
  EXPECT_TRUE(W.empty());
  velocity_after(problem, {}, v_next);
  EXPECT_EQ(v_next[0], 1);
}

TEST(ContactProblem, HasDelassusBlocksOfRowsThatShareABodyAndTheDiagonal) {
  Random random(4);
  BlockMatrix W;
  DelassusScratch scratch;
  for (int trial = 0; trial < 100; ++trial) {
    const ContactProblem problem = random_rows(random).problem;
    compute_delassus(problem, W, scratch);
    const auto touches = [&](int block, int mass) {
      return std::ranges::any_of(problem.motion.jacobian_blocks, [&](const auto& entry) {
        return entry.block == block && entry.mass_block == mass;
      });
    };
    for (int i = 0; i < problem.blocks(); ++i) {
      EXPECT_TRUE(
          std::ranges::is_sorted(W.row_entries(i), std::ranges::less_equal{}, &BlockMatrix::Block::column));
      for (int j = 0; j < problem.blocks(); ++j) {
        bool share_a_body = i == j;
        for (std::size_t m = 0; m < problem.motion.mass_blocks.size(); ++m) {
          share_a_body |= touches(i, static_cast<int>(m)) && touches(j, static_cast<int>(m));
        }
        EXPECT_EQ(W.find(i, j) != nullptr, share_a_body);
      }
    }
  }
}

TEST(ContactProblem, ComputingTheDelassusMatrixAgainLeavesNothingOfTheLast) {
  Random random(3);
  const RandomRows rows = random_rows(random), others = random_rows(random);
  BlockMatrix fresh, used;
  DelassusScratch fresh_scratch, used_scratch;
  compute_delassus(rows.problem, fresh, fresh_scratch);
  compute_delassus(others.problem, used, used_scratch);
  compute_delassus(rows.problem, used, used_scratch);
  EXPECT_EQ(used.values, fresh.values);
  EXPECT_EQ(dense(used), dense(fresh));
}

TEST(BlockMatrix, IsMadeFromADenseOneWithoutItsZeroBlocks) {
  const std::vector<double> values{1, 2, 3,  //
                                   0, 0, 4,  //
                                   0, 0, 0};
  const BlockMatrix A = to_block_matrix({0, 2, 3}, values);
  EXPECT_EQ(dense(A), values);
  EXPECT_NE(A.find(0, 1), nullptr);
  EXPECT_EQ(A.find(1, 0), nullptr);
  EXPECT_NE(A.find(1, 1), nullptr);  // the diagonal is kept
  std::vector<double> y{1, 1, 1};
  multiply_add(A, std::vector{1.0, 10.0, 100.0}, y);
  EXPECT_EQ(y, (std::vector<double>{322, 401, 1}));
}

}  // namespace contact_problem_test
}  // namespace pawl::internal
