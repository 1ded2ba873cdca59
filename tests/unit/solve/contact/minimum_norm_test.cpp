#include <pawl/solve/contact/minimum_norm.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include <pawl/solve/contact/natural_map.h>
#include <pawl/solve/contact/newton.h>

#include "unit/record/allocation_count.h"
#include "unit/solve/contact/box_stack.h"

namespace pawl::internal {
namespace minimum_norm_test {

using Vec3 = Eigen::Vector3d;
constexpr double kTolerance = 1e-10;
const FrictionSet kRound{FrictionKind::ellipsoid, 0.5};

struct Refined {
  MinimumNormResult result;
  std::vector<double> p;
  bool has_other_solutions = false;
};

Refined refine(const ContactProblem& problem, const std::vector<double>& p) {
  ScaledProblem scaled;
  scaled.set(problem);
  std::vector<double> x(p.size()), w(p.size());
  scaled.to_scaled(p, x);
  MinimumNorm method;
  Refined refined{method.refine(scaled, kTolerance, x), p};
  scaled.impulses(x, refined.p);
  scaled.velocities(x, w);
  EXPECT_LE(natural_map(scaled, x, w), kTolerance) << "what was found is no solution";
  refined.has_other_solutions = !refined.result.unique && method.has_other_solutions(scaled, kTolerance, x);
  return refined;
}

void expect_near(const std::vector<double>& p, const std::vector<double>& expected) {
  for (std::size_t r = 0; r < p.size(); ++r) EXPECT_NEAR(p[r], expected[r], 1e-9) << "row " << r;
}

/// W = A Aᵀ, all blocks stored.
ContactProblem delassus_problem(int contacts, std::vector<int> begin, const Eigen::MatrixXd& A,
                                std::vector<double> b, const FrictionSet& set) {
  ContactProblem problem;
  problem.contacts = contacts;
  problem.begin = std::move(begin);
  problem.b = std::move(b);
  problem.zeta.assign(contacts, 0.0);
  problem.friction.assign(contacts, set);
  const Eigen::MatrixXd W = A * A.transpose();
  BlockMatrix& out = problem.W;
  out.begin = problem.begin;
  for (int i = 0; i < problem.blocks(); ++i) {
    for (int j = 0; j < problem.blocks(); ++j) {
      out.entries.push_back({j, out.values.size()});
      for (int r = problem.begin[i]; r < problem.begin[i + 1]; ++r) {
        for (int c = problem.begin[j]; c < problem.begin[j + 1]; ++c) out.values.push_back(W(r, c));
      }
    }
    out.row.push_back(static_cast<int>(out.entries.size()));
  }
  return problem;
}

/// A particle of mass 1 with the same contact twice.
ContactProblem doubled_contact(const FrictionSet& set, const std::vector<double>& b) {
  const int n = static_cast<int>(b.size());
  Eigen::MatrixXd A(2 * n, n);
  A << Eigen::MatrixXd::Identity(n, n), Eigen::MatrixXd::Identity(n, n);
  std::vector<double> both = b;
  both.insert(both.end(), b.begin(), b.end());
  return delassus_problem(2, {0, n, 2 * n}, A, both, set);
}

/// The particle needs the impulse p. At first one contact carries all of it; the result must share it
/// equally.
void expect_shared(const FrictionSet& set, const std::vector<double>& b, const std::vector<double>& p) {
  std::vector<double> start = p, half = p;
  for (double& value : half) value /= 2;
  start.resize(2 * p.size());
  half.insert(half.end(), half.begin(), half.begin() + p.size());
  const Refined refined = refine(doubled_contact(set, b), start);
  EXPECT_TRUE(refined.result.refined);
  EXPECT_TRUE(refined.has_other_solutions);
  expect_near(refined.p, half);
}

TEST(MinimumNorm, SharesNormalImpulses) {
  expect_shared({}, {-1}, {1});
  expect_shared({FrictionKind::ellipsoid, 0}, {-1, 2}, {1, 0});
}

TEST(MinimumNorm, SharesFrictionThatSticks) {
  expect_shared(kRound, {-2, 0.3, -0.4}, {2, -0.3, 0.4});
  expect_shared(kRound, {-2, 0.9}, {2, -0.9});
  expect_shared({FrictionKind::mixed, 0.5, {1, 1, 0.1}}, {-2, 0.3, -0.4, 0.05}, {2, -0.3, 0.4, -0.05});
  expect_shared(polyhedral(0.5, regular_polygon(4)), {-2, 0.3, -0.2}, {2, -0.3, 0.2});
}

TEST(MinimumNorm, SharesFrictionThatSlides) {
  expect_shared(kRound, {-1, 3, -4}, {1, -0.3, 0.4});
  expect_shared(kRound, {-1, 3}, {1, -0.5});
  expect_shared({FrictionKind::ellipsoid, 0.5, {1, 0.5, 0.1}}, {-2, 0, 4, 0}, {2, 0, -0.5, 0});
  expect_shared({FrictionKind::mixed, 0.5, {1, 1, 0.1}}, {-2, 3, -4, 1}, {2, -0.6, 0.8, -0.1});
  expect_shared({FrictionKind::mixed, 0.5, {1, 1, 0.1}}, {-2, 3, -4, 0.05}, {2, -0.6, 0.8, -0.05});
  expect_shared(polyhedral(0.5, regular_polygon(4)), {-2, 5, 1}, {2, -1, 0});         // at a corner
  expect_shared(polyhedral(0.5, regular_polygon(4)), {-2, 2.2, 2}, {2, -0.6, -0.4});  // along an edge
}

// p₁ + 2 p₂ = 1: the norm is that of the impulses as posed, independent of the row scale.
TEST(MinimumNorm, MeasuresImpulsesAsPosed) {
  const Eigen::Vector2d A(1, 2);
  expect_near(refine(delassus_problem(2, {0, 1, 2}, A, {-1, -2}, {}), {1, 0}).p, {0.2, 0.4});
  expect_near(refine(delassus_problem(0, {0, 1, 2}, A, {-1, -2}, {}), {1, 0}).p, {0.2, 0.4});
  expect_near(refine(delassus_problem(0, {0, 2}, A, {-1, -2}, {}), {1, 0}).p, {0.2, 0.4});
}

TEST(MinimumNorm, LeavesContactsThatSeparateAtNothing) {
  const Eigen::MatrixXd A = Eigen::MatrixXd::Ones(3, 1);
  expect_near(refine(delassus_problem(3, {0, 1, 2, 3}, A, {-1, -1, 1}, {}), {1, 0, 0}).p, {0.5, 0.5, 0});
}

/// A table of mass 1 whose legs end at `feet`, relative to its centre.
ContactProblem table(const std::vector<Vec3>& feet, const FrictionSet& set, const Vec3& v) {
  TouchingBodies made(3);
  made.add_body(1, 0.2, v);
  for (const Vec3& foot : feet) {
    made.add_contact(0, foot, TouchingBodies::kWorld, Vec3::Zero(), Vec3::UnitZ(), set);
  }
  return made.problem();
}

const std::vector<Vec3> kFourFeet{{-0.5, -0.5, -0.4}, {0.5, -0.5, -0.4}, {-0.5, 0.5, -0.4}, {0.5, 0.5, -0.4}};

TEST(MinimumNorm, LoadsFourLegsEqually) {
  const ContactProblem problem = table(kFourFeet, kRound, {0, 0, -1});
  const Refined refined = refine(problem, {0.5, 0, 0, 0, 0, 0, 0, 0, 0, 0.5, 0, 0});  // on two legs
  EXPECT_TRUE(refined.result.refined);
  EXPECT_TRUE(refined.has_other_solutions);
  for (int leg = 0; leg < 4; ++leg) {
    EXPECT_NEAR(refined.p[3 * leg], 0.25, 1e-10);
    EXPECT_NEAR(refined.p[3 * leg + 1], 0, 1e-10);
    EXPECT_NEAR(refined.p[3 * leg + 2], 0, 1e-10);
  }
}

TEST(MinimumNorm, SaysThatEqualLoadsAreNotTheOnlyOnes) {
  const ContactProblem problem = table(kFourFeet, kRound, {0, 0, -1});
  const std::vector<double> equal{0.25, 0, 0, 0.25, 0, 0, 0.25, 0, 0, 0.25, 0, 0};
  const Refined refined = refine(problem, equal);
  EXPECT_TRUE(refined.has_other_solutions);
  expect_near(refined.p, equal);
}

// Friction tips the sliding table: normal loads N = L/4 (1 + μ H x/a²) balance its moment μ H L.
TEST(MinimumNorm, LoadsLegsThatSlideByTheirLevers) {
  const double mu = 0.5, H = 0.4, a = 0.5;
  const ContactProblem problem = table(kFourFeet, kRound, {5, 0, -1});
  const double low = 0.5 * (1 - mu * H / a), high = 0.5 * (1 + mu * H / a);  // two legs together
  // For a contact with the ground, o is along x.
  const std::vector<double> lopsided = [&] {
    std::vector<double> p(12);
    const double loads[] = {low / 2 + 0.05, high / 2 - 0.05, low / 2 - 0.05, high / 2 + 0.05};
    for (int leg = 0; leg < 4; ++leg) p[3 * leg] = loads[leg], p[3 * leg + 2] = -mu * loads[leg];
    return p;
  }();
  const Refined refined = refine(problem, lopsided);
  for (int leg = 0; leg < 4; ++leg) {
    const double load = 0.25 * (1 + mu * H * kFourFeet[leg].x() / (a * a));
    EXPECT_NEAR(refined.p[3 * leg], load, 1e-10) << "leg " << leg;
    EXPECT_NEAR(refined.p[3 * leg + 2], -mu * load, 1e-10) << "leg " << leg;
  }
}

/// A Newton solution from an asymmetric start.
std::vector<double> some_solution(ScaledProblem& scaled, unsigned seed) {
  Random random(seed);
  std::vector<double> x(scaled.rows());
  for (double& value : x) value = random.uniform(0, 1);
  Newton newton;
  EXPECT_TRUE(newton.solve(scaled, {.tolerance = kTolerance}, x).converged);
  return x;
}

// Feet slide in different directions at different speeds. Friction that does not oppose them all would have a
// smaller norm. Each foot must keep its direction; only two feet at the same point may share.
TEST(MinimumNorm, KeepsFrictionAgainstSliding) {
  std::vector<Vec3> feet = kFourFeet;
  feet.insert(feet.end(), kFourFeet.begin(), kFourFeet.end());
  for (const FrictionSet& set : {kRound, polyhedral(0.5, regular_polygon(4))}) {
    TouchingBodies made(3);
    made.add_body(1, 0.2, {2, 0, -1}, {0, 0, 3});
    for (const Vec3& foot : feet) {
      made.add_contact(0, foot, TouchingBodies::kWorld, Vec3::Zero(), Vec3::UnitZ(), set);
    }
    const ContactProblem problem = made.problem();
    ScaledProblem scaled;
    scaled.set(problem);
    std::vector<double> x = some_solution(scaled, 3);
    MinimumNorm method;
    const MinimumNormResult result = method.refine(scaled, kTolerance, x);
    EXPECT_TRUE(result.refined);
    EXPECT_LE(result.error, kTolerance);
    for (int r = 0; r < 12; ++r) EXPECT_NEAR(x[r], x[12 + r], 1e-9) << "row " << r;
  }
}

TEST(MinimumNorm, KeepsTheImpulsesIfItsStepsDoNotSuffice) {
  TouchingBodies made(3);
  made.add_body(1, 0.2, {0, 0, -1}, {0, 0, 0});
  for (const Vec3& foot : {Vec3(1, 1, -1), Vec3(-1, 1, -1), Vec3(1, -1, -1), Vec3(-1, -1, -1)}) {
    made.add_contact(0, foot, TouchingBodies::kWorld, Vec3::Zero(), Vec3::UnitZ(), kRound);
  }
  const ContactProblem problem = made.problem();
  ScaledProblem scaled;
  scaled.set(problem);
  const std::vector<double> start = some_solution(scaled, 3);
  std::vector<double> x = start;
  MinimumNorm method;
  EXPECT_FALSE(method.refine(scaled, kTolerance, x, 0).refined);
  EXPECT_EQ(x, start);
  EXPECT_TRUE(method.refine(scaled, kTolerance, x, 60).refined);
  EXPECT_NE(x, start);
}

TEST(MinimumNorm, LeavesUniqueImpulsesAsTheyAre) {
  const ContactProblem problem = table({{0.5, 0, -1}, {-0.5, 0.3, -1}, {-0.5, -0.3, -1}}, {}, {0, 0, -1});
  const std::vector<double> p{0.5, 0, 0, 0.25, 0, 0, 0.25, 0, 0};
  const Refined refined = refine(problem, p);
  EXPECT_TRUE(refined.result.unique);
  EXPECT_FALSE(refined.result.refined);
  expect_near(refined.p, p);
}

// Two walls squeeze a particle: (1, 0) has minimum norm, (2, 1) is another solution.
TEST(MinimumNorm, SeesOthersFromTheEdgeOfTheLaws) {
  const Eigen::Vector2d A(1, -1);
  const Refined refined = refine(delassus_problem(2, {0, 1, 2}, A, {-1, 1}, {}), {1, 0});
  EXPECT_TRUE(refined.has_other_solutions);
  expect_near(refined.p, {1, 0});
}

// W is singular, but nonnegative impulses sum to 0 only if all are 0.
TEST(MinimumNorm, SeesThatTheLawsLeaveNoChoice) {
  const Eigen::Vector2d A(1, 1);
  const Refined refined = refine(delassus_problem(2, {0, 1, 2}, A, {0, 0}, {}), {0, 0});
  EXPECT_FALSE(refined.has_other_solutions);
  expect_near(refined.p, {0, 0});
}

/// A wall of three by three cubes that also touch sideways, at rest; the top middle one is pushed down.
class Wall {
 public:
  struct Contact {
    int a, b;
    Vec3 arm_a, arm_b, normal;
  };

  Wall() {
    for (int column = 0; column < 3; ++column) {
      for (int level = 0; level < 3; ++level) {
        for (const double x : {-0.5, 0.5}) {
          for (const double y : {-0.5, 0.5}) {
            contacts.push_back({box(column, level),
                                level == 0 ? TouchingBodies::kWorld : box(column, level - 1),
                                Vec3(x, y, -0.5), Vec3(x, y, 0.5), Vec3::UnitZ()});
            if (column == 0) continue;
            contacts.push_back({box(column, level), box(column - 1, level), Vec3(-0.5, y, x), Vec3(0.5, y, x),
                                Vec3::UnitX()});
          }
        }
      }
    }
  }

  void mirror() {
    const auto flip = [](Vec3& v) { v.x() = -v.x(); };
    for (Contact& contact : contacts) {
      flip(contact.arm_a), flip(contact.arm_b), flip(contact.normal);
      for (int* body : {&contact.a, &contact.b}) {
        if (*body != TouchingBodies::kWorld) *body = box(2 - *body / 3, *body % 3);
      }
    }
  }

  /// Impulses on body a as vectors in space, refined from the Newton solution of a given start.
  std::vector<Vec3> impulses(unsigned seed) const {
    TouchingBodies made(3);
    for (int body = 0; body < 9; ++body) {
      made.add_body(1, 1.0 / 6, {0, 0, body == box(1, 2) ? -5 * kGravityImpulse : -kGravityImpulse});
    }
    for (const Contact& c : contacts) made.add_contact(c.a, c.arm_a, c.b, c.arm_b, c.normal, kRound);
    const ContactProblem problem = made.problem();
    ScaledProblem scaled;
    scaled.set(problem);
    std::vector<double> x = some_solution(scaled, seed);
    MinimumNorm method;
    const MinimumNormResult result = method.refine(scaled, kTolerance, x);
    EXPECT_TRUE(result.refined);
    EXPECT_FALSE(result.unique);
    EXPECT_LE(result.error, kTolerance);
    std::vector<double> p(x.size());
    scaled.impulses(x, p);
    std::vector<Vec3> vectors;
    for (std::size_t i = 0; i < contacts.size(); ++i) {
      const Vec3& n = contacts[i].normal;
      const Vec3 other = std::abs(n.z()) < 0.9 ? Vec3::UnitZ() : Vec3::UnitX();  // as in add_contact()
      const Vec3 t = other.cross(n).normalized(), o = n.cross(t);
      vectors.push_back(p[3 * i] * n + p[3 * i + 1] * t + p[3 * i + 2] * o);
    }
    return vectors;
  }

  std::vector<Contact> contacts;

 private:
  static int box(int column, int level) { return 3 * column + level; }
};

constexpr double kAlike = 1e-8 * 5 * kGravityImpulse;

TEST(MinimumNorm, IsMirroredWithTheProblem) {
  Wall wall, mirrored;
  mirrored.mirror();
  const std::vector<Vec3> p = wall.impulses(1), q = mirrored.impulses(2);
  for (std::size_t i = 0; i < p.size(); ++i) {
    EXPECT_NEAR((Vec3(-p[i].x(), p[i].y(), p[i].z()) - q[i]).norm(), 0, kAlike) << "contact " << i;
  }
}

TEST(MinimumNorm, DoesNotDependOnTheOrderOfContacts) {
  Wall wall, relabelled;
  std::vector<int> order(wall.contacts.size());
  std::iota(order.begin(), order.end(), 0);
  std::mt19937 engine(7);
  std::shuffle(order.begin(), order.end(), engine);
  for (std::size_t i = 0; i < order.size(); ++i) relabelled.contacts[i] = wall.contacts[order[i]];
  const std::vector<Vec3> p = wall.impulses(1), q = relabelled.impulses(2);
  for (std::size_t i = 0; i < p.size(); ++i) {
    EXPECT_NEAR((p[order[i]] - q[i]).norm(), 0, kAlike) << "contact " << i;
  }
}

TEST(MinimumNorm, AllocatesNothingOnceWarm) {
  const ContactProblem problem = table(kFourFeet, kRound, {0, 0, -1});
  ScaledProblem scaled;
  scaled.set(problem);
  std::vector<double> x(problem.rows());
  const std::vector<double> p{0.5, 0, 0, 0, 0, 0, 0, 0, 0, 0.5, 0, 0};
  MinimumNorm method;
  scaled.to_scaled(p, x);
  method.refine(scaled, kTolerance, x);
  scaled.to_scaled(p, x);
  const long before = allocation_count();
  EXPECT_TRUE(method.refine(scaled, kTolerance, x).refined);
  EXPECT_EQ(allocation_count() - before, 0);
}

}  // namespace minimum_norm_test
}  // namespace pawl::internal
