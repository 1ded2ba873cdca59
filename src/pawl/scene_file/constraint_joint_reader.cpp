#include <tuple>

#include <fmt/format.h>

#include <pawl/scene_file/readers.h>

namespace pawl::internal {
namespace {

constexpr Quantity kAnchor{"an anchor", "m"};
constexpr Quantity kJointLength{"a length", "m", Quantity::Range::positive};
constexpr Quantity kGearRatio{"a ratio", ""};

std::vector<ConstraintJointKind> constraint_joint_kinds(Dimension dimension) {
  using enum ConstraintJointKind;
  if (dimension == Dimension::planar) return {revolute, prismatic, weld, distance, coupling};
  return {ball, revolute, prismatic, cylindrical, universal, weld, distance, point_in_plane, coupling};
}

bool has_axis(ConstraintJointKind kind, Dimension dimension) {
  using enum ConstraintJointKind;
  return kind == prismatic || kind == cylindrical || kind == universal || kind == point_in_plane ||
         (kind == revolute && dimension == Dimension::spatial);
}

SceneBodyPair read_pair(const Field& field, const BodyIndex& bodies) {
  const std::vector<Field> names = field.items("two bodies");
  if (names.size() != 2) field.fail("it must be a list of two bodies, [a, b]");
  const std::string first = read_body_name(names[0], bodies), second = read_body_name(names[1], bodies);
  if (first == second) {
    names[1].fail(fmt::format("'{}' stands here twice: it must be two different bodies", first));
  }
  return {first, second};
}

/// The length of a rod: `length` if given, else the distance between its anchors.
double read_length(const Field& field, const SceneConstraintJoint& joint) {
  const double written = norm(joint.second_anchor - joint.anchor);
  const double length = field.find_number("length", kJointLength).value_or(written);
  if (!(length > 0)) {
    field.fail_at("second_anchor",
                  "the two anchors are one point: a rod has a length (or write a ball joint)");
  }
  return length;
}

/// A coupling relates the coordinates of two joints; each body must have a joint with one coordinate.
void read_coupling(const Field& field, const Scene& scene, const BodyIndex& bodies,
                   SceneConstraintJoint& joint) {
  const auto kind_of = [&](const std::string& name) {
    return name == kWorld ? JointKind::weld : scene.bodies[bodies.find(name)->second].joint.kind;
  };
  for (const std::string& name : {joint.first, joint.second}) {
    const JointKind kind = kind_of(name);
    if (kind == JointKind::revolute || kind == JointKind::prismatic) continue;
    field.fail_at("between",
                  fmt::format("'{}' has no single joint coordinate: a coupling ties bodies that hang "
                              "by a revolute or prismatic joint",
                              name));
  }
  joint.ratio =
      field.require("ratio", "how far the first moves by one of the second is needed").number(kGearRatio);
  if (kind_of(joint.first) == JointKind::revolute) {
    joint.offset = field.find_angle("offset", {"an angle", "rad"}).value_or(0);
  } else {
    joint.offset = field.find_number("offset", {"an offset", "m"}).value_or(0);
    if (field.has("offset_deg")) field.fail_at("offset_deg", "the first body slides: write 'offset' (m)");
  }
}

SceneConstraintJoint read_constraint_joint(const Field& field, const Scene& scene, const BodyIndex& bodies) {
  field.expect_object("row_joint");
  std::vector<Choice<ConstraintJointKind>> choices;
  for (const ConstraintJointKind kind : constraint_joint_kinds(scene.dimension))
    choices.push_back({to_string(kind), kind});
  const std::string what = fmt::format("a joint type of a {} world", to_string(scene.dimension));
  SceneConstraintJoint joint;
  joint.location = field.location();
  joint.kind = field.require("type", what + " is needed").choice<ConstraintJointKind>(what, choices);
  field.expect_variant("row_joint", to_string(joint.kind));
  std::tie(joint.first, joint.second) =
      read_pair(field.require("between", "the two bodies, [a, b], are needed; one may be world"), bodies);
  if (const auto collide = field.find("collide")) joint.collide = collide->boolean("a choice to touch");
  if (joint.kind == ConstraintJointKind::coupling) {
    read_coupling(field, scene, bodies, joint);
    return joint;
  }
  joint.anchor = field.require("anchor", "a point of the joint is needed (m, world coordinates)")
                     .vector(kAnchor, coordinates(scene));
  if (has_axis(joint.kind, scene.dimension)) {
    joint.axis = field.require("axis", "the joint's direction is needed (world coordinates)")
                     .direction({"an axis", ""}, coordinates(scene));
  } else if (field.has("axis")) {
    field.fail_at("axis", "a planar revolute joint always turns about z: leave it out");
  }
  if (joint.kind == ConstraintJointKind::universal) joint.second_axis = read_second_axis(field, joint.axis);
  if (joint.kind == ConstraintJointKind::distance) {
    joint.second_anchor = field.require("second_anchor", "the point of the second body is needed (m, world)")
                              .vector(kAnchor, coordinates(scene));
    joint.length = read_length(field, joint);
    if (field.has("length") && (field.has("lower") || field.has("upper"))) {
      field.fail_at("length", "'lower' or 'upper' is written too: a rod has one length, a rope has limits");
    }
  }
  if (joint.kind == ConstraintJointKind::revolute) joint.drive = read_drive(field, true, false);
  if (joint.kind == ConstraintJointKind::prismatic || joint.kind == ConstraintJointKind::distance) {
    joint.drive = read_drive(field, false, false);
  }
  return joint;
}

}  // namespace

void read_constraint_joints(const Field& field, const BodyIndex& bodies, Scene& scene) {
  for (const Field& joint : field.items("joints"))
    scene.joints.push_back(read_constraint_joint(joint, scene, bodies));
}

std::vector<SceneBodyPair> read_body_pairs(const Field& field, const BodyIndex& bodies) {
  std::vector<SceneBodyPair> pairs;
  for (const Field& pair : field.items("pairs of bodies")) pairs.push_back(read_pair(pair, bodies));
  return pairs;
}

}  // namespace pawl::internal
