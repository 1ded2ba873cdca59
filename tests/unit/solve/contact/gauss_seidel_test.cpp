#include <pawl/solve/contact/gauss_seidel.h>

#include <gmock/gmock.h>

#include <pawl/problem/delassus.h>
#include <pawl/residual.h>
#include <pawl/solve/contact/iterative.h>

#include "unit/record/allocation_count.h"
#include "unit/solve/contact/all_sets.h"
#include "unit/solve/contact/box_stack.h"

namespace pawl::internal {
namespace gauss_seidel_test {

using Vec3 = Eigen::Vector3d;

struct GaussSeidelRun {
  IterativeResult result;
  std::vector<double> x, w, p;
};

GaussSeidelRun run_gauss_seidel(const ContactProblem& problem, const GaussSeidelOptions& options = {},
                                std::vector<double> start = {}) {
  ScaledProblem scaled;
  scaled.set(problem);
  GaussSeidelRun made;
  start.resize(problem.rows(), 0.0);
  made.x = start;
  made.w.resize(problem.rows());
  made.p.resize(problem.rows());
  GaussSeidel method;
  made.result = method.solve(scaled, options, made.x);
  scaled.velocities(made.x, made.w);
  scaled.impulses(made.x, made.p);
  return made;
}

double residual_of(const ContactProblem& problem, const std::vector<double>& p) {
  std::vector<double> u(p.size()), v(problem.motion.v_free.size());
  JudgeScratch scratch;
  const Residual residual = judge(problem, p, u, v, scratch);
  return std::max(residual.natural_map, residual.bilateral);
}

double distance(const std::vector<double>& a, const std::vector<double>& b) {
  double worst = 0;
  for (std::size_t i = 0; i < a.size(); ++i) worst = std::max(worst, std::abs(a[i] - b[i]));
  return worst;
}

/// Falling balls in a box, each on balls below it and on the walls.
ContactProblem pile(Random& random, int balls, const FrictionSet& set) {
  TouchingBodies made(3);
  for (int i = 0; i < balls; ++i) {
    made.add_body(random.magnitude(0.5, 2), 0.4, {random.uniform(-0.2, 0.2), random.uniform(-0.2, 0.2), -1});
  }
  for (int i = 0; i < balls; ++i) {
    for (int k = 0; k < 3; ++k) {
      const int below = i < 4 ? TouchingBodies::kWorld : random.integer(std::max(0, i - 8), i - 1);
      const double turn = 2.1 * k + random.uniform(-0.3, 0.3);
      const Vec3 normal = Vec3(0.6 * std::cos(turn), 0.6 * std::sin(turn), 0.8);
      made.add_contact(i, -0.5 * normal, below, 0.5 * normal, normal, set);
    }
  }
  return made.problem();
}

TEST(GaussSeidel, SolvesPilesOfEverySet) {
  for (const FrictionSet& set : {FrictionSet{}, round_set(0.3), polyhedral(0.3, regular_polygon(8)),
                                 polyhedral(0.3, lopsided_polygon())}) {
    Random random(1);
    for (int trial = 0; trial < 5; ++trial) {
      const ContactProblem problem = pile(random, 12, set);
      const GaussSeidelRun made = run_gauss_seidel(problem);
      EXPECT_TRUE(made.result.converged) << "trial " << trial;
      EXPECT_LE(made.result.error, 1e-9);
      EXPECT_GT(made.result.iterations, 1);
      EXPECT_LE(residual_of(problem, made.p), 1e-8) << save_failed_problem(problem);
    }
  }
}

TEST(GaussSeidel, SolvesContactsOfAllKindsAndBilateralRowsTogether) {
  Random random(2);
  for (int trial = 0; trial < 20; ++trial) {
    const ContactProblem problem = random_contacts(random, 8, all_sets(0.4), {3, 1, 5});
    const GaussSeidelRun made = run_gauss_seidel(problem);
    EXPECT_TRUE(made.result.converged) << "trial " << trial << ", error " << made.result.error;
    EXPECT_LE(residual_of(problem, made.p), 1e-7) << "trial " << trial;
  }
}

TEST(GaussSeidel, HasTheSameIteratesInPrimalAndDelassusForm) {
  Random random(3);
  for (int trial = 0; trial < 5; ++trial) {
    const ContactProblem problem = pile(random, 12, round_set(0.3)), plain = delassus_form(problem);
    for (const int sweeps : {1, 2, 5, 70}) {  // after 64 sweeps the sums are recomputed
      const GaussSeidelOptions options{.tolerance = 0, .max_sweeps = sweeps};
      const GaussSeidelRun a = run_gauss_seidel(problem, options), b = run_gauss_seidel(plain, options);
      EXPECT_EQ(a.result.iterations, sweeps);
      EXPECT_LE(distance(a.x, b.x), 1e-10) << "trial " << trial << ", " << sweeps << " sweeps";
    }
  }
}

/// Boxes connected by ball joints, the last one on the ground.
ContactProblem chain(int links, bool doubled) {
  TouchingBodies made(3);
  for (int i = 0; i < links; ++i) made.add_body(1, 0.2, {0.3, 0.1 * i, -1});
  for (const double x : {-0.5, 0.5}) {
    made.add_contact(links - 1, {x, 0.1, -0.5}, TouchingBodies::kWorld, Vec3::Zero(), Vec3::UnitZ(),
                     round_set(0.4));
  }
  ContactProblem problem = made.problem();
  for (int i = 0; i < links; ++i) {
    for (int twice = 0; twice < (doubled ? 2 : 1); ++twice) {
      add_ball_joint(problem, i, {-0.5, 0, 0}, i - 1, {0.5, 0, 0});
    }
  }
  return problem;
}

TEST(GaussSeidel, HoldsJoints) {
  const ContactProblem problem = chain(3, false);
  const GaussSeidelRun made = run_gauss_seidel(problem);
  ASSERT_TRUE(made.result.converged);
  EXPECT_LE(residual_of(problem, made.p), 1e-7);
}

TEST(GaussSeidel, SharesTheImpulseOfJointsThatAreThereTwice) {
  const ContactProblem once = chain(3, false), twice = chain(3, true);
  const GaussSeidelRun a = run_gauss_seidel(once), b = run_gauss_seidel(twice);
  ASSERT_TRUE(a.result.converged);
  ASSERT_TRUE(b.result.converged);
  std::vector<double> v(18), v_twice(18);
  velocity_after(once, a.p, v);
  velocity_after(twice, b.p, v_twice);
  EXPECT_LE(distance(v, v_twice), 1e-7);
}

// Rows 0 and 1 of one block are equal.
TEST(GaussSeidel, HoldsABlockOfRedundantRows) {
  TouchingBodies made(3);
  made.add_body(2, 1, {1, 2, 3});
  ContactProblem problem = made.problem();
  add_ball_joint(problem, 0, Vec3::Zero(), TouchingBodies::kWorld, Vec3::Zero());
  for (int k = 0; k < 6; ++k) problem.motion.jacobian[6 + k] = problem.motion.jacobian[k];
  set_free_velocities(problem);
  const GaussSeidelRun made_by = run_gauss_seidel(problem);
  ASSERT_TRUE(made_by.result.converged);
  std::vector<double> v(6);
  velocity_after(problem, made_by.p, v);
  EXPECT_NEAR(v[0], 0, 1e-9);
  EXPECT_NEAR(v[1], 2, 1e-9);
  EXPECT_NEAR(v[2], 0, 1e-9);
  EXPECT_NEAR(made_by.p[0], made_by.p[1], 1e-3) << "shared";
}

TEST(GaussSeidel, ReachesTheSameVelocitiesWithAnyRelaxation) {
  Random random(4);
  for (const FrictionSet& set : {round_set(0.3), polyhedral(0.3, regular_polygon(8))}) {
    ContactProblem problem = pile(random, 10, set);
    add_ball_joint(problem, 9, {0, 0, 0.5}, 8, {0, 0.5, 0});
    const GaussSeidelRun plain = run_gauss_seidel(problem);
    ASSERT_TRUE(plain.result.converged);
    for (const double relaxation : {0.8, 1.3}) {
      const GaussSeidelRun made = run_gauss_seidel(problem, {.relaxation = relaxation});
      EXPECT_TRUE(made.result.converged) << relaxation;
      EXPECT_NE(made.result.iterations, plain.result.iterations) << "is it used?";
      EXPECT_LE(distance(made.w, plain.w), 1e-7) << relaxation;
    }
  }
}

// For any relaxation, normal impulses stay ≥ 0 and friction stays in its set after every sweep.
TEST(GaussSeidel, StaysWithinTheLawsOfImpulsesWhenItOvershoots) {
  Random random(11);
  const ContactProblem problem = random_contacts(random, 3, all_sets(0.4));
  const GaussSeidelRun plain = run_gauss_seidel(problem, {.max_sweeps = 1});
  for (const double relaxation : {0.8, 1.3, 1.9}) {
    EXPECT_NE(run_gauss_seidel(problem, {.max_sweeps = 1, .relaxation = relaxation}).x, plain.x)
        << "is it used?";
    for (int sweeps = 1; sweeps <= 10; ++sweeps) {
      const GaussSeidelRun made =
          run_gauss_seidel(problem, {.tolerance = 0, .max_sweeps = sweeps, .relaxation = relaxation});
      for (int c = 0; c < problem.contacts; ++c) {
        const double* x = made.x.data() + problem.begin[c];
        const int n = problem.size_of(c);
        EXPECT_GE(x[0], 0);
        const std::vector<double> still(n, 0.0);  // at zero velocity any impulse of the set is lawful
        EXPECT_LE(contact_law_error(problem.friction[c], n, x, still.data(), 1, 1), 1e-13)
            << "contact " << c << ", relaxation " << relaxation << ", sweep " << sweeps;
      }
    }
  }
}

TEST(GaussSeidel, RelaxesContactsOfAllKinds) {
  Random random(5);
  for (int trial = 0; trial < 10; ++trial) {
    const ContactProblem problem = random_contacts(random, 8, all_sets(0.4), {2});
    for (const double relaxation : {0.8, 1.3}) {
      const GaussSeidelRun made = run_gauss_seidel(problem, {.relaxation = relaxation});
      EXPECT_TRUE(made.result.converged) << "trial " << trial << ", relaxation " << relaxation;
    }
  }
}

TEST(GaussSeidel, GivesUpWhereItExpectsTooManySweeps) {
  const ContactProblem slow = box_stack(std::vector<double>(12, 1.0), 8);
  const GaussSeidelRun patient = run_gauss_seidel(slow, {.max_sweeps = 200});
  EXPECT_FALSE(patient.result.converged);
  EXPECT_EQ(patient.result.iterations, 200);
  const GaussSeidelRun made = run_gauss_seidel(slow, {.min_sweeps = 10, .max_expected_sweeps = 25});
  EXPECT_FALSE(made.result.converged);
  EXPECT_GE(made.result.iterations, 10);
  EXPECT_LE(made.result.iterations, 50);
  EXPECT_GT(made.result.error, 1e-9);
  EXPECT_LT(made.result.error, 1) << "that of what it returns";
}

TEST(GaussSeidel, DoesNotGiveUpWhereItIsFast) {
  TouchingBodies made(3);  // a sliding table
  made.add_body(1, 0.2, {1, 0, -1});
  for (const double x : {-0.5, 0.6}) {
    for (const double y : {-0.4, 0.5}) {
      made.add_contact(0, {x, y, -0.4}, TouchingBodies::kWorld, Vec3::Zero(), Vec3::UnitZ(), round_set(0.5));
    }
  }
  const GaussSeidelRun swift =
      run_gauss_seidel(made.problem(), {.tolerance = 1e-12, .min_sweeps = 10, .max_expected_sweeps = 25});
  EXPECT_TRUE(swift.result.converged);
  EXPECT_GT(swift.result.iterations, 10) << "it was asked whether to go on";
}

TEST(GaussSeidel, NeedsFewerSweepsFromAnOldAnswer) {
  Random random(7);
  ContactProblem problem = pile(random, 12, round_set(0.3));
  const GaussSeidelRun cold = run_gauss_seidel(problem);
  ASSERT_TRUE(cold.result.converged);
  const GaussSeidelRun same = run_gauss_seidel(problem, {}, cold.x);
  EXPECT_TRUE(same.result.converged);
  EXPECT_LE(same.result.iterations, 2);
  for (double& v : problem.motion.v_free) v *= 1 + random.uniform(-1e-4, 1e-4);
  set_free_velocities(problem);
  ScaledProblem scaled;
  scaled.set(problem);
  std::vector<double> x(problem.rows());
  scaled.to_scaled(cold.p, x);
  const GaussSeidelRun near_by = run_gauss_seidel(problem, {}, x);
  EXPECT_TRUE(near_by.result.converged);
  EXPECT_LT(near_by.result.iterations, run_gauss_seidel(problem).result.iterations);
}

TEST(GaussSeidel, NeverConvergesOnNan) {
  Random random(8);
  for (const SetCase& tried : all_sets(0.4)) {
    for (int row = 0; row < tried.rows; ++row) {
      for (const bool primal : {true, false}) {
        ContactProblem problem = random_contacts(random, 2, {tried, tried});
        if (!primal) problem = delassus_form(problem);
        problem.b[row] = std::nan("");
        const GaussSeidelRun made = run_gauss_seidel(problem, {.max_sweeps = 5});
        EXPECT_FALSE(made.result.converged) << tried.name << ", row " << row;
      }
    }
  }
}

TEST(GaussSeidel, SaysThatASquashedContactIsNotSolved) {
  ContactProblem problem;
  problem.contacts = 1;
  problem.begin = {0, 3};
  problem.b = {-1, 0, 0};
  problem.zeta = {0};
  problem.friction = {round_set(0.5)};
  problem.W = to_block_matrix(problem.begin, std::vector<double>(9, 0.0));
  const GaussSeidelRun made = run_gauss_seidel(problem, {.max_sweeps = 5});
  EXPECT_FALSE(made.result.converged);
  EXPECT_GE(made.result.error, 0.5);
}

TEST(GaussSeidel, TakesTheProblemOfNoRows) {
  EXPECT_TRUE(run_gauss_seidel({}).result.converged);
}

TEST(GaussSeidel, AllocatesForTheFirstOfAShapeOnly) {
  Random random(9);
  const ContactProblem problem = random_contacts(random, 6, all_sets(0.4), {3}),
                       plain = delassus_form(problem);
  for (const ContactProblem* given : {&problem, &plain}) {
    ScaledProblem scaled;
    scaled.set(*given);
    GaussSeidel method;
    for (int time = 0; time < 2; ++time) {
      std::vector<double> x(given->rows(), 0.0);
      const long before = allocation_count();
      method.solve(scaled, {}, x);
      if (time == 1) {
        EXPECT_EQ(allocation_count() - before, 0);
      }
    }
  }
}

TEST(GaussSeidel, GivesTheSameBitsAgain) {
  Random random(10);
  const ContactProblem problem = pile(random, 10, round_set(0.3)), other = pile(random, 5, round_set(0.9));
  ScaledProblem scaled;
  GaussSeidel method;
  std::vector<double> first(problem.rows(), 0.0), between(other.rows(), 0.0), again(problem.rows(), 0.0);
  scaled.set(problem);
  method.solve(scaled, {}, first);
  scaled.set(other);
  method.solve(scaled, {}, between);
  scaled.set(problem);
  method.solve(scaled, {}, again);
  EXPECT_EQ(first, again);
}

}  // namespace gauss_seidel_test
}  // namespace pawl::internal
