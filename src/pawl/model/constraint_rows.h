#pragma once
// Constraint rows of joints, drives, springs and dampers: their errors Θ and Jacobians.

#include <array>
#include <span>
#include <string_view>
#include <vector>

#include <pawl/model/kinematics.h>

namespace pawl::internal {

inline constexpr std::string_view kMotorAgainstLimit = "unbounded motor against a limit";
inline constexpr std::string_view kMotorAgainstJoint = "unbounded motor against a joint";

enum class RowLaw {
  equality,   // joint: Θ = 0
  driven,     // motor without a force bound: Θ = 0, or dΘ/dt = target
  limited,    // joint limit: 0 ≤ Θ ⊥ impulse ≥ 0
  bounded,    // friction, or a motor with a force bound: as driven, with |force| ≤ `bound`; or such a servo
  compliant,  // implicit spring or damper, or a servo without a bound
};

/// Up to three rows of one unit, m or rad. The velocity of row i is
///   force[i] · (velocity of point_a of body a − velocity of point_b of body b)
///   + torque[i] · (ω of a − ω of b),
/// or, for a block on joint coordinates, sign v[dof_a] − ratio v[dof_b].
struct ConstraintBlock {
  RowLaw law = RowLaw::equality;
  int rows = 0;
  int body_a = 0, body_b = 0;
  Vec3 point_a, point_b;  // world, m
  std::array<Vec3, 3> force{}, torque{};
  int dof_a = -1, dof_b = -1;  // indices in v; dof_b = -1 if there is one coordinate only
  int q_a = -1, q_b = -1;      // indices in q
  double sign = 1, ratio = 0;
  std::array<double, 3> error{};  // Θ, m or rad: 0 where the constraint holds
  double period = 0;              // rad: Θ is known up to multiples of this; 0: no wrap-around
  bool velocity_only = false;     // constrains dΘ/dt = target, not Θ
  double target = 0;              // m/s or rad/s: of the row if velocity_only, else the rate of its target
  double bound = 0;               // N or N m; bounded
  double restitution = 0;         // limited
  bool friction = false;          // bounded: friction, not a motor
  int joint = -1, drive = -1;     // of a constraint joint, of a drive: indices in the model
  int element = -1;               // spring, damper, servo: index in Model::forces
  double stiffness = 0, damping = 0;  // N/m, N s/m, of these
};

/// True for rows whose impulse grows with their error and velocity.
inline bool yields(const ConstraintBlock& block) {
  return block.law == RowLaw::compliant || block.element >= 0;
}

/// The blocks of all joints, drives, springs and dampers at coordinates q, for a step that ends at
/// `end_time`. Their number and order are the same at every call. The velocity of each row is exactly dΘ/dt.
void constraint_blocks(const Model& model, const Kinematics& kinematics, std::span<const double> q,
                       double end_time, std::vector<ConstraintBlock>& blocks);

/// The velocities of the rows of a block, m/s or rad/s; requires velocity_kinematics.
std::array<double, 3> row_velocities(const ConstraintBlock& block, const Kinematics& kinematics,
                                     std::span<const double> v);

/// Scales for the errors of a block: the speed of its bodies at the block, m/s or rad/s, and the magnitude of
/// the terms its errors are computed from, m or rad.
double velocity_scale(const ConstraintBlock& block, const Kinematics& kinematics, std::span<const double> v);
double position_scale(const ConstraintBlock& block, const Kinematics& kinematics, std::span<const double> q);

/// The unbounded motor that drives a joint at an active limit, where there is no solution; null if there is
/// none.
const ConstraintBlock* motor_at_limit(std::span<const ConstraintBlock> blocks, std::span<const char> active);
/// The two bodies of a block; of a tree joint, the body and its parent.
std::pair<int, int> bodies_of(const Model& model, const ConstraintBlock& block);

/// max |Θ| over the joints, m or rad: their part of the infeasibility I(q)
/// [AnitescuMillerHart2003, (3.15)].
double max_joint_error(std::span<const ConstraintBlock> blocks);

}  // namespace pawl::internal
