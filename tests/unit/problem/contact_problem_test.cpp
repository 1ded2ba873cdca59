#include <pawl/problem/contact_problem.h>

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>

#include "random.h"

namespace pawl {
namespace {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Vector = Eigen::VectorXd;

Eigen::Map<const Vector> as_vector(const std::vector<double>& x) {
  return {x.data(), static_cast<Eigen::Index>(x.size())};
}

/// The same rows twice: in blocks, and as full matrices.
struct RandomRows {
  ContactProblem problem;
  Matrix M, J;
};

/// Any sizes of mass block, any number of blocks a contact (none, two in one mass block, …), in any order.
RandomRows random_rows(Random& random) {
  RandomRows rows;
  ContactProblem& problem = rows.problem;
  MotionRows& motion = problem.motion;
  problem.dim = random.integer(2, 3);
  problem.contacts = random.integer(1, 7);
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
  for (int c = 0; c < problem.contacts; ++c) {
    for (int blocks = random.integer(0, 3); blocks > 0; --blocks) {
      const int m = random.integer(0, static_cast<int>(motion.mass_blocks.size()) - 1);
      const auto& mass = motion.mass_blocks[m];
      const Matrix block = Matrix::NullaryExpr(problem.dim, mass.size, [&] { return random.uniform(-1, 1); });
      motion.jacobian_blocks.push_back({c, m, static_cast<int>(motion.jacobian.size())});
      motion.jacobian.insert(motion.jacobian.end(), block.data(), block.data() + block.size());
      rows.J.block(c * problem.dim, mass.begin, problem.dim, mass.size) += block;
    }
  }
  for (int i = 0; i < dofs; ++i) motion.v_free.push_back(random.uniform(-1, 1));
  return rows;
}

TEST(ContactProblem, CondensesToTheDelassusMatrixOfDenseAlgebra) {
  Random random(1);
  std::vector<double> scratch;
  for (int trial = 0; trial < 500; ++trial) {
    SCOPED_TRACE(trial);
    RandomRows rows = random_rows(random);
    ContactProblem& problem = rows.problem;
    condense(problem, scratch);
    const int n = problem.rows();
    ASSERT_EQ(problem.W.size(), static_cast<std::size_t>(n * n));
    const Eigen::Map<const Matrix> W(problem.W.data(), n, n);
    const Matrix expected = rows.J * rows.M.llt().solve(Matrix(rows.J.transpose()));
    EXPECT_LE((W - expected).norm(), 1e-13 * (1 + expected.norm()));
    EXPECT_EQ(W, W.transpose());  // to the bit
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
    const MotionRows& motion = problem.motion;
    std::vector<double> p(problem.rows()), v_next(motion.v_free.size(), -7.0), u(problem.rows(), -7.0);
    for (double& x : p) x = random.uniform(-1, 1);

    velocity_after(motion, problem.dim, p, v_next);
    const Vector change = rows.M.llt().solve(rows.J.transpose() * as_vector(p));
    const Vector v_expected = as_vector(motion.v_free) + change;
    EXPECT_LE((as_vector(v_next) - v_expected).norm(), 1e-13 * (1 + change.norm()));

    contact_velocity(motion, problem.dim, v_next, u);
    const Vector u_expected = rows.J * as_vector(v_next);
    EXPECT_LE((as_vector(u) - u_expected).norm(), 1e-14 * (1 + u_expected.norm()) * 10);
  }
}

TEST(ContactProblem, CondensesToNothingWithoutContacts) {
  ContactProblem problem;
  problem.motion.mass_blocks = {{0, 1, 0}};
  problem.motion.mass = problem.motion.factor = problem.motion.v_free = {1};
  std::vector<double> scratch, v_next(1);
  condense(problem, scratch);
  EXPECT_TRUE(problem.W.empty());
  EXPECT_TRUE(problem.b.empty());
  velocity_after(problem.motion, problem.dim, {}, v_next);
  EXPECT_EQ(v_next[0], 1);
}

TEST(ContactProblem, CondensingAgainLeavesNothingOfTheLast) {
  Random random(3);
  std::vector<double> scratch;
  const RandomRows rows = random_rows(random);
  ContactProblem fresh = rows.problem, used = rows.problem;
  condense(fresh, scratch);
  used.W.assign(fresh.W.size(), 7.0);
  used.b.assign(fresh.b.size(), 7.0);
  std::ranges::fill(scratch, 7.0);
  condense(used, scratch);
  EXPECT_EQ(used.W, fresh.W);
  EXPECT_EQ(used.b, fresh.b);
}

}  // namespace
}  // namespace pawl
