#include <pawl/solve/contact/interior_point.h>

#include <gmock/gmock.h>

#include <array>
#include <cmath>
#include <random>

#include <pawl/linalg/block_matrix.h>
#include <pawl/problem/delassus.h>
#include <pawl/solve/contact/iterative.h>

namespace pawl::internal {
namespace interior_point_test {

FrictionSet ellipsoid(double mu, std::array<double, 3> radii = {1, 1, 1}) {
  FrictionSet set;
  set.kind = FrictionKind::ellipsoid;
  set.mu = mu;
  set.radii = radii;
  return set;
}

/// Contacts of these sizes, then bilateral blocks; W dense, row-major.
ContactProblem delassus_problem(const std::vector<FrictionSet>& sets, const std::vector<int>& sizes,
                                const std::vector<double>& W, const std::vector<double>& b) {
  ContactProblem problem;
  problem.contacts = static_cast<int>(sets.size());
  problem.friction = sets;
  problem.zeta.assign(sets.size(), 0.0);
  problem.b = b;
  for (const int size : sizes) problem.begin.push_back(problem.begin.back() + size);
  problem.W.begin = problem.begin;
  for (int i = 0; i < problem.blocks(); ++i) {
    for (int j = 0; j < problem.blocks(); ++j) {
      problem.W.entries.push_back({j, problem.W.values.size()});
      for (int r = problem.begin[i]; r < problem.begin[i + 1]; ++r) {
        for (int c = problem.begin[j]; c < problem.begin[j + 1]; ++c) {
          problem.W.values.push_back(W[r * problem.rows() + c]);
        }
      }
    }
    problem.W.row.push_back(static_cast<int>(problem.W.entries.size()));
  }
  return problem;
}

/// A point mass of 1 kg on the ground: W = I.
ContactProblem point_mass(const FrictionSet& set, const std::vector<double>& b) {
  const int n = static_cast<int>(b.size());
  std::vector<double> W(n * n, 0.0);
  for (int r = 0; r < n; ++r) W[r * (n + 1)] = 1;
  return delassus_problem({set}, {n}, W, b);
}

/// Free bodies with contacts at given points, with each other or with the ground.
class Bodies {
 public:
  using Vec = std::array<double, 3>;

  int add(double mass, const Vec& centre, const std::array<double, 6>& v) {
    PrimalData& motion = problem_.motion;
    const int body = static_cast<int>(centres_.size());
    motion.mass_blocks.push_back({6 * body, 6, 36 * body});
    for (int r = 0; r < 6; ++r) {
      for (int c = 0; c < 6; ++c) {
        const double m = r != c ? 0 : r < 3 ? mass : 0.2 * mass;
        motion.mass.push_back(m);
        motion.factor.push_back(std::sqrt(m));
      }
    }
    motion.v_free.insert(motion.v_free.end(), v.begin(), v.end());
    centres_.push_back(centre);
    return body;
  }

  /// The normal points from `below` (-1: the ground) to `above`, which must be added later.
  void touch(int above, int below, const Vec& point, const Vec& n, double mu) {
    const Vec t = unit(std::abs(n[0]) < 0.7 ? cross(n, {1, 0, 0}) : cross(n, {0, 1, 0})), o = cross(n, t);
    for (const auto& [body, sign] : {std::pair(below, -1.0), std::pair(above, 1.0)}) {
      if (body < 0) continue;
      problem_.motion.jacobian_blocks.push_back(
          {problem_.contacts, body, static_cast<int>(problem_.motion.jacobian.size())});
      const Vec& centre = centres_[body];
      for (const Vec& axis : {n, t, o}) {
        const Vec arm = cross({point[0] - centre[0], point[1] - centre[1], point[2] - centre[2]}, axis);
        for (const Vec& part : {axis, arm}) {
          for (const double value : part) problem_.motion.jacobian.push_back(sign * value);
        }
      }
    }
    problem_.begin.push_back(3 * ++problem_.contacts);
    problem_.zeta.push_back(0);
    problem_.friction.push_back(ellipsoid(mu));
  }

  ContactProblem problem() const {
    ContactProblem made = problem_;
    set_free_velocities(made);
    return made;
  }

  static Vec cross(const Vec& a, const Vec& b) {
    return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
  }
  static Vec unit(const Vec& a) {
    const double length = std::hypot(a[0], a[1], a[2]);
    return {a[0] / length, a[1] / length, a[2] / length};
  }

 private:
  ContactProblem problem_;
  std::vector<Vec> centres_;
};

struct IpmRun {
  IterativeResult result;
  std::vector<double> p, u;
};

IpmRun run_ipm(const ContactProblem& problem, const InteriorPointOptions& options = {}) {
  ScaledProblem scaled;
  scaled.set(problem);
  std::vector<double> x(problem.rows(), 0.0);
  InteriorPoint method;
  IpmRun out;
  out.result = method.solve(scaled, options, x);
  out.p.resize(x.size());
  scaled.impulses(x, out.p);
  out.u = problem.b;
  BlockMatrix W = problem.W;
  DelassusScratch scratch;
  if (problem.primal()) compute_delassus(problem, W, scratch);
  multiply_add(W, out.p, out.u);
  return out;
}

/// Max violation of the laws of round friction, in unscaled unknowns and in units of the largest free
/// velocity (impulses of a 1 kg body).
double violation(const ContactProblem& problem, const IpmRun& solution) {
  double worst = 0, unit = 0;
  for (const double b : problem.b) unit = std::max(unit, std::abs(b));
  for (int i = 0; i < problem.contacts; ++i) {
    const double* p = solution.p.data() + problem.begin[i];
    const double* u = solution.u.data() + problem.begin[i];
    const double radius = problem.friction[i].mu * p[0];
    double p_f = 0, u_f = 0, work = 0;
    for (int k = 1; k < problem.size_of(i); ++k) {
      p_f += p[k] * p[k];
      u_f += u[k] * u[k];
      work += p[k] * u[k];
    }
    worst = std::max({worst, -p[0] / unit, -u[0] / unit, std::abs(p[0] * u[0]) / (unit * unit),
                      (std::sqrt(p_f) - radius) / unit,
                      std::abs(work + radius * std::sqrt(u_f)) / (unit * unit)});
  }
  for (int r = problem.begin[problem.contacts]; r < problem.rows(); ++r) {
    worst = std::max(worst, std::abs(solution.u[r]) / unit);
  }
  return worst;
}

testing::Matcher<std::vector<double>> near(const std::vector<double>& values) {
  return testing::Pointwise(testing::DoubleNear(1e-7), values);
}

TEST(InteriorPoint, SticksWhereFrictionIsEnough) {
  const IpmRun out = run_ipm(point_mass(ellipsoid(0.5), {-1, 0.2, -0.1}));
  EXPECT_TRUE(out.result.converged);
  EXPECT_THAT(out.p, near({1, -0.2, 0.1}));
}

TEST(InteriorPoint, SlidesWithoutLiftingOff) {
  const IpmRun out = run_ipm(point_mass(ellipsoid(0.5), {-1, 0.6, -0.8}));
  EXPECT_TRUE(out.result.converged);
  EXPECT_THAT(out.p, near({1, -0.3, 0.4}));
  EXPECT_THAT(out.u, near({0, 0.3, -0.4}));  // a convex relaxation would give u_n = μ 0.5
}

TEST(InteriorPoint, LeavesContactsThatSeparate) {
  std::vector<double> W(36, 0.0);
  for (int r = 0; r < 6; ++r) W[r * 7] = 1;
  const IpmRun out =
      run_ipm(delassus_problem({ellipsoid(0.5), ellipsoid(0.5)}, {3, 3}, W, {0.5, 1, 0, -1, 0.2, 0}));
  EXPECT_TRUE(out.result.converged);
  EXPECT_THAT(out.p, near({0, 0, 0, 1, -0.2, 0}));
}

TEST(InteriorPoint, SlidesInThePlaneWhereRowsAreCoupled) {
  const IpmRun out = run_ipm(delassus_problem({ellipsoid(0.5)}, {2}, {1, 0.4, 0.4, 2}, {-1, 3}));
  EXPECT_TRUE(out.result.converged);
  const double p_n = 1 / (1 - 0.4 * 0.5);  // 0 = p_n - 0.4 μ p_n - 1
  EXPECT_THAT(out.p, near({p_n, -0.5 * p_n}));
}

TEST(InteriorPoint, SlidesAndSpinsInTheMeasureOfTheRadii) {
  // û = (0.6, 0, 0.5 · 0.8) at the start, and W is isotropic after scaling, so p̂ keeps the direction of -û.
  const ContactProblem problem =
      delassus_problem({ellipsoid(0.5, {1, 1, 0.5})}, {4}, {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 4},
                       {-1, 1.2, 0, 3.2});
  const IpmRun out = run_ipm(problem);
  EXPECT_TRUE(out.result.converged);
  EXPECT_THAT(out.p, near({1, -0.5 * 0.6, 0, -0.5 * 0.8 * 0.5}));
}

TEST(InteriorPoint, TakesAnIntervalForTheBallItIs) {
  const FrictionPolyhedron both_ways = FrictionPolyhedron::regular(2), uneven({{1, 0, 0}, {-0.5, 0, 0}});
  FrictionSet interval = ellipsoid(0.5);
  interval.kind = FrictionKind::polyhedron;
  interval.polyhedron = &both_ways;
  const std::vector<double> W{2, 0.5, 0.5, 1}, b{-1, 4};
  EXPECT_THAT(run_ipm(delassus_problem({interval}, {2}, W, b)).p,
              near(run_ipm(delassus_problem({ellipsoid(0.5)}, {2}, W, b)).p));
  interval.polyhedron = &uneven;
  EXPECT_FALSE(run_ipm(delassus_problem({interval}, {2}, W, b)).result.converged);
}

TEST(InteriorPoint, CarriesNoFrictionWhereThereIsNone) {
  for (const FrictionSet& set : {FrictionSet{}, ellipsoid(0)}) {
    const IpmRun out = run_ipm(delassus_problem({set}, {3}, {2, 0.5, 0, 0.5, 1, 0, 0, 0, 1}, {-1, 0.3, 4}));
    EXPECT_TRUE(out.result.converged);
    EXPECT_THAT(out.p, near({0.5, 0, 0}));
  }
}

TEST(InteriorPoint, SolvesContactsTogetherWithBilateralRows) {
  const IpmRun out = run_ipm(delassus_problem({FrictionSet{}}, {1, 1}, {1, 0.5, 0.5, 1}, {-1, 0.3}));
  EXPECT_TRUE(out.result.converged);
  EXPECT_THAT(out.p, near({1.15 / 0.75, -0.3 - 0.5 * 1.15 / 0.75}));
}

TEST(InteriorPoint, SolvesBilateralRowsAlone) {
  const IpmRun out = run_ipm(delassus_problem({}, {2}, {2, 1, 1, 2}, {1, -1}));
  EXPECT_TRUE(out.result.converged);
  EXPECT_THAT(out.p, near({-1, 1}));
}

TEST(InteriorPoint, SurvivesRedundantBilateralRows) {
  // Four bilateral rows and a contact on a body with three degrees of freedom.
  const double J[5][3] = {{0.3, 0.9, 0.1}, {1, 0.1, 0}, {0.7, -0.3, 0}, {0.2, 0.6, 0}, {-0.1, 1.1, 0}};
  const double v[3] = {-0.4, -0.7, -0.2};
  std::vector<double> W, b;
  for (const auto& row : J) {
    for (const auto& column : J) W.push_back(row[0] * column[0] + row[1] * column[1] + row[2] * column[2]);
    b.push_back(row[0] * v[0] + row[1] * v[1] + row[2] * v[2]);
  }
  const IpmRun out = run_ipm(delassus_problem({FrictionSet{}}, {1, 4}, W, b));
  EXPECT_TRUE(out.result.converged);
  EXPECT_THAT(out.u, near({0, 0, 0, 0, 0}));
  EXPECT_THAT(out.p, testing::Each(testing::DoubleNear(0, 3)));
}

TEST(InteriorPoint, SharesTheWeightOfATableAmongItsLegs) {
  Bodies bodies;
  bodies.add(4, {0, 0, 1}, {0.1, 0, -1, 0, 0, 0});
  for (const double x : {-1.0, 1.0}) {
    for (const double y : {-1.0, 1.0}) bodies.touch(0, -1, {x, y, 0}, {0, 0, 1}, 0.5);
  }
  const IpmRun out = run_ipm(bodies.problem());
  EXPECT_TRUE(out.result.converged);
  EXPECT_NEAR(out.p[0] + out.p[3] + out.p[6] + out.p[9], 4, 1e-7);
  EXPECT_THAT(out.u, testing::Each(testing::DoubleNear(0, 1e-7)));
}

TEST(InteriorPoint, SolvesTowersOfHeavyOnLight) {
  Bodies bodies;
  for (int i = 0; i < 8; ++i) {
    bodies.add(i % 2 == 0 ? 1 : 1e4, {0, 0, i + 0.5}, {0.01 * i, -0.01, -0.1, 0.03, 0.02, -0.01 * i});
    for (const double x : {-0.5, 0.0, 0.5}) {
      for (const double y : {-0.5, 0.0, 0.5}) {
        bodies.touch(i, i - 1, {x, y, static_cast<double>(i)}, {0, 0, 1}, 0.3);
      }
    }
  }
  InteriorPointOptions options;
  options.tolerance = 1e-7;  // rounding leaves about 1e-8; Newton does the rest
  EXPECT_TRUE(run_ipm(bodies.problem(), options).result.converged);
}

TEST(InteriorPoint, ObeysTheLawsOnRandomProblems) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> uniform(-1, 1);
  const auto number = [&] { return uniform(random); };
  for (int seed = 0; seed < 20; ++seed) {
    Bodies bodies;
    for (int i = 0; i < 6; ++i) {
      bodies.add(1, {number(), number(), number()},
                 {number(), number(), number(), number(), number(), number()});
    }
    for (int i = 0; i < 6; ++i) {
      for (int below = -1; below < i; below += 2) {
        bodies.touch(i, below, {number(), number(), number()}, Bodies::unit({number(), number(), number()}),
                     0.3);
      }
    }
    const ContactProblem problem = bodies.problem();
    InteriorPointOptions options;
    options.tolerance = 1e-8;
    const IpmRun out = run_ipm(problem, options);
    EXPECT_TRUE(out.result.converged) << "problem " << seed;
    EXPECT_LT(violation(problem, out), 1e-7) << "problem " << seed;
  }
}

TEST(InteriorPoint, KeepsAGuessThatSolvesTheProblem) {
  const ContactProblem problem = point_mass(ellipsoid(0.5), {-1, 0.6, -0.8});
  ScaledProblem scaled;
  scaled.set(problem);
  std::vector<double> x(3), p{1, -0.3, 0.4};
  scaled.to_scaled(p, x);
  const std::vector<double> guess = x;
  InteriorPoint method;
  EXPECT_EQ(method.solve(scaled, {}, x).iterations, 0);
  EXPECT_EQ(x, guess);
}

TEST(InteriorPoint, ReturnsItsBestIterateWhereItIsStopped) {
  const ContactProblem problem = point_mass(ellipsoid(0.5), {-1, 0.6, -0.8});
  double last = 2;
  for (const int most : {0, 6, 8}) {
    InteriorPointOptions options;
    options.max_iterations = most;
    const IpmRun out = run_ipm(problem, options);
    EXPECT_FALSE(out.result.converged);
    EXPECT_EQ(out.result.iterations, most);
    EXPECT_LT(out.result.error, last);
    last = out.result.error;
  }
}

TEST(InteriorPoint, DoesNotApplyToSetsWithCorners) {
  const FrictionPolyhedron octagon = FrictionPolyhedron::regular(8);
  FrictionSet set = ellipsoid(0.5);
  set.kind = FrictionKind::polyhedron;
  set.polyhedron = &octagon;
  const ContactProblem problem = point_mass(set, {-1, 0.6, -0.8});
  ScaledProblem scaled;
  scaled.set(problem);
  EXPECT_FALSE(InteriorPoint::applies(scaled));
  std::vector<double> x{1, 2, 3};
  InteriorPoint method;
  const IterativeResult result = method.solve(scaled, {}, x);
  EXPECT_FALSE(result.converged);
  EXPECT_EQ(result.iterations, 0);
  EXPECT_THAT(x, testing::ElementsAre(1, 2, 3));
}

}  // namespace interior_point_test
}  // namespace pawl::internal
