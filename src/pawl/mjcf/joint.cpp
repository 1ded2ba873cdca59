#include <algorithm>
#include <cmath>
#include <span>

#include <fmt/format.h>

#include <pawl/mjcf/body.h>

namespace pawl::internal {
namespace {

/// A coefficient; of a polynomial, the linear one.
double non_negative(const Element& element, std::string_view attribute) {
  const std::vector<double> value = element.numbers(attribute, 1, 3);
  if (!value.empty() && value[0] < 0) element.fail(attribute, "it must not be negative");
  return value.empty() ? 0.0 : value[0];
}

/// Limits, friction, spring, damper and rotor of a hinge or slide. `unit` is rad or m per unit of the file.
SceneDrive read_drive(const MjcfContext& context, const Element& element, double unit, JointPlace& place) {
  SceneDrive drive;
  const std::vector<double> range = element.numbers("range", 2, 2);
  if (!range.empty()) place.range = {unit * range[0], unit * range[1]};
  const bool limited = element.limited("limited").value_or(context.compiler.auto_limits && range.size() == 2);
  if (limited) {
    if (range.empty()) element.fail("range", "missing: 'limited' needs it");
    if (!(range[0] < range[1])) {
      element.fail("range", fmt::format("{} is not below {}: the limits are crossed", range[0], range[1]));
    }
    drive.lower = place.range[0] - place.ref;
    drive.upper = place.range[1] - place.ref;
  }
  drive.friction = non_negative(element, "frictionloss");
  drive.armature = non_negative(element, "armature");
  drive.damping = non_negative(element, "damping");
  drive.stiffness = non_negative(element, "stiffness");
  if (drive.stiffness > 0) drive.rest_position = unit * element.number("springref", 0) - place.ref;
  return drive;
}

/// Remarks about what the engine does not have on a ball or free joint.
void remark_missing(MjcfContext& context, const Element& element, const std::string& kind,
                    std::initializer_list<std::string_view> attributes) {
  for (std::string_view attribute : attributes) {
    const std::string* value = element.find(attribute);
    if (value == nullptr || *value == "0") continue;
    context.remark(RobotVerdict::ignored, element.xml(), attribute, fmt::format("not on a {} joint", kind));
  }
}

/// The values of a keyframe from `begin` on; empty if the keyframe ends before.
std::span<const double> key_values(const std::vector<double>& key, int begin, int count) {
  if (static_cast<int>(key.size()) < begin + count) return {};
  return std::span(key).subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(count));
}

void start_free(const MjcfContext& context, const JointPlace& place, Frame& X_WB, SceneBody& body) {
  if (const auto q = key_values(context.key_qpos, place.qpos, 7); !q.empty()) {
    const Quat turn{q[3], q[4], q[5], q[6]};
    if (turn == Quat{0, 0, 0, 0}) fail(*place.xml, "", "the keyframe has a quaternion of length zero for it");
    X_WB = {normalized(turn), {q[0], q[1], q[2]}};
  }
  if (const auto v = key_values(context.key_qvel, place.qvel, 6); !v.empty()) {
    // MuJoCo's are of the body's origin in world axes, and of the body in its own axes.
    const Mat3 R = to_matrix(X_WB.q);
    body.angular_velocity = R * Vec3{v[3], v[4], v[5]};
    body.velocity = Vec3{v[0], v[1], v[2]} + cross(body.angular_velocity, R * body.center_of_mass);
  }
}

void start_ball(const MjcfContext& context, const JointPlace& place, const Frame& X_WB, SceneJoint& joint) {
  const Mat3 R = to_matrix(X_WB.q);
  if (const auto q = key_values(context.key_qpos, place.qpos, 4); !q.empty()) {
    // About the body's axes in the reference configuration; the scene's are the world's.
    const Vec3 turn = R * Vec3{q[1], q[2], q[3]};
    joint.orientation = normalized(Quat{q[0], turn.x, turn.y, turn.z});
  }
  if (const auto v = key_values(context.key_qvel, place.qvel, 3); !v.empty()) {
    joint.angular_velocity = to_matrix(joint.orientation) * (R * Vec3{v[0], v[1], v[2]});
  }
}

}  // namespace

SceneJoint read_joint(MjcfContext& context, const JointNode& node, const std::string& scene_body, Frame& X_WB,
                      SceneBody& body) {
  const Element& element = node.element;
  SceneJoint joint;
  JointPlace place;
  place.xml = node.xml;
  place.scene_body = scene_body;
  if (const std::string* name = node.xml->find("name")) place.name = *name;
  place.kind = node.xml->name == "freejoint"
                   ? "free"
                   : element.choice("type", "hinge", {"hinge", "slide", "ball", "free"});
  if (!context.joints.empty()) {
    const JointPlace& before = context.joints.back();
    place.qpos = before.qpos + (before.kind == "free" ? 7 : before.kind == "ball" ? 4 : 1);
    place.qvel = before.qvel + (before.kind == "free" ? 6 : before.kind == "ball" ? 3 : 1);
  }
  if (place.kind == "free") {
    joint.kind = JointKind::free;
    if (node.xml->name == "joint") {
      remark_missing(context, element, "free", {"damping", "stiffness", "armature", "frictionloss"});
    }
    start_free(context, place, X_WB, body);
    context.joints.push_back(place);
    return joint;
  }
  const Mat3 R = to_matrix((X_WB * node.X_BF).q);
  joint.anchor = X_WB * (node.X_BF * element.vector("pos"));
  if (place.kind == "ball") {
    joint.kind = JointKind::ball;
    joint.drive.damping = non_negative(element, "damping");
    joint.drive.armature = non_negative(element, "armature");
    remark_missing(context, element, "ball", {"range", "stiffness", "frictionloss"});
    start_ball(context, place, X_WB, joint);
    context.joints.push_back(place);
    return joint;
  }
  const bool turns = place.kind == "hinge";
  const double unit = turns ? context.compiler.angle : 1;
  joint.kind = turns ? JointKind::revolute : JointKind::prismatic;
  const Vec3 axis = element.vector("axis", {0, 0, 1});
  if (!(norm(axis) > 0)) element.fail("axis", "a direction of length zero");
  joint.axis = normalized(R * axis);
  place.ref = unit * element.number("ref", 0);
  joint.drive = read_drive(context, element, unit, place);
  if (const auto q = key_values(context.key_qpos, place.qpos, 1); !q.empty()) {
    joint.position = q[0] - place.ref;
  }
  if (const auto v = key_values(context.key_qvel, place.qvel, 1); !v.empty()) joint.velocity = v[0];
  context.joints.push_back(place);
  return joint;
}

void add_collision_filters(MjcfContext& context) {
  Scene& scene = context.scene;
  const auto& bodies = context.bodies;
  const auto add = [](std::vector<SceneBodyPair>& to, const std::string& a, const std::string& b) {
    const SceneBodyPair pair = std::minmax(a, b);
    if (a != b && std::ranges::find(to, pair) == to.end()) to.push_back(pair);
  };
  const auto has_shapes = [&](const BodyPlace& place) {
    return place.scene_body != "world" && !context.scene_body(place.scene_body).shapes.empty();
  };
  for (std::size_t i = 1; i < bodies.size(); ++i) {
    if (!has_shapes(bodies[i]) || bodies[i].weld_group == 0) continue;
    for (std::size_t j = 1; j < bodies.size(); ++j) {
      if (!has_shapes(bodies[j])) continue;
      const bool parent = bodies[j].weld_group == bodies[i].parent_group;
      if (parent && bodies[j].weld_group != 0) {
        add(scene.no_collision, bodies[i].scene_body, bodies[j].scene_body);
      } else if (parent && context.scene_body(bodies[i].scene_body).joint.parent == bodies[j].scene_body) {
        add(scene.collision, bodies[i].scene_body, bodies[j].scene_body);
      }
    }
  }
}

}  // namespace pawl::internal
