#include <pawl/solve/contact/admm.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include <pawl/solve/contact/iterative.h>
#include <pawl/solve/contact/natural_map.h>

#include "unit/record/allocation_count.h"
#include "unit/solve/contact/box_stack.h"

namespace pawl::internal {
namespace admm_test {

using Vec3 = Eigen::Vector3d;

/// One contact of n rows on a particle of mass 1: W = I, u = p + b.
ContactProblem particle(const FrictionSet& set, const std::vector<double>& b) {
  ContactProblem problem;
  const int n = static_cast<int>(b.size());
  problem.contacts = 1;
  problem.begin = {0, n};
  problem.b = b;
  problem.zeta = {0};
  problem.friction = {set};
  problem.W.begin = problem.begin;
  problem.W.row = {0, 1};
  problem.W.entries = {{0, 0}};
  problem.W.values.assign(n * n, 0.0);
  for (int r = 0; r < n; ++r) problem.W.values[r * (n + 1)] = 1;
  return problem;
}

struct Answer {
  IterativeResult result;
  std::vector<double> p;
};

Answer admm(const ContactProblem& problem, const AdmmOptions& options = {}, double start = 0) {
  ScaledProblem scaled;
  scaled.set(problem);
  std::vector<double> x(problem.rows(), start);
  Admm method;
  Answer answer;
  answer.result = method.solve(scaled, options, x);
  answer.p.resize(x.size());
  scaled.impulses(x, answer.p);
  return answer;
}

void expect_impulses(const ContactProblem& problem, const std::vector<double>& expected) {
  const Answer answer = admm(problem, {.tolerance = 1e-11}, 1);
  EXPECT_TRUE(answer.result.converged) << "error " << answer.result.error;
  for (std::size_t r = 0; r < expected.size(); ++r)
    EXPECT_NEAR(answer.p[r], expected[r], 1e-9) << "row " << r;
}

const FrictionSet kRound{FrictionKind::ellipsoid, 0.5};

TEST(Admm, LeavesSeparatingContactAlone) {
  expect_impulses(particle(kRound, {1, 0.3, -0.2}), {0, 0, 0});
  expect_impulses(particle({}, {1}), {0});
}

TEST(Admm, StopsWhatSticks) {
  expect_impulses(particle(kRound, {-2, 0.3, -0.4}), {2, -0.3, 0.4});
}

// Slides although the cone's edge also pushes along the normal. Without De Saxcé's term the normal impulse
// would be larger and the contact would open.
TEST(Admm, BrakesWhatSlidesAndLiftsNothing) {
  expect_impulses(particle(kRound, {-1, 3, -4}), {1, -0.3, 0.4});
}

TEST(Admm, KnowsFrictionlessContacts) {
  expect_impulses(particle({}, {-1}), {1});
  expect_impulses(particle({FrictionKind::ellipsoid, 0}, {-1, 3, -4}), {1, 0, 0});
}

TEST(Admm, KnowsIntervalsOfPlanarWorlds) {
  expect_impulses(particle(kRound, {-1, 3}), {1, -0.5});
  expect_impulses(particle(kRound, {-1, 0.2}), {1, -0.2});
}

// Sliding: p_f = -μ p_n E² u_f/|E u_f|, E the radii. Here u_f = b_f + p_f keeps its direction.
TEST(Admm, KnowsEllipsoidsWithSpin) {
  const FrictionSet set{FrictionKind::ellipsoid, 0.5, {1, 0.5, 0.1}};
  expect_impulses(particle(set, {-2, 0, 4, 0}), {2, 0, -0.5, 0});
  expect_impulses(particle(set, {-2, 0, 0, 3}), {2, 0, 0, -0.1});
}

TEST(Admm, KnowsMixedSets) {
  const FrictionSet set{FrictionKind::mixed, 0.5, {1, 1, 0.1}};
  expect_impulses(particle(set, {-2, 3, -4, 1}), {2, -0.6, 0.8, -0.1});
  expect_impulses(particle(set, {-2, 3, -4, 0.05}), {2, -0.6, 0.8, -0.05});
}

TEST(Admm, KnowsPolyhedra) {
  const FrictionSet set = polyhedral(0.5, regular_polygon(4));
  expect_impulses(particle(set, {-2, 5, 1}), {2, -1, 0});           // a corner
  expect_impulses(particle(set, {-2, 0.3, -0.2}), {2, -0.3, 0.2});  // inside
  expect_impulses(particle(set, {-2, 2.2, 2}), {2, -0.6, -0.4});  // on an edge, velocity perpendicular to it
}

TEST(Admm, HoldsBilateralRows) {
  // A contact and a joint on the same body: W is full, and all velocities end at 0.
  ContactProblem problem = particle({}, {-1});
  problem.begin = {0, 1, 3};
  problem.b = {-1, 0.5, 2};
  problem.W.begin = problem.begin;
  problem.W.row = {0, 2, 4};
  problem.W.entries = {{0, 0}, {1, 1}, {0, 3}, {1, 5}};
  problem.W.values = {2, 0.5, 0.25, 0.5, 0.25, 1, 0.1, 0.1, 3};
  Eigen::Matrix3d W{{2, 0.5, 0.25}, {0.5, 1, 0.1}, {0.25, 0.1, 3}};
  const Vec3 p = W.lu().solve(Vec3(1, -0.5, -2));
  expect_impulses(problem, {p[0], p[1], p[2]});
}

TEST(Admm, CarriesHyperstaticStack) {
  const ContactProblem problem = box_stack({1, 10, 0.1, 5}, 8);
  const Answer answer = admm(problem);
  EXPECT_TRUE(answer.result.converged) << "error " << answer.result.error;
  double weight = 0;
  for (int contact = 0; contact < 4; ++contact) weight += answer.p[problem.begin[contact]];
  EXPECT_NEAR(weight, 16.1 * kGravityImpulse, 1e-7);
}

TEST(Admm, ComesFromFarAway) {
  Random random(5);
  for (int sample = 0; sample < 20; ++sample) {
    const ContactProblem problem =
        random_bodies(random, {.contacts = 8, .bodies = 4, .mass_ratio = 10, .largest_mu = 0.5});
    const Answer far = admm(problem, {}, 100);
    ASSERT_TRUE(far.result.converged) << "sample " << sample << " error " << far.result.error;
  }
}

TEST(Admm, ReturnsItsBestWithinItsBudget) {
  const ContactProblem problem = box_stack({1, 10, 0.1, 5}, 8);
  ScaledProblem scaled;
  scaled.set(problem);
  std::vector<double> x(problem.rows(), 0.0), w(x);
  Admm method;
  const IterativeResult result = method.solve(scaled, {.max_iterations = 3}, x);
  EXPECT_FALSE(result.converged);
  EXPECT_EQ(result.iterations, 3);
  scaled.velocities(x, w);
  EXPECT_DOUBLE_EQ(result.error, natural_map(scaled, x, w));
  EXPECT_LT(result.error, 0.5);  // 1 at the start, without impulses
}

TEST(Admm, TakesASolutionAsItIs) {
  const ContactProblem problem = particle(kRound, {-1, 3, -4});
  ScaledProblem scaled;
  scaled.set(problem);
  std::vector<double> x(3);
  scaled.to_scaled(std::vector<double>{1, -0.3, 0.4}, x);
  Admm method;
  EXPECT_EQ(method.solve(scaled, {}, x).iterations, 0);
}

TEST(Admm, AllocatesNothingOnceWarm) {
  const ContactProblem problem = box_stack({1, 10, 0.1, 5}, 8);
  ScaledProblem scaled;
  scaled.set(problem);
  std::vector<double> x(problem.rows(), 100.0);
  Admm method;
  method.solve(scaled, {}, x);
  std::ranges::fill(x, 100.0);
  const long before = allocation_count();
  EXPECT_GT(method.solve(scaled, {}, x).iterations, AdmmOptions{}.penalty_interval);
  EXPECT_EQ(allocation_count() - before, 0);
}

}  // namespace admm_test
}  // namespace pawl::internal
