#pragma once
// Contacts with friction sets of every kind, and an explicit check of their laws.

#include <algorithm>
#include <cmath>
#include <limits>
#include <ostream>
#include <string>
#include <vector>

#include "unit/solve/contact/touching_bodies.h"

#include <pawl/problem/delassus.h>

namespace pawl::internal {

inline FrictionSet round_set(double mu, std::array<double, 3> radii = {1, 1, 1}) {
  return {FrictionKind::ellipsoid, mu, radii, nullptr};
}
inline FrictionSet mixed_set(double mu, std::array<double, 3> radii = {1, 1, 1}) {
  return {FrictionKind::mixed, mu, radii, nullptr};
}

/// Asymmetric directions, in the plane and with spin.
inline const FrictionPolyhedron& lopsided_polygon() {
  static const FrictionPolyhedron made({{1, 0.1, 0}, {-0.3, 0.8, 0}, {-0.9, -0.2, 0}, {0.2, -0.7, 0}});
  return made;
}
inline const FrictionPolyhedron& lopsided_polyhedron() {
  static const FrictionPolyhedron made(
      {{1, 0, 0}, {-1, 0, 0.1}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0.2, -1}});
  return made;
}

struct SetCase {
  std::string name;
  int rows = 1;
  FrictionSet set;

  friend std::ostream& operator<<(std::ostream& out, const SetCase& tried) { return out << tried.name; }
};

/// One set of every kind and size.
inline std::vector<SetCase> all_sets(double mu) {
  return {{"None", 1, {}},
          {"NoneOfThreeRows", 3, {}},
          {"Interval", 2, round_set(mu)},
          {"Disc", 3, round_set(mu)},
          {"Ball", 4, round_set(mu)},
          {"Mixed", 4, mixed_set(mu)},
          {"PolyhedralInterval", 2, polyhedral(mu, regular_polygon(2))},
          {"Octagon", 3, polyhedral(mu, regular_polygon(8))},
          {"LopsidedPolygon", 3, polyhedral(mu, lopsided_polygon())},
          {"LopsidedPolyhedron", 4, polyhedral(mu, lopsided_polyhedron())}};
}

/// Bodies with six velocities each and contacts with random rows: no geometry, but a valid W = Y Yᵀ. Even
/// blocks act on one body only, like contacts with the world.
inline ContactProblem random_contacts(Random& random, int bodies, const std::vector<SetCase>& contacts,
                                      const std::vector<int>& bilateral = {}) {
  ContactProblem problem;
  PrimalData& motion = problem.motion;
  for (int body = 0; body < bodies; ++body) {
    motion.mass_blocks.push_back({6 * body, 6, 36 * body});
    const double root = random.magnitude(1, 3);
    for (int i = 0; i < 36; ++i) {
      motion.mass.push_back(i % 7 == 0 ? root * root : 0);
      motion.factor.push_back(i % 7 == 0 ? root : 0);
    }
    for (int i = 0; i < 6; ++i) motion.v_free.push_back(random.uniform(-1, 1));
  }
  const auto add_block = [&](int rows) {
    const int block = problem.blocks(), a = random.integer(0, bodies - 1), b = random.integer(0, bodies - 1);
    problem.begin.push_back(problem.rows() + rows);
    for (int body = 0; body < bodies; ++body) {
      if (body != a && (body != b || block % 2 == 0)) continue;
      motion.jacobian_blocks.push_back({block, body, static_cast<int>(motion.jacobian.size())});
      for (int i = 0; i < 6 * rows; ++i) motion.jacobian.push_back(random.uniform(-1, 1));
    }
  };
  for (const SetCase& contact : contacts) {
    add_block(contact.rows);
    ++problem.contacts;
    problem.friction.push_back(contact.set);
    problem.zeta.push_back(0);
  }
  for (const int rows : bilateral) add_block(rows);
  set_free_velocities(problem);
  return problem;
}

/// The same problem in Delassus form.
inline ContactProblem delassus_form(ContactProblem problem) {
  problem.W = delassus(problem);
  problem.motion = {};
  return problem;
}

/// Appends the bilateral rows of a ball joint: the point at `arm_a` of body a stays on the point at `arm_b`
/// of b.
inline void add_ball_joint(ContactProblem& problem, int a, const Eigen::Vector3d& arm_a, int b,
                           const Eigen::Vector3d& arm_b) {
  PrimalData& motion = problem.motion;
  const int block = problem.blocks();
  problem.begin.push_back(problem.rows() + 3);
  const auto add_rows = [&](int body, double sign, const Eigen::Vector3d& arm) {
    if (body == TouchingBodies::kWorld) return;
    motion.jacobian_blocks.push_back({block, body, static_cast<int>(motion.jacobian.size())});
    for (int r = 0; r < 3; ++r) {
      const Eigen::Vector3d axis = Eigen::Vector3d::Unit(r), lever = arm.cross(axis);
      for (int i = 0; i < 3; ++i) motion.jacobian.push_back(sign * axis[i]);
      for (int i = 0; i < 3; ++i) motion.jacobian.push_back(sign * lever[i]);
    }
  };
  if (a < b) add_rows(a, 1, arm_a);
  add_rows(b, -1, arm_b);
  if (a > b) add_rows(a, 1, arm_a);
  set_free_velocities(problem);
}

/// Violation of the laws of one contact, scaled by the radii, relative to the given sizes of x and w. Each
/// law is written out.
inline double contact_law_error(const FrictionSet& set, int n, const double* x, const double* w,
                                double x_size, double w_size) {
  double worst = 0;
  const auto nan_max = [&](double error) {
    if (!(error <= worst)) worst = std::isnan(error) ? std::numeric_limits<double>::infinity() : error;
  };
  const double X = x[0] / x_size, V = w[0] / w_size;
  nan_max(-X);
  nan_max(-V);
  nan_max(std::min(X, V));
  if (n == 1) return worst;
  Eigen::Vector3d x_f = Eigen::Vector3d::Zero(), w_f = x_f;
  for (int i = 1; i < n; ++i) x_f[i - 1] = x[i] / x_size, w_f[i - 1] = w[i] / w_size;
  if (set.frictionless()) {
    nan_max(x_f.cwiseAbs().maxCoeff());
    return worst;
  }
  const double radius = set.mu * std::max(X, 0.0);
  // Round part: inside the set; sliding friction lies on the boundary and opposes the velocity.
  const auto round_part = [&](int first, int count) {
    const Eigen::VectorXd z = x_f.segment(first, count) - w_f.segment(first, count);
    const double length = z.norm();
    nan_max((x_f.segment(first, count) - z * (length > radius ? radius / length : 1)).cwiseAbs().maxCoeff());
  };
  switch (set.kind) {
    case FrictionKind::none:
      break;
    case FrictionKind::ellipsoid:
      round_part(0, 3);
      break;
    case FrictionKind::mixed:
      round_part(0, 2);
      round_part(2, 1);
      break;
    case FrictionKind::polyhedron: {
      const double gauge = set.polyhedron->gauge({x_f[0], x_f[1], x_f[2]});
      nan_max(gauge - radius);
      double most = 0;  // max dissipation at unit radius
      for (const auto& d : set.polyhedron->directions()) {
        most = std::max(most, -(d[0] * w_f[0] + d[1] * w_f[1] + d[2] * w_f[2]));
      }
      // Relative to the impulse if it is large, otherwise to the velocity.
      nan_max((radius * most + w_f.dot(x_f)) / std::max({1.0, radius}));
      break;
    }
  }
  return worst;
}

}  // namespace pawl::internal
