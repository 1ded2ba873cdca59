#pragma once
// Contact problems of touching bodies, given directly by masses, contact frames and lever arms.

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <string>
#include <vector>

#include <pawl/contact_problem.h>
#include <pawl/problem/delassus.h>
#include <pawl/problem_file.h>

#include "unit/problem/random.h"

namespace pawl::internal {

inline const FrictionPolyhedron& regular_polygon(int k) {
  static const std::vector<FrictionPolyhedron> polygons = [] {
    std::vector<FrictionPolyhedron> made;
    for (int i = 2; i <= 16; ++i) made.push_back(FrictionPolyhedron::regular(i));
    return made;
  }();
  return polygons.at(k - 2);
}

inline FrictionSet polyhedral(double mu, const FrictionPolyhedron& polyhedron) {
  return {FrictionKind::polyhedron, mu, {1, 1, 1}, &polyhedron};
}

/// W of a problem in primal form.
inline BlockMatrix delassus(const ContactProblem& problem) {
  BlockMatrix W;
  DelassusScratch scratch;
  compute_delassus(problem, W, scratch);
  return W;
}

/// In the plane all z are 0, and spin is about z.
class TouchingBodies {
 public:
  using Vec3 = Eigen::Vector3d;
  static constexpr int kWorld = -1;

  explicit TouchingBodies(int dim) : dim_(dim) {}

  /// A free body with its velocities without contact.
  int add_body(double mass, double inertia, const Vec3& v, const Vec3& spin = Vec3::Zero()) {
    PrimalData& motion = problem_.motion;
    const int size = this->size(), dim = dim_;
    motion.mass_blocks.push_back(
        {static_cast<int>(motion.v_free.size()), size, static_cast<int>(motion.mass.size())});
    for (int i = 0; i < size * size; ++i) {
      const double M = i % (size + 1) != 0 ? 0 : i / size < dim ? mass : inertia;
      motion.mass.push_back(M);
      motion.factor.push_back(std::sqrt(M));
    }
    for (int i = 0; i < dim; ++i) motion.v_free.push_back(v[i]);
    for (int i = dim == 2 ? 2 : 0; i < 3; ++i) motion.v_free.push_back(spin[i]);
    return static_cast<int>(motion.mass_blocks.size()) - 1;
  }

  /// `normal` points out of b into a. The arms are vectors from the centres to the contact.
  void add_contact(int a, const Vec3& arm_a, int b, const Vec3& arm_b, const Vec3& normal,
                   const FrictionSet& friction, double zeta = 0) {
    const int c = problem_.contacts++;
    problem_.begin.push_back(problem_.rows() + dim_);
    problem_.friction.push_back(friction);
    problem_.zeta.push_back(zeta);
    const Vec3 other = dim_ == 2 ? Vec3::UnitZ() : std::abs(normal.z()) < 0.9 ? Vec3::UnitZ() : Vec3::UnitX();
    const Vec3 t = other.cross(normal).normalized(), o = normal.cross(t);
    const std::vector<Vec3> frame{normal, t, o};
    if (a < b) add_rows(c, a, 1, arm_a, frame);
    add_rows(c, b, -1, arm_b, frame);
    if (a > b) add_rows(c, a, 1, arm_a, frame);
  }

  ContactProblem problem() const {
    ContactProblem made = problem_;
    set_free_velocities(made);
    return made;
  }

 private:
  int size() const { return dim_ == 2 ? 3 : 6; }

  void add_rows(int contact, int body, double sign, const Vec3& arm, const std::vector<Vec3>& frame) {
    if (body == kWorld) return;
    PrimalData& motion = problem_.motion;
    const int dim = dim_;
    motion.jacobian_blocks.push_back({contact, body, static_cast<int>(motion.jacobian.size())});
    for (int r = 0; r < dim; ++r) {
      const Vec3 lever = arm.cross(frame[r]);
      for (int i = 0; i < dim; ++i) motion.jacobian.push_back(sign * frame[r][i]);
      for (int i = dim == 2 ? 2 : 0; i < 3; ++i) motion.jacobian.push_back(sign * lever[i]);
    }
  }

  int dim_;
  ContactProblem problem_;
};

inline Eigen::Vector3d random_vector(Random& random, int dim) {
  return {random.uniform(-1, 1), random.uniform(-1, 1), dim == 2 ? 0 : random.uniform(-1, 1)};
}

struct RandomBodies {
  int dim = 3, contacts = 1, bodies = 1, directions = 8;
  double mass_ratio = 1;
  double largest_mu = 1;
  double zeta = 0;  // max |ζ|
};

/// Bodies of various masses that touch the world and each other at random points, most of them approaching.
inline ContactProblem random_bodies(Random& random, const RandomBodies& shape) {
  TouchingBodies made(shape.dim);
  for (int i = 0; i < shape.bodies; ++i) {
    const double mass = random.magnitude(1, shape.mass_ratio);
    const Eigen::Vector3d v = random_vector(random, shape.dim);
    made.add_body(mass, mass * random.uniform(0.05, 0.5), v,
                  shape.dim == 2 ? v[0] * Eigen::Vector3d::UnitZ() : v);
  }
  for (int c = 0; c < shape.contacts; ++c) {
    const double mus[] = {0, 0.3, 1, shape.largest_mu};
    const int a = random.integer(0, shape.bodies - 1);
    int b = random.integer(TouchingBodies::kWorld, shape.bodies - 2);
    if (b >= a) ++b;
    made.add_contact(a, random_vector(random, shape.dim), b, random_vector(random, shape.dim),
                     random_vector(random, shape.dim).normalized(),
                     polyhedral(mus[random.integer(0, 3)], regular_polygon(shape.directions)),
                     random.uniform(-shape.zeta, shape.zeta));
  }
  return made.problem();
}

/// Saves a problem on which a property failed, and returns a message with its path.
inline std::string save_failed_problem(const ContactProblem& problem) {
  const std::string path = testing::TempDir() + "pawl-failed-problem.json";
  write_problem(path, problem);
  return "the problem is in " + path;
}

}  // namespace pawl::internal
