#pragma once
// Dynamics without contact: mass matrix, forces, energies, and the rotation of a free body through a step.

#include <span>
#include <vector>

#include <pawl/model/kinematics.h>
#include <pawl/model/mass_properties.h>

namespace pawl::internal {

/// Forces on the centres of mass and torques about them, N and N m, by body.
struct BodyForces {
  std::vector<Vec3> force, torque;

  void clear(const Model& model) {
    force.assign(model.bodies.size(), {});
    torque.assign(model.bodies.size(), {});
  }
};

/// Scratch of the functions of this file.
struct DynamicsScratch {
  // [bodies] composite rigid body of a body and all its descendants, world axes
  std::vector<MassProperties> composite;
  BodyForces forces;
  std::vector<Vec3> alpha, accel;  // [bodies] rad/s², m/s²
};

/// M(q), one dense block per tree (Tree::mass_begin), by the composite-rigid-body recursion.
void mass_matrix(const Model& model, const Kinematics& kinematics, DynamicsScratch& scratch,
                 std::span<double> M);

/// The block of one tree, nv × nv.
void mass_block(const Model& model, const Tree& tree, const Kinematics& kinematics, DynamicsScratch& scratch,
                std::span<double> block);

/// Generalised forces, split for the energy ledger.
struct ForceSplit {
  std::span<double> conservative;  // [nv] gravity and springs
  std::span<double> applied;       // [nv] wrenches and dampers
};

/// Start time and length of a step, s.
struct StepClock {
  double time = 0;
  double h = 0;
  /// The length of whole steps, if this is a part of one. It decides which springs and dampers are implicit,
  /// so that they stay what they are while steps are divided.
  double whole = 0;

  double whole_step() const { return whole > 0 ? whole : h; }
};

/// Forces at the poses and velocities in `kinematics` (after velocity_kinematics), with wrenches at the
/// midpoint of the step. Springs and dampers that are implicit at this step length are excluded.
void generalised_forces(const Model& model, const Kinematics& kinematics, const StepClock& clock,
                        DynamicsScratch& scratch, const ForceSplit& forces);

/// The parts of these forces that act on bodies, added to `sum`: gravity and springs; wrenches and dampers.
void conservative_body_forces(const Model& model, const Kinematics& kinematics, const StepClock& clock,
                              BodyForces& sum);
void applied_body_forces(const Model& model, const Kinematics& kinematics, const StepClock& clock,
                         BodyForces& sum);
/// The part of one element on the coordinate of a tree joint.
double coordinate_force(const Model& model, const ForceElement& force, const Kinematics& kinematics,
                        const StepClock& clock);

/// Writes to tau[nv of the tree] the inertial forces −M(q) a − C(q, v) v by the recursive Newton-Euler
/// algorithm, i.e. with Coriolis, centrifugal and gyroscopic terms. a[nv of the tree] may be empty for a = 0.
void inertial_forces(const Model& model, const Tree& tree, const Kinematics& kinematics,
                     std::span<const double> a, DynamicsScratch& scratch, std::span<double> tau);

/// J: gravity and springs.
double potential_energy(const Model& model, const Kinematics& kinematics);
/// J; requires velocity_kinematics.
double kinetic_energy(const Model& model, const Kinematics& kinematics);

/// Linear momentum, and angular momentum about the world's origin, of all moving bodies.
struct Momentum {
  Vec3 linear, angular;
};
Momentum momentum(const Model& model, const Kinematics& kinematics);

/// The rotation of a single free body through a step: its mean and its final angular velocity, rad/s.
struct SpinStep {
  // False if the equation for `mean` was not solved; this needs rotations of radians per step.
  bool solved = true;
  Vec3 mean;  // R⁺ = exp(h mean) R
  Vec3 end;   // I(R⁺) end = I(R) w + h τ: angular momentum is conserved exactly
};
/// Applies the torque first, as in the translation v⁺ = v + h f/m, then the free rotation by the midpoint
/// rule on the rotation group:
///   I(exp(h mean/2) R) mean = I(R) w + h τ.
/// The energy of a tumbling body does not drift. The torque contributes equally to `mean` and `end`, so a
/// body that contacts hold against the torque does not move.
SpinStep integrate_spin(const Mat3& R_WB, const Mat3& inertia_B, const Vec3& w, const Vec3& torque, double h);

/// The left Jacobian of SO(3): exp([φ + dφ]×) = exp([Jl(φ) dφ]×) exp([φ]×) to first order.
Mat3 left_jacobian(const Vec3& phi);

}  // namespace pawl::internal
