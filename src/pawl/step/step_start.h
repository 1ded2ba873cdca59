#pragma once
// The start of a step: state, kinematics, masses and forces.

#include <span>
#include <vector>

#include <pawl/assemble/free_motion.h>
#include <pawl/model/constraint_rows.h>

namespace pawl::internal {

/// M, its Cholesky factors and the generalised forces at one configuration.
struct Dynamics {
  Kinematics kinematics;                      // poses and velocities
  FreeMotion motion;                          // mass, factor; v_free is set by each stage
  std::vector<double> conservative, applied;  // [nv] generalised forces
  DynamicsScratch scratch;
};

/// Fills `dynamics`, whose kinematics are already set. Returns false if M is not positive definite.
bool evaluate_dynamics(const Model& model, const StepClock& clock, Dynamics& dynamics);

/// change := M⁻¹ (h/2) f: the kick of the forces over half a step.
void half_kick(const Model& model, const Dynamics& dynamics, double h, std::span<double> change);

/// The state at the start of a step, and all that follows from it.
struct StepStart {
  std::span<const double> q, v;
  StepClock clock;
  Dynamics dynamics;                    // at q and v
  std::vector<ConstraintBlock> blocks;  // at q
  double kinetic = 0, potential = 0;    // J
};

/// True if a block acts in steps of length h: limits are chosen elsewhere.
bool is_active(const Model& model, const ConstraintBlock& block, double h);

}  // namespace pawl::internal
