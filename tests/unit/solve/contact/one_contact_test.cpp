#include <pawl/solve/contact/one_contact.h>

#include <gtest/gtest.h>

#include "unit/solve/contact/all_sets.h"

namespace pawl::internal {
namespace one_contact_test {

struct OneProblem {
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> W;
  Eigen::VectorXd q;
};

/// W = A Aᵀ with eigenvalues of at least `min_eigenvalue`; q_n is mostly negative.
OneProblem random_problem(Random& random, int n, double min_eigenvalue = 0.01) {
  OneProblem made{Eigen::MatrixXd(n, n), Eigen::VectorXd(n)};
  Eigen::MatrixXd A(n, n);
  for (double& a : A.reshaped()) a = random.uniform(-1, 1);
  made.W = A * A.transpose() + min_eigenvalue * Eigen::MatrixXd::Identity(n, n);
  for (double& q : made.q) q = random.uniform(-1, 1);
  if (random.integer(0, 3) != 0) made.q[0] = -std::abs(made.q[0]);
  return made;
}

/// Relative to the largest terms.
double law_error(const OneProblem& problem, const FrictionSet& set, const Eigen::VectorXd& x) {
  const Eigen::VectorXd w = problem.W * x + problem.q;
  const double w_size = (problem.W.cwiseAbs() * x.cwiseAbs() + problem.q.cwiseAbs()).maxCoeff();
  const double x_size = std::max(x.cwiseAbs().maxCoeff(), w_size / problem.W.diagonal().maxCoeff());
  return contact_law_error(set, static_cast<int>(x.size()), x.data(), w.data(), x_size, w_size);
}

std::string describe(const OneProblem& problem, const Eigen::VectorXd& x) {
  std::ostringstream out;
  out.precision(17);
  out << "W\n" << problem.W << "\nq " << problem.q.transpose() << "\nx " << x.transpose();
  return out.str();
}

Eigen::VectorXd zero_vector(int n) {
  return Eigen::VectorXd::Zero(n);
}

class OneContactSets : public testing::TestWithParam<SetCase> {
 protected:
  FrictionSet set_of(double mu) const {
    FrictionSet set = GetParam().set;
    set.mu = mu;
    return set;
  }
  int rows() const { return GetParam().rows; }
  /// Either no solution is reported and the guess is unchanged, or the laws hold.
  void expect_laws(const OneProblem& problem, const FrictionSet& set, const Eigen::VectorXd& guess) {
    Eigen::VectorXd x = guess;
    ++tried_;
    if (!method_.solve(rows(), problem.W.data(), problem.q.data(), set, x.data())) {
      ++none_;
      ASSERT_EQ(x, guess) << "not as it was";
      last_none_ = describe(problem, x) + "\nmu " + std::to_string(set.mu);
    } else {
      ASSERT_LE(law_error(problem, set, x), 1e-12) << describe(problem, x) << "\nmu " << set.mu;
    }
  }
  /// All must have a solution.
  void TearDown() override {
    EXPECT_LE(none_, allowed_) << "of " << tried_ << ", the last of them\n" << last_none_;
  }
  /// For mixed sets a few solutions are missed, where rounding leaves too few digits.
  void expect_few_digits(int tries) {
    if (GetParam().set.kind == FrictionKind::mixed) allowed_ = tries / 100;
  }
  int tried_ = 0, none_ = 0, allowed_ = 0;
  std::string last_none_;
  OneContact method_;
  Random random_{static_cast<std::uint64_t>(GetParam().rows) + 10};
};

TEST_P(OneContactSets, MeetsTheLaws) {
  for (int trial = 0; trial < 2000; ++trial) {
    expect_laws(random_problem(random_, rows()), set_of(random_.magnitude(0.05, 3)), zero_vector(rows()));
    if (HasFatalFailure()) return;
  }
}

TEST_P(OneContactSets, MeetsTheLawsFromAnyGuess) {
  for (int trial = 0; trial < 500; ++trial) {
    Eigen::VectorXd guess(rows());
    for (double& x : guess) x = random_.uniform(-1, 1) * random_.magnitude(1e-6, 1e6);
    expect_laws(random_problem(random_, rows()), set_of(random_.magnitude(0.05, 3)), guess);
    if (HasFatalFailure()) return;
  }
}

TEST_P(OneContactSets, MeetsTheLawsWhereWIsNotSymmetric) {
  for (int trial = 0; trial < 1000; ++trial) {
    OneProblem problem = random_problem(random_, rows(), 0.05);
    for (double& W : problem.W.reshaped()) W *= 1 + random_.uniform(-1e-3, 1e-3);
    expect_laws(problem, set_of(random_.magnitude(0.05, 3)), zero_vector(rows()));
    if (HasFatalFailure()) return;
  }
}

TEST_P(OneContactSets, MeetsTheLawsAtTheEndsOfMu) {
  expect_few_digits(600);
  for (const double mu : {0.0, 1e-9, 1e9}) {
    for (int trial = 0; trial < 200; ++trial) {
      expect_laws(random_problem(random_, rows()), set_of(mu), zero_vector(rows()));
      if (HasFatalFailure()) return;
    }
  }
}

TEST_P(OneContactSets, MeetsTheLawsAtAnyScale) {
  for (const double W_scale : {1e-12, 1e12}) {
    for (const double q_scale : {1e-12, 1e12}) {
      for (int trial = 0; trial < 100; ++trial) {
        OneProblem problem = random_problem(random_, rows());
        problem.W *= W_scale;
        problem.q *= q_scale;
        expect_laws(problem, set_of(random_.magnitude(0.05, 3)), zero_vector(rows()));
        if (HasFatalFailure()) return;
      }
    }
  }
}

// W with two dominant directions and almost nothing in the others, as for a thin body far from its centre. In
// three dimensions a determinant is computed, which loses more than half of the remaining digits. At a ratio
// of 1e-10 the laws of the ball hold to 5e-9 only.
TEST_P(OneContactSets, MeetsTheLawsWhereFrictionIsNearlySingular) {
  const bool ball = GetParam().set.kind == FrictionKind::ellipsoid && rows() == 4;
  const double others = ball ? 1e-4 : 1e-10;
  expect_few_digits(500);
  for (int trial = 0; trial < 500 && rows() > 2; ++trial) {
    OneProblem problem = random_problem(random_, rows());
    Eigen::MatrixXd A(rows(), 2);
    for (double& a : A.reshaped()) a = random_.uniform(-1, 1);
    problem.W = A * A.transpose() + others * Eigen::MatrixXd::Identity(rows(), rows());
    expect_laws(problem, set_of(random_.magnitude(0.05, 3)), zero_vector(rows()));
    if (HasFatalFailure()) return;
  }
}

TEST_P(OneContactSets, CarriesNothingWhereItDoesNotApproach) {
  for (int trial = 0; trial < 50; ++trial) {
    OneProblem problem = random_problem(random_, rows());
    problem.q[0] = trial % 2 == 0 ? 0 : std::abs(problem.q[0]);
    Eigen::VectorXd x = Eigen::VectorXd::Ones(rows());
    ASSERT_TRUE(method_.solve(rows(), problem.W.data(), problem.q.data(), set_of(0.5), x.data()));
    EXPECT_EQ(x, zero_vector(rows()));
  }
}

// q from a sticking impulse exactly on the boundary of the set.
TEST_P(OneContactSets, SticksAtTheBorderOfTheSet) {
  for (int trial = 0; trial < 500; ++trial) {
    OneProblem problem = random_problem(random_, rows());
    const FrictionSet set = set_of(random_.magnitude(0.05, 3));
    Eigen::VectorXd x(rows());
    for (double& value : x) value = random_.uniform(-1, 1);
    x[0] = random_.uniform(0.1, 1);
    if (set.frictionless()) {
      x.tail(rows() - 1).setZero();
    } else {  // scale x_f to the boundary by its gauge
      FrictionVector x_f{};
      std::copy_n(x.data() + 1, rows() - 1, x_f.begin());
      const double part = set.kind == FrictionKind::polyhedron ? set.polyhedron->gauge(x_f)
                          : set.kind == FrictionKind::mixed
                              ? std::max(std::hypot(x_f[0], x_f[1]), std::abs(x_f[2]))
                              : std::hypot(x_f[0], x_f[1], x_f[2]);
      x.tail(rows() - 1) *= set.mu * x[0] / part;
    }
    problem.q = -problem.W * x;
    if (problem.q[0] >= 0) continue;  // it also separates
    expect_laws(problem, set, zero_vector(rows()));
    if (HasFatalFailure()) return;
  }
}

TEST_P(OneContactSets, LeavesTheGuessWhereTheNormalRowIsZero) {
  OneProblem problem = random_problem(random_, rows());
  problem.W.setZero();
  problem.q.setConstant(-1);
  Eigen::VectorXd x = Eigen::VectorXd::Constant(rows(), 0.25);
  EXPECT_FALSE(method_.solve(rows(), problem.W.data(), problem.q.data(), set_of(0.5), x.data()));
  EXPECT_EQ(x, Eigen::VectorXd::Constant(rows(), 0.25));
}

INSTANTIATE_TEST_SUITE_P(OneContact, OneContactSets, testing::ValuesIn(all_sets(0.5)),
                         [](const auto& tried) { return tried.param.name; });

TEST(OneContact, SlidesAgainstTheVelocityOfABlock) {
  const Eigen::Matrix3d W = Eigen::Matrix3d::Identity();
  const Eigen::Vector3d q(-2, 3, -4);
  Eigen::Vector3d x = Eigen::Vector3d::Zero();
  OneContact method;
  ASSERT_TRUE(method.solve(3, W.data(), q.data(), round_set(0.5), x.data()));
  EXPECT_NEAR((x - Eigen::Vector3d(2, -0.6, 0.8)).norm(), 0, 1e-15);
  ASSERT_TRUE(method.solve(3, W.data(), q.data(), round_set(5), x.data()));
  EXPECT_NEAR((x - Eigen::Vector3d(2, -3, 4)).norm(), 0, 1e-14) << "sticks";
}

// A rod that leans into its sliding (large W_nt): the friction needed for sticking presses it down.
TEST(OneContact, SolvesARodThatJams) {
  const double c = 0.95;
  const double W[] = {1, c, c, 1};
  OneContact method;
  for (const FrictionSet& set : {round_set(2), polyhedral(2, regular_polygon(2))}) {
    for (const double slip : {-1.0, 1.0}) {
      const double q[] = {-0.1, slip};
      double x[] = {0, 0};
      ASSERT_TRUE(method.solve(2, W, q, set, x));
      const double w[] = {W[0] * x[0] + W[1] * x[1] + q[0], W[2] * x[0] + W[3] * x[1] + q[1]};
      EXPECT_LE(contact_law_error(set, 2, x, w, std::max(std::abs(x[0]), 1.0), 1), 1e-12) << slip;
    }
  }
}

TEST(OneContact, SpinThatSticksAndSlidesApartFromSliding) {
  OneContact method;
  const Eigen::Matrix4d W = Eigen::Matrix4d::Identity();
  Eigen::Vector4d x = Eigen::Vector4d::Zero();
  const Eigen::Vector4d sticks(-2, 3, -4, 0.9), turns(-2, 3, -4, -5);
  ASSERT_TRUE(method.solve(4, W.data(), sticks.data(), mixed_set(0.5), x.data()));
  EXPECT_NEAR((x - Eigen::Vector4d(2, -0.6, 0.8, -0.9)).norm(), 0, 1e-15);
  ASSERT_TRUE(method.solve(4, W.data(), turns.data(), mixed_set(0.5), x.data()));
  EXPECT_NEAR((x - Eigen::Vector4d(2, -0.6, 0.8, 1)).norm(), 0, 1e-15);
}

}  // namespace one_contact_test
}  // namespace pawl::internal
