#pragma once
// How the bodies would move through a step without contact.

#include <span>
#include <vector>

#include <pawl/model/coast.h>
#include <pawl/model/dynamics.h>

namespace pawl {

/// M, its factors and v_free, at one linearisation.
struct FreeMotion {
  std::vector<double> mass;    // M, blocks by tree
  std::vector<double> factor;  // Cholesky factors of the blocks
  std::vector<double> v_free;  // [nv]
  std::vector<double> drift;  // [nv] q⁺ = q ⊕ h (v⁺ + drift); 0 where M does not change with q, and at rest
  std::vector<double> conservative;  // [nv] generalised forces behind v_free
  std::vector<double> applied;       // [nv]
  bool solved = true;  // false: M is not positive definite here, or a spin or coast was not solved

  std::vector<double> kick, mean, kick_mean;  // [nv] scratch
  CoastScratch coasting;
};

/// Fills `motion` for a step from velocity v at coordinates q; `placed` is the linearisation's
/// placement. First the kick of the forces, then motion without forces: a lone free body keeps its angular
/// momentum exactly, a tree of joined bodies its energy but for oscillations.
void free_motion(const Model& model, const Kinematics& placed, std::span<const double> q,
                 std::span<const double> v, const StepClock& clock, DynamicsScratch& scratch,
                 FreeMotion& motion);

}  // namespace pawl
