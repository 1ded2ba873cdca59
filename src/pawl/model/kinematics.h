#pragma once
// Kinematics of the bodies: (model, q, v) -> poses, dofs, velocities.

#include <span>
#include <vector>

#include <pawl/model.h>

namespace pawl::internal {

inline constexpr Vec3 kAxes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

/// The motion of a body and all its descendants at unit generalised velocity: the point p has velocity l + a
/// × (p − o).
struct Dof {
  Vec3 a;        // rad/s per unit velocity
  Vec3 l;        // m/s per unit velocity
  Vec3 o;        // m, world
  double q = 0;  // rad or m: the coordinate, of revolute and prismatic joints
};
inline Vec3 point_velocity(const Dof& dof, const Vec3& point) {
  return dof.l + cross(dof.a, point - dof.o);
}

/// Results of the functions below.
struct Kinematics {
  std::vector<Pose> X_WB;  // [bodies]; p is the centre of mass
  std::vector<Vec3> w;     // [bodies] angular velocity, rad/s
  std::vector<Vec3> c;     // [bodies] velocity of the centre of mass, m/s
  std::vector<Dof> dofs;   // [nv]
};

/// Computes poses and dofs at q.
void position_kinematics(const Model& model, std::span<const double> q, Kinematics& kinematics);

/// Computes the velocities of the bodies at generalised velocities v; requires position_kinematics.
void velocity_kinematics(const Model& model, std::span<const double> v, Kinematics& kinematics);

/// Both for one tree; the poses of static bodies must be set.
void tree_kinematics(const Model& model, const Tree& tree, std::span<const double> q,
                     std::span<const double> v, Kinematics& kinematics);

/// The velocity of a point fixed to a body; requires velocity_kinematics.
inline Vec3 point_velocity(const Kinematics& k, int body, const Vec3& point) {
  return k.c[body] + cross(k.w[body], point - k.X_WB[body].p);
}

/// The generalised velocity of a coordinate of a body's revolute, prismatic or ball joint; requires
/// velocity_kinematics.
inline double joint_rate(const Model& model, const Kinematics& k, int b, int dof) {
  const Body& body = model.bodies[b];
  if (body.joint != JointKind::prismatic) return dot(k.dofs[dof].a, k.w[b] - k.w[body.parent]);
  return dot(k.dofs[dof].l, k.c[b] - point_velocity(k, body.parent, k.X_WB[b].p));
}

/// q_next = q ⊕ h v, exact on the rotation group.
void integrate(const Model& model, std::span<const double> q, std::span<const double> v, double h,
               std::span<double> q_next);
/// The same for one tree.
void integrate_tree(const Model& model, const Tree& tree, std::span<const double> q,
                    std::span<const double> v, double h, std::span<double> q_next);

}  // namespace pawl::internal
