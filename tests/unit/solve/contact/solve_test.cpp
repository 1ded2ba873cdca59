#include <pawl/solver.h>

#include <gmock/gmock.h>

#include <limits>

#include "unit/solve/contact/touching_bodies.h"

#include <pawl/problem/delassus.h>
#include <pawl/solve/contact/polyhedral_lcp.h>

namespace pawl::internal {
namespace solve_test {

using Vec3 = Eigen::Vector3d;

SolveOptions only(SolveMethod method) {
  SolveOptions options;
  options.method = method;
  return options;
}

Solution solved(const ContactProblem& problem, std::span<const ContactBasis> warm = {}) {
  ContactSolver solver;
  Solution solution;
  solver.solve(problem, {}, {.p = {}, .basis = warm}, solution);
  return solution;
}

/// A point mass on the ground: W = I / m.
ContactProblem block(const Vec3& v, double mu, double zeta = 0) {
  TouchingBodies made(3);
  made.add_body(2, 1, v);
  made.add_contact(0, Vec3::Zero(), TouchingBodies::kWorld, Vec3::Zero(), Vec3::UnitZ(),
                   polyhedral(mu, regular_polygon(8)), zeta);
  return made.problem();
}

TEST(ContactSolver, TriesNothingWhereContactsSeparate) {
  const Solution solution = solved(block({1, 0, 0.5}, 0.3));
  EXPECT_EQ(solution.status, Status::certified);
  EXPECT_EQ(solution.method, SolveMethod::none);
  EXPECT_EQ(solution.solves, 0);
  EXPECT_THAT(solution.p, testing::Each(0));
  EXPECT_THAT(solution.u, testing::ElementsAre(0.5, testing::_, testing::_));
  EXPECT_THAT(solution.v_next, testing::ElementsAre(1, 0, 0.5, 0, 0, 0));
}

TEST(ContactSolver, SticksWhereFrictionIsEnough) {
  const Solution solution = solved(block({0.2, 0, -1}, 0.3));
  EXPECT_EQ(solution.status, Status::certified);
  EXPECT_EQ(solution.method, SolveMethod::lemke);
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
  EXPECT_EQ(solution.method, SolveMethod::none);
}

/// A ball squeezed between two walls that both require it to leave, which is impossible.
ContactProblem squeezed() {
  TouchingBodies made(2);
  made.add_body(1, 1, Vec3::Zero());
  for (const double side : {-1.0, 1.0}) {
    made.add_contact(0, Vec3::Zero(), TouchingBodies::kWorld, Vec3::Zero(), side * Vec3::UnitY(),
                     polyhedral(0.5, regular_polygon(2)), -1);
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

/// Bodies with six velocities each; contacts of 1 to 4 rows with all supported sets.
ContactProblem mixed_contacts(Random& random, const FrictionPolyhedron& spin) {
  ContactProblem problem;
  PrimalData& motion = problem.motion;
  const int bodies = random.integer(1, 3);
  for (int body = 0; body < bodies; ++body) {
    motion.mass_blocks.push_back({6 * body, 6, 36 * body});
    const double root = random.magnitude(1, 10);
    for (int i = 0; i < 36; ++i) {
      motion.mass.push_back(i % 7 == 0 ? root * root : 0);
      motion.factor.push_back(i % 7 == 0 ? root : 0);
    }
    for (int i = 0; i < 6; ++i) motion.v_free.push_back(random.uniform(-1, 1));
  }
  for (int c = random.integer(1, 6); c > 0; --c) {
    const FrictionSet sets[] = {
        {},                                                                                       // 1 row
        {.kind = FrictionKind::ellipsoid, .mu = 0.6, .radii = {random.magnitude(0.3, 3), 1, 1}},  // 2
        polyhedral(0.5, regular_polygon(8)),                                                      // 3
        {FrictionKind::polyhedron, 0.7, {1, random.magnitude(0.3, 3), random.magnitude(0.01, 1)}, &spin}};
    const int rows = random.integer(1, 4), contact = problem.contacts++;
    problem.begin.push_back(problem.rows() + rows);
    problem.friction.push_back(sets[rows - 1]);
    problem.zeta.push_back(0);
    for (int body = 0; body < bodies; ++body) {
      if (bodies > 1 && body == contact % bodies) continue;
      motion.jacobian_blocks.push_back({contact, body, static_cast<int>(motion.jacobian.size())});
      for (int i = 0; i < 6 * rows; ++i) motion.jacobian.push_back(random.uniform(-1, 1));
    }
  }
  set_free_velocities(problem);
  return problem;
}

TEST(ContactSolver, CertifiesContactsOfMixedSizesInPrimalAndDelassusForm) {
  const FrictionPolyhedron spin({{1, 0, 0}, {-1, 0, 0.1}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0.2, -1}});
  Random random(11);
  int acted = 0;
  for (int trial = 0; trial < 500; ++trial) {
    ContactProblem problem = mixed_contacts(random, spin);
    const Solution primal = solved(problem);
    ASSERT_EQ(primal.status, Status::certified) << trial << ": " << primal.reason;
    acted += primal.method == SolveMethod::lemke;
    problem.W = delassus(problem);
    problem.motion = {};
    const Solution plain = solved(problem);
    ASSERT_EQ(plain.status, Status::certified) << trial << ": " << plain.reason;
    EXPECT_THAT(plain.p, testing::Pointwise(testing::DoubleNear(1e-7), primal.p));
  }
  EXPECT_GT(acted, 250);
}

TEST(ContactSolver, SaysThatAMethodIsNotForASet) {
  ContactProblem problem = block({0, 1, -1}, 0.3);
  EXPECT_EQ(solve(problem, only(SolveMethod::interior_point)).reason, "friction set");  // a polygon
  problem.friction[0] = {.kind = FrictionKind::ellipsoid, .mu = 0.3};
  const Solution solution = solve(problem, only(SolveMethod::lemke));
  EXPECT_EQ(solution.status, Status::refused);
  EXPECT_EQ(solution.reason, "friction set");
}

TEST(ContactSolver, CallsAnAnswerApproximateThatTheJudgeDoesNotPass) {
  ContactProblem problem = block({0, 1, -1}, 0.3);
  for (double& M : problem.motion.mass) M *= 1.001;  // the factor, and hence W, belongs to another mass
  const Solution solution = solved(problem);
  EXPECT_EQ(solution.status, Status::approximate);
  EXPECT_NE(solution.reason, "");
  EXPECT_GT(solution.residual.momentum, 1e-4);
}

TEST(ContactSolver, LeavesMoreDirectionsThanABasisHoldsToOtherMethods) {
  const FrictionPolyhedron finest = FrictionPolyhedron::regular(kMaxDirections),
                           too_fine = FrictionPolyhedron::regular(kMaxDirections + 1);
  ContactProblem problem = block({0, 1, -1}, 0.3);
  problem.friction[0].polyhedron = &finest;
  EXPECT_EQ(solved(problem).status, Status::certified);
  problem.friction[0].polyhedron = &too_fine;
  EXPECT_EQ(solve(problem, only(SolveMethod::lemke)).reason, "too many friction directions");
  const Solution solution = solved(problem);
  EXPECT_EQ(solution.status, Status::certified);
  EXPECT_GT(solution.method, SolveMethod::lemke);
}

/// Only bilateral rows: no impulse moves them, and their velocities are not 0.
TEST(ContactSolver, CallsNothingAnAnswerThatLeavesBilateralRowsMoving) {
  ContactProblem problem;
  problem.begin = {0, 2};
  problem.b = {1, -1};
  problem.W = to_block_matrix({0, 2}, std::vector<double>(4, 0.0));
  const Solution solution = solve(problem);
  EXPECT_EQ(solution.status, Status::refused) << solution.residual.bilateral;
}

TEST(ContactSolver, IgnoresAnUnusableWarmStart) {
  const ContactProblem problem = block({0, 1, -1}, 0.3);
  ContactProblem round = problem;
  round.friction[0] = {.kind = FrictionKind::ellipsoid, .mu = 0.3};
  for (const std::vector<double>& p : {std::vector<double>(3, std::nan("")), std::vector<double>(1), {}}) {
    ContactSolver solver;
    Solution solution;
    solver.solve(round, {}, {.p = p, .basis = {}}, solution);
    EXPECT_EQ(solution.status, Status::certified) << p.size();
    solver.solve(problem, {}, {.p = p, .basis = std::vector<ContactBasis>(7)}, solution);
    EXPECT_EQ(solution.status, Status::certified);
  }
}

TEST(ContactSolver, RefusesOptionsThatNoMethodCouldWorkWithAndSaysWhy) {
  const auto refused = [](auto spoil) {
    SolveOptions options;
    spoil(options);
    const Solution solution = solve(block({0, 1, -1}, 0.3), options);
    EXPECT_EQ(solution.status, Status::refused);
    return std::string(solution.reason);
  };
  EXPECT_EQ(validate(SolveOptions{}), "");
  EXPECT_EQ(refused([](SolveOptions& o) { o.newton.memory = 0; }), "newton.memory below 1");
  EXPECT_EQ(refused([](SolveOptions& o) { o.patient_newton.memory = -1; }), "newton.memory below 1");
  EXPECT_EQ(refused([](SolveOptions& o) { o.newton.stall_iterations = -1; }),
            "newton.stall_iterations below 0");
  for (const double bad : {0.0, 2.0, std::nan("")}) {
    EXPECT_EQ(refused([&](SolveOptions& o) { o.newton.min_proximal = bad; }),
              "newton.min_proximal not in (0, 1]")
        << bad;
  }
  EXPECT_EQ(refused([](SolveOptions& o) { o.admm.penalty = 0; }), "admm.penalty not above 0");
  EXPECT_EQ(refused([](SolveOptions& o) { o.admm.penalty_interval = 0; }), "admm.penalty_interval below 1");
}

TEST(ContactSolver, RefusesMalformedProblemsAndSaysWhy) {
  const auto refused = [](auto spoil) {
    ContactProblem problem = block({0, 1, -1}, 0.3);
    spoil(problem);
    const Solution solution = solve(problem);
    EXPECT_EQ(solution.status, Status::refused);
    return std::string(solution.reason);
  };
  using testing::HasSubstr;
  EXPECT_THAT(refused([](ContactProblem& p) { p.motion = {}; }), HasSubstr("W"));
  EXPECT_THAT(refused([](ContactProblem& p) { p.friction[0].polyhedron = nullptr; }),
              HasSubstr("polyhedron"));
  EXPECT_THAT(refused([](ContactProblem& p) { p.zeta.clear(); }), HasSubstr("zeta"));
  EXPECT_THAT(refused([](ContactProblem& p) { p.b.clear(); }), HasSubstr("b of"));
  EXPECT_THAT(refused([](ContactProblem& p) { p.motion.shift.assign(99, 0.0); }), HasSubstr("shift"));
  EXPECT_THAT(refused([](ContactProblem& p) { p.motion.v_free.pop_back(); }), HasSubstr("v_free"));
  EXPECT_THAT(refused([](ContactProblem& p) { p.motion.jacobian_blocks[0].mass_block = 1; }),
              HasSubstr("jacobian"));
  EXPECT_THAT(
      refused([](ContactProblem& p) { p.motion.jacobian_blocks.assign(2, p.motion.jacobian_blocks[0]); }),
      HasSubstr("order"));
  EXPECT_THAT(refused([](ContactProblem& p) { p.begin = {0, 5}, p.b.assign(5, -1); }), HasSubstr("1 to 4"));
  EXPECT_THAT(refused([](ContactProblem& p) { p.begin = {0, 2, 3}, p.contacts = 3; }), HasSubstr("contacts"));
}

}  // namespace solve_test
}  // namespace pawl::internal
