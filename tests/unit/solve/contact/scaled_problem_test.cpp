#include <pawl/solve/contact/scaled_problem.h>

#include <gmock/gmock.h>

#include "unit/record/allocation_count.h"
#include "unit/solve/contact/all_sets.h"

#include <pawl/linalg/block_matrix.h>
#include <pawl/problem/delassus.h>

namespace pawl::internal {
namespace scaled_problem_test {

using testing::Each;
using testing::Pointwise;

testing::Matcher<std::tuple<double, double>> near(double tolerance) {
  return testing::DoubleNear(tolerance);
}

/// Contacts of every set, different radii, ζ of both signs, and bilateral rows.
ContactProblem problem_of_all(int seed) {
  Random random(seed);
  std::vector<SetCase> sets = all_sets(0.4);
  for (SetCase& tried : sets) {
    for (double& e : tried.set.radii) e = random.magnitude(0.01, 10);
  }
  ContactProblem problem = random_contacts(random, 3, sets, {3, 1, 5});
  for (double& zeta : problem.zeta) zeta = random.uniform(-1, 1);
  return problem;
}

std::vector<double> random_numbers(int n, int seed) {
  Random random(seed);
  std::vector<double> x(n);
  for (double& value : x) value = random.uniform(-1, 1);
  return x;
}

TEST(ScaledProblem, HasTheSameWHoweverTheProblemIsStored) {
  const ContactProblem problem = problem_of_all(1), plain = delassus_form(problem);
  ScaledProblem primal, delassus;
  primal.set(problem);
  delassus.set(plain);
  ASSERT_TRUE(primal.primal());
  ASSERT_FALSE(delassus.primal());
  EXPECT_THAT(dense(primal.W()), Pointwise(near(1e-13), dense(delassus.W())));
  for (int i = 0; i < primal.blocks(); ++i) {
    const int n = primal.size_of(i);
    const double* from_W = primal.W().values.data() + primal.W().find(i, i)->offset;
    for (int k = 0; k < n * n; ++k) {
      EXPECT_NEAR(primal.diagonal(i)[k], delassus.diagonal(i)[k], 1e-13);
      EXPECT_NEAR(primal.diagonal(i)[k], from_W[k], 1e-13);
    }
  }
  const std::vector<double> x = random_numbers(problem.rows(), 2);
  std::vector<double> w(x.size()), v(x.size());
  primal.velocities(x, w);
  delassus.velocities(x, v);
  EXPECT_THAT(w, Pointwise(near(1e-12), v));
}

TEST(ScaledProblem, ConvertsImpulsesToScaledAndBack) {
  const ContactProblem problem = problem_of_all(3);
  ScaledProblem scaled;
  scaled.set(problem);
  const std::vector<double> p = random_numbers(problem.rows(), 4);
  std::vector<double> x(p.size()), back(p.size());
  scaled.to_scaled(p, x);
  scaled.impulses(x, back);
  EXPECT_THAT(back, Pointwise(near(1e-15), p));
}

// w = S (u + ζ n) / β. Work is preserved up to β: Σ x w = Σ p (u + ζ n) / β².
TEST(ScaledProblem, HasTheVelocitiesOfTheProblemInItsOwnMeasure) {
  for (const bool primal : {true, false}) {
    const ContactProblem given = problem_of_all(5);
    const ContactProblem problem = primal ? given : delassus_form(given);
    const BlockMatrix W = delassus(given);
    ScaledProblem scaled;
    scaled.set(problem);
    const std::vector<double> p = random_numbers(problem.rows(), 6);
    std::vector<double> x(p.size()), w(p.size()), u = problem.b, one(p.size(), 1.0), S_beta(p.size());
    multiply_add(W, p, u);
    for (int c = 0; c < problem.contacts; ++c) u[problem.begin[c]] += problem.zeta[c];
    scaled.to_scaled(p, x);
    scaled.velocities(x, w);
    scaled.impulses(one, S_beta);
    double beta = 0;  // from the first row: w_r = S_r u_r / β with S_r β known
    beta = std::sqrt(S_beta[0] * u[0] / w[0]);
    for (int r = 0; r < problem.rows(); ++r) {
      EXPECT_NEAR(w[r], S_beta[r] * u[r] / (beta * beta), 1e-12) << "row " << r;
    }
  }
}

TEST(ScaledProblem, GivesEveryBlockALargestDiagonalOfOne) {
  for (const bool primal : {true, false}) {
    const ContactProblem problem = primal ? problem_of_all(7) : delassus_form(problem_of_all(7));
    ScaledProblem scaled;
    scaled.set(problem);
    for (int i = 0; i < scaled.blocks(); ++i) {
      double largest = 0;
      for (int r = 0; r < scaled.size_of(i); ++r) {
        largest = std::max(largest, scaled.diagonal(i)[r * (scaled.size_of(i) + 1)]);
      }
      EXPECT_NEAR(largest, 1, 1e-14) << "block " << i;
    }
  }
}

TEST(ScaledProblem, HasAQOfLargestEntryOne) {
  ContactProblem problem = problem_of_all(8);
  for (const double scale : {1e-200, 1e-9, 1.0, 1e9, 1e200}) {
    ContactProblem larger = problem;
    for (double& b : larger.b) b *= scale;
    for (double& zeta : larger.zeta) zeta *= scale;
    ScaledProblem scaled;
    scaled.set(larger);
    double largest = 0;
    for (const double q : scaled.q()) largest = std::max(largest, std::abs(q));
    EXPECT_NEAR(largest, 1, 1e-15) << "times " << scale;
  }
}

// p̂ = p/e and û = e u: the methods always see unit radii.
TEST(ScaledProblem, MeasuresFrictionByItsRadii) {
  const ContactProblem problem = problem_of_all(9);
  ScaledProblem scaled;
  scaled.set(problem);
  const std::vector<double> one(problem.rows(), 1.0);
  std::vector<double> p(problem.rows());
  scaled.impulses(one, p);
  for (int c = 0; c < problem.contacts; ++c) {
    for (int r = 1; r < problem.size_of(c); ++r) {
      const double ratio = p[problem.begin[c] + r] / p[problem.begin[c]];
      EXPECT_NEAR(ratio / problem.friction[c].radii[r - 1], 1, 1e-14) << "contact " << c;
    }
  }
}

TEST(ScaledProblem, LeavesOutBodiesThatNothingTouches) {
  TouchingBodies made(3);
  using Vec3 = Eigen::Vector3d;
  for (int body = 0; body < 4; ++body) made.add_body(1 + body, 1, {0, 0, -1.0 - body});
  made.add_contact(1, {0.1, 0, -1}, TouchingBodies::kWorld, Vec3::Zero(), Vec3::UnitZ(), round_set(0.3));
  made.add_contact(3, {0, 0.2, -1}, 1, {0, 0, 1}, Vec3::UnitZ(), round_set(0.3));
  const ContactProblem problem = made.problem();
  ScaledProblem scaled;
  scaled.set(problem);
  EXPECT_EQ(scaled.bodies(), 2);
  const std::vector<double> x = random_numbers(problem.rows(), 10);
  std::vector<double> p(x.size()), y, v(problem.motion.v_free.size()), expected(v.size());
  scaled.impulses(x, p);
  scaled.Yt_times(x, y);
  EXPECT_EQ(y.size(), 12u);
  scaled.body_velocities(y, v);
  velocity_after(problem, p, expected);
  EXPECT_THAT(v, Pointwise(near(1e-14), expected));
  for (const int untouched : {0, 2}) {
    for (int k = 6 * untouched; k < 6 * untouched + 6; ++k) EXPECT_EQ(v[k], problem.motion.v_free[k]);
  }
}

TEST(ScaledProblem, HasBodyVelocitiesThatFollowFromTheImpulses) {
  for (int seed = 0; seed < 20; ++seed) {
    ContactProblem problem = problem_of_all(20 + seed);
    // A non-diagonal mass matrix.
    Random random(seed);
    PrimalData& motion = problem.motion;
    for (const auto& mass : motion.mass_blocks) {
      Eigen::Map<Eigen::Matrix<double, 6, 6, Eigen::RowMajor>> L(motion.factor.data() + mass.offset),
          M(motion.mass.data() + mass.offset);
      for (int r = 0; r < 6; ++r) {
        for (int c = 0; c < r; ++c) L(r, c) = random.uniform(-0.5, 0.5);
      }
      M = L * L.transpose();
    }
    ScaledProblem scaled;
    scaled.set(problem);
    const std::vector<double> x = random_numbers(problem.rows(), seed);
    std::vector<double> p(x.size()), y, v(motion.v_free.size()), expected(v.size());
    scaled.impulses(x, p);
    scaled.Yt_times(x, y);
    scaled.body_velocities(y, v);
    velocity_after(problem, p, expected);
    EXPECT_THAT(v, Pointwise(near(1e-11), expected)) << "seed " << seed;
    // Row velocities follow from the body velocities.
    std::vector<double> w(x.size()), from_y(x.size());
    scaled.velocities(x, w);
    scaled.velocities_from(y, x, from_y);
    EXPECT_THAT(from_y, Pointwise(near(1e-13), w));
  }
}

TEST(ScaledProblem, AddsYTransposedX) {
  const ContactProblem problem = problem_of_all(11);
  ScaledProblem scaled;
  scaled.set(problem);
  const std::vector<double> x = random_numbers(problem.rows(), 12), z = random_numbers(problem.rows(), 13);
  std::vector<double> sum(x.size()), y, both;
  for (std::size_t r = 0; r < x.size(); ++r) sum[r] = x[r] + z[r];
  scaled.Yt_times(x, y);
  scaled.add_Yt_times(z, y);
  scaled.Yt_times(sum, both);
  EXPECT_THAT(y, Pointwise(near(1e-14), both));
}

// The contact's impulse moves nothing: W gives no scale, so the block is not scaled.
TEST(ScaledProblem, LeavesABlockWithoutWAsItIs) {
  ContactProblem problem;
  problem.contacts = 1;
  problem.begin = {0, 3, 4};
  problem.b = {-2, 1, 0.5, 1};
  problem.zeta = {0};
  problem.friction = {round_set(0.5, {1, 0.5, 1})};
  const std::vector<double> W{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4};
  problem.W = to_block_matrix(problem.begin, W);
  ScaledProblem scaled;
  scaled.set(problem);
  EXPECT_EQ(scaled.diagonal(0)[0], 0);
  EXPECT_EQ(scaled.diagonal(1)[0], 1);
  EXPECT_THAT(scaled.q(), testing::ElementsAre(-1, 0.5, 0.125, 0.25));
  EXPECT_THAT(dense(scaled.W()), Each(testing::AnyOf(0.0, 1.0)));
}

TEST(ScaledProblem, HasNoScaleOfVelocitiesWhereAllAreZero) {
  ContactProblem problem = problem_of_all(14);
  std::ranges::fill(problem.b, 0.0);
  std::ranges::fill(problem.zeta, 0.0);
  ScaledProblem scaled;
  scaled.set(problem);
  EXPECT_THAT(std::vector<double>(scaled.q().begin(), scaled.q().end()), Each(0));
  const std::vector<double> p = random_numbers(problem.rows(), 15);
  std::vector<double> x(p.size()), back(p.size());
  scaled.to_scaled(p, x);
  scaled.impulses(x, back);
  EXPECT_THAT(back, Pointwise(near(1e-15), p));
}

TEST(ScaledProblem, HoldsNothingOfTheProblemBefore) {
  const ContactProblem first = problem_of_all(16), plain = delassus_form(problem_of_all(17));
  Random random(18);
  const ContactProblem small = random_contacts(random, 1, {all_sets(0.3)[3]});
  ScaledProblem used;
  for (const ContactProblem* problem : {&first, &plain, &small, &first}) {
    ScaledProblem fresh;
    fresh.set(*problem);
    used.set(*problem);
    EXPECT_EQ(dense(used.W()), dense(fresh.W()));
    EXPECT_TRUE(std::ranges::equal(used.q(), fresh.q()));
    EXPECT_EQ(used.bodies(), fresh.bodies());
  }
}

TEST(ScaledProblem, AllocatesForTheFirstOfAShapeOnly) {
  const ContactProblem problem = problem_of_all(19), plain = delassus_form(problem);
  for (const ContactProblem* given : {&problem, &plain}) {
    ScaledProblem scaled;
    std::vector<double> x(given->rows(), 1.0), w(x.size());
    for (int time = 0; time < 2; ++time) {
      const long before = allocation_count();
      scaled.set(*given);
      scaled.W();
      scaled.velocities(x, w);
      if (time == 1) {
        EXPECT_EQ(allocation_count() - before, 0);
      }
    }
  }
}

TEST(ScaledProblem, TakesTheProblemOfNoRows) {
  const ContactProblem problem;
  ScaledProblem scaled;
  scaled.set(problem);
  EXPECT_EQ(scaled.rows(), 0);
  EXPECT_EQ(scaled.W().size(), 0);
}

}  // namespace scaled_problem_test
}  // namespace pawl::internal
