#include <pawl/solve/contact/newton.h>

#include <gmock/gmock.h>

#include <pawl/problem/delassus.h>
#include <pawl/residual.h>
#include <pawl/solve/contact/iterative.h>

#include "unit/record/allocation_count.h"
#include "unit/solve/contact/all_sets.h"
#include "unit/solve/contact/box_stack.h"

namespace pawl::internal {
namespace newton_test {

using Vec3 = Eigen::Vector3d;

struct NewtonRun {
  IterativeResult result;
  bool by_bodies = false;
  std::vector<double> x, w, p;
  std::vector<double> v;  // body velocities, from the method's own y
};

NewtonRun run_newton(const ContactProblem& problem, const NewtonOptions& options = {},
                     std::vector<double> start = {}) {
  ScaledProblem scaled;
  scaled.set(problem);
  NewtonRun made;
  made.x = std::move(start);
  made.x.resize(problem.rows(), 0.0);
  made.w.resize(problem.rows());
  made.p.resize(problem.rows());
  Newton method;
  made.result = method.solve(scaled, options, made.x);
  scaled.velocities(made.x, made.w);
  scaled.impulses(made.x, made.p);
  made.by_bodies = !method.body_velocity_changes().empty();
  made.v.resize(problem.motion.v_free.size());
  if (made.by_bodies) {
    scaled.body_velocities(method.body_velocity_changes(), made.v);
  } else if (problem.primal()) {
    velocity_after(problem, made.p, made.v);
  }
  return made;
}

Residual residual_of(const ContactProblem& problem, const NewtonRun& made) {
  std::vector<double> u(problem.rows()), v = made.v;
  JudgeScratch scratch;
  return problem.primal() ? judge_motion(problem, made.p, made.v, u, scratch)
                          : judge(problem, made.p, u, v, scratch);
}

double distance(const std::vector<double>& a, const std::vector<double>& b) {
  double worst = 0;
  for (std::size_t i = 0; i < a.size(); ++i) worst = std::max(worst, std::abs(a[i] - b[i]));
  return worst;
}

TEST(Newton, EndsInOneStepWhereNoContactChangesItsState) {
  TouchingBodies made(3);
  made.add_body(2, 1, {0.1, -0.2, -1});
  made.add_contact(0, {0, 0, -0.3}, TouchingBodies::kWorld, Vec3::Zero(), Vec3::UnitZ(), round_set(0.8));
  for (const bool primal : {true, false}) {
    const ContactProblem problem = primal ? made.problem() : delassus_form(made.problem());
    const NewtonRun cold = run_newton(problem);
    ASSERT_TRUE(cold.result.converged);
    std::vector<double> near_by = cold.x;
    for (double& x : near_by) x *= 1.001;
    const NewtonRun warm = run_newton(problem, {.tolerance = 1e-12}, near_by);
    EXPECT_TRUE(warm.result.converged);
    EXPECT_LE(warm.result.iterations, 4);
    const NewtonRun there = run_newton(problem, {}, cold.x);
    EXPECT_EQ(there.result.iterations, 0);
    EXPECT_EQ(there.x, cold.x);
  }
}

// Error of a block that starts to slide, step by step: the last steps square it.
TEST(Newton, ConvergesQuadratically) {
  TouchingBodies made(3);
  made.add_body(1, 0.3, {1, 0.3, -1}, {0.2, 0.1, 0.4});
  for (const double x : {-0.4, 0.4}) {
    made.add_contact(0, {x, 0.1, -0.5}, TouchingBodies::kWorld, Vec3::Zero(), Vec3::UnitZ(), round_set(0.3));
  }
  const ContactProblem problem = made.problem();
  std::vector<double> errors;
  for (int steps = 0; steps < 30; ++steps) {
    errors.push_back(run_newton(problem, {.tolerance = 0, .max_iterations = steps}).result.error);
  }
  // From 1e-2 to 1e-9 in five steps or fewer.
  const auto rough = std::ranges::find_if(errors, [](double error) { return error < 1e-2; });
  const auto fine = std::ranges::find_if(errors, [](double error) { return error < 1e-9; });
  ASSERT_NE(fine, errors.end());
  EXPECT_LE(fine - rough, 5);
}

TEST(Newton, SolvesContactsOfEverySet) {
  for (const SetCase& tried : all_sets(0.4)) {
    Random random(1);
    for (int trial = 0; trial < 20; ++trial) {
      const ContactProblem problem = random_contacts(random, 3, {tried, tried, tried, tried});
      const NewtonRun made = run_newton(problem);
      ASSERT_TRUE(made.result.converged)
          << tried.name << ", trial " << trial << ", error " << made.result.error;
      EXPECT_LE(made.result.iterations, 30) << tried.name;
      ASSERT_TRUE(residual_of(problem, made).within(1e-7)) << tried.name << ", trial " << trial;
    }
  }
}

TEST(Newton, SolvesContactsOfAllSetsWithBilateralRows) {
  Random random(2);
  for (int trial = 0; trial < 30; ++trial) {
    const ContactProblem problem = random_contacts(random, 9, all_sets(0.4), {3, 1, 5});
    const NewtonRun made = run_newton(problem);
    ASSERT_TRUE(made.result.converged) << "trial " << trial << ", error " << made.result.error;
    EXPECT_TRUE(residual_of(problem, made).within(1e-7)) << "trial " << trial;
  }
}

TEST(Newton, FindsTheSameVelocitiesInPrimalAndDelassusForm) {
  Random random(3);
  for (int trial = 0; trial < 20; ++trial) {
    const ContactProblem problem = random_contacts(random, 9, all_sets(0.2), {3, 2});
    const NewtonRun by_bodies = run_newton(problem), by_contacts = run_newton(delassus_form(problem));
    ASSERT_TRUE(by_bodies.by_bodies);
    ASSERT_FALSE(by_contacts.by_bodies);
    ASSERT_TRUE(by_bodies.result.converged);
    ASSERT_TRUE(by_contacts.result.converged);
    EXPECT_LE(distance(by_bodies.w, by_contacts.w), 1e-7) << "trial " << trial;
  }
}

// One contact and many velocities: a step over the contacts is cheaper.
TEST(Newton, StepsByContactsWhereTheyAreFewerThanVelocities) {
  TouchingBodies made(3);
  for (int body = 0; body < 2; ++body) made.add_body(1, 1, {0, 0, body == 0 ? 1.0 : -1.0});
  made.add_contact(1, {0, 0, -1}, 0, {0, 0, 1}, Vec3::UnitZ(), round_set(0.5));
  const ContactProblem problem = made.problem();
  const NewtonRun few = run_newton(problem);
  EXPECT_FALSE(few.by_bodies);
  ASSERT_TRUE(few.result.converged);
  EXPECT_TRUE(residual_of(problem, few).within(1e-8));
  EXPECT_NEAR(few.p[0], 1, 1e-9);
}

TEST(Newton, SolvesHyperstaticStacks) {
  for (int levels = 1; levels <= 8; ++levels) {
    for (const bool round : {true, false}) {
      ContactProblem problem = box_stack(std::vector<double>(levels, 1.0), 8);
      if (round) std::ranges::fill(problem.friction, round_set(0.5));
      const NewtonRun made = run_newton(problem);
      ASSERT_TRUE(made.result.converged) << levels << " levels, error " << made.result.error;
      EXPECT_TRUE(residual_of(problem, made).within(1e-8)) << levels << " levels";
      for (const double v : made.v) EXPECT_NEAR(v, 0, 1e-9);
    }
  }
}

// The momentum balance couples the separate velocity unknowns to the impulses.
TEST(Newton, BalancesMomentumToRounding) {
  for (const double ratio : {1.0, 1e2, 1e4}) {
    ContactProblem problem = box_stack({1, ratio, 1, ratio}, 8);
    std::ranges::fill(problem.friction, round_set(0.5));
    const NewtonRun made = run_newton(problem);
    ASSERT_TRUE(made.by_bodies);
    ASSERT_TRUE(made.result.converged) << "ratio " << ratio;
    EXPECT_LE(residual_of(problem, made).momentum, kMomentumRounding) << "ratio " << ratio;
    EXPECT_TRUE(residual_of(problem, made).within(1e-8)) << "ratio " << ratio;
  }
}

/// A rod of length 2 L swings at ω about a ball joint at its upper end. Its lower end hits a wall.
struct Pendulum {
  static constexpr double kMass = 3, kInertia = 0.7, kHalf = 0.5, kSpin = 2;

  static ContactProblem problem(const FrictionSet& set, double along_wall = 0) {
    TouchingBodies made(3);
    // The pivot is at (0, 0, L) from the centre; v = ω × r.
    const Vec3 spin(along_wall, kSpin, 0);
    made.add_body(kMass, kInertia, spin.cross(Vec3(0, 0, -kHalf)), spin);
    made.add_contact(0, {0, 0, -kHalf}, TouchingBodies::kWorld, Vec3::Zero(), Vec3::UnitX(), set);
    ContactProblem with_joint = made.problem();
    add_ball_joint(with_joint, 0, {0, 0, kHalf}, TouchingBodies::kWorld, Vec3::Zero());
    return with_joint;
  }
};

// The tip moves by -2 L ω in x. The moment 2 L p about the pivot stops (I + m L²) ω.
TEST(Newton, StopsAPendulumAtAWall) {
  using P = Pendulum;
  for (const bool primal : {true, false}) {
    ContactProblem problem = P::problem({});
    if (!primal) problem = delassus_form(problem);
    const NewtonRun made = run_newton(problem, {.tolerance = 1e-13});
    ASSERT_TRUE(made.result.converged);
    const double about_pivot = P::kInertia + P::kMass * P::kHalf * P::kHalf;
    const double p_n = about_pivot * P::kSpin / (2 * P::kHalf);
    EXPECT_NEAR(made.p[0], p_n, 1e-10);
    EXPECT_NEAR(made.p[3], P::kMass * P::kHalf * P::kSpin - p_n, 1e-10) << "at the joint";
    EXPECT_NEAR(made.p[4], 0, 1e-10);
    EXPECT_NEAR(made.p[5], 0, 1e-10);
    for (const double v : made.v) EXPECT_NEAR(v, 0, 1e-10);
  }
}

// It also swings along the wall, ω_x, which friction reduces by μ p only.
TEST(Newton, BrakesAPendulumAlongAWall) {
  using P = Pendulum;
  const double mu = 0.3, along = 5, about_pivot = P::kInertia + P::kMass * P::kHalf * P::kHalf;
  const ContactProblem problem = P::problem(round_set(mu), along);
  const NewtonRun made = run_newton(problem, {.tolerance = 1e-13});
  ASSERT_TRUE(made.result.converged);
  const double p_n = about_pivot * P::kSpin / (2 * P::kHalf);
  EXPECT_NEAR(made.p[0], p_n, 1e-10);
  EXPECT_NEAR(std::hypot(made.p[1], made.p[2]), mu * p_n, 1e-10);
  const double left = along - 2 * P::kHalf * mu * p_n / about_pivot;
  EXPECT_NEAR(made.v[3], left, 1e-10);
  EXPECT_NEAR(made.v[4], 0, 1e-10);
  EXPECT_NEAR(made.v[1], left * P::kHalf, 1e-10) << "about the pivot";
}

TEST(Newton, HoldsJointsThatAreThereTwice) {
  ContactProblem problem = Pendulum::problem(round_set(0.3), 5);
  const NewtonRun once = run_newton(problem);
  add_ball_joint(problem, 0, {0, 0, Pendulum::kHalf}, TouchingBodies::kWorld, Vec3::Zero());
  const NewtonRun twice = run_newton(problem);
  ASSERT_TRUE(twice.result.converged) << twice.result.error;
  EXPECT_LE(distance(once.v, twice.v), 1e-7);
}

TEST(Newton, NeverConvergesOnNan) {
  Random random(4);
  for (const SetCase& tried : all_sets(0.4)) {
    for (int row = 0; row < tried.rows; ++row) {
      for (const bool primal : {true, false}) {
        ContactProblem problem = random_contacts(random, 2, {tried, tried}, {2});
        if (!primal) problem = delassus_form(problem);
        problem.b[row] = std::nan("");
        const NewtonRun made = run_newton(problem);
        EXPECT_FALSE(made.result.converged) << tried.name << ", row " << row;
        EXPECT_FALSE(made.result.error < 1);
      }
    }
  }
  ContactProblem bilateral = random_contacts(random, 2, {all_sets(0.4)[3]}, {2});
  bilateral.b.back() = std::nan("");
  EXPECT_FALSE(run_newton(bilateral).result.converged);
}

TEST(Newton, SaysThatSqueezedBodiesAreNotSolved) {
  TouchingBodies made(3);
  made.add_body(1, 1, Vec3::Zero());
  for (const double side : {-1.0, 1.0}) {
    made.add_contact(0, Vec3::Zero(), TouchingBodies::kWorld, Vec3::Zero(), side * Vec3::UnitZ(),
                     round_set(0.5), -1);
  }
  const NewtonRun squeezed = run_newton(made.problem());
  EXPECT_FALSE(squeezed.result.converged);
  EXPECT_GT(squeezed.result.error, 1e-3);
}

TEST(Newton, ReturnsTheBestIterateAndItsError) {
  ContactProblem problem = box_stack({1, 1, 1, 1}, 8);
  std::ranges::fill(problem.friction, round_set(0.5));
  double before = std::numeric_limits<double>::infinity();
  for (int steps = 0; steps < 10; ++steps) {
    const NewtonRun made = run_newton(problem, {.tolerance = 0, .max_iterations = steps});
    EXPECT_LE(made.result.iterations, steps);
    EXPECT_LE(made.result.error, before) << "a longer run has seen all that a shorter one has";
    before = made.result.error;
  }
}

TEST(Newton, TakesTheProblemOfNoRows) {
  const NewtonRun made = run_newton({});
  EXPECT_TRUE(made.result.converged);
  EXPECT_EQ(made.result.iterations, 0);
}

/// A pushed stack of boxes in Delassus form: the twelve rows of a level have rank six.
ContactProblem pushed_stack() {
  ContactProblem stack = box_stack(std::vector<double>(6, 1.0), 8);
  for (std::size_t k = 0; k < stack.motion.v_free.size(); k += 6) stack.motion.v_free[k] = 0.03;
  set_free_velocities(stack);
  for (FrictionSet& set : stack.friction) set = round_set(0.4);
  return delassus_form(stack);
}

TEST(Newton, SolvesByIndependentRows) {
  const ContactProblem stack = pushed_stack();
  ReducedDelassusSystem groups;
  ASSERT_TRUE(groups.reduce(stack.W));
  const NewtonRun made = run_newton(stack);
  EXPECT_TRUE(made.result.converged);
  EXPECT_GT(made.result.iterations, 1);
  EXPECT_TRUE(residual_of(stack, made).within(1e-8));
}

// The coupling between groups is changed without work, so that no row depends on the others there.
TEST(Newton, SolvesByContactsWhereRowsDependWithinTheirGroupsOnly) {
  ContactProblem stack = pushed_stack();
  BlockMatrix& W = stack.W;
  Random random(9);
  for (int i = 0; i < W.blocks(); ++i) {
    for (const BlockMatrix::Block& block : W.row_entries(i)) {
      if (block.column / 4 <= i / 4) continue;
      double* back = W.values.data() + W.find(block.column, i)->offset;
      for (int k = 0; k < 9; ++k) {
        const double change = random.uniform(-0.3, 0.3);
        W.values[block.offset + k] += change;
        back[k % 3 * 3 + k / 3] -= change;
      }
    }
  }
  ReducedDelassusSystem groups;
  ASSERT_TRUE(groups.reduce(W));
  const NewtonRun made = run_newton(stack);
  EXPECT_TRUE(made.result.converged);
  EXPECT_TRUE(residual_of(stack, made).within(1e-8));
}

TEST(Newton, AllocatesForTheFirstOfAShapeOnly) {
  Random random(5);
  const ContactProblem problem = random_contacts(random, 9, all_sets(0.4), {3}),
                       plain = delassus_form(problem), stack = pushed_stack();
  for (const ContactProblem* given : {&problem, &plain, &stack}) {
    ScaledProblem scaled;
    scaled.set(*given);
    Newton method;
    for (int time = 0; time < 2; ++time) {
      std::vector<double> x(given->rows(), 0.0);
      const long before = allocation_count();
      const IterativeResult result = method.solve(scaled, {}, x);
      EXPECT_GT(result.iterations, 1);
      if (time == 1) {
        EXPECT_EQ(allocation_count() - before, 0) << (given == &problem ? "by bodies"
                                                      : given == &plain ? "by contacts"
                                                                        : "by groups");
      }
    }
  }
}

TEST(Newton, GivesTheSameBitsAgain) {
  Random random(6);
  const ContactProblem problem = random_contacts(random, 9, all_sets(0.4), {3}),
                       other = random_contacts(random, 4, {all_sets(0.2)[3], all_sets(0.2)[5]});
  for (const bool primal : {true, false}) {
    const ContactProblem a = primal ? problem : delassus_form(problem),
                         b = primal ? delassus_form(other) : other;
    ScaledProblem scaled;
    Newton method;
    std::vector<double> first(a.rows(), 0.0), between(b.rows(), 0.0), again(a.rows(), 0.0);
    scaled.set(a);
    method.solve(scaled, {}, first);
    scaled.set(b);
    method.solve(scaled, {}, between);
    scaled.set(a);
    method.solve(scaled, {}, again);
    EXPECT_EQ(first, again);
  }
}

}  // namespace newton_test
}  // namespace pawl::internal
