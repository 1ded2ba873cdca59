#include <pawl/model/constraint_rows.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace pawl::internal {
namespace {

/// A joint at given poses of its bodies.
struct JointInWorld {
  const ConstraintJoint& joint;
  const Pose &X_WA, &X_WB;
  Vec3 point_a, point_b;  // anchors of a and b, world

  JointInWorld(const ConstraintJoint& j, const Kinematics& kinematics)
      : joint(j),
        X_WA(kinematics.X_WB[j.body_a]),
        X_WB(kinematics.X_WB[j.body_b]),
        point_a(X_WA * j.anchor_A),
        point_b(X_WB * j.anchor_B) {}

  ConstraintBlock block() const {
    ConstraintBlock out;
    out.body_a = joint.body_a;
    out.body_b = joint.body_b;
    out.point_a = point_a;
    out.point_b = point_b;
    return out;
  }
};

/// The two anchors coincide: Θ = p_a − p_b.
ConstraintBlock coincident_points(const JointInWorld& at, bool planar) {
  ConstraintBlock out = at.block();
  out.rows = planar ? 2 : 3;
  for (int i = 0; i < out.rows; ++i) {
    out.force[i] = kAxes[i];
    out.error[i] = (at.point_a - at.point_b)[i];
  }
  return out;
}

/// The anchor of a does not move along the directions d, which are fixed to b:
///   d/dt d · (p_a − p_b) = d · (velocity of p_a in a − velocity of the same point in b).
ConstraintBlock no_translation_along(const JointInWorld& at, std::span<const Vec3> directions_B) {
  ConstraintBlock out = at.block();
  out.point_b = at.point_a;
  for (const Vec3& direction_B : directions_B) {
    const Vec3 direction = at.X_WB.R * direction_B;
    out.force[out.rows] = direction;
    out.error[out.rows++] = dot(direction, at.point_a - at.point_b);
  }
  return out;
}

/// The axes a_a and a_b are parallel: Θ_i = t_i · (a_b × a_a), for unit t_i the sine of the angle between
/// them. t_i and a_b are fixed to b; with the relative angular velocity ω, d a_a/dt = ω × a_a in b.
ConstraintBlock parallel_axes(const JointInWorld& at) {
  ConstraintBlock out = at.block();
  const Vec3 a = at.X_WA.R * at.joint.axis_A, b = at.X_WB.R * at.joint.axis_B;
  for (const Vec3& perpendicular_B : at.joint.perpendicular_B) {
    const Vec3 t = at.X_WB.R * perpendicular_B;
    out.torque[out.rows] = dot(a, b) * t - dot(t, a) * b;
    out.error[out.rows++] = dot(t, cross(b, a));
  }
  return out;
}

/// The relative orientation equals the reference configuration's, where S = R_bᵀ R_a R_AB is the identity:
///   Θ = ½ (S − Sᵀ)∨,   dΘ/dt = ½ (tr(S) E − S) ω in the axes of b.
/// |Θ| is the sine of the error angle.
ConstraintBlock equal_orientations(const JointInWorld& at, bool planar) {
  ConstraintBlock out = at.block();
  const Mat3 S = transpose(at.X_WB.R) * at.X_WA.R * at.joint.R_AB;
  const Vec3 error = 0.5 * Vec3{S(2, 1) - S(1, 2), S(0, 2) - S(2, 0), S(1, 0) - S(0, 1)};
  for (int i = planar ? 2 : 0; i < 3; ++i) {
    out.torque[out.rows] = at.X_WB.R * (0.5 * (trace(S) * kAxes[i] - S.row[i]));
    out.error[out.rows++] = error[i];
  }
  return out;
}

/// The angle between the axes is constant: Θ = (cos − a_a · a_b)/sin, the change of the angle to first order.
ConstraintBlock constant_angle(const JointInWorld& at) {
  ConstraintBlock out = at.block();
  const Vec3 a = at.X_WA.R * at.joint.axis_A, b = at.X_WB.R * at.joint.axis_B;
  const double cosine = at.joint.cosine, sine = std::sqrt(1 - cosine * cosine);
  out.rows = 1;
  out.torque[0] = cross(b, a) / sine;
  out.error[0] = (cosine - dot(a, b)) / sine;
  return out;
}

/// Θ = distance of the two points − length. Where the points coincide the direction is arbitrary.
ConstraintBlock distance_constraint(ConstraintBlock out, double length) {
  const Vec3 apart = out.point_a - out.point_b;
  const double distance = norm(apart);
  out.rows = 1;
  out.force[0] = distance > 0 ? apart / distance : kAxes[0];
  out.error[0] = distance - length;
  return out;
}

ConstraintBlock coupling_constraint(const ConstraintJoint& joint, std::span<const double> q) {
  ConstraintBlock out;
  out.rows = 1;
  out.body_a = joint.body_a;
  out.body_b = joint.body_b;
  out.dof_a = joint.dof_a;
  out.dof_b = joint.dof_b;
  out.q_a = joint.q_a;
  out.q_b = joint.q_b;
  out.ratio = joint.ratio;
  out.error[0] = q[joint.q_a] - joint.ratio * q[joint.q_b] - joint.offset;
  return out;
}

/// The angle of a relative to b about the axis, in [−π, π] and known up to multiples of `period` = 2π.
ConstraintBlock hinge_angle(const JointInWorld& at) {
  ConstraintBlock out = at.block();
  const Mat3 S = transpose(at.X_WB.R) * at.X_WA.R * at.joint.R_AB;
  const Vec3 twice_sine{S(2, 1) - S(1, 2), S(0, 2) - S(2, 0), S(1, 0) - S(0, 1)};
  out.rows = 1;
  out.torque[0] = at.X_WB.R * at.joint.axis_B;
  out.error[0] = std::atan2(dot(at.joint.axis_B, twice_sine), trace(S) - 1);
  out.period = 2 * std::numbers::pi;
  return out;
}

/// The coordinate of a drive; `error` holds its value, from which add_drive() computes the errors.
ConstraintBlock drive_coordinate(const Model& model, const JointDrive& drive, const Kinematics& kinematics,
                                 std::span<const double> q) {
  if (drive.joint >= 0) {
    const JointInWorld at(model.joints[drive.joint], kinematics);
    if (at.joint.kind == ConstraintJointKind::revolute) return hinge_angle(at);
    if (at.joint.kind == ConstraintJointKind::prismatic)
      return no_translation_along(at, {&at.joint.axis_B, 1});
    return distance_constraint(at.block(), 0);
  }
  const Body& body = model.bodies[drive.body];
  ConstraintBlock out;
  out.rows = 1;
  out.body_a = drive.body;
  out.dof_a = body.v_begin;
  out.q_a = body.q_begin;
  out.error[0] = q[body.q_begin];
  return out;
}

/// The representative of the angle, modulo its period, that is nearest to `expected`.
double unwrap_angle(const ConstraintBlock& along, double expected) {
  const double x = along.error[0];
  return along.period > 0 ? x + along.period * std::round((expected - x) / along.period) : x;
}

/// Adds the limits, friction and motor of the drive. With two limits the angle is unwrapped to their
/// midpoint. A motor unwraps it to its target, so it can follow the target over any number of turns.
void add_drive(const SceneDrive& drive, const ConstraintBlock& along, double end_time,
               std::vector<ConstraintBlock>& blocks) {
  const bool between = drive.lower && drive.upper;
  const double x = between ? unwrap_angle(along, 0.5 * *drive.lower + 0.5 * *drive.upper) : along.error[0];
  if (drive.lower) {
    ConstraintBlock& block = blocks.emplace_back(along);
    block.law = RowLaw::limited;
    block.restitution = drive.restitution;
    block.error[0] = x - *drive.lower;
  }
  if (drive.upper) {
    ConstraintBlock& block = blocks.emplace_back(along);
    block.law = RowLaw::limited;
    block.restitution = drive.restitution;
    block.force[0] = -along.force[0];
    block.torque[0] = -along.torque[0];
    block.sign = -1;
    block.error[0] = *drive.upper - x;
  }
  if (drive.friction > 0) {
    ConstraintBlock& block = blocks.emplace_back(along);
    block.law = RowLaw::bounded;
    block.friction = true;
    block.velocity_only = true;
    block.bound = drive.friction;
  }
  if (is_ideal_motor(drive)) {
    ConstraintBlock& block = blocks.emplace_back(along);
    block.law = drive.max_force ? RowLaw::bounded : RowLaw::driven;
    block.bound = drive.max_force.value_or(0);
    const double target = value_at(drive.target, end_time);
    block.velocity_only = drive.motor == MotorMode::velocity;
    block.target = block.velocity_only ? target : rate_at(drive.target, end_time);
    block.error[0] = (between ? x : unwrap_angle(along, target)) - target;
  }
}

/// A spring, damper or servo of a joint coordinate. A servo with a bound is a bounded row that also yields.
ConstraintBlock on_coordinate(const ForceElement& force, int element, std::span<const double> q,
                              double end_time) {
  ConstraintBlock out;
  out.law = force.max_force ? RowLaw::bounded : RowLaw::compliant;
  out.rows = 1;
  out.body_a = force.body_a;
  out.dof_a = force.dof;
  out.q_a = force.q;
  out.element = element;
  out.stiffness = force.stiffness;
  out.damping = force.damping;
  out.bound = force.max_force.value_or(0);
  const double target = force.servo ? value_at(force.scale, end_time) : force.rest_length;
  out.velocity_only = force.velocity_servo;
  out.target = out.velocity_only ? target : 0;
  out.error[0] = out.velocity_only ? 0 : q[force.q] - target;
  return out;
}

ConstraintBlock spring_or_damper(const ForceElement& force, int element, const Kinematics& kinematics) {
  ConstraintBlock out;
  out.law = RowLaw::compliant;
  out.body_a = force.body_a;
  out.body_b = force.body_b;
  out.point_a = kinematics.X_WB[force.body_a] * force.point_a;
  out.point_b = kinematics.X_WB[force.body_b] * force.point_b;
  out.element = element;
  out.stiffness = force.stiffness;
  out.damping = force.damping;
  return distance_constraint(out, force.rest_length);
}

}  // namespace

void constraint_blocks(const Model& model, const Kinematics& kinematics, std::span<const double> q,
                       double end_time, std::vector<ConstraintBlock>& blocks) {
  const bool planar = model.planar();
  blocks.clear();
  for (const ConstraintJoint& joint : model.joints) {
    const std::size_t first = blocks.size();
    const JointInWorld at(joint, kinematics);
    const std::span<const Vec3> perpendicular(joint.perpendicular_B.data(), planar ? 1 : 2);
    switch (joint.kind) {
      case ConstraintJointKind::ball:
        blocks.push_back(coincident_points(at, planar));
        break;
      case ConstraintJointKind::revolute:
        blocks.push_back(coincident_points(at, planar));
        if (!planar) blocks.push_back(parallel_axes(at));
        break;
      case ConstraintJointKind::prismatic:
        blocks.push_back(no_translation_along(at, perpendicular));
        blocks.push_back(equal_orientations(at, planar));
        break;
      case ConstraintJointKind::cylindrical:
        blocks.push_back(no_translation_along(at, perpendicular));
        blocks.push_back(parallel_axes(at));
        break;
      case ConstraintJointKind::universal:
        blocks.push_back(coincident_points(at, planar));
        blocks.push_back(constant_angle(at));
        break;
      case ConstraintJointKind::weld:
        blocks.push_back(coincident_points(at, planar));
        blocks.push_back(equal_orientations(at, planar));
        break;
      case ConstraintJointKind::distance:
        if (!joint.rope) blocks.push_back(distance_constraint(at.block(), joint.length));
        break;
      case ConstraintJointKind::point_in_plane:
        blocks.push_back(no_translation_along(at, {&joint.axis_B, 1}));
        break;
      case ConstraintJointKind::coupling:
        blocks.push_back(coupling_constraint(joint, q));
        break;
    }
    for (std::size_t b = first; b < blocks.size(); ++b) {
      blocks[b].joint = static_cast<int>(&joint - model.joints.data());
    }
  }
  for (const JointDrive& drive : model.drives) {
    const std::size_t first = blocks.size();
    add_drive(drive.law, drive_coordinate(model, drive, kinematics, q), end_time, blocks);
    for (std::size_t b = first; b < blocks.size(); ++b) {
      blocks[b].joint = drive.joint;
      blocks[b].drive = static_cast<int>(&drive - model.drives.data());
    }
  }
  for (int f = 0; f < static_cast<int>(model.forces.size()); ++f) {
    const ForceElement& force = model.forces[f];
    if (force.kind == ForceKind::wrench) continue;
    blocks.push_back(force.dof >= 0 ? on_coordinate(force, f, q, end_time)
                                    : spring_or_damper(force, f, kinematics));
  }
}

std::array<double, 3> row_velocities(const ConstraintBlock& block, const Kinematics& k,
                                     std::span<const double> v) {
  std::array<double, 3> result{};
  if (block.dof_a >= 0) {
    result[0] = block.sign * v[block.dof_a] - (block.dof_b >= 0 ? block.ratio * v[block.dof_b] : 0.0);
    return result;
  }
  const Vec3 rate =
      point_velocity(k, block.body_a, block.point_a) - point_velocity(k, block.body_b, block.point_b);
  const Vec3 spin = k.w[block.body_a] - k.w[block.body_b];
  for (int r = 0; r < block.rows; ++r) result[r] = dot(block.force[r], rate) + dot(block.torque[r], spin);
  return result;
}

double velocity_scale(const ConstraintBlock& block, const Kinematics& k, std::span<const double> v) {
  if (block.dof_a >= 0)
    return std::abs(v[block.dof_a]) + (block.dof_b >= 0 ? std::abs(block.ratio * v[block.dof_b]) : 0.0);
  if (block.force[0] == Vec3{}) return norm(k.w[block.body_a]) + norm(k.w[block.body_b]);
  return norm(point_velocity(k, block.body_a, block.point_a)) +
         norm(point_velocity(k, block.body_b, block.point_b));
}

double position_scale(const ConstraintBlock& block, const Kinematics& k, std::span<const double> q) {
  if (block.q_a >= 0)
    return std::abs(q[block.q_a]) + (block.q_b >= 0 ? std::abs(block.ratio * q[block.q_b]) : 0.0);
  if (block.force[0] == Vec3{}) return 1;
  const Vec3 &a = k.X_WB[block.body_a].p, &b = k.X_WB[block.body_b].p;
  return norm(a) + norm(block.point_a - a) + norm(b) + norm(block.point_b - b);
}

const ConstraintBlock* motor_at_limit(std::span<const ConstraintBlock> blocks, std::span<const char> active) {
  for (const ConstraintBlock& motor : blocks) {
    if (motor.law != RowLaw::driven) continue;
    for (std::size_t b = 0; b < blocks.size(); ++b) {
      const ConstraintBlock& limit = blocks[b];
      if (limit.law == RowLaw::limited && active[b] && limit.body_a == motor.body_a &&
          limit.body_b == motor.body_b && limit.dof_a == motor.dof_a && limit.point_a == motor.point_a)
        return &motor;
    }
  }
  return nullptr;
}

std::pair<int, int> bodies_of(const Model& model, const ConstraintBlock& block) {
  if (block.dof_a < 0) return {block.body_a, block.body_b};
  for (std::size_t b = 1; b < model.bodies.size(); ++b) {
    const Body& body = model.bodies[b];
    if (block.dof_a >= body.v_begin && block.dof_a < body.v_begin + body.nv)
      return {static_cast<int>(b), body.parent};
  }
  return {};
}

double max_joint_error(std::span<const ConstraintBlock> blocks) {
  double largest = 0;
  for (const ConstraintBlock& block : blocks) {
    if (block.law != RowLaw::equality) continue;
    for (int r = 0; r < block.rows; ++r) largest = std::max(largest, std::abs(block.error[r]));
  }
  return largest;
}

}  // namespace pawl::internal
