#pragma once
// The motion of the bodies through a step without contact.

#include <span>
#include <vector>

#include <pawl/model/dynamics.h>
#include <pawl/model/force_free_step.h>

namespace pawl::internal {

/// M, its factors and v_free at one linearisation.
struct FreeMotion {
  std::vector<double> mass;          // M, one block per tree
  std::vector<double> factor;        // Cholesky factors of the blocks
  std::vector<double> v_free;        // [nv]
  std::vector<double> drift;         // [nv] q⁺ = q ⊕ h (v⁺ + drift); 0 if M is constant, and at rest
  std::vector<double> conservative;  // [nv] generalised forces that v_free contains
  std::vector<double> applied;       // [nv]
  bool solved = true;                // false: M is not positive definite, or a force-free step was not solved

  std::vector<double> kick, mean, kick_mean;                      // [nv] scratch
  std::vector<double> end_conservative, end_applied, end_factor;  // scratch of ballistic steps
  ForceFreeScratch force_free_scratch;
};

/// Fills `motion` for a step from velocity v at coordinates q; `kinematics` is at the linearisation. First
/// the kick (velocity change) of the forces, then a force-free motion. The angular momentum of a single free
/// body is conserved exactly; the energy of a tree of joined bodies oscillates but does not drift.
void free_motion(const Model& model, const Kinematics& kinematics, std::span<const double> q,
                 std::span<const double> v, const StepClock& clock, DynamicsScratch& scratch,
                 FreeMotion& motion);

/// Applies the impulses of the step, M (v_next − v_free), to the rotation of single free bodies as if they
/// acted before the rotation, like forces. Updates v_free and drift so that v_free + M⁻¹ (the same impulses)
/// is the angular velocity at the end. Otherwise, with I(R) at the start and velocities at the end, the
/// impulses would add or remove energy.
void spin_after_impulses(const Model& model, std::span<const double> q, std::span<const double> v,
                         std::span<const double> v_next, double h, FreeMotion& motion);

/// The ballistic step of a tree without contact: half the kick of the forces, a force-free step, and half the
/// kick of the forces at the end. It is of second order, symmetric in time, and exact for a single body under
/// gravity, so a bouncing body keeps the energy of its fall. free_motion(), made for bodies held by contacts,
/// has none of these properties. This does all but the second kick; call free_motion() first. Output:
///   rate    the velocities of q⁺ = q ⊕ h rate,
///   v_next  the velocities at the end before the second kick.
void begin_ballistic_step(const Model& model, const Tree& tree, std::span<const double> q,
                          std::span<const double> v, double h, DynamicsScratch& scratch, FreeMotion& motion,
                          std::span<double> rate, std::span<double> v_next);

/// The second kick of all ballistic trees (`is_ballistic`, by tree), with all bodies at the end of the step.
/// In `motion` the forces become the mean of start and end, and v_free becomes v_next.
void end_ballistic_steps(const Model& model, std::span<const char> is_ballistic, const Kinematics& end,
                         const StepClock& clock, DynamicsScratch& scratch, FreeMotion& motion,
                         std::span<double> v_next);

}  // namespace pawl::internal
