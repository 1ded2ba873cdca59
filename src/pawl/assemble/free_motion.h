#pragma once
// How the bodies would move through a step without contact.

#include <span>
#include <vector>

#include <pawl/model/dynamics.h>
#include <pawl/model/force_free_step.h>

namespace pawl::internal {

/// M, its factors and v_free, at one linearisation.
struct FreeMotion {
  std::vector<double> mass;    // M, blocks by tree
  std::vector<double> factor;  // Cholesky factors of the blocks
  std::vector<double> v_free;  // [nv]
  std::vector<double> drift;  // [nv] q⁺ = q ⊕ h (v⁺ + drift); 0 where M does not change with q, and at rest
  std::vector<double> conservative;  // [nv] generalised forces behind v_free
  std::vector<double> applied;       // [nv]
  bool solved = true;  // false: M is not positive definite here, or a spin or coast was not solved

  std::vector<double> kick, mean, kick_mean;                      // [nv] scratch
  std::vector<double> end_conservative, end_applied, end_factor;  // of flights, scratch
  ForceFreeScratch force_free_scratch;
};

/// Fills `motion` for a step from velocity v at coordinates q; `kinematics` is the linearisation's
/// placement. First the kick of the forces, then motion without forces: a lone free body keeps its angular
/// momentum exactly, a tree of joined bodies its energy but for oscillations.
void free_motion(const Model& model, const Kinematics& kinematics, std::span<const double> q,
                 std::span<const double> v, const StepClock& clock, DynamicsScratch& scratch,
                 FreeMotion& motion);

/// What the impulses of the step, M (v_next - v_free), do to the spin of lone free bodies, had they acted
/// before the bodies turned, as forces do: v_free and drift become such that v_free + M⁻¹ (the same impulses)
/// is the spin at the end. With I(R) at the start, and on velocities at the end, they would take or give
/// energy.
void spin_after_impulses(const Model& model, std::span<const double> q, std::span<const double> v,
                         std::span<const double> v_next, double h, FreeMotion& motion);

/// The flight of a tree that nothing touches: half the kick of the forces, motion without forces, and half
/// the kick of the forces at its end. It is of second order, symmetric in time, and exact for a lone body
/// under gravity, so that a body which bounces finds the energy it fell with; free_motion() is made for
/// bodies that contacts hold, and is not. This is all but the second kick, after free_motion() at the start:
/// the rates that lead to the end, and those at the end so far.
void begin_ballistic_step(const Model& model, const Tree& tree, std::span<const double> q,
                          std::span<const double> v, double h, DynamicsScratch& scratch, FreeMotion& motion,
                          std::span<double> rate, std::span<double> v_next);

/// The second kick of all trees that fly (`is_ballistic`, by tree), with all bodies at the end of the step.
/// In `motion`, forces become the mean of those of both ends, and v_free what v_next is.
void end_ballistic_steps(const Model& model, std::span<const char> is_ballistic, const Kinematics& end,
                         const StepClock& clock, DynamicsScratch& scratch, FreeMotion& motion,
                         std::span<double> v_next);

}  // namespace pawl::internal
