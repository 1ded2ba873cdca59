#include <pawl/urdf.h>

#include <filesystem>
#include <set>

#include <pawl/collision/contact_finder.h>
#include <pawl/urdf/body_maker.h>
#include <pawl/urdf/urdf_scene.h>

namespace pawl {

namespace internal {
namespace {

constexpr std::string_view kSeen = "only seen";
constexpr std::string_view kOther = "of other programs";

constexpr AttributeRow kRows[] = {
    {"robot", "name"},
    {"robot", "version xmlns:xacro xmlns xmlns:xsi xsi:schemaLocation", "changes no motion"},
    {"link", "name"},
    {"link", "type", "changes no motion"},
    {"origin", "xyz rpy"},
    {"mass", "value"},
    {"inertia", "ixx ixy ixz iyy iyz izz"},
    {"collision", "name"},
    {"box", "size"},
    {"sphere", "radius"},
    {"cylinder", "radius length"},
    {"capsule", "radius length"},
    {"mesh", "filename scale"},
    {"joint", "name type"},
    {"parent", "link"},
    {"child", "link"},
    {"axis", "xyz"},
    {"limit", "lower upper"},
    {"limit", "effort", "the bound of a motor, and URDF has no motors"},
    {"limit", "velocity", "speeds are not bounded"},
    {"dynamics", "damping friction"},
    {"mimic", "joint multiplier offset"},
};
constexpr IgnoredElement kIgnored[] = {
    {"visual", kSeen},
    {"material", kSeen},
    {"calibration", kOther},
    {"safety_controller", kOther},
    {"transmission", kOther},
    {"gazebo", kOther},
    {"mujoco", kOther},
    {"ros2_control", kOther},
    {"sensor", "nothing is measured by it"},
    {"contact", "contacts and limits are hard"},
    {"verbose", "only seen"},
};
constexpr std::string_view kSections[] = {"inertial", "geometry"};

/// Pairs of bodies whose shapes overlap at the start could never part: they do not touch. Adjacent ones do
/// not touch anyway.
void part_overlapping(RobotContext& context) {
  const Model model = compile(reread(context, {}));
  Kinematics kinematics;
  position_kinematics(model, model.q_start, kinematics);
  std::vector<Contact> contacts;
  ContactFinder(model).find({.kinematics = kinematics}, contacts);
  std::set<SceneBodyPair> pairs;
  for (const Contact& contact : contacts) {
    if (contact.gap >= 0) continue;
    const auto name = [&](int body) { return model.body_names[static_cast<std::size_t>(body)]; };
    pairs.insert(std::minmax(name(contact.body_a), name(contact.body_b)));
  }
  for (const SceneBodyPair& pair : pairs) {
    context.scene.no_collision.push_back(pair);
    context.remark(RobotVerdict::approximated, context.root, "",
                   "links that overlap at the start do not touch: no_collision of the scene lists them");
  }
}

}  // namespace

RobotScene urdf_scene(const XmlElement& root, const std::vector<std::string>& overrides,
                      const RobotOptions& options) {
  if (root.name != "robot") fail(root, "", "not URDF: the first element must be <robot>");
  if (!options.keyframe.empty()) fail(root, "keyframe", "URDF has no keyframes: only MJCF has");
  RobotContext context(root);
  const std::string* name = root.find("name");
  context.scene.file = root.file;
  context.scene.name = name != nullptr ? *name : std::filesystem::path(root.file).stem().string();
  context.scene.run.step = 0.002;
  context.scene.add(SceneMaterial{"default", 1});
  const LinkTree tree = read_tree(context);
  CollisionShapes shapes(context, options.package_path);
  BodyMaker(context, tree, shapes).make();
  part_overlapping(context);
  remark_attributes(context, {kRows, kIgnored, kSections});
  return {reread(context, overrides), std::move(context.remarks)};
}

}  // namespace internal

RobotScene load_urdf(const std::string& path, const std::vector<std::string>& overrides,
                     const RobotOptions& options) {
  return internal::urdf_scene(internal::read_xml(path, internal::Includes::kept), overrides, options);
}

}  // namespace pawl
