#include <pawl/residual.h>

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>

#include "random.h"

#include <pawl/problem/delassus.h>

namespace pawl::internal {
namespace residual_test {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

FrictionSet polygon_for(int dim, double mu) {
  static const FrictionPolyhedron interval = FrictionPolyhedron::regular(2),
                                  octagon = FrictionPolyhedron::regular(8);
  return {FrictionKind::polyhedron, mu, {1, 1, 1}, dim == 2 ? &interval : &octagon};
}

constexpr double kMass = 2, kRadius = 0.5, kMu = 0.25;
// A solid ball on a plane: W = diag(1, 7/2, 7/2) / m, and in the plane, where it is a disc, diag(1, 3) / m.
double spin_inertia(int dim) {
  return (dim == 2 ? 0.5 : 0.4) * kMass * kRadius * kRadius;
}

/// One ball on a plane; b is its contact velocity without impulses.
ContactProblem ball_on_plane(const std::vector<double>& b, double zeta = 0, double mu = kMu) {
  ContactProblem problem;
  const int dim = static_cast<int>(b.size());
  problem.contacts = 1;
  problem.begin = {0, dim};
  problem.zeta = {zeta};
  problem.friction = {polygon_for(dim, mu)};
  PrimalData& motion = problem.motion;
  const int size = dim == 2 ? 3 : 6;
  motion.mass_blocks = {{0, size, 0}};
  motion.mass.assign(size * size, 0.0);
  for (int i = 0; i < size; ++i) motion.mass[i * size + i] = i < dim ? kMass : spin_inertia(dim);
  for (const double x : motion.mass) motion.factor.push_back(std::sqrt(x));
  motion.jacobian_blocks = {{0, 0, 0}};
  if (dim == 2) {
    motion.jacobian = {0, 1, 0, 1, 0, kRadius};  // columns (vx, vy, ω)
    motion.v_free = {b[1], b[0], 0};
  } else {
    motion.jacobian = {0, 0, 1, 0, 0, 0, 1, 0, 0, 0, -kRadius, 0, 0, 1, 0, kRadius, 0, 0};
    motion.v_free = {b[1], b[2], b[0], 0, 0, 0};
  }
  set_free_velocities(problem);
  return problem;
}

/// The same problem in Delassus form.
ContactProblem delassus_form(ContactProblem problem) {
  DelassusScratch scratch;
  compute_delassus(problem, problem.W, scratch);
  problem.motion = {};
  return problem;
}

Residual residual_of(const ContactProblem& problem, const std::vector<double>& p) {
  std::vector<double> u(problem.rows()), v_next(problem.motion.v_free.size());
  JudgeScratch scratch;
  return judge(problem, p, u, v_next, scratch);
}

constexpr double kRounding = 1e-15;

/// All other figures are at most rounding. natural_map is checked separately.
struct ExpectedViolations {
  bool momentum = false, penetration_rate = false, tension = false, complementarity = false,
       friction_excess = false, work_defect = false, energy_gain = false;
};
void expect_only(const Residual& r, const ExpectedViolations& reacts) {
  EXPECT_EQ(r.momentum > kRounding, reacts.momentum) << r.momentum;
  EXPECT_EQ(r.penetration_rate > kRounding, reacts.penetration_rate) << r.penetration_rate;
  EXPECT_EQ(r.tension > kRounding, reacts.tension) << r.tension;
  EXPECT_EQ(r.complementarity > kRounding, reacts.complementarity) << r.complementarity;
  EXPECT_EQ(r.friction_excess > kRounding, reacts.friction_excess) << r.friction_excess;
  EXPECT_EQ(r.work_defect > kRounding, reacts.work_defect) << r.work_defect;
  EXPECT_EQ(r.energy_gain > kRounding, reacts.energy_gain) << r.energy_gain;
}

void expect_exact(const Residual& r) {
  EXPECT_LE(r.natural_map, kRounding);
  expect_only(r, {});
}

TEST(Judge, FindsNothingAtABallThatRests) {
  expect_exact(residual_of(ball_on_plane({-0.1, 0}), {0.1 * kMass, 0}));
  expect_exact(residual_of(ball_on_plane({-0.1, 0, 0}), {0.1 * kMass, 0, 0}));
}

TEST(Judge, FindsNothingAtABallThatSeparates) {
  expect_exact(residual_of(ball_on_plane({0.3, 1}), {0, 0}));
  expect_exact(residual_of(ball_on_plane({0.3, 1, -1}), {0, 0, 0}));
  expect_exact(residual_of(ball_on_plane({-0.3, 1, -1}, 0.4), {0, 0, 0}));  // does not reach the plane
}

TEST(Judge, FindsNothingAtABallThatSlides) {
  const double p_n = 0.1 * kMass;
  expect_exact(residual_of(ball_on_plane({-0.1, 2}), {p_n, -kMu * p_n}));
  expect_exact(residual_of(ball_on_plane({-0.1, -2}), {p_n, kMu * p_n}));
  expect_exact(residual_of(ball_on_plane({-0.1, 2, 0}), {p_n, -kMu * p_n, 0}));
  // Slip between two directions of the octagon: the nearer direction dissipates most.
  expect_exact(residual_of(ball_on_plane({-0.1, -0.5, -2}), {p_n, 0, kMu * p_n}));
}

TEST(Judge, FindsNothingAtABallThatSticks) {
  const double p_n = 0.1 * kMass, slip = 0.01;
  expect_exact(residual_of(ball_on_plane({-0.1, slip}), {p_n, -slip * kMass / 3}));
  expect_exact(
      residual_of(ball_on_plane({-0.1, slip, -slip}), {p_n, -slip * kMass / 3.5, slip * kMass / 3.5}));
}

TEST(Judge, FindsNothingWhereZetaIsMetExactly) {
  expect_exact(residual_of(ball_on_plane({-0.1, 0, 0}, 0.04), {0.06 * kMass, 0, 0}));
  expect_exact(residual_of(ball_on_plane({0.1, 0, 0}, -0.2), {0.1 * kMass, 0, 0}));
}

TEST(Judge, GivesBackTheVelocitiesThatFollow) {
  const ContactProblem problem = ball_on_plane({-0.1, 2, 0});
  std::vector<double> u(3), v_next(6);
  JudgeScratch scratch;
  judge(problem, std::vector{0.2, -0.05, 0.0}, u, v_next, scratch);
  EXPECT_NEAR(u[0], 0, kRounding);
  EXPECT_NEAR(u[1], 2 - 0.05 * 3.5 / kMass, kRounding);
  EXPECT_NEAR(v_next[0], 2 - 0.05 / kMass, kRounding);
  EXPECT_NEAR(v_next[4], 0.05 * kRadius / spin_inertia(3), kRounding);
}

TEST(Judge, SeesNegativeNormalImpulse) {
  const Residual r = residual_of(ball_on_plane({1, 0, 0}), {-0.01, 0, 0});
  expect_only(r, {.tension = true, .complementarity = true});
  EXPECT_DOUBLE_EQ(r.tension, 0.01);
  EXPECT_GT(r.natural_map, 1e-3);
}

TEST(Judge, SeesPenetration) {
  const Residual r = residual_of(ball_on_plane({-0.1, 0, 0}, -0.2), {0, 0, 0});
  expect_only(r, {.penetration_rate = true});
  EXPECT_DOUBLE_EQ(r.penetration_rate, 0.3);
  EXPECT_DOUBLE_EQ(r.natural_map, 0.3 / 0.1);  // relative to b: ζ counts only with an impulse
}

/// A point of mass 1 in the plane, with one-row contacts along `normals`.
ContactProblem point_in_plane(double vx, double vy, const std::vector<std::array<double, 2>>& normals) {
  ContactProblem problem;
  PrimalData& motion = problem.motion;
  motion.mass_blocks = {{0, 2, 0}};
  motion.mass = motion.factor = {1, 0, 0, 1};
  motion.v_free = {vx, vy};
  for (const auto& normal : normals) {
    motion.jacobian_blocks.push_back({problem.contacts, 0, 2 * problem.contacts});
    motion.jacobian.insert(motion.jacobian.end(), normal.begin(), normal.end());
    problem.begin.push_back(++problem.contacts);
  }
  problem.zeta.assign(problem.contacts, 0.0);
  problem.friction.resize(problem.contacts);
  set_free_velocities(problem);
  return problem;
}

Residual residual_of_motion(const ContactProblem& problem, const std::vector<double>& p,
                            const std::vector<double>& v_next) {
  std::vector<double> u(problem.rows());
  JudgeScratch scratch;
  return judge_motion(problem, p, v_next, u, scratch);
}

TEST(Judge, MeasuresMomentumByWhatChangesNotByHowFastABodyIs) {
  // The body skims over the ground. Relative to 1e8 m/s, an impulse of 1e-5 N s would be rounding.
  const ContactProblem problem = point_in_plane(1e8, -1e-5, {{0, 1}});
  EXPECT_TRUE(residual_of_motion(problem, {1e-5}, {1e8, 0}).within(1e-8));
  EXPECT_GT(residual_of_motion(problem, {0}, {1e8, 0}).momentum, 0.1);
  EXPECT_GT(residual_of_motion(problem, {1e-5 * (1 - 1e-6)}, {1e8, 0}).momentum, 1e-8);
  // Along its path, the velocity is known only to its last digits.
  const ContactProblem ahead = point_in_plane(-1e8 / 3, 0, {{1, 0}});
  EXPECT_TRUE(residual_of_motion(ahead, {1e8 / 3}, {0, 0}).within(1e-8));
  EXPECT_FALSE(residual_of_motion(ahead, {1e8 / 3 * (1 + 1e-12)}, {0, 0}).within(1e-8));
}

TEST(Judge, MeasuresMomentumRowByRow) {
  // Clamped from both sides, and resting on the ground with a far smaller force: 1e-5 of 1e-2 N s is missing
  // there.
  const ContactProblem problem = point_in_plane(0, -1e-2, {{1, 0}, {-1, 0}, {0, 1}});
  EXPECT_TRUE(residual_of_motion(problem, {1e8, 1e8, 1e-2}, {0, 0}).within(1e-8));
  EXPECT_FALSE(residual_of_motion(problem, {1e8, 1e8, 1e-2 - 1e-5}, {0, 0}).within(1e-8));
}

TEST(Judge, DoesNotTrustTheFreeVelocitiesOfAPrimalProblem) {
  ContactProblem problem = point_in_plane(0, -1, {{0, 1}});
  problem.b = {1e12};  // from another step
  EXPECT_FALSE(residual_of_motion(problem, {0}, {0, -1}).within(1e-8));
}

TEST(Judge, SeesAnImpulseWithoutCauseInAnyUnit) {
  for (const double mass : {1e-12, 1.0, 1e12}) {
    ContactProblem problem = point_in_plane(0, 0, {{0, 1}});
    for (double& M : problem.motion.mass) M *= mass;
    for (double& L : problem.motion.factor) L *= std::sqrt(mass);
    EXPECT_TRUE(residual_of(problem, {0}).within(1e-8));
    EXPECT_GT(residual_of(problem, {1}).natural_map, 0.1) << mass;
    EXPECT_GT(residual_of(delassus_form(problem), {1}).natural_map, 0.1) << mass;
  }
}

TEST(Judge, MeasuresASlowContactByItselfBesideAFastOne) {
  // Two balls on a plane: one lands at 100 m/s and is correct, the other rests and is wrong by 1e-4.
  ContactProblem problem;
  problem.contacts = 2;
  problem.begin = {0, 3, 6};
  const double one = 1 / kMass, spun = 3.5 / kMass;
  std::vector<double> W(36, 0.0);
  for (int i = 0; i < 6; ++i) W[i * 7] = i % 3 == 0 ? one : spun;
  problem.W = to_block_matrix(problem.begin, W);
  problem.b = {-100, 0, 0, -0.1, 0, 0};
  problem.zeta = {0, 0};
  problem.friction = {polygon_for(3, kMu), polygon_for(3, kMu)};
  EXPECT_LT(residual_of(problem, {100 * kMass, 0, 0, 0.1 * kMass, 0, 0}).natural_map, 1e-15);
  EXPECT_GT(residual_of(problem, {100 * kMass, 0, 0, 0.1 * kMass * (1 + 1e-4), 0, 0}).natural_map, 0.9e-4);
}

TEST(Judge, MeasuresAnApproachByItselfBesideAFastSlide) {
  // 10 m/s along the plane, 1 cm/s onto it. An error of 1e-5 in the normal impulse is only a thousandth of
  // that relative to all velocities, and so is the error in friction.
  const double p_n = 0.01 * kMass;
  for (const double off : {1e-5, -1e-5}) {
    const double wrong = p_n * (1 + off);
    const ContactProblem problem = ball_on_plane({-0.01, 10, 0});
    EXPECT_LE(residual_of(problem, {p_n, -kMu * p_n, 0}).natural_map, 1e-12);
    EXPECT_GT(residual_of(problem, {wrong, -kMu * wrong, 0}).natural_map, 0.9e-5) << off;
    EXPECT_GT(residual_of(delassus_form(problem), {wrong, -kMu * wrong, 0}).natural_map, 0.9e-5) << off;
    EXPECT_GT(residual_of(problem, {p_n, -kMu * wrong, 0}).natural_map, 0.9e-5 * kMu) << off;
  }
}

TEST(Judge, LeavesRoomForTheRoundingOfAFastSlide) {
  // At rest on the plane, up to rounding of the sliding velocity.
  EXPECT_LE(residual_of(ball_on_plane({-1e-15, 10, 0}), {0, 0, 0}).natural_map, 1e-8);
  EXPECT_GT(residual_of(ball_on_plane({-1e-9, 10, 0}), {0, 0, 0}).natural_map, 1e-8);
}

TEST(Judge, BelievesNoVelocityThatRoundingSwallows) {
  // Two inconsistent joint rows: no impulse satisfies both, but in doubles an impulse of 1e16 leaves both at
  // 0.
  ContactProblem problem;
  problem.begin = {0, 1, 2};
  problem.W = to_block_matrix(problem.begin, std::vector<double>{1, 1, 1, 1});
  problem.b = {-0.1, 0.1};
  EXPECT_GT(residual_of(problem, {1e16, -1e16}).worst(), 1e-3);
  EXPECT_GT(residual_of(problem, {0, 0}).worst(), 1e-3);
}

/// A motor presses a body of mass 1 on its stop. It would reach 0.2 m/s, and the motor's impulse is at most
/// kPressed. The motor is the friction of a contact that carries a thrown mass.
constexpr double kPressed = 1e-3;
ContactProblem motor_on_stop() {
  ContactProblem problem;
  problem.contacts = 2;
  problem.begin = {0, 1, 3};
  problem.zeta = {1e-14, 0};
  problem.friction = {{}, polygon_for(2, 1)};
  PrimalData& motion = problem.motion;
  const double thrown = kPressed / 0.2;
  motion.mass_blocks = {{0, 1, 0}, {1, 1, 1}};
  motion.mass = {1, thrown};
  motion.factor = {1, std::sqrt(thrown)};
  motion.jacobian_blocks = {{0, 0, 0}, {1, 0, 1}, {1, 1, 3}};
  motion.jacobian = {-1, 0, 1, 1, 0};
  motion.v_free = {1e-14, -0.2};
  motion.shift = {0, 0, -0.2};
  set_free_velocities(problem);
  return problem;
}

TEST(Judge, MeasuresAStopByWhatItHoldsOff) {
  // Almost nothing moves, with or without impulses. The scale is the velocity that each impulse stops.
  const ContactProblem problem = motor_on_stop();
  EXPECT_LE(residual_of(problem, {kPressed, kPressed, kPressed}).natural_map, 1e-12);
  EXPECT_LE(residual_of(problem, {kPressed * (1 + 1e-11), kPressed, kPressed}).natural_map, 1e-10);
  for (const double off : {1e-6, -1e-6}) {
    EXPECT_GT(residual_of(problem, {kPressed * (1 + off), kPressed, kPressed}).natural_map, 0.9e-6) << off;
  }
  EXPECT_GT(residual_of(problem, {0, kPressed, 0}).natural_map, 0.1);                 // the motor is missing
  EXPECT_GT(residual_of(problem, {0, kPressed, kPressed}).natural_map, 1e-3);         // the stop is missing
  EXPECT_GT(residual_of(problem, {kPressed, kPressed, -kPressed}).natural_map, 0.1);  // the motor pulls
}

TEST(Judge, LeavesRoomForTheRoundingOfOthersInEveryLaw) {
  // The body leaves its stop with the rounding of 0.2 m/s, and no motor presses.
  const ContactProblem problem = motor_on_stop();
  EXPECT_GT(residual_of(problem, {1e-20, kPressed, kPressed}).natural_map, 1e-3);
  ContactProblem alone = problem;
  alone.friction[1] = {};
  alone.motion.v_free[0] = 1e-14 + 1e-18;
  set_free_velocities(alone);
  EXPECT_LE(residual_of(alone, {0, kPressed, 0}).natural_map, 1e-8);
  alone.motion.v_free[0] = 1e-14 + 1e-14;
  set_free_velocities(alone);
  EXPECT_GT(residual_of(alone, {0, kPressed, 0}).natural_map, 1e-8);
}

TEST(Judge, SeesAHeavyBodyFallBesideAFastOne) {
  // A block of 1e6 on a block of 1, from which a third leaves at 10 m/s. The impulses change velocities by at
  // most 0.1 m/s, and only that sets the scale.
  ContactProblem problem;
  problem.contacts = 3;
  problem.begin = {0, 1, 2, 3};
  problem.zeta = {0, 0, 0};
  problem.friction.resize(3);
  PrimalData& motion = problem.motion;
  motion.mass_blocks = {{0, 1, 0}, {1, 1, 1}, {2, 1, 2}};
  motion.mass = {1, 1e6, 1};
  motion.factor = {1, 1e3, 1};
  motion.jacobian_blocks = {{0, 0, 0}, {1, 0, 1}, {1, 1, 2}, {2, 0, 3}, {2, 2, 4}};
  motion.jacobian = {1, -1, 1, -1, 1};
  motion.v_free = {-0.1, -0.1, 10};
  set_free_velocities(problem);
  const auto stacked = [](double fraction) {
    const double heavy = 0.1e6 * (1 - fraction);
    return std::vector<double>{heavy + 0.1 * (1 - fraction), heavy, 0};
  };
  EXPECT_LE(residual_of(problem, stacked(0)).natural_map, 1e-9);
  EXPECT_GT(residual_of(problem, stacked(1e-6)).natural_map, 0.4e-6);
}

TEST(Judge, DoesNotHideOneIslandBehindAnother) {
  // Two coupled contacts at 1 mm/s and a separate one at 1000 m/s: the scale of the first two is their own
  // velocity.
  ContactProblem problem;
  problem.contacts = 3;
  problem.begin = {0, 1, 2, 3};
  problem.W = to_block_matrix(problem.begin, std::vector<double>{1, -0.9, 0, -0.9, 1, 0, 0, 0, 1});
  problem.b = {-0.001, -0.001, -1000};
  problem.zeta = {0, 0, 0};
  problem.friction.assign(3, {FrictionKind::none, 0, {1, 1, 1}, nullptr});
  EXPECT_LE(residual_of(problem, {0.01, 0.01, 1000}).natural_map, 1e-13);
  EXPECT_GT(residual_of(problem, {0.01 + 1e-8, 0.01, 1000}).natural_map, 0.9e-5);
}

TEST(Judge, SeesNanFriction) {
  ContactProblem problem = ball_on_plane({-0.1, 0, 0});
  problem.friction[0].mu = std::nan("");
  EXPECT_EQ(residual_of(problem, {0.1 * kMass, 1e3, 0}).natural_map, std::numeric_limits<double>::infinity());
}

TEST(Judge, SeesAnImpulseAtAContactThatSeparates) {
  const Residual r = residual_of(ball_on_plane({-0.1, 0, 0}), {0.3 * kMass, 0, 0});
  expect_only(r, {.complementarity = true});
  EXPECT_DOUBLE_EQ(r.complementarity, 0.3 * kMass * 0.2);
  EXPECT_GT(r.natural_map, 0.1);
}

TEST(Judge, SeesFrictionAtAContactThatSeparates) {
  ContactProblem problem = ball_on_plane({0.3, 2, 0});
  const Residual r = residual_of(problem, {0, -0.01, 0});
  expect_only(r, {.friction_excess = true});
  EXPECT_DOUBLE_EQ(r.friction_excess, 0.01);
  EXPECT_GT(r.natural_map, 1e-3);

  problem.friction[0] = {.kind = FrictionKind::ellipsoid, .mu = kMu};
  EXPECT_GT(residual_of(problem, {0, -0.01, 0}).cone_map, 1e-3);
}

TEST(Judge, SeesFrictionOutsideItsSet) {
  const double p_n = 0.1 * kMass;
  const Residual r = residual_of(ball_on_plane({-0.1, 2, 0}), {p_n, -1.5 * kMu * p_n, 0});
  expect_only(r, {.friction_excess = true});
  EXPECT_DOUBLE_EQ(r.friction_excess, 0.5 * kMu * p_n);
  EXPECT_GT(r.natural_map, 1e-3);
}

TEST(Judge, SeesFrictionThatDoesNotOpposeTheSlip) {
  const double p_n = 0.1 * kMass, p_f = kMu * p_n;
  const ContactProblem sliding = ball_on_plane({-0.1, 2, 0});
  const Residual across = residual_of(sliding, {p_n, 0, 0});
  expect_only(across, {.work_defect = true});
  EXPECT_DOUBLE_EQ(across.work_defect, p_f * 2);
  EXPECT_GT(across.natural_map, 1e-3);

  const Residual along = residual_of(sliding, {p_n, p_f, 0});
  expect_only(along, {.work_defect = true, .energy_gain = true});
  EXPECT_DOUBLE_EQ(along.energy_gain, p_f * (2 + 3.5 * p_f / kMass));
  EXPECT_GT(along.natural_map, across.natural_map);
}

TEST(Judge, SeesFrictionAtAFrictionlessContact) {
  const double p_n = 0.1 * kMass;
  ContactProblem problem = ball_on_plane({-0.1, 2, 0}, 0, /*mu=*/0);
  const Residual r = residual_of(problem, {p_n, -0.01, 0});
  expect_only(r, {.friction_excess = true});
  EXPECT_DOUBLE_EQ(r.friction_excess, 0.01);
  EXPECT_GT(r.natural_map, 1e-3);
  expect_exact(residual_of(problem, {p_n, 0, 0}));

  problem.friction[0] = {.mu = kMu};
  EXPECT_DOUBLE_EQ(residual_of(problem, {p_n, -0.01, 0}).friction_excess, 0.01);
}

TEST(Judge, SeesThatAHeavyBodyFallsOntoALightOne) {
  // A block of 1e6 on a block of 1, at rest under gravity. With 1e-3 too little impulse both fall with a
  // thousandth of g. That velocity is tiny relative to the terms ±p / m that it is the sum of.
  ContactProblem problem;
  problem.contacts = 2;
  problem.begin = {0, 2, 4};
  problem.W = to_block_matrix(
      problem.begin, std::vector<double>{1, 0, -1, 0, 0, 1, 0, -1, -1, 0, 1 + 1e-6, 0, 0, -1, 0, 1 + 1e-6});
  problem.b = {-0.1, 0, 0, 0};
  problem.zeta = {0, 0};
  problem.friction = {polygon_for(2, kMu), polygon_for(2, kMu)};
  const auto stacked = [](double fraction) {
    const double heavy = 0.1e6 * (1 - fraction);
    return std::vector<double>{heavy + 0.1 * (1 - fraction), 0, heavy, 0};
  };
  EXPECT_LE(residual_of(problem, stacked(0)).natural_map, 1e-9);
  EXPECT_NEAR(residual_of(problem, stacked(1e-3)).natural_map, 1e-3, 1e-6);
  // The light block rests, and the heavy one falls into it.
  const double heavy = 0.1e6 * (1 - 1e-3);
  EXPECT_NEAR(residual_of(problem, {heavy + 0.1, 0, heavy, 0}).natural_map, 1e-3, 1e-6);
}

TEST(Judge, SeesThatMassAndFactorDisagree) {
  ContactProblem problem = ball_on_plane({-0.1, 0, 0});
  problem.motion.mass[2 * 6 + 2] *= 1.01;
  const Residual r = residual_of(problem, {0.1 * kMass, 0, 0});
  expect_only(r, {.momentum = true});
  EXPECT_LE(r.natural_map, kRounding);
  EXPECT_FALSE(r.within(1e-3));
}

TEST(Judge, NeedsNoPrimalData) {
  const ContactProblem problem = ball_on_plane({-0.1, 2, 0});
  const std::vector<double> p{0.2, -0.03, 0.01};
  const Residual with = residual_of(problem, p), without = residual_of(delassus_form(problem), p);
  EXPECT_NEAR(without.natural_map, with.natural_map, kRounding);
  EXPECT_NEAR(without.work_defect, with.work_defect, kRounding);
  EXPECT_EQ(without.momentum, 0);
}

/// Two bodies, three contacts, no symmetry: a solution that is wrong in every figure.
struct Units {
  double mass = 1, length = 1, time = 1;
};
Residual residual_in(const Units& units, int dim, std::uint64_t seed) {
  Random random(seed);
  ContactProblem problem;
  problem.contacts = 3;
  problem.begin = {0, dim, 2 * dim, 3 * dim};
  const int size = dim == 2 ? 3 : 6;
  const double speed = units.length / units.time;
  PrimalData& motion = problem.motion;
  for (int body = 0; body < 2; ++body) {
    motion.mass_blocks.push_back({body * size, size, body * size * size});
    for (int i = 0; i < size * size; ++i) {
      const double unit = i / size < dim ? units.mass : units.mass * units.length * units.length;
      const double M = i % (size + 1) == 0 ? unit * random.uniform(0.5, 2) : 0;
      motion.mass.push_back(M);
      motion.factor.push_back(std::sqrt(M));
    }
    for (int i = 0; i < size; ++i)
      motion.v_free.push_back(random.uniform(-1, 1) * (i < dim ? speed : 1 / units.time));
  }
  for (int c = 0; c < problem.contacts; ++c) {
    problem.zeta.push_back(random.uniform(-1, 1) * speed);
    problem.friction.push_back(polygon_for(dim, 0.5));
    for (int body = 0; body < 2; ++body) {
      motion.jacobian_blocks.push_back({c, body, static_cast<int>(motion.jacobian.size())});
      for (int i = 0; i < dim * size; ++i)
        motion.jacobian.push_back(random.uniform(-1, 1) * (i % size < dim ? 1 : units.length));
    }
  }
  std::vector<double> p;
  for (int i = 0; i < problem.rows(); ++i) p.push_back(random.uniform(-1, 1) * units.mass * speed);
  set_free_velocities(problem);
  motion.mass[0] *= 1.001;  // violates the momentum balance too
  return residual_of(problem, p);
}

TEST(Judge, DoesNotDependOnUnits) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    for (const int dim : {2, 3}) {
      const Residual plain = residual_in({}, dim, seed);
      EXPECT_GT(plain.natural_map, 1e-3);
      EXPECT_GT(plain.momentum, 1e-7);
      for (const Units& units :
           {Units{1e6, 1, 1}, Units{1, 1e-3, 1}, Units{1, 1, 1e4}, Units{1e-6, 1e3, 1e-3}}) {
        const Residual scaled = residual_in(units, dim, seed);
        EXPECT_NEAR(scaled.natural_map, plain.natural_map, 1e-12);
        EXPECT_NEAR(scaled.momentum, plain.momentum, 1e-12);
      }
    }
  }
}

TEST(Judge, CertifiesNothingThatIsNotFinite) {
  const ContactProblem good = ball_on_plane({-0.1, 2, 0});
  for (const double bad : {std::nan(""), kInfinity, -kInfinity}) {
    for (int row = 0; row < 3; ++row) {
      std::vector<double> p{0.2, -0.05, 0};
      p[row] = bad;
      EXPECT_EQ(residual_of(good, p).natural_map, kInfinity) << bad << " in row " << row;
      ContactProblem without_motion = delassus_form(good);
      without_motion.b[row] = bad;
      EXPECT_EQ(residual_of(without_motion, {0.2, -0.05, 0}).natural_map, kInfinity)
          << bad << " in row " << row;
    }
    ContactProblem problem = good;
    problem.zeta[0] = bad;
    EXPECT_EQ(residual_of(problem, {0.2, -0.05, 0}).natural_map, kInfinity) << bad;
    problem = good;
    problem.motion.v_free[5] = bad;  // spin about the normal, which is in no contact row
    EXPECT_FALSE(residual_of(problem, {0.2, -0.05, 0}).within(1e300)) << bad;
    problem = good;
    problem.motion.mass[0] = bad;  // used only by the momentum balance
    EXPECT_FALSE(residual_of(problem, {0.2, -0.05, 0}).within(1e300)) << bad;
  }
  // Finite impulses whose velocities overflow.
  EXPECT_EQ(residual_of(ball_on_plane({-0.1, 2, 0}), {1e308, 1e308, 0}).natural_map, kInfinity);
}

TEST(Residual, WorstIsTakenComponentByComponent) {
  const Residual a{1, 2, 3, 4, 5, 60, 70, 80, 90, 100}, b{10, 20, 30, 40, 50, 6, 7, 8, 9, 10};
  for (const Residual& r : {worst(a, b), worst(b, a)}) {
    EXPECT_EQ(r.natural_map, 10);
    EXPECT_EQ(r.cone_map, 20);
    EXPECT_EQ(r.momentum, 30);
    EXPECT_EQ(r.bilateral, 40);
    EXPECT_EQ(r.penetration_rate, 50);
    EXPECT_EQ(r.tension, 60);
    EXPECT_EQ(r.complementarity, 70);
    EXPECT_EQ(r.friction_excess, 80);
    EXPECT_EQ(r.work_defect, 90);
    EXPECT_EQ(r.energy_gain, 100);
  }
}

TEST(Residual, WorstIsInfiniteWhereEitherIsNan) {
  const Residual fine, broken{.natural_map = std::nan(""), .energy_gain = std::nan("")};
  for (const Residual& r : {worst(fine, broken), worst(broken, fine)}) {
    EXPECT_EQ(r.natural_map, kInfinity);
    EXPECT_EQ(r.energy_gain, kInfinity);
    EXPECT_EQ(r.tension, 0);
  }
}

TEST(Residual, IsWithinATolerance) {
  EXPECT_TRUE(
      (Residual{.natural_map = 1e-9, .cone_map = 1e-8, .momentum = 1e-14, .bilateral = 1e-9}).within(1e-8));
  EXPECT_FALSE((Residual{.natural_map = 1e-7}).within(1e-8));
  EXPECT_FALSE((Residual{.cone_map = 1e-7}).within(1e-8));
  EXPECT_FALSE((Residual{.momentum = 1e-12}).within(1e-8));
  EXPECT_FALSE((Residual{.bilateral = 1e-7}).within(1e-8));
}

}  // namespace residual_test
}  // namespace pawl::internal
