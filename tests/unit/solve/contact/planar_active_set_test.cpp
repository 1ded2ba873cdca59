#include <pawl/solve/contact/planar_active_set.h>

#include <gmock/gmock.h>

#include <limits>

#include <pawl/residual.h>
#include <pawl/solve/contact/iterative.h>
#include <pawl/solver.h>

#include "unit/solve/contact/all_sets.h"

namespace pawl::internal {
namespace planar_active_set_test {

/// Contacts of planar bodies in Delassus form, as in other solvers' files.
ContactProblem planar_contacts(Random& random, int contacts, double largest_mu = 1) {
  ContactProblem made = random_bodies(random, {.dim = 2,
                                               .contacts = contacts,
                                               .bodies = contacts,
                                               .mass_ratio = 10,
                                               .largest_mu = largest_mu,
                                               .zeta = 0.2});
  for (FrictionSet& set : made.friction) set = round_set(set.mu);
  return delassus_form(made);
}

bool certified(const ContactProblem& problem, std::span<const double> p) {
  std::vector<double> u(problem.rows());
  JudgeScratch scratch;
  return judge(problem, p, u, {}, scratch).within(1e-12);
}

TEST(PlanarActiveSet, FindsWhatTheJudgeCertifies) {
  Random random(1);
  PlanarActiveSet method;
  int found = 0, acting = 0;
  for (int k = 0; k < 4000; ++k) {
    const ContactProblem problem = planar_contacts(random, 1 + k % 4);
    ASSERT_TRUE(PlanarActiveSet::applies(problem));
    std::vector<double> p(problem.rows(), 0.0);
    if (!method.solve(problem, p).converged) continue;
    ++found;
    for (int i = 0; i < problem.contacts; ++i) acting += p[problem.begin[i]] > 0 ? 1 : 0;
    ASSERT_TRUE(certified(problem, p)) << save_failed_problem(problem);
  }
  EXPECT_GT(found, 3900);
  EXPECT_GT(acting, 3000);
}

TEST(PlanarActiveSet, FindsTheSameInOtherUnits) {
  Random random(2);
  PlanarActiveSet method;
  for (int k = 0; k < 200; ++k) {
    const ContactProblem problem = planar_contacts(random, 3);
    std::vector<double> p(problem.rows()), in_other(problem.rows());
    const IterativeResult result = method.solve(problem, p);
    const double mass = std::ldexp(1, 60), velocity = std::ldexp(1, -40);
    ContactProblem other = problem;
    for (double& W : other.W.values) W /= mass;
    for (double& b : other.b) b *= velocity;
    for (double& zeta : other.zeta) zeta *= velocity;
    ASSERT_EQ(method.solve(other, in_other).iterations, result.iterations);
    if (!result.converged) continue;
    for (double& impulse : in_other) impulse /= mass * velocity;
    EXPECT_EQ(in_other, p);
  }
}

// Four contacts of one body: eight rows, three degrees of freedom.
TEST(PlanarActiveSet, AreNeverWrongWhereImpulsesAreNotUnique) {
  Random random(6);
  PlanarActiveSet method;
  int left_to_others = 0;
  for (int k = 0; k < 1000; ++k) {
    ContactProblem problem = random_bodies(random, {.dim = 2, .contacts = 4, .bodies = 1});
    for (FrictionSet& set : problem.friction) set = round_set(set.mu);
    problem = delassus_form(problem);
    std::vector<double> p(problem.rows());
    if (!method.solve(problem, p).converged) {
      ++left_to_others;
    } else {
      ASSERT_TRUE(certified(problem, p)) << save_failed_problem(problem);
    }
  }
  EXPECT_GT(left_to_others, 10);
}

TEST(PlanarActiveSet, StopsOnNan) {
  Random random(3);
  PlanarActiveSet method;
  for (const double bad :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(), 0.0}) {
    for (int k = 0; k < 50; ++k) {
      ContactProblem problem = planar_contacts(random, 3);
      problem.W.values[random.integer(0, static_cast<int>(problem.W.values.size()) - 1)] = bad;
      std::vector<double> p(problem.rows(), 0.0);
      EXPECT_LE(method.solve(problem, p).iterations, 5);
      EXPECT_TRUE(bad == 0 || solve(problem).status != Status::certified);
    }
  }
}

TEST(PlanarActiveSet, IsForAFewContactsWithIntervals) {
  Random random(4);
  EXPECT_TRUE(PlanarActiveSet::applies(planar_contacts(random, 4)));
  EXPECT_FALSE(PlanarActiveSet::applies(planar_contacts(random, 5)));
  EXPECT_FALSE(PlanarActiveSet::applies(random_bodies(random, {.dim = 2, .contacts = 2, .bodies = 2})));
  EXPECT_FALSE(PlanarActiveSet::applies(delassus_form(random_bodies(random, {.contacts = 2, .bodies = 2}))));
  ContactProblem polyhedra = planar_contacts(random, 2);
  for (FrictionSet& set : polyhedra.friction) set = polyhedral(0.5, regular_polygon(2));
  EXPECT_FALSE(PlanarActiveSet::applies(polyhedra));
}

TEST(PlanarActiveSet, AreTriedBeforeAnythingIsScaled) {
  Random random(5);
  int found = 0;
  for (int k = 0; k < 200; ++k) {
    const ContactProblem problem = planar_contacts(random, 2);
    const Solution solution = solve(problem);
    EXPECT_EQ(solution.status, Status::certified);
    found += solution.method == SolveMethod::newton && solution.solves == 1 ? 1 : 0;
  }
  EXPECT_GT(found, 20);
}

}  // namespace planar_active_set_test
}  // namespace pawl::internal
