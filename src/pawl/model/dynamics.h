#pragma once
// How the bodies move without contact: mass matrix, forces, energies, and the velocity at the end of a free
// step.

#include <span>
#include <vector>

#include <pawl/model/kinematics.h>
#include <pawl/model/mass_properties.h>

namespace pawl::internal {

/// Scratch of this file's functions.
struct DynamicsScratch {
  std::vector<MassProperties>
      composite;  // [bodies] a body and all that hangs on it, as one rigid body, in world axes
  std::vector<Vec3> force, torque;  // [bodies] about the centre of mass
  std::vector<Vec3> alpha, accel;   // [bodies] bias accelerations
};

/// M(q), one dense block per tree (Tree::mass_begin), by the composite-rigid-body recursion.
void mass_matrix(const Model& model, const Kinematics& kinematics, DynamicsScratch& scratch,
                 std::span<double> M);

/// The block of one tree, nv × nv.
void mass_block(const Model& model, const Tree& tree, const Kinematics& kinematics, DynamicsScratch& scratch,
                std::span<double> block);

/// Generalised forces, split as the energy ledger needs them.
struct ForceSplit {
  std::span<double> conservative;  // [nv] gravity and springs
  std::span<double> applied;       // [nv] wrenches and dampers
};

/// When a step begins and how long it is, s.
struct StepClock {
  double time = 0;
  double h = 0;
};

/// Forces at the placement and velocities in `kinematics` (after velocity_kinematics), wrenches as in the
/// middle of the step. Springs and dampers that are implicit in such a step are left out.
void generalised_forces(const Model& model, const Kinematics& kinematics, const StepClock& clock,
                        DynamicsScratch& scratch, const ForceSplit& forces);

/// Writes to tau[nv of the tree] the forces of inertia, -M(q) a - C(q, v) v, by the recursion of Newton and
/// Euler: of accelerations a [nv of the tree], or none where that is empty, and the Coriolis, centrifugal and
/// gyroscopic ones.
void inertial_forces(const Model& model, const Tree& tree, const Kinematics& kinematics,
                     std::span<const double> a, DynamicsScratch& scratch, std::span<double> tau);

/// J: gravity and springs.
double potential_energy(const Model& model, const Kinematics& kinematics);
/// J, from the velocities of velocity_kinematics.
double kinetic_energy(const Model& model, const Kinematics& kinematics);

/// Angular momentum about the world's origin and linear momentum of all bodies that move.
struct Momentum {
  Vec3 linear, angular;
};
Momentum momentum(const Model& model, const Kinematics& kinematics);

/// The free spin of a lone body through a step: the rotation vector per time that turns R into R⁺, and the
/// angular velocity at the end.
struct SpinStep {
  bool solved =
      true;   // false: the equation of the mean was not solved; only turns of radians a step can do that
  Vec3 mean;  // R⁺ = exp(h mean) R
  Vec3 end;   // I(R⁺) end = I(R) w + h τ: angular momentum is kept exactly
};
/// The torque first, as in the translation v⁺ = v + h f/m, then the free spin by the midpoint rule on the
/// rotation group, I(exp(h mean/2) R) mean = I(R) w + h τ: the energy of a tumbling body does not drift. A
/// torque makes no difference between mean and end, so that a body which contacts hold against it stays where
/// it is.
SpinStep integrate_spin(const Mat3& R_WB, const Mat3& inertia_B, const Vec3& w, const Vec3& torque, double h);

}  // namespace pawl::internal
