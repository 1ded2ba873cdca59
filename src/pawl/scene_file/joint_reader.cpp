#include <cmath>

#include <fmt/format.h>

#include <pawl/scene_file/readers.h>

namespace pawl::internal {
namespace {

constexpr double kMinSine = 1e-3;  // min sine of the angle between the two axes of a universal joint

std::vector<JointKind> tree_joint_kinds(Dimension dimension) {
  if (dimension == Dimension::planar) {
    return {JointKind::planar, JointKind::revolute, JointKind::prismatic, JointKind::weld};
  }
  return {JointKind::free,      JointKind::revolute, JointKind::prismatic, JointKind::cylindrical,
          JointKind::universal, JointKind::ball,     JointKind::weld};
}

bool has_anchor(JointKind kind) {
  return kind == JointKind::revolute || kind == JointKind::cylindrical || kind == JointKind::universal ||
         kind == JointKind::ball;
}

bool has_axis(JointKind kind, Dimension dimension) {
  return kind == JointKind::prismatic || kind == JointKind::cylindrical || kind == JointKind::universal ||
         (kind == JointKind::revolute && dimension == Dimension::spatial);
}

/// Two angles or angular velocities: in radians under `key`, or in degrees under `key`_deg.
void read_two(const Field& field, std::string_view key, const Quantity& quantity, double& first,
              double& second) {
  const std::string in_degrees = std::string(key) + "_deg";
  if (field.has(key) && field.has(in_degrees)) {
    field.fail_at(in_degrees, fmt::format("'{}' is written too: keep one of the two", key));
  }
  for (const double unit : {1.0, std::acos(-1.0) / 180}) {
    const auto found = field.find(unit == 1 ? std::string(key) : in_degrees);
    if (!found) continue;
    const std::vector<double> both = found->numbers(quantity, 2);
    first = unit * both[0];
    second = unit * both[1];
  }
}

/// Reads the initial position and velocity of the joint.
void read_start(const Field& field, SceneJoint& joint) {
  switch (joint.kind) {
    case JointKind::revolute:
      joint.position = field.find_angle("position", kAngle).value_or(0);
      joint.velocity = field.find_angle("velocity", kAngularVelocity).value_or(0);
      break;
    case JointKind::prismatic:
      joint.position = field.find_number("position", kPosition).value_or(0);
      joint.velocity = field.find_number("velocity", kVelocity).value_or(0);
      break;
    case JointKind::cylindrical:
      joint.position = field.find_number("position", kPosition).value_or(0);
      joint.velocity = field.find_number("velocity", kVelocity).value_or(0);
      joint.second_position = field.find_angle("angle", kAngle).value_or(0);
      joint.second_velocity = field.find_angle("angular_velocity", kAngularVelocity).value_or(0);
      break;
    case JointKind::universal:
      read_two(field, "position", kAngle, joint.position, joint.second_position);
      read_two(field, "velocity", kAngularVelocity, joint.velocity, joint.second_velocity);
      break;
    case JointKind::ball:
      joint.orientation = read_orientation(field, Dimension::spatial);
      joint.angular_velocity = field.find_vector("angular_velocity", kAngularVelocity, 3).value_or(Vec3{});
      break;
    case JointKind::free:
    case JointKind::planar:
    case JointKind::weld:
      break;
  }
}

}  // namespace

Vec3 read_second_axis(const Field& field, const Vec3& first) {
  const Field second =
      field.require("second_axis", "the axis fixed to the body is needed (world coordinates)");
  const Vec3 axis = second.direction({"an axis", ""}, 3);
  if (norm(cross(first, axis)) < kMinSine) {
    second.fail("it goes the same way as 'axis': a universal joint turns about two different axes");
  }
  return axis;
}

SceneJoint read_tree_joint(const Field& field, const Scene& scene, const BodyIndex& bodies) {
  field.expect_object("joint");
  std::vector<Choice<JointKind>> choices;
  for (JointKind kind : tree_joint_kinds(scene.dimension)) choices.push_back({to_string(kind), kind});
  const std::string what = fmt::format("a joint type of a {} world", to_string(scene.dimension));

  SceneJoint joint;
  joint.location = field.location();
  joint.kind = field.require("type", what + " is needed").choice<JointKind>(what, choices);
  field.expect_variant("joint", to_string(joint.kind));
  if (const auto parent = field.find("parent")) joint.parent = read_body_name(*parent, bodies);
  if (has_anchor(joint.kind)) {
    joint.anchor = field.require("anchor", "the point it turns about is needed (m, world coordinates)")
                       .vector({"an anchor", "m"}, coordinates(scene));
  }
  if (has_axis(joint.kind, scene.dimension)) {
    joint.axis = field.require("axis", "the joint's direction is needed (world coordinates)")
                     .direction({"an axis", ""}, coordinates(scene));
  } else if (field.has("axis")) {
    field.fail_at("axis", "a planar revolute joint always turns about z: leave it out");
  }
  if (joint.kind == JointKind::universal) joint.second_axis = read_second_axis(field, joint.axis);
  read_start(field, joint);
  if (joint.kind == JointKind::revolute) joint.drive = read_drive(field, true, true);
  if (joint.kind == JointKind::prismatic) joint.drive = read_drive(field, false, true);
  if (joint.kind == JointKind::ball) read_passive(field, joint.drive);
  return joint;
}

}  // namespace pawl::internal
