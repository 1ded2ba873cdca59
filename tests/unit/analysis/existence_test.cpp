// Theorem 1 and the number of solutions, against closed forms and each other.

#include <cmath>
#include <numbers>

#include <pawl/base/numeric_util.h>
#include <pawl/scene_file.h>

#include "random_problems.h"
#include "scene_instant.h"

namespace pawl::internal {
namespace {

using test::RandomProblems;
using test::SceneInstant;
using test::text_of;

/// Painlevé's rod: slides to the left on its tip, inclined.
struct Rod {
  double mass = 1, inertia, half = 0.5, radius = 0.01, angle, mu, spin = 0, sliding = -1;

  Rod(double degrees, double mu_, double inertia_)
      : inertia(inertia_), angle(degrees * std::numbers::pi / 180), mu(mu_) {}
  // From the centre of mass to the contact, at the bottom of the rounded end.
  double x() const { return -half * std::cos(angle); }
  double y() const { return -half * std::sin(angle) - radius; }
  double A_nn() const { return 1 / mass + x() * x() / inertia; }
  double A_nt() const { return -x() * y() / inertia; }
  double b_n() const { return -9.81 + spin * spin * half * std::sin(angle); }
  /// u_n = v_y + ω x = 0, u_t = v_x - ω y.
  std::string scene() const {
    return "pawl: 1\nworld: {dimension: planar, gravity: [0, -9.81]}\nmaterials: {m: {friction: " +
           text_of(mu) +
           "}}\nbodies:\n  table: {joint: {type: weld}, shapes: [{type: half-plane, normal: [0, 1]}]}\n"
           "  rod: {mass: " +
           text_of(mass) + ", inertia: " + text_of(inertia) + ", position: [0, " + text_of(-y()) +
           "], angle: " + text_of(angle) + ", velocity: [" + text_of(sliding + spin * y()) + ", " +
           text_of(-spin * x()) + "], angular_velocity: " + text_of(spin) +
           ", shapes: [{type: capsule, length: " + text_of(2 * half) + ", radius: " + text_of(radius) +
           "}]}\n";
  }
};

TEST(Existence, PainlevesRodHasNoSolutionOrTwoBeyondItsCriticalFriction) {
  Rod rod(60, 0, 0.02);
  const double critical = rod.A_nn() / std::abs(rod.A_nt());
  ASSERT_LT(rod.A_nt(), 0);  // sliding to the left: friction, to the right, presses the tip down
  struct Case {
    double mu, spin;
    SolutionCount count;
  };
  const double fast = 1.5 * std::sqrt(9.81 / (rod.half * std::sin(rod.angle)));
  for (const Case& c :
       {Case{0.9 * critical, 0, SolutionCount::one}, Case{0.9 * critical, fast, SolutionCount::one},
        Case{1.1 * critical, 0, SolutionCount::none}, Case{1.1 * critical, fast, SolutionCount::several}}) {
    rod.mu = c.mu;
    rod.spin = c.spin;
    const SceneInstant at(rod.scene());
    ASSERT_EQ(at.instant.contacts.size(), 1u);
    ASSERT_EQ(at.instant.contacts[0].motion, ContactMotion::sliding);
    const std::vector<double> A = acceleration_matrix(at.problem());
    EXPECT_NEAR(A[0], rod.A_nn(), 1e-11);
    EXPECT_NEAR(A[1], rod.A_nt(), 1e-11);
    EXPECT_NEAR(at.problem().b[0], rod.b_n(), 1e-6);
    const AccelerationAnalysis analysis = at.analysis();
    EXPECT_EQ(analysis.counted.count, c.count) << c.mu << " " << c.spin;
    EXPECT_EQ(analysis.exists(), c.count == SolutionCount::none ? Verdict::no : Verdict::yes);
    if (c.count == SolutionCount::none) {
      EXPECT_EQ(analysis.status, Status::no_solution);
    }
    if (c.count == SolutionCount::several) {
      ASSERT_EQ(analysis.counted.solutions.size(), 2u);
      EXPECT_EQ(analysis.unique_motion(), Verdict::no);
      // One solution separates, the other presses with c_n = -b_n/(A_nn + μ A_nt).
      std::vector<double> normal;
      for (const CountedSolution& s : analysis.counted.solutions) normal.push_back(s.solution.c[0]);
      std::ranges::sort(normal);
      EXPECT_EQ(normal[0], 0);
      EXPECT_NEAR(normal[1], -rod.b_n() / (rod.A_nn() + rod.mu * rod.A_nt()), 1e-5);
    }
  }
}

TEST(Existence, TheBoundOfASphereOnAPlaneIsTwiceTheRootOfTwoSevenths) {
  const Scene scene = load_scene(std::string(PAWL_SOURCE_DIR) + "/scenes/papers/spin_in_place.yaml",
                                 {"bodies.ball.angular_velocity.2=0"});
  const Theorem1 theorem = apply_theorem_1(SceneInstant(scene).problem());
  EXPECT_TRUE(theorem.positive_definite());
  EXPECT_NEAR(theorem.uniqueness_bound, 2 * std::sqrt(1 / 3.5), 1e-14);
  EXPECT_EQ(theorem.friction, 0.2);
  EXPECT_TRUE(theorem.unique_by_A());
  EXPECT_TRUE(std::isinf(theorem.existence_bound));  // nothing slides
  EXPECT_TRUE(theorem.exists_by_A());
}

TEST(Existence, ExactlyOneSolutionBelowTheBound) {
  RandomProblems make(11);
  const FrictionPolyhedron pentagon = FrictionPolyhedron::regular(5);
  const FrictionPolyhedron square({{1, 1, 0}, {-1, 1, 0}, {-1, -1, 0}, {1, -1, 0}});  // larger than its radii
  for (int trial = 0; trial < 400; ++trial) {
    const FrictionPolyhedron& polygon = trial % 2 == 0 ? pentagon : square;
    AccelerationProblem problem = trial % 3 == 0   ? make.polygonal(polygon, 3 + trial % 2)
                                  : trial % 3 == 1 ? make.planar(1, 2)
                                                   : make.planar(2, 4 + trial % 2);
    const Theorem1 at_one = apply_theorem_1(problem);  // μ = 1
    ASSERT_GT(at_one.uniqueness_bound, 0);
    make.set_friction(problem, 0.999 * at_one.uniqueness_bound / at_one.friction);
    ASSERT_TRUE(apply_theorem_1(problem).unique_by_A());
    EXPECT_EQ(count_solutions(problem).count, SolutionCount::one) << trial;
  }
}

TEST(Existence, SolversFindTheSameForcesFromEverywhereBelowTheBound) {
  // Round sets cannot be enumerated.
  RandomProblems make(15);
  for (int trial = 0; trial < 100; ++trial) {
    const FrictionKind kind = trial % 2 == 0 ? FrictionKind::ellipsoid : FrictionKind::mixed;
    AccelerationProblem problem = make.with_spin(kind, 1 + trial % 3);
    const Theorem1 at_one = apply_theorem_1(problem);
    make.set_friction(problem, 0.999 * at_one.uniqueness_bound / at_one.friction);
    ASSERT_TRUE(apply_theorem_1(problem).unique_by_A());
    const ContactProblem reduced = reduced_problem(problem);
    SolveOptions options;
    options.tolerance = 1e-10;
    Solution first;
    for (int start = 0; start < 5; ++start) {
      std::vector<double> p(reduced.rows());
      for (double& x : p) x = 10 * make.normal();
      Solution found;
      ContactSolver().solve(reduced, options, {p, {}}, found);
      ASSERT_EQ(found.status, Status::certified) << trial;
      if (start == 0) first = found;
      const double most = largest(first.p);
      for (std::size_t r = 0; r < p.size(); ++r) {
        EXPECT_NEAR(found.p[r], first.p[r], 1e-6 * most) << trial << " " << start;
      }
    }
  }
}

TEST(Existence, ThereIsASolutionBelowTheBoundOfSlidingContacts) {
  RandomProblems make(12);
  int beyond_the_other = 0;
  for (int trial = 0; trial < 200; ++trial) {
    AccelerationProblem problem = make.planar(2, 4);
    problem.sliding[0] = 1;
    problem.direction[0] = {trial % 2 == 0 ? 1.0 : -1.0, 0, 0};
    problem.sliding[1] = 0;
    const double bound = apply_theorem_1(problem).existence_bound;
    problem.friction[0].mu = 0.999 * bound;
    problem.friction[1].mu = 10 * bound;
    const Theorem1 theorem = apply_theorem_1(problem);
    ASSERT_TRUE(theorem.exists_by_A());
    beyond_the_other += !theorem.unique_by_A();
    EXPECT_NE(count_solutions(problem).count, SolutionCount::none) << trial;
  }
  EXPECT_EQ(beyond_the_other, 200);
}

TEST(Existence, TheBoundCanNotBeRaised) {
  // A = [1 c; c 1], and friction presses down: A_nn - μ A_nt < 0 for μ > 1/c. The bound is 2 √(1 - c²), which
  // equals 1/c at c² = 1/2.
  const double c = std::sqrt(0.5);
  AccelerationProblem problem;
  problem.begin = {0, 2};
  problem.rates = 2;
  problem.Y = {1, 0, c, c};
  problem.b = {-1, 0};
  problem.velocity_terms = {0, 0};
  problem.friction = {{FrictionKind::ellipsoid, 1, {1, 1, 1}, nullptr}};
  problem.sliding = {1};
  problem.direction = {{-1, 0, 0}};
  const double bound = apply_theorem_1(problem).uniqueness_bound;
  EXPECT_NEAR(bound, std::sqrt(2.0), 1e-14);
  problem.friction[0].mu = 0.9999 * bound;
  EXPECT_EQ(count_solutions(problem).count, SolutionCount::one);
  problem.friction[0].mu = 1.0001 * bound;
  EXPECT_EQ(count_solutions(problem).count, SolutionCount::none);
  problem.b[0] = 1;
  EXPECT_EQ(count_solutions(problem).count, SolutionCount::several);
}

/// An ellipse turns between two plates and rolls on both. Turning on from its minimal width, it must press
/// the plates apart, which their guides prevent.
std::string wedge(double spin, double a, double b) {
  const std::string plate =
      ", joint: {type: prismatic, axis: [1, 0]}, shapes: [{type: box, size: [20, 2]}]}\n";
  std::string text =
      "pawl: 1\nworld: {dimension: planar, gravity: [0, 0]}\nmaterials: {m: {friction: 0.3}}\nbodies:\n"
      "  ellipse: {mass: 1, inertia: 1, position: [0, 0], angular_velocity: " +
      text_of(spin) + ", shapes: [{type: ellipse, semi_axes: [" + text_of(a) + ", " + text_of(b) + "]}]}\n";
  for (const double side : {-1.0, 1.0}) {
    text += std::string("  ") + (side < 0 ? "lower" : "upper") + ": {mass: 1, inertia: 1, position: [0, " +
            text_of(side * (b + 1)) +
            "], joint: {type: prismatic, axis: [1, 0], velocity: " + text_of(-side * b * spin) +
            "}, shapes: [{type: box, size: [20, 2]}]}\n";
  }
  return text;
}

TEST(Existence, ABodyThatWedgesItselfHasNoAccelerations) {
  const double spin = 2;
  const SceneInstant wide(wedge(spin, 2, 1)), narrow(wedge(spin, 1, 2));
  for (const SceneInstant* at : {&wide, &narrow}) {
    ASSERT_EQ(at->instant.contacts.size(), 2u);
    EXPECT_EQ(at->instant.contacts[0].motion, ContactMotion::rolling);
    EXPECT_EQ(at->instant.contacts[1].motion, ContactMotion::rolling);
  }
  // At the minimal width: the height h(θ)² = a² sin²θ + b² cos²θ has h'' = (a² - b²)/b.
  EXPECT_NEAR(wide.problem().b[0], -spin * spin * 3, 1e-6);
  EXPECT_NEAR(narrow.problem().b[0], spin * spin * 1.5, 1e-6);
  const AccelerationAnalysis jams = wide.analysis(), frees = narrow.analysis();
  EXPECT_FALSE(jams.theorem.positive_definite());
  EXPECT_EQ(jams.theorem.condition_B, Verdict::no);
  EXPECT_EQ(jams.counted.count, SolutionCount::none);
  EXPECT_EQ(frees.theorem.condition_B, Verdict::yes);
  EXPECT_TRUE(frees.theorem.exists_by_B());
  EXPECT_EQ(frees.exists(), Verdict::yes);
  EXPECT_EQ(frees.solution.transitions[0], ContactTransition::breaks);
}

TEST(Existence, AtRestThereIsAlwaysASolution) {
  const SceneInstant at(wedge(0, 2, 1));
  const AccelerationAnalysis analysis = at.analysis();
  EXPECT_TRUE(analysis.theorem.exists_by_B());
  EXPECT_EQ(analysis.exists(), Verdict::yes);
}

/// Two opposite contacts of a body in space that can turn about the line through them; b is set on both.
AccelerationProblem squeezed(FrictionKind kind, double mu, double spin_radius, FrictionVector tangential) {
  AccelerationProblem problem;
  problem.begin = {0, 4, 8};
  problem.rates = 4;
  for (const double side : {1.0, -1.0}) {
    for (const std::vector<double>& row :
         {std::vector<double>{side, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, side, 0}, {0, 0, 0, side}}) {
      problem.Y.insert(problem.Y.end(), row.begin(), row.end());
    }
    problem.friction.push_back({kind, mu, {1, 1, spin_radius}, nullptr});
    problem.sliding.push_back(0);
    problem.direction.push_back({});
    problem.velocity_terms.insert(problem.velocity_terms.end(),
                                  {1.0, side * tangential[0], tangential[1], tangential[2]});
  }
  problem.b = problem.velocity_terms;
  return problem;
}

TEST(Existence, ConditionBIsDecidedOnBothSidesOfTheCone) {
  // c = (1, f, 1, ∓f): b · c = 2 (1 + f · tangential), with minimum 2 (1 - μ |E tangential|).
  for (const double fraction : {0.9, 1.1}) {
    for (const double turn : {0.1, 1.0, 2.4}) {
      const double mu = 0.4, radius = 0.25;
      const double t = fraction / mu * std::cos(turn), o = fraction / mu * std::sin(turn) * 0.6,
                   r = fraction / mu * std::sin(turn) * 0.8 / radius;
      const auto problem = squeezed(FrictionKind::ellipsoid, mu, radius, {t, o, r});
      const Theorem1 theorem = apply_theorem_1(problem);
      EXPECT_EQ(theorem.rank, 4);
      EXPECT_EQ(theorem.rows, 8);
      EXPECT_EQ(theorem.condition_B, fraction < 1 ? Verdict::yes : Verdict::no) << turn << " " << fraction;
    }
  }
  // Between the inner and the outer polyhedron the result is undecided.
  const auto near = squeezed(FrictionKind::ellipsoid, 0.4, 0.25, {0.9999 / 0.4 * 0.6, 0.9999 / 0.4 * 0.8, 0});
  EXPECT_EQ(apply_theorem_1(near).condition_B, Verdict::undecided);
}

TEST(Existence, HyperstaticForcesAreNotUniqueThoughTheMotionIs) {
  // A planar box on two corners: four rows, n and t of both, on three generalised velocities.
  const SceneInstant at(
      "pawl: 1\nworld: {dimension: planar, gravity: [0, -9.81]}\nmaterials: {m: {friction: 0.5}}\nbodies:\n"
      "  table: {joint: {type: weld}, shapes: [{type: half-plane, normal: [0, 1]}]}\n"
      "  box: {mass: 1, position: [0, 0.5], shapes: [{type: box, size: [2, 1]}]}\n");
  const AccelerationAnalysis analysis = at.analysis();
  EXPECT_EQ(analysis.theorem.rank, 3);
  EXPECT_EQ(analysis.theorem.rows, 4);
  EXPECT_EQ(analysis.counted.count, SolutionCount::several_forces);
  EXPECT_EQ(analysis.unique_motion(), Verdict::yes);
  EXPECT_EQ(analysis.unique_forces(), Verdict::no);
  EXPECT_EQ(analysis.status, Status::certified);
  EXPECT_NEAR(analysis.solution.c[0], 9.81 / 2, 1e-8);
}

TEST(Existence, WithoutFrictionTheMotionIsUniqueOnAnyNumberOfContacts) {
  std::string text =
      "pawl: 1\nmaterials: {m: {friction: 0}}\nbodies:\n"
      "  table: {joint: {type: weld}, shapes: [{type: half-space, normal: [0, 0, 1]}]}\n";
  for (int i = 0; i < 6; ++i) {
    text += "  b" + std::to_string(i) + ": {mass: 1, position: [0, 0, " + text_of(i + 0.5) +
            "], shapes: [{type: box, size: [1, 1, 1]}]}\n";
  }
  const AccelerationAnalysis analysis = SceneInstant(text).analysis();
  EXPECT_EQ(analysis.counted.count, SolutionCount::unknown);
  EXPECT_EQ(analysis.status, Status::certified);
  EXPECT_EQ(analysis.unique_motion(), Verdict::yes);
  EXPECT_EQ(analysis.unique_forces(), Verdict::no);
}

TEST(Existence, ALightBoxUnderAHeavyBallIsSolvedToRounding) {
  const SceneInstant at(
      "pawl: 1\nmaterials: {m: {friction: 0.5}}\nbodies:\n"
      "  table: {joint: {type: weld}, shapes: [{type: half-space, normal: [0, 0, 1]}]}\n"
      "  box: {mass: 1, position: [0, 0, 0.5], shapes: [{type: box, size: [1, 1, 1]}]}\n"
      "  ball: {mass: 1e6, position: [0, 0, 1.5], shapes: [{type: sphere, radius: 0.5}]}\n");
  const AccelerationAnalysis analysis = at.analysis();
  EXPECT_EQ(analysis.status, Status::certified);
  EXPECT_NEAR(analysis.solution.c[12], 9.81e6, 1e-3);
  for (const ContactTransition transition : analysis.solution.transitions) {
    EXPECT_EQ(transition, ContactTransition::keeps_rolling);
  }
}

TEST(Existence, ABoxThatIsCarriedAlongIsAsGoodAsAtRest) {
  // Straight motion has no curvature: b · c = 0 for self-stress, and rounding must not change the verdict.
  for (const char* speed : {"0.001", "3", "300"}) {
    const SceneInstant at(
        std::string(
            "pawl: 1\nmaterials: {m: {friction: 0.5}}\nbodies:\n"
            "  table: {mass: 5, inertia: 1, joint: {type: prismatic, axis: [0.6, 0.8, 0], velocity: ") +
        speed + "}, shapes: [{type: box, size: [9, 9, 1], position: [0, 0, -0.5]}]}\n" +
        "  box: {mass: 1, position: [0.3, 0.1, 0.5], velocity: [" + text_of(0.6 * std::stod(speed)) + ", " +
        text_of(0.8 * std::stod(speed)) + ", 0], shapes: [{type: box, size: [1, 1, 1]}]}\n");
    for (const InstantContact& contact : at.instant.contacts) {
      EXPECT_EQ(contact.motion, ContactMotion::rolling) << speed;
    }
    EXPECT_EQ(largest(at.problem().velocity_terms), 0) << speed;
    EXPECT_TRUE(at.analysis().theorem.exists_by_B()) << speed;
  }
}

TEST(Existence, TheBoundDoesNotDependOnUnits) {
  // Rows of the second contact a thousand times as large: a body a million times lighter.
  RandomProblems make(14);
  for (int trial = 0; trial < 20; ++trial) {
    AccelerationProblem problem = make.planar(2, 4);
    const double bound = apply_theorem_1(problem).uniqueness_bound;
    for (int i = 8; i < 16; ++i) problem.Y[i] *= 1000;
    EXPECT_NEAR(apply_theorem_1(problem).uniqueness_bound, bound, 1e-9 * bound);
  }
}

}  // namespace
}  // namespace pawl::internal
