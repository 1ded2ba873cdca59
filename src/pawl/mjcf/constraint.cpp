#include <algorithm>

#include <fmt/format.h>

#include <pawl/mjcf/context.h>
#include <pawl/scene_file/nearest.h>

namespace pawl::internal {
namespace {

template <class Map>
int find_named(const Map& index, const Element& element, std::string_view attribute, std::string_view what) {
  const std::string name = element.text(attribute);
  if (const auto found = index.find(name); found != index.end()) return found->second;
  std::vector<std::string_view> names;
  for (const auto& [known, unused] : index) names.push_back(known);
  element.fail(attribute, name.empty() ? fmt::format("missing: the name of a {} is needed", what)
                                       : fmt::format("no {} is called '{}'{}", what, name,
                                                     hint(name, names, "there are")));
}

const BodyPlace& find_body(const MjcfContext& context, const Element& element, std::string_view attribute) {
  return context.bodies[static_cast<std::size_t>(find_named(context.body_index, element, attribute, "body"))];
}

/// A joint row of two bodies at an anchor in the world; false if both are one body of the scene, or static.
bool add_joint(MjcfContext& context, const Element& element, ConstraintJointKind kind, const Vec3& anchor,
               const BodyPlace& first, const BodyPlace& second) {
  if (first.weld_group == second.weld_group) {
    context.remark(RobotVerdict::ignored, element.xml(), "", "its two bodies move as one already");
    return false;
  }
  SceneConstraintJoint joint;
  joint.kind = kind;
  joint.first = first.scene_body;
  joint.second = second.scene_body;
  joint.anchor = anchor;
  joint.collide = true;
  joint.location = {element.xml().line, 0};
  context.scene.joints.push_back(joint);
  return true;
}

const BodyPlace& second_body(const MjcfContext& context, const Element& element) {
  return element.has("body2") ? find_body(context, element, "body2") : context.bodies[0];
}

void read_connect(MjcfContext& context, const Element& element) {
  if (element.has("site1")) {
    context.remark(RobotVerdict::ignored, element.xml(), "site1", "only bodies are connected");
    return;
  }
  const BodyPlace& first = find_body(context, element, "body1");
  if (!element.has("anchor")) element.fail("anchor", "missing: a point of body1 is needed (m)");
  add_joint(context, element, ConstraintJointKind::ball, first.X_WB * element.vector("anchor"), first,
            second_body(context, element));
}

void read_weld(MjcfContext& context, const Element& element) {
  if (element.has("site1")) {
    context.remark(RobotVerdict::ignored, element.xml(), "site1", "only bodies are welded");
    return;
  }
  const BodyPlace& first = find_body(context, element, "body1");
  const BodyPlace& second = second_body(context, element);
  const std::vector<double> relative = element.numbers("relpose", 7, 7);
  // A zero quaternion asks for the pose of the reference configuration.
  if (!relative.empty() && (relative[3] != 0 || relative[4] != 0 || relative[5] != 0 || relative[6] != 0)) {
    context.remark(RobotVerdict::approximated, element.xml(), "relpose",
                   "the pose of the reference configuration");
  }
  add_joint(context, element, ConstraintJointKind::weld, second.X_WB * element.vector("anchor"), first,
            second);
}

void read_coupling(MjcfContext& context, const Element& element) {
  const JointPlace& first =
      context.joints[static_cast<std::size_t>(find_named(context.joint_index, element, "joint1", "joint"))];
  std::vector<double> c = element.numbers("polycoef", 1, 5);
  if (c.empty()) c = {0, 1};
  c.resize(5, 0.0);
  const auto is_simple = [](const JointPlace& joint) {
    return joint.kind == "hinge" || joint.kind == "slide";
  };
  if (!is_simple(first)) element.fail("joint1", "it must be a hinge or slide");
  if (!element.has("joint2")) {
    // A joint held in place: two limits at one value.
    SceneDrive& drive = context.scene_body(first.scene_body).joint.drive;
    drive.lower = drive.upper = c[0];
    return;
  }
  const JointPlace& second =
      context.joints[static_cast<std::size_t>(find_named(context.joint_index, element, "joint2", "joint"))];
  if (!is_simple(second)) element.fail("joint2", "it must be a hinge or slide");
  if (c[2] != 0 || c[3] != 0 || c[4] != 0) {
    context.remark(RobotVerdict::approximated, element.xml(), "polycoef", "the linear part only");
  }
  SceneConstraintJoint joint;
  joint.kind = ConstraintJointKind::coupling;
  joint.first = first.scene_body;
  joint.second = second.scene_body;
  joint.ratio = c[1];
  joint.offset = c[0];
  joint.location = {element.xml().line, 0};
  context.scene.joints.push_back(joint);
}

void read_equality(MjcfContext& context, const XmlElement& xml) {
  const std::string* class_name = xml.find("class");
  const DefaultClass& defaults =
      class_name == nullptr ? context.defaults.main() : context.defaults.find(xml, "class", *class_name);
  const Element element(xml, defaults, "equality");
  if (!element.flag("active", true)) {
    context.remark(RobotVerdict::ignored, xml, "", "not active");
  } else if (xml.name == "connect") {
    read_connect(context, element);
  } else if (xml.name == "weld") {
    read_weld(context, element);
  } else if (xml.name == "joint") {
    read_coupling(context, element);
  } else {
    context.remark(RobotVerdict::ignored, xml, "", "no such equality here");
  }
}

void read_exclude(MjcfContext& context, const XmlElement& xml) {
  const Element element(xml, {}, "exclude");
  const BodyPlace &a = find_body(context, element, "body1"), &b = find_body(context, element, "body2");
  if (a.scene_body == b.scene_body || a.scene_body == "world" || b.scene_body == "world") return;
  const SceneBodyPair pair = std::minmax(a.scene_body, b.scene_body);
  std::erase(context.scene.collision, pair);
  if (std::ranges::find(context.scene.no_collision, pair) == context.scene.no_collision.end()) {
    context.scene.no_collision.push_back(pair);
  }
}

}  // namespace

void read_excludes(MjcfContext& context) {
  for (const XmlElement& section : context.root.children) {
    if (section.name != "contact") continue;
    for (const XmlElement& child : section.children) {
      if (child.name == "exclude") read_exclude(context, child);
    }
  }
}

void read_constraints(MjcfContext& context) {
  for (const XmlElement& section : context.root.children) {
    if (section.name != "equality") continue;
    for (const XmlElement& child : section.children) read_equality(context, child);
  }
}

}  // namespace pawl::internal
