// Lemke's method on contact problems with bilateral rows.

#include <gmock/gmock.h>

#include <pawl/problem/delassus.h>
#include <pawl/solve/lcp/lemke.h>
#include <pawl/solver.h>

#include "unit/solve/contact/all_sets.h"

namespace pawl::internal {
namespace lemke_bilateral_test {

using Vec3 = Eigen::Vector3d;

SolveOptions only(SolveMethod method) {
  SolveOptions options;
  options.method = method;
  return options;
}

/// Small friction coefficients, for which velocities are unique.
ContactProblem random_jointed(Random& random) {
  std::vector<SetCase> contacts, known = all_sets(0.1);
  for (int c = random.integer(1, 4); c > 0; --c) {
    const int kinds[] = {0, 1, 2, 6, 7, 8, 9};  // sets that Lemke supports
    contacts.push_back(known[kinds[random.integer(0, 6)]]);
  }
  std::vector<int> joints;
  for (int j = random.integer(1, 3); j > 0; --j) joints.push_back(random.integer(1, 3));
  return random_contacts(random, random.integer(2, 5), contacts, joints);
}

/// Repeats the last joint: its rows are linearly dependent.
ContactProblem with_last_joint_twice(ContactProblem problem) {
  PrimalData& motion = problem.motion;
  const int last = problem.blocks() - 1;
  const auto blocks = motion.jacobian_blocks;
  for (const auto& block : blocks) {
    if (block.block != last) continue;
    motion.jacobian_blocks.push_back({last + 1, block.mass_block, static_cast<int>(motion.jacobian.size())});
    const int entries = problem.size_of(last) * motion.mass_blocks[block.mass_block].size;
    for (int k = 0; k < entries; ++k) motion.jacobian.push_back(motion.jacobian[block.offset + k]);
  }
  problem.begin.push_back(problem.rows() + problem.size_of(last));
  set_free_velocities(problem);
  return problem;
}

/// A planar chain of rods that hangs from the world; its free end hits the ground.
ContactProblem planar_chain(int rods, double mu) {
  TouchingBodies made(2);
  for (int i = 0; i < rods; ++i) made.add_body(1 + i, 0.1 * (1 + i), {0.5, -1, 0}, {0, 0, 0.3 * i});
  made.add_contact(rods - 1, {0.4, -0.3, 0}, TouchingBodies::kWorld, Vec3::Zero(), Vec3::UnitY(),
                   polyhedral(mu, regular_polygon(2)));
  ContactProblem problem = made.problem();
  PrimalData& motion = problem.motion;
  for (int i = 0; i < rods; ++i) {
    const int block = problem.blocks();
    problem.begin.push_back(problem.rows() + 2);
    const auto add_end = [&](int rod, double sign, double x, double y) {
      motion.jacobian_blocks.push_back({block, rod, static_cast<int>(motion.jacobian.size())});
      for (const double entry : {sign, 0.0, -sign * y, 0.0, sign, sign * x}) motion.jacobian.push_back(entry);
    };
    if (i > 0) add_end(i - 1, -1, 0.4, -0.3);
    add_end(i, 1, -0.4, 0.3);
  }
  set_free_velocities(problem);
  return problem;
}

TEST(LemkeWithBilateralRows, FindsTheVelocitiesThatIterativeMethodsFind) {
  Random random(11);
  for (int trial = 0; trial < 300; ++trial) {
    const ContactProblem primal = random_jointed(random);
    for (const ContactProblem& problem : {primal, delassus_form(primal)}) {
      const Solution lemke = solve(problem, only(SolveMethod::lemke));
      ASSERT_EQ(lemke.status, Status::certified)
          << trial << ": " << lemke.reason << save_failed_problem(primal);
      EXPECT_LE(lemke.residual.bilateral, 1e-12) << trial;
      Solution other = solve(problem, only(SolveMethod::newton));
      if (other.status != Status::certified) other = solve(problem, only(SolveMethod::gauss_seidel));
      ASSERT_EQ(other.status, Status::certified)
          << trial << ": " << other.reason << save_failed_problem(primal);
      EXPECT_THAT(lemke.u, testing::Pointwise(testing::DoubleNear(1e-6), other.u)) << trial;
    }
  }
}

TEST(LemkeWithBilateralRows, IsWhatTheCascadeTriesFirst) {
  Random random(12);
  const ContactProblem problem = random_contacts(random, 3, {all_sets(0.1)[7], all_sets(0.1)[7]}, {3, 2});
  const Solution solution = solve(problem);
  EXPECT_EQ(solution.status, Status::certified);
  EXPECT_EQ(solution.method, SolveMethod::lemke);
}

TEST(LemkeWithBilateralRows, SolvesPlanarChains) {
  for (const int rods : {1, 2, 3, 10}) {
    for (const double mu : {0.0, 0.2, 0.6}) {
      const ContactProblem problem = planar_chain(rods, mu);
      const Solution lemke = solve(problem, only(SolveMethod::lemke));
      ASSERT_EQ(lemke.status, Status::certified) << rods << " rods: " << lemke.reason;
      const Solution newton = solve(problem, only(SolveMethod::newton));
      ASSERT_EQ(newton.status, Status::certified) << rods << " rods";
      EXPECT_THAT(lemke.u, testing::Pointwise(testing::DoubleNear(1e-7), newton.u)) << rods << " rods";
    }
  }
}

TEST(LemkeWithBilateralRows, IsNotHarmedByRowsThatDependOnOthers) {
  Random random(13);
  for (int trial = 0; trial < 100; ++trial) {
    const ContactProblem once = random_jointed(random), twice = with_last_joint_twice(once);
    const Solution single = solve(once, only(SolveMethod::lemke));
    ASSERT_EQ(single.status, Status::certified) << trial;
    for (const ContactProblem& problem : {twice, delassus_form(twice)}) {
      const Solution solution = solve(problem, only(SolveMethod::lemke));
      ASSERT_EQ(solution.status, Status::certified)
          << trial << ": " << solution.reason << save_failed_problem(twice);
      for (int r = 0; r < once.rows(); ++r) EXPECT_NEAR(solution.u[r], single.u[r], 1e-9) << trial;
    }
  }
}

TEST(LemkeWithBilateralRows, SaysThatTheyContradictOneAnother) {
  Random random(14);
  for (int trial = 0; trial < 20; ++trial) {
    ContactProblem problem = delassus_form(with_last_joint_twice(random_jointed(random)));
    problem.b.back() += 0.1;
    const Solution lemke = solve(problem, only(SolveMethod::lemke));
    EXPECT_EQ(lemke.status, Status::refused) << trial;
    EXPECT_THAT(lemke.reason, testing::HasSubstr("contradict one another")) << trial;
  }
}

TEST(LemkeWithBilateralRows, RefusesNumbersThatAreNotFinite) {
  Random random(17);
  const ContactProblem good = delassus_form(random_jointed(random));
  for (const double bad : {std::nan(""), HUGE_VAL, -HUGE_VAL}) {
    ContactProblem problem = good;
    problem.b.back() = bad;
    EXPECT_EQ(solve(problem, only(SolveMethod::lemke)).status, Status::refused) << bad;
    problem = good;
    problem.W.values.back() = bad;
    EXPECT_EQ(solve(problem, only(SolveMethod::lemke)).status, Status::refused) << bad;
  }
}

TEST(LemkeWithBilateralRows, StartsFromTheBasisOfAnEarlierAnswer) {
  Random random(15);
  int warm_starts = 0;
  for (int trial = 0; trial < 50; ++trial) {
    const ContactProblem problem = random_jointed(random);
    ContactSolver solver;
    Solution cold, warm;
    solver.solve(problem, only(SolveMethod::lemke), {}, cold);
    solver.solve(problem, only(SolveMethod::lemke), {.p = {}, .basis = cold.basis}, warm);
    ASSERT_EQ(warm.status, Status::certified) << trial;
    EXPECT_THAT(warm.u, testing::Pointwise(testing::DoubleNear(1e-9), cold.u)) << trial;
    if (warm.method != SolveMethod::warm) continue;  // nothing acts, or the basis fails by rounding
    EXPECT_EQ(warm.iterations, 0) << trial;
    EXPECT_EQ(warm.basis, cold.basis) << trial;
    ++warm_starts;
  }
  EXPECT_GE(warm_starts, 40);
}

TEST(LemkeWithBilateralRows, KnowsNoUnits) {
  Random random(16);
  for (int trial = 0; trial < 50; ++trial) {
    const ContactProblem plain = delassus_form(random_jointed(random));
    const Solution solution = solve(plain, only(SolveMethod::lemke));
    for (const double mass : {1e-9, 1e9}) {
      for (const double speed : {1e-9, 1e9}) {
        ContactProblem problem = plain;
        for (double& w : problem.W.values) w /= mass;
        for (double& b : problem.b) b *= speed;
        const Solution scaled = solve(problem, only(SolveMethod::lemke));
        ASSERT_EQ(scaled.status, Status::certified) << trial << ", " << mass << " kg, " << speed << " m/s";
        for (int r = 0; r < plain.rows(); ++r) {
          EXPECT_NEAR(scaled.u[r] / speed, solution.u[r], 1e-9) << trial;
        }
      }
    }
  }
}

}  // namespace lemke_bilateral_test
}  // namespace pawl::internal
