// A, b and the motion of contacts, against closed forms.

#include <cmath>
#include <numbers>
#include <random>

#include <pawl/assemble/assemble.h>
#include <pawl/collision/narrow_phase.h>
#include <pawl/scene_file.h>

#include "prism_scene.h"
#include "scene_instant.h"

namespace pawl::internal {
namespace {

using test::SceneInstant;
using test::text_of;

Scene paper_scene(const std::string& name, const std::vector<std::string>& overrides = {}) {
  return load_scene(std::string(PAWL_SOURCE_DIR) + "/scenes/papers/" + name, overrides);
}

TEST(Instant, HasTheMatricesOfASphereOnAPlane) {
  // [TrinkleTzitzourisPang2001, (3)], with the sign of b_n = -9.81 corrected.
  const SceneInstant at(paper_scene("spin_in_place.yaml"));
  const std::vector<double> A = acceleration_matrix(at.problem());
  const std::vector<double> expected{1, 0, 0, 0, 0, 3.5, 0, 0, 0, 0, 3.5, 0, 0, 0, 0, 2.5};
  ASSERT_EQ(A.size(), 16u);
  for (int i = 0; i < 16; ++i) EXPECT_NEAR(A[i], expected[i], 1e-14) << i;
  EXPECT_NEAR(at.problem().b[0], -9.81, 1e-14);
  for (int i = 1; i < 4; ++i) EXPECT_NEAR(at.problem().b[i], 0, 1e-14) << i;
}

TEST(Instant, HasAsManyContactsOfAPairAsAreAskedFor) {
  const Scene scene = parse_scene(test::prism_scene(6, test::kFlatBox), "test.yaml");
  EXPECT_EQ(SceneInstant(scene).instant.contacts.size(), 4u);
  InstantOptions options;
  options.contact_points = 8;
  EXPECT_EQ(SceneInstant(scene, options).instant.contacts.size(), 6u);
}

TEST(Instant, ASpinningSphereSlidesAboutItsNormalAndSlowsDown) {
  const SceneInstant at(paper_scene("spin_in_place.yaml"));
  ASSERT_EQ(at.instant.contacts.size(), 1u);
  EXPECT_EQ(at.instant.contacts[0].motion, ContactMotion::sliding);
  const AccelerationAnalysis analysis = at.analysis();
  EXPECT_EQ(analysis.status, Status::certified);
  EXPECT_NEAR(analysis.solution.c[0], 9.81, 1e-12);
  EXPECT_NEAR(analysis.solution.c[3], -0.2 * 9.81 * 0.4, 1e-12);
  EXPECT_NEAR(analysis.solution.a[3], -1.962, 1e-12);  // Figure 4
  EXPECT_EQ(analysis.solution.transitions[0], ContactTransition::keeps_sliding);
}

std::string ball_on_incline(double degrees, double mu, double speed, double spin) {
  const double angle = degrees * std::numbers::pi / 180, s = std::sin(angle), c = std::cos(angle);
  return "pawl: 1\nworld: {gravity: [" + text_of(9.81 * s) + ", 0, " + text_of(-9.81 * c) +
         "]}\nmaterials: {m: {friction: " + text_of(mu) +
         "}}\nbodies:\n  plane: {joint: {type: weld}, shapes: [{type: half-space, normal: [0, 0, 1]}]}\n"
         "  ball: {mass: 2, position: [0, 0, 0.1], velocity: [" +
         text_of(speed) + ", 0, 0], angular_velocity: [0, " + text_of(spin) +
         ", 0], shapes: [{type: sphere, radius: 0.1}]}\n";
}

TEST(Instant, ABallOnAnInclineRollsWhereFrictionHoldsAndStartsToSlideWhereNot) {
  // A uniform ball rolls if μ ≥ 2/7 tan θ.
  const double angle = 30 * std::numbers::pi / 180, g = 9.81;
  const double limit = 2.0 / 7 * std::tan(angle);
  const SceneInstant sticky(ball_on_incline(30, 1.01 * limit, 0, 0));
  EXPECT_EQ(sticky.instant.contacts[0].motion, ContactMotion::rolling);
  const AccelerationAnalysis rolls = sticky.analysis();
  EXPECT_EQ(rolls.status, Status::certified);
  EXPECT_EQ(rolls.solution.transitions[0], ContactTransition::keeps_rolling);
  EXPECT_NEAR(rolls.solution.c[0], 2 * g * std::cos(angle), 1e-8);
  EXPECT_NEAR(rolls.solution.c[1], -2 * 2.0 / 7 * g * std::sin(angle), 1e-7);

  const double mu = 0.9 * limit;
  const AccelerationAnalysis slips = SceneInstant(ball_on_incline(30, mu, 0, 0)).analysis();
  EXPECT_EQ(slips.solution.transitions[0], ContactTransition::starts_to_slide);
  EXPECT_NEAR(slips.solution.c[1], -mu * 2 * g * std::cos(angle), 1e-7);
  EXPECT_NEAR(slips.solution.a[1], g * std::sin(angle) - 3.5 * mu * g * std::cos(angle), 1e-7);
}

TEST(Instant, ABallThatSlidesIsBrakedByFullFriction) {
  const SceneInstant at(ball_on_incline(30, 0.3, 2, 0));
  EXPECT_EQ(at.instant.contacts[0].motion, ContactMotion::sliding);
  const double normal = 2 * 9.81 * std::cos(std::numbers::pi / 6);
  const AccelerationAnalysis analysis = at.analysis();
  EXPECT_NEAR(analysis.solution.c[0], normal, 1e-11);
  EXPECT_NEAR(analysis.solution.c[1], -0.3 * normal, 1e-11);
  EXPECT_EQ(analysis.solution.transitions[0], ContactTransition::keeps_sliding);
}

TEST(Instant, AMovingBallThatRollsDoesNotSlide) {
  const SceneInstant at(ball_on_incline(30, 0.3, 2, 20));
  EXPECT_EQ(at.instant.contacts[0].motion, ContactMotion::rolling);
}

TEST(Instant, ApproachIsAnImpactAndWhatLeavesHasNoForce) {
  const std::string start =
      "pawl: 1\nmaterials: {m: {friction: 0.5}}\nbodies:\n"
      "  plane: {joint: {type: weld}, shapes: [{type: half-space, normal: [0, 0, 1]}]}\n"
      "  ball: {mass: 2, position: [0, 0, 0.1], velocity: [1, 0, ";
  const std::string end = "], shapes: [{type: sphere, radius: 0.1}]}\n";
  const SceneInstant falls(start + "-0.01" + end), rises(start + "0.01" + end);
  EXPECT_EQ(falls.instant.contacts.at(0).motion, ContactMotion::approaching);
  EXPECT_EQ(rises.instant.contacts.at(0).motion, ContactMotion::leaving);
  EXPECT_TRUE(falls.instant.islands.empty());
  EXPECT_TRUE(rises.instant.islands.empty());
}

/// A ball of radius r on top of a fixed ball of radius R, its centre moving at a given speed.
std::string ball_on_ball(double r, double R, double speed, double mu, double spin) {
  return "pawl: 1\nmaterials: {m: {friction: " + text_of(mu) +
         "}}\nbodies:\n  rock: {joint: {type: weld}, shapes: [{type: sphere, radius: " + text_of(R) +
         "}]}\n  ball: {mass: 1, position: [0, 0, " + text_of(R + r) + "], velocity: [" + text_of(speed) +
         ", 0, 0], angular_velocity: [0, " + text_of(spin) +
         ", 0], shapes: [{type: sphere, radius: " + text_of(r) + "}]}\n";
}

TEST(Instant, ABallLeavesACurvedSurfaceAboveItsCriticalSpeed) {
  // The limit is v²/(R + r) = g, for sizes from a millimetre to a hundred metres.
  for (const double size : {1e-3, 1.0, 100.0}) {
    const double r = 0.3 * size, R = 0.7 * size, limit = std::sqrt(9.81 * size);
    for (const double fraction : {0.999, 1.001}) {
      const double speed = fraction * limit;
      const SceneInstant at(ball_on_ball(r, R, speed, 0, 0));
      EXPECT_EQ(at.instant.contacts.at(0).motion, ContactMotion::sliding) << size;
      EXPECT_FALSE(at.instant.contacts.at(0).kinked);
      const double b = speed * speed / size - 9.81;
      EXPECT_NEAR(at.problem().b[0], b, 1e-6 * 9.81) << size;
      const AccelerationSolution s = at.analysis().solution;
      EXPECT_EQ(s.transitions[0], fraction > 1 ? ContactTransition::breaks : ContactTransition::keeps_sliding)
          << size;
      EXPECT_NEAR(s.c[0], std::max(0.0, -b), 1e-6 * 9.81) << size;
    }
  }
}

TEST(Instant, ABallThatRollsOverACurvedSurfaceKeepsRolling) {
  // With ω = v/r it rolls; a_t = 0 requires v̇ = r ω̇, although the contact point moves ahead of the ball.
  const SceneInstant at(ball_on_ball(0.3, 0.7, 1.5, 0.8, 5));
  ASSERT_EQ(at.instant.contacts.at(0).motion, ContactMotion::rolling);
  const AccelerationAnalysis analysis = at.analysis();
  EXPECT_EQ(analysis.status, Status::certified);
  EXPECT_EQ(analysis.solution.transitions[0], ContactTransition::keeps_rolling);
  EXPECT_NEAR(analysis.solution.c[0], 9.81 - 1.5 * 1.5, 1e-6);
  EXPECT_NEAR(analysis.solution.c[1], 0, 1e-6);  // no tangential gravity on top
  EXPECT_NEAR(analysis.solution.c[2], 0, 1e-6);
}

TEST(Instant, FlagsContactsAtKinks) {
  // A ball passes from a flat top to a rounded edge: the curvature jumps.
  const SceneInstant at(
      "pawl: 1\nmaterials: {m: {friction: 0}}\nbodies:\n"
      "  rock: {joint: {type: weld}, shapes: [{type: box, size: [2, 2, 2], margin: 0.5}]}\n"
      "  ball: {mass: 1, position: [1, 0, 2], velocity: [1, 0, 0], shapes: [{type: sphere, radius: 0.5}]}\n");
  ASSERT_EQ(at.instant.contacts.size(), 1u);
  EXPECT_TRUE(at.instant.contacts[0].kinked);
}

/// Separated shapes of all kinds, some of them on trees.
constexpr const char* kApart = R"(
pawl: 1
materials: {m: {friction: 0.5}}
bodies:
  rock: {joint: {type: weld}, shapes: [{type: ellipsoid, semi_axes: [0.5, 0.7, 0.9], position: [0, 0, -1]}]}
  egg: {mass: 2, inertia: [0.1, 0.2, 0.25], position: [0.2, 0.1, 0.5], orientation: {axis: [1, 2, 3], angle_deg: 40},
        shapes: [{type: ellipsoid, semi_axes: [0.2, 0.3, 0.4]}]}
  slide: {mass: 1, inertia: 0.1, position: [2, 0, 1], joint: {type: prismatic, axis: [1, 0, 0]}}
  arm:
    mass: 2
    inertia: [0.2, 0.3, 0.3]
    position: [2, 0, 0.5]
    joint: {type: revolute, parent: slide, anchor: [2, 0, 1], axis: [0, 1, 0], position: 0.2}
    shapes: [{type: capsule, radius: 0.1, length: 0.9}]
  ball: {mass: 1, position: [1.1, 0.3, 0.2], shapes: [{type: sphere, radius: 0.2}]}
)";

TEST(Instant, TheFreeAccelerationIsTheSecondDerivativeOfTheGap) {
  // b_n against second differences of the gap along the free motion q ⊕ (t v + t²/2 M⁻¹ k).
  const Model model = compile(parse_scene(kApart, "test.yaml"));
  std::mt19937 random(3);
  std::normal_distribution<double> normal;
  State state = initial_state(model);
  for (int trial = 0; trial < 20; ++trial) {
    for (double& rate : state.v) rate = normal(random);
    const Instant instant = instant_of(model, state, {.touching = 10, .velocity_tolerance = 1e9});
    ASSERT_EQ(instant.contacts.size(), 6u);

    Kinematics placed;
    position_kinematics(model, state.q, placed);
    velocity_kinematics(model, state.v, placed);
    FreeMotion motion;
    DynamicsScratch scratch;
    constexpr double kTiny = 1e-9;  // short enough that v_free - v is a derivative
    free_motion(model, placed, state.q, state.v, {0, kTiny}, scratch, motion);
    std::vector<Contact> contacts;
    for (const InstantContact& at : instant.contacts) contacts.push_back(at.contact);
    const double t = 1e-3;
    const auto gaps_at = [&](double time) {
      std::vector<double> rates(state.v), q(state.q.size());
      for (int i = 0; i < model.nv; ++i) rates[i] += time / 2 * (motion.v_free[i] - state.v[i]) / kTiny;
      integrate(model, state.q, rates, time, q);
      Kinematics moved;
      position_kinematics(model, q, moved);
      std::vector<Contact> followed;
      follow_contacts(model, placed, moved, kDefaultContactPoints, contacts, followed);
      return followed;
    };
    const auto later = gaps_at(t), before = gaps_at(-t);
    for (std::size_t i = 0; i < contacts.size(); ++i) {
      const InstantContact& at = instant.contacts[i];
      const AccelerationProblem& problem = instant.islands.at(at.island);
      const double curvature = (later[i].gap - 2 * contacts[i].gap + before[i].gap) / (t * t);
      EXPECT_NEAR(problem.b[problem.begin[at.index_in_island]], curvature, 1e-3) << trial << " " << i;
    }
  }
}

TEST(Instant, BodiesThatDoNotTouchHaveNoForces) {
  const SceneInstant at(ball_on_incline(0, 0.3, 0, 0));
  EXPECT_EQ(at.instant.contacts.size(), 1u);
  const SceneInstant far(
      parse_scene(ball_on_incline(0, 0.3, 0, 0), "test.yaml", {"bodies.ball.position.2=0.1001"}));
  EXPECT_TRUE(far.instant.contacts.empty());
  const SceneInstant wide(
      parse_scene(ball_on_incline(0, 0.3, 0, 0), "test.yaml", {"bodies.ball.position.2=0.1001"}),
      {.touching = 1e-3});
  EXPECT_EQ(wide.instant.contacts.size(), 1u);
}

}  // namespace
}  // namespace pawl::internal
