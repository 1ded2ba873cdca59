#pragma once
// Forces of a step: in joints and of contacts (Simulation::joint_forces(), Simulation::contact_wrench()).

#include <cstdint>

#include <pawl/math.h>

namespace pawl {

/// A force and a torque, in world axes.
struct Wrench {
  Vec3 force;   // N
  Vec3 torque;  // N m
};

/// The forces of one joint, averaged over a step: impulses divided by its length.
struct JointForces {
  double time = 0;          // s, at the end of the step
  std::int32_t body_a = 0;  // on which the reaction acts: a body; of a constraint joint the first one
  std::int32_t body_b = 0;  // the other: the parent of the body
  std::int32_t joint =
      -1;  // a constraint joint: index into Model::joints; -1: the joint of body a to its parent
  /// The whole wrench that the joint transmits to body a, about the origin of its frame; of a constraint
  /// joint about the joint's point of it. A force–torque sensor in the joint reads it. It contains the forces
  /// below.
  Wrench reaction;
  // Along the coordinate of a joint that has one, in its direction, N or N m:
  double motor = 0;     // motor, servo or plain force
  double limit = 0;     // > 0 at the lower limit
  double friction = 0;  // dry friction
  double spring = 0;
  double damper = 0;
  double coupling = 0;  // of constraint joints of kind `coupling`
};

}  // namespace pawl
