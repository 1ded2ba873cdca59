#pragma once
// Random problems in accelerations, without bodies.

#include <random>

#include <pawl/analysis.h>

namespace pawl::internal::test {

/// Seeded. Contacts are nearly independent to closely coupled, slide or roll, and have μ = 1.
class RandomProblems {
 public:
  explicit RandomProblems(unsigned seed) : random_(seed) {}
  double normal() { return normal_(random_); }
  double unit() { return unit_(random_); }

  AccelerationProblem planar(int contacts, int rates) {
    AccelerationProblem problem = shell(contacts, 2, rates);
    for (int c = 0; c < contacts; ++c) add(problem, {FrictionKind::ellipsoid, 1, {1, 1, 1}, nullptr});
    return problem;
  }
  AccelerationProblem polygonal(const FrictionPolyhedron& polygon, int rates) {
    AccelerationProblem problem = shell(1, 3, rates);
    add(problem, {FrictionKind::polyhedron, 1, {1, 0.5 + unit(), 1}, &polygon});
    return problem;
  }
  AccelerationProblem with_spin(FrictionKind kind, int contacts) {
    AccelerationProblem problem = shell(contacts, 4, 4 * contacts + 1);
    for (int c = 0; c < contacts; ++c) add(problem, {kind, 1, {1, 0.5 + unit(), 0.1 + unit()}, nullptr});
    return problem;
  }
  /// Sets coefficients up to `max_mu`; at least one contact has `max_mu`.
  void set_friction(AccelerationProblem& problem, double max_mu) {
    for (FrictionSet& set : problem.friction) set.mu = unit() < 0.3 ? max_mu * unit() : max_mu;
    problem.friction[0].mu = max_mu;
  }

 private:
  AccelerationProblem shell(int contacts, int rows, int rates) {
    AccelerationProblem problem;
    problem.rates = rates;
    for (int c = 0; c < contacts; ++c) problem.begin.push_back(problem.begin.back() + rows);
    const double coupling = unit();  // includes nearly independent contacts
    for (int r = 0; r < contacts * rows; ++r) {
      for (int k = 0; k < rates; ++k) problem.Y.push_back((k == r ? 1 : coupling) * normal());
      problem.b.push_back(normal());
    }
    problem.velocity_terms.assign(problem.rows(), 0.0);
    return problem;
  }
  void add(AccelerationProblem& problem, const FrictionSet& set) {
    problem.friction.push_back(set);
    problem.sliding.push_back(unit() < 0.5);
    FrictionVector v{normal(), 0, 0};
    for (int i = 1; i + 1 < problem.size_of(0); ++i) v[i] = normal();
    problem.direction.push_back(problem.sliding.back() ? sliding_direction(set, v) : FrictionVector{});
  }

  std::mt19937 random_;
  std::normal_distribution<double> normal_;
  std::uniform_real_distribution<double> unit_{0, 1};
};

}  // namespace pawl::internal::test
