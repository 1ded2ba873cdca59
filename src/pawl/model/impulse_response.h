#pragma once
// What impulses on the bodies of a tree do to its rates, M⁻¹ Jᵀ p, by the articulated-body recursion
// (Featherstone): in linear time, and without M.

#include <span>
#include <vector>

#include <pawl/model/kinematics.h>

namespace pawl::internal {

/// An impulse on a body at a point, and an angular one.
struct BodyImpulse {
  int body = 0;  // the world and bodies that do not move take any impulse
  Vec3 point;    // world, m
  Vec3 linear;   // N s
  Vec3 angular;  // N m s
};

class ImpulseResponse {
 public:
  /// For the trees of a model as they are placed. Both must outlive what follows. False where a joint moves
  /// nothing that has mass.
  bool prepare(const Model& model, const Kinematics& kinematics);

  /// dv[nv of the tree] := M⁻¹ Jᵀ p of all the impulses together; those on bodies of other trees are left
  /// out. A column of M⁻¹ Jᵀ is the response to a unit impulse, with its reaction where both bodies are of
  /// the tree.
  void respond(const Tree& tree, std::span<const BodyImpulse> impulses, std::span<double> dv);

  /// How the last response changes the velocity of a point of a body of its tree, m/s.
  Vec3 change(int body, const Vec3& point) const;

 private:
  /// Angular and linear part of a motion, or of a momentum, at a body's centre of mass.
  struct SpatialVector {
    Vec3 angular, linear;
  };
  /// A symmetric map from motions to momenta: angular = I w + H c, linear = Hᵀ w + m c.
  struct Inertia {
    Mat3 I, H, m;
  };
  static double dot(const SpatialVector& a, const SpatialVector& b);
  static void add(double scale, const SpatialVector& x, SpatialVector& sum);

  bool eliminate_joint(int b);
  void add_to_parent(int b, int parent);
  std::span<double> factor(const Body& body);

  const Model* model_ = nullptr;
  const Kinematics* kinematics_ = nullptr;
  std::vector<Inertia>
      inertia_;  // [bodies] of a body and all that hangs on it, with the joints out there free
  std::vector<SpatialVector> S_;  // [nv] the motion of a unit rate
  std::vector<SpatialVector> V_;  // [nv] U L⁻ᵀ, where U = inertia S and Sᵀ U = L Lᵀ of each joint
  std::vector<double> L_;         // [nv × 6] its factors, nv × nv from 6 v_begin on
  std::vector<double> y_;         // [nv] L⁻¹ Sᵀ push
  std::vector<SpatialVector> impulse_;  // [bodies] the impulse on a body and all that hangs on it
  std::vector<SpatialVector> change_;   // [bodies] of its motion
};

}  // namespace pawl::internal
