#pragma once
// The response of a tree's generalised velocities to impulses, M⁻¹ Jᵀ p, by the articulated-body recursion
// (Featherstone): in linear time and without forming M.

#include <span>
#include <vector>

#include <pawl/model/kinematics.h>

namespace pawl::internal {

/// A linear impulse on a body at a point, and an angular impulse.
struct BodyImpulse {
  int body = 0;  // impulses on the world and on static bodies have no effect
  Vec3 point;    // world, m
  Vec3 linear;   // N s
  Vec3 angular;  // N m s
};

class ImpulseResponse {
 public:
  /// Factors all trees of the model at the given poses. `model` and `kinematics` must outlive the calls
  /// below. Returns false if a joint moves no mass.
  bool prepare(const Model& model, const Kinematics& kinematics);

  /// dv[nv of the tree] := M⁻¹ Jᵀ p of all the impulses together; impulses on bodies of other trees are
  /// ignored. A column of M⁻¹ Jᵀ is the response to a unit impulse, with its reaction if both bodies belong
  /// to the tree.
  void respond(const Tree& tree, std::span<const BodyImpulse> impulses, std::span<double> dv);

  /// The change of velocity, in the last response, of a point of a body of that tree, m/s.
  Vec3 change(int body, const Vec3& point) const;

 private:
  /// Angular and linear part of a motion or of a momentum, at a body's centre of mass.
  struct SpatialVector {
    Vec3 angular, linear;
  };
  /// Symmetric map from motion to momentum: angular = I w + H c, linear = Hᵀ w + m c.
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
  // [bodies] articulated inertia of a body and its descendants, whose joints are free
  std::vector<Inertia> inertia_;
  std::vector<SpatialVector> S_;        // [nv] motion at unit generalised velocity
  std::vector<SpatialVector> V_;        // [nv] U L⁻ᵀ, with U = inertia S and Sᵀ U = L Lᵀ per joint
  std::vector<double> L_;               // [nv × 6] the factors L, nv × nv per body from 6 v_begin on
  std::vector<double> y_;               // [nv] L⁻¹ Sᵀ impulse
  std::vector<SpatialVector> impulse_;  // [bodies] impulse on a body and its descendants
  std::vector<SpatialVector> change_;   // [bodies] change of the body's motion
};

}  // namespace pawl::internal
