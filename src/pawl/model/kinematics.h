#pragma once
// Where the bodies are and how their points move: (model, q, v) -> poses, dofs, velocities.

#include <span>
#include <vector>

#include <pawl/model.h>

namespace pawl::internal {

/// What a unit rate does to every body further out in its tree: a point p of them moves with l + a × (p - o).
struct Dof {
  Vec3 a;  // rad/s per rate
  Vec3 l;  // m/s per rate
  Vec3 o;  // m, world
};
inline Vec3 point_velocity(const Dof& dof, const Vec3& point) {
  return dof.l + cross(dof.a, point - dof.o);
}

/// Scratch that kinematics fills, by body and by rate.
struct Kinematics {
  std::vector<Pose> X_WB;  // [bodies]; p is the centre of mass
  std::vector<Vec3> w;     // [bodies] rad/s
  std::vector<Vec3> c;     // [bodies] velocity of the centre of mass, m/s
  std::vector<Dof> dofs;   // [nv]
};

/// Poses and dofs at q.
void position_kinematics(const Model& model, std::span<const double> q, Kinematics& kinematics);

/// Velocities of the bodies at rates v, for the placement already computed.
void velocity_kinematics(const Model& model, std::span<const double> v, Kinematics& kinematics);

/// Both for one tree alone; bodies that do not move must have been placed.
void tree_kinematics(const Model& model, const Tree& tree, std::span<const double> q,
                     std::span<const double> v, Kinematics& kinematics);

/// The velocity of a point fixed to a body, after velocity_kinematics.
inline Vec3 point_velocity(const Kinematics& k, int body, const Vec3& point) {
  return k.c[body] + cross(k.w[body], point - k.X_WB[body].p);
}

/// q_next = q ⊕ h v, exact on the group of rotations.
void integrate(const Model& model, std::span<const double> q, std::span<const double> v, double h,
               std::span<double> q_next);
/// The same for one tree alone.
void integrate_tree(const Model& model, const Tree& tree, std::span<const double> q,
                    std::span<const double> v, double h, std::span<double> q_next);

}  // namespace pawl::internal
