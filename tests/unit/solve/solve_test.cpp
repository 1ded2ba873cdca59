#include <pawl/solve/solve.h>

#include <gmock/gmock.h>

#include <limits>

#include "touching_bodies.h"

namespace pawl {
namespace {

using Vec3 = Eigen::Vector3d;

Solution solved(const ContactProblem& problem, std::span<const ContactBasis> warm = {}) {
  ContactSolver solver;
  Solution solution;
  solver.solve(problem, {}, warm, solution);
  return solution;
}

/// A point mass on the ground: W = 1 / m.
ContactProblem block(const Vec3& v, double mu, double zeta = 0) {
  TouchingBodies made(3);
  made.add_body(2, 1, v);
  made.add_contact(0, Vec3::Zero(), TouchingBodies::kWorld, Vec3::Zero(), Vec3::UnitZ(),
                   {mu, &regular_polygon(8)}, zeta);
  return made.problem();
}

TEST(ContactSolver, TriesNothingWhereContactsSeparate) {
  const Solution solution = solved(block({1, 0, 0.5}, 0.3));
  EXPECT_EQ(solution.status, Status::certified);
  EXPECT_EQ(solution.solver, "none");
  EXPECT_EQ(solution.solves, 0);
  EXPECT_THAT(solution.p, testing::Each(0));
  EXPECT_THAT(solution.u, testing::ElementsAre(0.5, testing::_, testing::_));
  EXPECT_THAT(solution.v_next, testing::ElementsAre(1, 0, 0.5, 0, 0, 0));
}

TEST(ContactSolver, SticksWhereFrictionIsEnough) {
  const Solution solution = solved(block({0.2, 0, -1}, 0.3));
  EXPECT_EQ(solution.status, Status::certified);
  EXPECT_EQ(solution.solver, "lemke");
  EXPECT_EQ(solution.reason, "");
  EXPECT_NEAR(solution.p[0], 2, 1e-14);
  for (const double v : solution.v_next) EXPECT_NEAR(v, 0, 1e-14);
}

TEST(ContactSolver, SlidesWhereFrictionIsNotEnough) {
  const Solution solution = solved(block({0, 1, -1}, 0.3));
  EXPECT_EQ(solution.status, Status::certified);
  EXPECT_NEAR(solution.v_next[1], 1 - 0.3, 1e-14);
  EXPECT_NEAR(solution.v_next[2], 0, 1e-14);
}

TEST(ContactSolver, LeavesTheNormalVelocityThatZetaAsksFor) {
  EXPECT_NEAR(solved(block({0, 0, -1}, 0.3, 0.25)).v_next[2], -0.25, 1e-15);
  EXPECT_NEAR(solved(block({0, 0, -1}, 0.3, -0.25)).v_next[2], 0.25, 1e-15);
}

TEST(ContactSolver, SolvesTheProblemOfNoContacts) {
  ContactProblem problem;
  const Solution solution = solved(problem);
  EXPECT_EQ(solution.status, Status::certified);
  EXPECT_EQ(solution.solver, "none");
}

/// Squeezed between two walls that both ask the ball to leave: no velocity does.
ContactProblem squeezed() {
  TouchingBodies made(2);
  made.add_body(1, 1, Vec3::Zero());
  for (const double side : {-1.0, 1.0}) {
    made.add_contact(0, Vec3::Zero(), TouchingBodies::kWorld, Vec3::Zero(), side * Vec3::UnitY(),
                     {0.5, &regular_polygon(2)}, -1);
  }
  return made.problem();
}

TEST(ContactSolver, RefusesWhereThereIsNoSolution) {
  const ContactProblem problem = squeezed();
  const Solution solution = solved(problem);
  EXPECT_EQ(solution.status, Status::refused);
  EXPECT_EQ(solution.reason, "ray");
  EXPECT_FALSE(solution.residual.within(1e300));
}

TEST(ContactSolver, ARefusedSolutionIsThatOfNoImpulseNotThatOfTheLastProblem) {
  ContactSolver solver;
  Solution solution;
  solver.solve(random_bodies(*std::make_unique<Random>(1), {.dim = 2, .contacts = 2, .directions = 2}), {},
               {}, solution);
  const ContactProblem problem = squeezed();
  solver.solve(problem, {}, {}, solution);
  ASSERT_EQ(solution.status, Status::refused);
  EXPECT_THAT(solution.p, testing::Each(0));
  EXPECT_EQ(solution.u, problem.b);
  EXPECT_EQ(solution.v_next, problem.motion.v_free);
  EXPECT_THAT(solution.basis, testing::ElementsAre(0, 0));
}

TEST(ContactSolver, RefusesNumbersThatAreNotFinite) {
  for (const double bad : {std::nan(""), std::numeric_limits<double>::infinity()}) {
    ContactProblem problem = block({0, 1, -1}, 0.3);
    problem.b[0] = problem.motion.v_free[2] = -bad;
    EXPECT_NE(solved(problem).status, Status::certified);
    problem = block({0, 1, -1}, 0.3);
    problem.zeta[0] = -bad;
    EXPECT_NE(solved(problem).status, Status::certified);
  }
}

TEST(ContactSolver, CallsAnAnswerApproximateThatTheJudgeDoesNotPass) {
  ContactProblem problem = block({0, 1, -1}, 0.3);
  for (double& M : problem.motion.mass) M *= 1.001;  // the factor, and so W, is that of another mass
  const Solution solution = solved(problem);
  EXPECT_EQ(solution.status, Status::approximate);
  EXPECT_NE(solution.reason, "");
  EXPECT_GT(solution.residual.momentum, 1e-4);
}

TEST(ContactSolver, RefusesMoreDirectionsThanABasisHolds) {
  const FrictionPolygon finest = FrictionPolygon::regular(kMostDirections),
                        too_fine = FrictionPolygon::regular(kMostDirections + 1);
  ContactProblem problem = block({0, 1, -1}, 0.3);
  problem.friction[0].polygon = &finest;
  EXPECT_EQ(solved(problem).status, Status::certified);
  problem.friction[0].polygon = &too_fine;
  EXPECT_EQ(solved(problem).status, Status::refused);
}

}  // namespace
}  // namespace pawl
