#pragma once
// Random mechanisms, and numerical derivatives along their motions.

#include <string>
#include <vector>

#include <pawl/model/dynamics.h>
#include <unit/base/random.h>

namespace pawl::internal::testing {

/// A physical inertia: the triangle inequality holds.
inline Mat3 random_inertia(Random& random, Dimension dimension) {
  if (dimension == Dimension::planar) return random.uniform(0.1, 1) * Mat3::identity();
  const Vec3 second{random.uniform(0.05, 1), random.uniform(0.05, 1), random.uniform(0.05, 1)};
  const Mat3 R = to_matrix(random.rotation());
  const Mat3 I =
      R * (trace(Mat3::diagonal(second)) * Mat3::identity() - Mat3::diagonal(second)) * transpose(R);
  return 0.5 * (I + transpose(I));
}

/// A body at a random pose, joined to its parent by a joint of random anchor and axis.
inline SceneBody random_body(Random& random, Dimension dimension, const std::string& name, JointKind joint,
                             const std::string& parent) {
  const bool planar = dimension == Dimension::planar;
  const auto place = [&] {
    const Vec3 p = random.vec();
    return planar ? Vec3{p.x, p.y, 0} : p;
  };
  SceneBody body;
  body.name = name;
  body.joint.kind = joint;
  body.joint.parent = parent;
  body.joint.anchor = place();
  body.joint.axis = !planar                        ? random.unit()
                    : joint == JointKind::revolute ? Vec3{0, 0, 1}
                                                   : normalized(place());
  body.joint.position = random.uniform(-1, 1);
  body.joint.velocity = random.uniform(-1, 1);
  if (!planar) {
    body.joint.second_axis = normalized(cross(body.joint.axis, random.unit()) + 0.3 * body.joint.axis);
    body.joint.second_position = random.uniform(-1, 1);
    body.joint.second_velocity = random.uniform(-1, 1);
    body.joint.orientation = random.rotation();
    body.joint.angular_velocity = random.vec();
  }
  body.mass = random.uniform(0.2, 2);
  body.center_of_mass = place();
  body.inertia = random_inertia(random, dimension);
  body.position = place();
  body.angle = random.uniform(-3, 3);
  body.orientation = planar ? quat_exp({0, 0, body.angle}) : random.rotation();
  body.velocity = place();
  body.angular_velocity = planar ? Vec3{0, 0, random.uniform(-1, 1)} : random.vec();
  return body;
}

/// Two trees: one on a free body, one on a body welded to the world. Every further body is joined to a random
/// earlier one by a random joint of its dimension. Gravity has a random direction.
inline Scene random_mechanism(Random& random, Dimension dimension, int bodies = 9) {
  const bool planar = dimension == Dimension::planar;
  Scene scene;
  scene.dimension = dimension;
  const Vec3 g = 10.0 * random.vec();
  scene.gravity = planar ? Vec3{g.x, g.y, 0} : g;
  const auto add = [&](JointKind joint, const std::string& parent) {
    scene.bodies.push_back(
        random_body(random, dimension, "b" + std::to_string(scene.bodies.size()), joint, parent));
  };
  add(planar ? JointKind::planar : JointKind::free, "world");
  add(JointKind::weld, "world");
  while (static_cast<int>(scene.bodies.size()) < bodies) {
    const JointKind kinds[] = {JointKind::revolute, JointKind::revolute,    JointKind::prismatic,
                               JointKind::weld,     JointKind::cylindrical, JointKind::universal,
                               JointKind::ball};
    add(kinds[random.below(planar ? 4 : 7)],
        scene.bodies[random.below(static_cast<int>(scene.bodies.size()))].name);
  }
  return scene;
}

/// A chain from the world, of joints whose velocities are the derivatives of their coordinates.
inline Scene random_chain(Random& random, Dimension dimension, int bodies = 5) {
  Scene scene;
  scene.dimension = dimension;
  for (int i = 0; i < bodies; ++i) {
    const JointKind kinds[] = {JointKind::revolute, JointKind::revolute, JointKind::prismatic,
                               JointKind::cylindrical, JointKind::universal};
    const JointKind joint = kinds[random.below(dimension == Dimension::planar ? 3 : 5)];
    scene.bodies.push_back(random_body(random, dimension, "b" + std::to_string(i), joint,
                                       i == 0 ? "world" : "b" + std::to_string(i - 1)));
  }
  return scene;
}

/// The kinematics after a time t at constant generalised velocities v.
inline Kinematics kinematics_after(const Model& model, const std::vector<double>& q,
                                   const std::vector<double>& v, double t) {
  std::vector<double> q_next(model.nq);
  integrate(model, q, v, t, q_next);
  Kinematics k;
  position_kinematics(model, q_next, k);
  velocity_kinematics(model, v, k);
  return k;
}

/// f'(0) by differences of fourth order; truncation (about h⁴) and rounding (ε/h) are both near 1e-12.
template <class F>
auto derivative(F f) {
  constexpr double h = 1e-3;
  return (1 / (12 * h)) * (8.0 * (f(h) - f(-h)) - (f(2 * h) - f(-2 * h)));
}

inline std::vector<double> unit_rate(const Model& model, int i) {
  std::vector<double> v(model.nv, 0.0);
  v[i] = 1;
  return v;
}

}  // namespace pawl::internal::testing
