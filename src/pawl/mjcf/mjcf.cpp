#include <pawl/mjcf.h>

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include <pawl/mjcf/context.h>
#include <pawl/mjcf/mjcf_scene.h>

namespace pawl {

using namespace internal;

namespace {

void set_total_mass(MjcfContext& context) {
  double sum = 0;
  for (const SceneBody& body : context.scene.bodies) sum += body.mass.value_or(0);
  if (!(context.compiler.total_mass > 0) || !(sum > 0)) return;
  const double factor = context.compiler.total_mass / sum;
  for (SceneBody& body : context.scene.bodies) {
    if (!body.mass) continue;
    *body.mass *= factor;
    *body.inertia = factor * *body.inertia;
  }
}

}  // namespace

namespace internal {

RobotScene mjcf_scene(const XmlElement& root, const std::vector<std::string>& overrides,
                      const RobotOptions& options) {
  if (root.name != "mujoco") fail(root, "", "not MJCF: the first element must be <mujoco>");
  MjcfContext context(root);
  const std::string* model = root.find("model");
  context.scene.file = root.file;
  context.scene.name = model != nullptr ? *model : std::filesystem::path(root.file).stem().string();
  read_settings(context, options.keyframe);
  read_bodies(context);
  read_constraints(context);
  set_total_mass(context);
  part_static_parents(context);
  read_actuators(context);
  remark_attributes(context);
  return {reread(context, overrides), std::move(context.remarks)};
}

}  // namespace internal

RobotScene load_mjcf(const std::string& path, const std::vector<std::string>& overrides,
                     const RobotOptions& options) {
  return mjcf_scene(read_xml(path, Includes::expanded), overrides, options);
}

}  // namespace pawl
