// The methods by name, alone and in the cascade, and the status of their solutions.

#include <pawl/problem/delassus.h>
#include <pawl/solve/lcp/lemke.h>
#include <pawl/solver.h>

#include <gmock/gmock.h>

#include "unit/record/allocation_count.h"
#include "unit/solve/contact/all_sets.h"
#include "unit/solve/contact/box_stack.h"

namespace pawl::internal {
namespace solve_methods_test {

using Vec3 = Eigen::Vector3d;
using M = SolveMethod;

SolveOptions only(SolveMethod method) {
  SolveOptions options;
  options.method = method;
  return options;
}

/// One iteration of each method, and no Lemke.
SolveOptions one_iteration_options(SolveMethod method) {
  SolveOptions options = only(method);
  options.max_unknowns = 0;  // excludes Lemke, which always has at least 100 pivots
  options.gauss_seidel.max_sweeps = 1;
  options.newton.max_iterations = options.patient_newton.max_iterations = 1;
  options.interior_point.max_iterations = 1;
  options.admm.max_iterations = 1;
  return options;
}

/// Judges a solution again.
Residual residual_of(const ContactProblem& problem, const Solution& solution) {
  std::vector<double> u(problem.rows());
  JudgeScratch scratch;
  return judge_motion(problem, solution.p, solution.v_next, u, scratch);
}

void expect_consistent(const ContactProblem& problem, const Solution& solution, const SolveOptions& options,
                       const std::string& what) {
  EXPECT_EQ(solution.p.size(), static_cast<std::size_t>(problem.rows())) << what;
  EXPECT_EQ(solution.u.size(), solution.p.size()) << what;
  EXPECT_EQ(solution.v_next.size(), problem.motion.v_free.size()) << what;
  EXPECT_EQ(solution.reason.empty(), solution.status == Status::certified) << what << ": " << solution.reason;
  if (solution.status == Status::refused) {
    EXPECT_THAT(solution.p, testing::Each(0)) << what;
    return;
  }
  const Residual residual = residual_of(problem, solution);
  EXPECT_EQ(residual.natural_map, solution.residual.natural_map) << what;
  EXPECT_EQ(residual.momentum, solution.residual.momentum) << what;
  EXPECT_EQ(residual.within(options.tolerance), solution.status == Status::certified) << what;
}

TEST(SolveMethods, AreKnownByTheirNames) {
  for (const M method : {M::lemke, M::gauss_seidel, M::newton, M::interior_point, M::admm, M::cascade}) {
    EXPECT_EQ(solve_method(to_string(method)), method) << to_string(method);
  }
  EXPECT_EQ(solve_method("nsgs"), M::gauss_seidel);
  EXPECT_EQ(solve_method("ipm"), M::interior_point);
  for (const auto name : {"none", "warm", "", "Newton", "gauss_seidel", "newton "}) {
    EXPECT_EQ(solve_method(name), std::nullopt) << name;
  }
}

TEST(SolveMethods, HaveNamesOfTheirOwn) {
  std::vector<std::string_view> names;
  for (int method = 0; method <= static_cast<int>(M::cascade); ++method) {
    names.push_back(to_string(static_cast<M>(method)));
  }
  std::ranges::sort(names);
  EXPECT_EQ(std::ranges::adjacent_find(names), names.end());
  EXPECT_EQ(to_string(ForceUniqueness::least_norm), "least norm");
  EXPECT_EQ(to_string(ForceUniqueness::unique), "unique");
  EXPECT_EQ(to_string(ForceUniqueness::any), "any");
  EXPECT_EQ(to_string(ForceUniqueness::unknown), "unknown");
}

/// The methods that apply to a set.
std::vector<M> methods_for(const SetCase& tried) {
  std::vector<M> methods{M::gauss_seidel, M::newton, M::admm, M::cascade};
  const FrictionKind kind = tried.set.kind;
  if (kind == FrictionKind::none || kind == FrictionKind::ellipsoid) methods.push_back(M::interior_point);
  if (kind == FrictionKind::none || kind == FrictionKind::polyhedron || tried.rows <= 2)
    methods.push_back(M::lemke);
  return methods;
}

TEST(SolveMethods, EachSolvesEverySetThatItIsFor) {
  for (const SetCase& tried : all_sets(0.3)) {
    for (const M method : methods_for(tried)) {
      Random random(1);
      for (int trial = 0; trial < 5; ++trial) {
        const ContactProblem given = random_contacts(random, 3, {tried, tried, tried});
        for (const bool primal : {true, false}) {
          const ContactProblem problem = primal ? given : delassus_form(given);
          const std::string what = tried.name + " by " + std::string(to_string(method));
          const Solution solution = solve(problem, only(method));
          EXPECT_EQ(to_string(solution.status), "certified")
              << what << ", trial " << trial << ": " << solution.reason << ", residual "
              << solution.residual.natural_map;
          expect_consistent(problem, solution, {}, what);
          if (method != M::cascade && solution.method != M::none) {
            EXPECT_EQ(solution.method, method) << what;
          }
        }
      }
    }
  }
}

TEST(SolveMethods, NoneIsTriedThatWasNotAskedFor) {
  ContactProblem problem = box_stack({1, 2, 3}, 8);
  std::ranges::fill(problem.friction, round_set(0.5));
  for (const M method : {M::gauss_seidel, M::newton}) {
    SolveOptions options = one_iteration_options(method);
    const Solution solution = solve(problem, options);
    EXPECT_NE(solution.status, Status::certified);
    EXPECT_EQ(solution.solves, 1) << to_string(method);
    EXPECT_EQ(solution.iterations, 1) << to_string(method);
  }
}

TEST(SolveMethods, KeepToTheirBudgetsAndSaySo) {
  ContactProblem polyhedral_stack = box_stack({1, 2, 3, 4}, 8);
  ContactProblem round_stack = polyhedral_stack;
  std::ranges::fill(round_stack.friction, round_set(0.5));
  for (const auto* problem : {&polyhedral_stack, &round_stack}) {
    for (const M method : {M::lemke, M::gauss_seidel, M::newton, M::interior_point, M::admm, M::cascade}) {
      const SolveOptions options = one_iteration_options(method);
      const Solution solution = solve(*problem, options);
      const std::string what = std::string(to_string(method)) + (problem == &round_stack ? ", round" : "");
      EXPECT_NE(solution.status, Status::certified) << what;
      EXPECT_FALSE(solution.reason.empty()) << what;
      EXPECT_LE(solution.iterations, solution.solves) << what;
      expect_consistent(*problem, solution, options, what);
    }
  }
}

// The tolerance applies to the judged residual: a certified solution is approximate at a stricter tolerance.
TEST(SolveMethods, AreJudgedByTheToleranceAskedFor) {
  ContactProblem problem = box_stack({1, 2}, 8);
  std::ranges::fill(problem.friction, round_set(0.5));
  problem.motion.v_free[0] = 0.7;
  set_free_velocities(problem);
  SolveOptions options = only(M::gauss_seidel);
  options.gauss_seidel.max_sweeps = 15;
  options.tolerance = 1e-14;
  const Solution strict = solve(problem, options);
  ASSERT_EQ(strict.status, Status::approximate) << strict.residual.natural_map;
  EXPECT_EQ(strict.reason, "residual");
  options.tolerance = 2 * std::max(strict.residual.natural_map, strict.residual.cone_map);
  const Solution lax = solve(problem, options);
  EXPECT_EQ(lax.status, Status::certified);
  EXPECT_EQ(lax.reason, "");
}

TEST(SolveMethods, CascadeGoesOnWhereGaussSeidelIsSlow) {
  ContactProblem problem = box_stack(std::vector<double>(10, 1.0), 8);
  std::ranges::fill(problem.friction, round_set(0.5));
  const Solution solution = solve(problem);
  EXPECT_EQ(solution.status, Status::certified);
  EXPECT_EQ(solution.method, M::newton);
  EXPECT_GE(solution.solves, 2);
  EXPECT_LE(solution.iterations, 100);
}

TEST(SolveMethods, StartFromEarlierImpulses) {
  Random random(3);
  ContactProblem problem = box_stack({1, 2, 3}, 8);
  std::ranges::fill(problem.friction, round_set(0.5));
  for (double& v : problem.motion.v_free) v += random.uniform(-0.05, 0.05);
  set_free_velocities(problem);
  for (const M method : {M::gauss_seidel, M::newton, M::cascade}) {
    ContactSolver solver;
    Solution cold, warm;
    solver.solve(problem, only(method), {}, cold);
    ASSERT_EQ(cold.status, Status::certified) << to_string(method);
    solver.solve(problem, only(method), {.p = cold.p, .basis = {}}, warm);
    EXPECT_EQ(warm.status, Status::certified) << to_string(method);
    EXPECT_LE(warm.iterations, 2) << to_string(method);
    EXPECT_LT(warm.iterations, cold.iterations) << to_string(method);
  }
}

TEST(SolveMethods, SurviveAWarmStartOfNonsense) {
  ContactProblem problem = box_stack({1, 2, 3}, 8);
  std::ranges::fill(problem.friction, round_set(0.5));
  ContactSolver solver;
  for (const double nonsense : {-1e6, 1e12, std::nan("")}) {
    const std::vector<double> p(problem.rows(), nonsense);
    Solution solution;
    solver.solve(problem, {}, {.p = p, .basis = {}}, solution);
    if (!std::isnan(nonsense)) {
      EXPECT_EQ(solution.status, Status::certified) << nonsense;
    }
    expect_consistent(problem, solution, {}, "start of " + std::to_string(nonsense));
  }
}

// Least norm -----------------------------------------------------------------------------------------------

ContactProblem table(const std::vector<Vec3>& feet, const Vec3& v, const FrictionSet& set) {
  TouchingBodies made(3);
  made.add_body(1, 0.2, v);
  for (const Vec3& foot : feet) {
    made.add_contact(0, foot, TouchingBodies::kWorld, Vec3::Zero(), Vec3::UnitZ(), set);
  }
  return made.problem();
}

std::vector<Vec3> four_feet(double mirror) {
  return {{-0.5 * mirror, -0.4, -0.4},
          {0.6 * mirror, -0.4, -0.4},
          {-0.5 * mirror, 0.5, -0.4},
          {0.6 * mirror, 0.5, -0.4}};
}

SolveOptions least_norm() {
  SolveOptions options;
  options.least_norm = true;
  return options;
}

/// A heavy plate falls with balls on it. All contacts share the plate, so W is full.
ContactProblem balls_on_a_plate(int balls) {
  TouchingBodies made(3);
  const int plate = made.add_body(1000, 1000, {0, 0, -1});
  made.add_contact(plate, {0, 0, -0.1}, TouchingBodies::kWorld, Vec3::Zero(), Vec3::UnitZ(), round_set(0.5));
  for (int i = 0; i < balls; ++i) {
    const int ball = made.add_body(1, 0.004, {0.3, 0.1, -1});
    made.add_contact(ball, {0, 0, -0.1}, plate, {0.01 * (i % 50 - 25), 0.01 * (i / 50 - balls / 100), 0.1},
                     Vec3::UnitZ(), round_set(0.2));
  }
  return made.problem();
}

TEST(SolveMethods, DoNotFormAMatrixThatIsTooLarge) {
  const ContactProblem problem = balls_on_a_plate(2000);  // W would have 36 million entries
  EXPECT_EQ(solve(problem).status, Status::certified);
  for (const M method : {M::interior_point, M::admm}) {
    const Solution solution = solve(problem, only(method));
    EXPECT_EQ(solution.status, Status::refused) << to_string(method);
    EXPECT_EQ(solution.reason, "too large") << to_string(method);
    EXPECT_EQ(solve(balls_on_a_plate(200), only(method)).status, Status::certified) << to_string(method);
  }
}

TEST(LeastNorm, IsNotAskedForByDefault) {
  const Solution solution = solve(table(four_feet(1), {0, 0, -1}, round_set(0.5)));
  EXPECT_EQ(solution.impulses, ForceUniqueness::unknown);
}

TEST(LeastNorm, LoadsTheLegsOfASquareTableEqually) {
  const std::vector<Vec3> feet{{-0.5, -0.5, -0.4}, {0.5, -0.5, -0.4}, {-0.5, 0.5, -0.4}, {0.5, 0.5, -0.4}};
  for (const FrictionSet& set : {round_set(0.5), polyhedral(0.5, regular_polygon(8)), FrictionSet{}}) {
    const ContactProblem problem = table(feet, {0, 0, -1}, set);
    const Solution solution = solve(problem, least_norm());
    EXPECT_EQ(solution.status, Status::certified);
    EXPECT_EQ(to_string(solution.impulses), "least norm");
    for (int leg = 0; leg < 4; ++leg) EXPECT_NEAR(solution.p[3 * leg], 0.25, 1e-8) << "leg " << leg;
    EXPECT_LE(residual_of(problem, solution).natural_map, 1e-8) << "judged again as it is now";
    EXPECT_EQ(residual_of(problem, solution).natural_map, solution.residual.natural_map);
  }
}

TEST(LeastNorm, LeavesTheVelocitiesAsTheyAre) {
  for (const FrictionSet& set : {round_set(0.5), polyhedral(0.5, regular_polygon(8)), FrictionSet{}}) {
    const ContactProblem problem = table(four_feet(1), {0.1, 0, -1}, set);
    SolveOptions options;
    options.target_residual = 1e-12;
    const Solution any = solve(problem, options);
    options.least_norm = true;
    const Solution least = solve(problem, options);
    ASSERT_EQ(to_string(least.impulses), "least norm");
    EXPECT_EQ(least.v_next, any.v_next);
    EXPECT_EQ(least.u, any.u);
    EXPECT_NE(least.p, any.p);
    EXPECT_LE(least.residual.momentum, kMomentumRounding);
  }
}

TEST(LeastNorm, LoadsAMirroredTableAsInAMirror) {
  const FrictionSet set = round_set(0.5);
  const Solution solution = solve(table(four_feet(1), {0, 0, -1}, set), least_norm()),
                 mirrored = solve(table(four_feet(-1), {0, 0, -1}, set), least_norm());
  ASSERT_EQ(to_string(solution.impulses), "least norm");
  ASSERT_EQ(to_string(mirrored.impulses), "least norm");
  for (int leg = 0; leg < 4; ++leg) {
    EXPECT_NEAR(solution.p[3 * leg], mirrored.p[3 * leg], 1e-8) << "leg " << leg;
  }
}

TEST(LeastNorm, SaysThatThreeLegsWithoutFrictionLeaveNoChoice) {
  const Solution solution =
      solve(table({{0.5, 0, -1}, {-0.5, 0.3, -1}, {-0.5, -0.3, -1}}, {0, 0, -1}, {}), least_norm());
  EXPECT_EQ(solution.status, Status::certified);
  EXPECT_EQ(to_string(solution.impulses), "unique");
  EXPECT_NEAR(solution.p[0], 0.5, 1e-8);
}

TEST(LeastNorm, DoesNotChangeTheMotion) {
  Random random(4);
  for (int trial = 0; trial < 5; ++trial) {
    ContactProblem problem = box_stack({1, 2, 3}, 8);
    std::ranges::fill(problem.friction, round_set(0.5));
    for (double& v : problem.motion.v_free) v += random.uniform(-0.02, 0.02);
    set_free_velocities(problem);
    const Solution any = solve(problem), least = solve(problem, least_norm());
    ASSERT_EQ(any.status, Status::certified);
    ASSERT_EQ(least.status, Status::certified);
    EXPECT_THAT(least.v_next, testing::Pointwise(testing::DoubleNear(1e-7), any.v_next));
    double norm_any = 0, norm_least = 0;
    for (const double p : any.p) norm_any += p * p;
    for (const double p : least.p) norm_least += p * p;
    EXPECT_LE(norm_least, norm_any * (1 + 1e-7)) << "trial " << trial << ", " << to_string(least.impulses);
  }
}

TEST(LeastNorm, SaysThatContactsThatSeparateLeaveNoChoice) {
  for (const FrictionSet& set : {round_set(0.5), polyhedral(0.5, regular_polygon(8)), FrictionSet{}}) {
    const Solution solution = solve(table(four_feet(1), {0.3, 0, 1}, set), least_norm());
    EXPECT_EQ(solution.status, Status::certified);
    EXPECT_EQ(solution.method, M::none);
    EXPECT_EQ(to_string(solution.impulses), "unique");
    EXPECT_THAT(solution.p, testing::Each(0));
  }
  EXPECT_EQ(to_string(solve(ContactProblem{}, least_norm()).impulses), "unique") << "nor do no contacts";
}

TEST(LeastNorm, SaysThatABodyAtRestBetweenTwoWallsMayBeSqueezed) {
  TouchingBodies made(3);
  made.add_body(1, 1, Vec3::Zero());
  for (const double side : {-1.0, 1.0}) {
    made.add_contact(0, -0.5 * side * Vec3::UnitZ(), TouchingBodies::kWorld, Vec3::Zero(),
                     side * Vec3::UnitZ(), round_set(0.5));
  }
  const ContactProblem problem = made.problem();
  const Solution solution = solve(problem, least_norm());
  EXPECT_EQ(solution.status, Status::certified);
  EXPECT_THAT(solution.p, testing::Each(0));
  EXPECT_EQ(to_string(solution.impulses), "least norm");
}

TEST(LeastNorm, IsNotLookedForWhereThereIsNoAnswer) {
  SolveOptions options = one_iteration_options(M::newton);
  options.least_norm = true;
  const Solution solution = solve(table(four_feet(1), {1, 0, -1}, round_set(0.5)), options);
  ASSERT_NE(solution.status, Status::certified);
  EXPECT_EQ(solution.impulses, ForceUniqueness::unknown);
}

// Edges -----------------------------------------------------------------------------------------------------

TEST(SolveMethods, SolveProblemsOfBilateralRowsOnly) {
  TouchingBodies made(3);
  for (int body = 0; body < 3; ++body) made.add_body(1 + body, 0.3, {1, -0.5 * body, -1});
  ContactProblem primal = made.problem();
  for (int body = 0; body < 3; ++body) {
    add_ball_joint(primal, body, {-0.5, 0, 0}, body - 1, {0.5, 0.1, 0});
  }
  for (const ContactProblem& problem : {primal, delassus_form(primal)}) {
    for (const M method : {M::gauss_seidel, M::newton, M::interior_point, M::admm, M::cascade}) {
      const Solution solution = solve(problem, only(method));
      EXPECT_EQ(to_string(solution.status), "certified")
          << to_string(method) << (problem.primal() ? "" : ", condensed") << ": " << solution.reason;
      for (const double u : solution.u) EXPECT_NEAR(u, 0, 1e-7);
    }
  }
}

TEST(SolveMethods, LemkeTakesBilateralRows) {
  ContactProblem problem = table(four_feet(1), {0, 0, -1}, polyhedral(0.5, regular_polygon(4)));
  add_ball_joint(problem, 0, {0, 0, 1}, TouchingBodies::kWorld, Vec3::Zero());
  const Solution alone = solve(problem, only(M::lemke));
  EXPECT_EQ(alone.status, Status::certified) << alone.reason;
  EXPECT_EQ(solve(problem).method, M::lemke) << "and the cascade gives them to it";
}

TEST(SolveMethods, SolveTheProblemOfNothing) {
  for (const M method : {M::lemke, M::gauss_seidel, M::newton, M::interior_point, M::admm, M::cascade}) {
    const Solution solution = solve({}, only(method));
    EXPECT_EQ(solution.status, Status::certified) << to_string(method);
    EXPECT_EQ(solution.method, M::none) << to_string(method);
  }
}

/// One contact that no impulse can move.
ContactProblem immovable(double b_n, const FrictionSet& set) {
  ContactProblem problem;
  problem.contacts = 1;
  problem.begin = {0, 3};
  problem.b = {b_n, 0.5, 0};
  problem.zeta = {0};
  problem.friction = {set};
  problem.W = to_block_matrix(problem.begin, std::vector<double>(9, 0.0));
  return problem;
}

TEST(SolveMethods, RefuseAContactThatNoImpulseMoves) {
  for (const FrictionSet& set : {FrictionSet{}, round_set(0.5), polyhedral(0.5, regular_polygon(4))}) {
    for (const M method : {M::lemke, M::gauss_seidel, M::newton, M::interior_point, M::admm, M::cascade}) {
      const ContactProblem problem = immovable(-1, set);
      const Solution solution = solve(problem, only(method));
      EXPECT_EQ(to_string(solution.status), "refused") << to_string(method);
      EXPECT_NE(solution.reason, "") << to_string(method);
      expect_consistent(problem, solution, {}, std::string(to_string(method)));
    }
    EXPECT_EQ(solve(immovable(1, set)).status, Status::certified) << "it separates by itself";
  }
}

// A contact between two parts of the world, among regular contacts.
TEST(SolveMethods, DoNotLetAnImmovableContactSpoilTheOthers) {
  ContactProblem problem = table(four_feet(1), {1, 0, -1}, round_set(0.5));
  problem.begin.push_back(problem.rows() + 3);
  ++problem.contacts;
  problem.friction.push_back(round_set(0.5));
  problem.zeta.push_back(0.25);  // b is 0: it separates
  set_free_velocities(problem);
  for (const M method : {M::gauss_seidel, M::newton, M::interior_point, M::admm, M::cascade}) {
    const Solution solution = solve(problem, only(method));
    EXPECT_EQ(to_string(solution.status), "certified") << to_string(method) << ": " << solution.reason;
  }
}

TEST(SolveMethods, NeverCertifyNan) {
  Random random(5);
  for (const SetCase& tried : all_sets(0.3)) {
    for (const M method : methods_for(tried)) {
      for (int row = 0; row < tried.rows; ++row) {
        ContactProblem problem = delassus_form(random_contacts(random, 2, {tried, tried}));
        problem.b[row] = std::nan("");
        const Solution solution = solve(problem, only(method));
        EXPECT_NE(solution.status, Status::certified)
            << tried.name << " by " << to_string(method) << ", row " << row;
      }
    }
  }
}

TEST(SolveMethods, AllocateForTheFirstOfAShapeOnly) {
  ContactProblem problem = box_stack(std::vector<double>(6, 1.0), 8);
  std::ranges::fill(problem.friction, round_set(0.5));
  for (const M method : {M::gauss_seidel, M::newton, M::interior_point, M::admm, M::cascade}) {
    SolveOptions options = only(method);
    options.gauss_seidel.max_sweeps = 50;
    options.admm.max_iterations = 50;
    ContactSolver solver;
    Solution solution;
    solver.solve(problem, options, {}, solution);
    const long before = allocation_count();
    solver.solve(problem, options, {}, solution);
    EXPECT_EQ(allocation_count() - before, 0) << to_string(method);
  }
}

TEST(SolveMethods, GiveTheSameBitsAgain) {
  Random random(6);
  const ContactProblem problem = random_contacts(random, 6, all_sets(0.3), {3}),
                       other = random_contacts(random, 3, {all_sets(0.2)[3], all_sets(0.2)[7]});
  for (const M method : {M::gauss_seidel, M::newton, M::admm, M::cascade}) {
    ContactSolver solver;
    Solution first, between, again;
    solver.solve(problem, only(method), {}, first);
    solver.solve(other, only(method), {}, between);
    solver.solve(problem, only(method), {}, again);
    EXPECT_EQ(first.p, again.p) << to_string(method);
    EXPECT_EQ(first.iterations, again.iterations) << to_string(method);
  }
}

TEST(SolveMethods, RefineLowersTheResidualAndKeepsTheAnswer) {
  for (const int levels : {1, 4, 12}) {
    const ContactProblem problem = box_stack(std::vector<double>(levels, 1.0), 8);
    ContactSolver solver;
    Solution solution;
    SolveOptions options;
    solver.solve(problem, options, {}, solution);
    ASSERT_EQ(solution.status, Status::certified);
    const std::vector<double> exact = solution.p;
    const double scale = levels * kGravityImpulse;
    for (std::size_t i = 0; i < solution.p.size(); ++i)
      solution.p[i] += (i % 2 == 0 ? 1 : -1) * 2e-9 * scale / levels;
    JudgeScratch scratch;
    solution.residual = judge(problem, solution.p, solution.u, solution.v_next, scratch);
    const double before = solution.residual.worst();
    ASSERT_GT(before, 1e-10);
    solver.refine(problem, options, solution);
    EXPECT_LT(solution.residual.worst(), 0.5 * before) << levels;
    EXPECT_EQ(solution.status, Status::certified);
    expect_consistent(problem, solution, options, std::to_string(levels));
    for (std::size_t i = 0; i < exact.size(); ++i) EXPECT_NEAR(solution.p[i], exact[i], 1e-7 * scale);
  }
}

}  // namespace solve_methods_test
}  // namespace pawl::internal
