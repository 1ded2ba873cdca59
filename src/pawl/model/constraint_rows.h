#pragma once
// What joints ask of the motion, in rows: how far each is from being met, and what changes it.

#include <array>
#include <span>
#include <vector>

#include <pawl/model/kinematics.h>

namespace pawl::internal {

enum class RowLaw {
  equality,   // of a joint: Θ = 0
  driven,     // of a motor as strong as need be: likewise, or a rate
  limited,    // of a limit: Θ ≥ 0, an impulse ≥ 0, and one of them 0
  bounded,    // of friction or a motor: likewise driven, by a force of at most `bound`
  compliant,  // of a spring or damper taken implicitly
};

/// Up to three rows of one unit, m or rad. A row's rate is
///   force · (velocity of point_a of body a - velocity of point_b of body b) + torque · (spin of a - spin of
///   b),
/// or, of a block about joint coordinates, sign v[dof_a] - ratio v[dof_b].
struct ConstraintBlock {
  RowLaw law = RowLaw::equality;
  int rows = 0;
  int body_a = 0, body_b = 0;
  Vec3 point_a, point_b;  // world, m
  std::array<Vec3, 3> force{}, torque{};
  int dof_a = -1, dof_b = -1;  // in v; b is -1 where there is one coordinate only
  int q_a = -1, q_b = -1;      // in q
  double sign = 1, ratio = 0;
  std::array<double, 3> error{};  // Θ: 0 where the law is met
  double period = 0;              // rad: Θ is known up to multiples of this; 0: it is known
  bool velocity_only = false;  // the law is about the rate alone, which is to be `target`, and not about Θ
  double target = 0;           // m/s or rad/s
  double bound = 0;            // N or N m; bounded
  double restitution = 0;      // limited
  bool friction = false;       // bounded: of friction and not of a motor
  int element = -1;            // compliant: in Model::forces
  double stiffness = 0, damping = 0;  // N/m, N s/m; compliant
};

/// The blocks of all joints, drives, springs and dampers at a placement of coordinates q, for a step that
/// ends at `end_time`: always as many and in the same order. Every row's rate is exactly the derivative of
/// its error.
void constraint_blocks(const Model& model, const Kinematics& kinematics, std::span<const double> q,
                       double end_time, std::vector<ConstraintBlock>& blocks);

/// How fast the bodies move where a block holds them, m/s or rad/s, and how large what its errors are
/// computed from is, m or rad: what its errors are measured by.
double velocity_scale(const ConstraintBlock& block, const Kinematics& kinematics, std::span<const double> v);
double position_scale(const ConstraintBlock& block, const Kinematics& kinematics, std::span<const double> q);

/// The largest |Θ| of joints, m or rad: their part of the infeasibility I(q) of [AnitescuMillerHart2003,
/// (3.15)].
double max_joint_error(std::span<const ConstraintBlock> blocks);

}  // namespace pawl::internal
