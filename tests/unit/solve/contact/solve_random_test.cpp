// Random touching bodies: every solution is certified or reported as not certified.

#include <gtest/gtest.h>

#include <algorithm>

#include <pawl/problem/delassus.h>
#include <pawl/solve/lcp/lemke.h>
#include <pawl/solver.h>

#include "unit/solve/contact/touching_bodies.h"

namespace pawl::internal {
namespace solve_random_test {

constexpr double kTolerance = SolveOptions{}.tolerance;
constexpr int kProblems = 4000;

RandomBodies random_shape(Random& random) {
  RandomBodies shape;
  shape.dim = random.integer(2, 3);
  shape.directions = shape.dim == 2 ? 2 : random.integer(0, 1) ? 4 : 8;
  shape.contacts = random.integer(1, 6);
  shape.bodies = random.integer(1, 4);
  shape.mass_ratio = random.magnitude(1, 1e4);
  return shape;
}

/// Judges the solution again with new scratch memory.
double recompute_residual(const ContactProblem& problem, const Solution& solution) {
  std::vector<double> u(problem.rows()), v_next(problem.motion.v_free.size());
  JudgeScratch scratch;
  const Residual residual = judge(problem, solution.p, u, v_next, scratch);
  EXPECT_EQ(u, solution.u);
  EXPECT_EQ(v_next, solution.v_next);
  return std::max(residual.natural_map, residual.momentum);
}

/// True if W is regular and far from singular: then p is as well determined as u.
bool regular(const ContactProblem& problem) {
  const std::vector<double> entries = dense(delassus(problem));
  const Eigen::Map<const Eigen::MatrixXd> W(entries.data(), problem.rows(), problem.rows());
  const Eigen::VectorXd values = Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(W).eigenvalues();
  return values[0] > 1e-6 * values[problem.rows() - 1];
}

/// Outcomes of a series of problems. Every certified solution is judged again.
struct Tally {
  int certified = 0, approximate = 0, refused = 0;

  void add(const ContactProblem& problem, const Solution& solution) {
    if (solution.status == Status::certified) {
      ++certified;
      EXPECT_LE(recompute_residual(problem, solution), kTolerance) << save_failed_problem(problem);
      EXPECT_EQ(solution.reason, "");
    } else {
      ++(solution.status == Status::approximate ? approximate : refused);
      EXPECT_FALSE(solution.residual.within(kTolerance)) << save_failed_problem(problem);
      EXPECT_NE(solution.reason, "");
    }
  }
  void record() const {
    testing::Test::RecordProperty("certified", certified);
    testing::Test::RecordProperty("approximate", approximate);
    testing::Test::RecordProperty("refused", refused);
  }
};

TEST(SolveRandom, CertifiesEveryProblemWithoutStabilisation) {
  // ζ = 0: a solution always exists, and Lemke finds it [AnitescuPotra1997].
  Random random(1);
  ContactSolver solver;
  Solution solution;
  for (int trial = 0; trial < kProblems && !testing::Test::HasFailure(); ++trial) {
    const ContactProblem problem = random_bodies(random, random_shape(random));
    solver.solve(problem, {}, {}, solution);
    EXPECT_EQ(solution.status, Status::certified) << solution.reason << "; " << save_failed_problem(problem);
    EXPECT_LE(recompute_residual(problem, solution), kTolerance);
  }
}

TEST(SolveRandom, IsHonestWhereFrictionHasNoBound) {
  Random random(2);
  ContactSolver solver;
  Solution solution;
  Tally tally;
  for (int trial = 0; trial < kProblems; ++trial) {
    RandomBodies shape = random_shape(random);
    shape.largest_mu = 1e9;
    const ContactProblem problem = random_bodies(random, shape);
    solver.solve(problem, {}, {}, solution);
    tally.add(problem, solution);
  }
  tally.record();
  EXPECT_EQ(tally.refused, 0);
  EXPECT_LE(tally.approximate, kProblems / 500);
}

TEST(SolveRandom, IsHonestWithZetaOfEitherSign) {
  Random random(3);
  ContactSolver solver;
  Solution solution;
  Tally tally;
  for (int trial = 0; trial < kProblems; ++trial) {
    RandomBodies shape = random_shape(random);
    shape.zeta = 1;
    const ContactProblem problem = random_bodies(random, shape);
    solver.solve(problem, {}, {}, solution);
    tally.add(problem, solution);
  }
  tally.record();
  EXPECT_GE(tally.certified, kProblems * 9 / 10);  // others push bodies through each other
  EXPECT_LE(tally.approximate, kProblems / 500);
}

/// All solutions of a planar problem: each contact separates, sticks, or slides in one of two directions.
std::vector<Eigen::VectorXd> planar_answers(const ContactProblem& problem) {
  using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const int n = problem.rows();
  const std::vector<double> values = dense(delassus(problem));
  const Eigen::Map<const RowMatrix> W(values.data(), n, n);
  const Eigen::Map<const Eigen::VectorXd> b(problem.b.data(), n);
  std::vector<Eigen::VectorXd> answers;
  for (int state = 0; state < 1 << n; ++state) {  // two bits per contact
    RowMatrix A(n, n);
    Eigen::VectorXd right = Eigen::VectorXd::Zero(n);
    for (int c = 0; c < problem.contacts; ++c) {
      const int kind = state >> 2 * c & 3, row = 2 * c;
      A.middleRows(row, 2).setZero();
      if (kind == 0) {
        A(row, row) = A(row + 1, row + 1) = 1;
        continue;
      }
      A.row(row) = W.row(row);
      right[row] = -b[row] - problem.zeta[c];
      if (kind == 1) {
        A.row(row + 1) = W.row(row + 1);
        right[row + 1] = -b[row + 1];
      } else {
        A(row + 1, row + 1) = 1;
        A(row + 1, row) = (kind == 2 ? 1 : -1) * problem.friction[c].mu;
      }
    }
    const Eigen::FullPivLU<RowMatrix> lu(A);
    if (!lu.isInvertible()) continue;
    const Eigen::VectorXd p = lu.solve(right), u = W * p + b;
    bool holds = true;
    for (int c = 0; c < problem.contacts; ++c) {
      const double mu = problem.friction[c].mu, slack = 1e-9;
      holds &= p[2 * c] >= -slack && u[2 * c] + problem.zeta[c] >= -slack;
      holds &= std::abs(p[2 * c + 1]) <= mu * p[2 * c] + slack;
      const int kind = state >> 2 * c & 3;
      if (kind == 2) holds &= u[2 * c + 1] >= -slack;
      if (kind == 3) holds &= u[2 * c + 1] <= slack;
    }
    if (holds) answers.push_back(p);
  }
  return answers;
}

TEST(SolveRandom, FindsOneOfTheAnswersThatEnumerationFindsInThePlane) {
  Random random(8);
  ContactSolver solver;
  Solution solution;
  int missed = 0;
  for (int trial = 0; trial < 3000 && !testing::Test::HasFailure(); ++trial) {
    const RandomBodies shape{.dim = 2,
                             .contacts = random.integer(1, 2),
                             .bodies = 2,
                             .directions = 2,
                             .mass_ratio = random.magnitude(1, 1e2),
                             .zeta = random.uniform(0, 0.5)};
    const ContactProblem problem = random_bodies(random, shape);
    if (!regular(problem)) continue;
    const auto answers = planar_answers(problem);
    solver.solve(problem, {}, {}, solution);
    if (solution.status != Status::certified) {
      missed += !answers.empty();
      continue;
    }
    const Eigen::Map<const Eigen::VectorXd> p(solution.p.data(), problem.rows());
    EXPECT_TRUE(std::ranges::any_of(answers, [&p](const Eigen::VectorXd& answer) {
      return (answer - p).norm() <= 1e-6 * (1 + p.norm());
    })) << save_failed_problem(problem);
  }
  RecordProperty("not_solved_though_an_answer_exists", missed);
  EXPECT_EQ(missed, 0);
}

TEST(SolveRandom, ItsOwnBasisGivesTheSameAnswerWithoutPivots) {
  Random random(4);
  ContactSolver solver;
  Solution cold, again;
  int solved = 0, warm = 0;
  for (int trial = 0; trial < kProblems && !testing::Test::HasFailure(); ++trial) {
    const ContactProblem problem = random_bodies(random, random_shape(random));
    solver.solve(problem, {}, {}, cold);
    if (cold.method != SolveMethod::lemke) continue;
    solver.solve(problem, {}, {.p = {}, .basis = cold.basis}, again);
    EXPECT_EQ(again.p, cold.p) << save_failed_problem(problem);
    EXPECT_EQ(again.basis, cold.basis);
    EXPECT_EQ(again.iterations, again.method == SolveMethod::warm ? 0 : cold.iterations);
    ++solved;
    warm += again.method == SolveMethod::warm;
  }
  EXPECT_GT(solved, kProblems / 2);
  EXPECT_GE(warm, solved * 999 / 1000);  // a barely feasible basis is not reused
}

TEST(SolveRandom, AWrongBasisNeverGivesAWrongAnswer) {
  Random random(5);
  ContactSolver solver;
  Solution cold, warm;
  for (int trial = 0; trial < kProblems && !testing::Test::HasFailure(); ++trial) {
    const ContactProblem problem = random_bodies(random, random_shape(random));
    solver.solve(problem, {}, {}, cold);
    std::vector<ContactBasis> wrong(problem.contacts);
    for (int c = 0; c < problem.contacts; ++c) {
      wrong[c] =
          random.integer(0, 1) ? static_cast<ContactBasis>(random.integer(0, 1 << 10)) : ~cold.basis[c];
    }
    solver.solve(problem, {}, {.p = {}, .basis = wrong}, warm);
    EXPECT_EQ(warm.status, Status::certified) << save_failed_problem(problem);
    EXPECT_LE(recompute_residual(problem, warm), kTolerance);
  }
}

/// The same problem with contact c at position order[c]; all contacts have the same number of rows.
ContactProblem permuted(const ContactProblem& problem, const std::vector<int>& order) {
  ContactProblem made = problem;
  for (int c = 0; c < problem.contacts; ++c) {
    made.zeta[order[c]] = problem.zeta[c];
    made.friction[order[c]] = problem.friction[c];
  }
  for (auto& block : made.motion.jacobian_blocks) block.block = order[block.block];
  std::ranges::stable_sort(made.motion.jacobian_blocks, {}, &PrimalData::JacobianBlock::block);
  set_free_velocities(made);
  return made;
}

/// A chain of bodies with weakly coupled contacts, where the solution is unique.
ContactProblem uncoupled_bodies(Random& random, int dim) {
  TouchingBodies made(dim);
  const int directions = dim == 2 ? 2 : 8;
  for (int body = 0; body < 3; ++body) {
    const double mass = random.magnitude(1, 1e3);
    made.add_body(mass, 0.4 * mass, random_vector(random, dim),
                  random.uniform(-1, 1) * Eigen::Vector3d::UnitZ());
    made.add_contact(body, 0.2 * random_vector(random, dim), body - 1, 0.2 * random_vector(random, dim),
                     random_vector(random, dim).normalized(), polyhedral(0.3, regular_polygon(directions)));
  }
  return made.problem();
}

TEST(SolveRandom, PermutedContactsHaveThePermutedAnswer) {
  Random random(6);
  ContactSolver solver;
  Solution plain, shuffled;
  int compared = 0;
  for (int trial = 0; trial < 1000 && !testing::Test::HasFailure(); ++trial) {
    const ContactProblem problem = uncoupled_bodies(random, random.integer(2, 3));
    if (!regular(problem)) continue;
    solver.solve(problem, {}, {}, plain);
    const std::vector<int> order = random.integer(0, 1) ? std::vector{1, 2, 0} : std::vector{2, 1, 0};
    solver.solve(permuted(problem, order), {}, {}, shuffled);
    ASSERT_EQ(plain.status, Status::certified) << save_failed_problem(problem);
    ASSERT_EQ(shuffled.status, Status::certified) << save_failed_problem(problem);
    double largest = 0;
    for (const double x : plain.p) largest = std::max(largest, std::abs(x));
    for (int i = 0; i < problem.rows(); ++i) {
      const int dim = problem.size_of(0), place = order[i / dim] * dim + i % dim;
      EXPECT_NEAR(shuffled.p[place], plain.p[i], 1e-9 * largest) << save_failed_problem(problem);
    }
    ++compared;
  }
  EXPECT_GT(compared, 500);
}

TEST(SolveRandom, TheMirroredWorldHasTheMirroredAnswer) {
  // In the plane a mirror reverses t and nothing else.
  Random random(7);
  ContactSolver solver;
  Solution plain, mirrored;
  for (int trial = 0; trial < 500 && !testing::Test::HasFailure(); ++trial) {
    ContactProblem problem = uncoupled_bodies(random, 2);
    if (!regular(problem)) continue;
    solver.solve(problem, {}, {}, plain);
    const int n = problem.rows();
    std::vector<double> W = dense(delassus(problem));
    for (int i = 0; i < n; ++i) {
      if (i % 2 == 1) problem.b[i] = -problem.b[i];
      for (int j = 0; j < n; ++j) {
        if ((i + j) % 2 == 1) W[i * n + j] = -W[i * n + j];
      }
    }
    problem.W = to_block_matrix(problem.begin, W);
    problem.motion = {};
    solver.solve(problem, {}, {}, mirrored);
    for (int i = 0; i < n; ++i) {
      EXPECT_NEAR(mirrored.p[i], i % 2 == 1 ? -plain.p[i] : plain.p[i], 1e-9 * (1 + std::abs(plain.p[i])))
          << save_failed_problem(problem);
    }
  }
}

}  // namespace solve_random_test
}  // namespace pawl::internal
