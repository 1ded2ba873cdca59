#include <pawl/mjcf.h>

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include <pawl/mjcf/context.h>
#include <pawl/scene_file.h>

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

/// The scene as its own text gives it, so that this text is the same scene. Places are those of the MJCF
/// file.
Scene reread(const MjcfContext& context, const std::vector<std::string>& overrides) {
  Scene scene;
  try {
    scene = parse_scene(scene_text(context.scene), context.path, overrides);
  } catch (const SceneError& error) {
    SourceLocation where;  // of the body that the field names
    for (const SceneBody& body : context.scene.bodies) {
      if (error.field().starts_with("bodies." + body.name + ".")) where = body.location;
    }
    throw SceneError(error.file(), where, error.field(), error.reason());
  }
  for (SceneBody& body : scene.bodies) {
    const auto source = std::ranges::find(context.scene.bodies, body.name, &SceneBody::name);
    if (source == context.scene.bodies.end()) continue;
    body.location = source->location;
    body.joint.location = source->joint.location;
    for (std::size_t i = 0; i < body.shapes.size() && i < source->shapes.size(); ++i) {
      body.shapes[i].location = source->shapes[i].location;
    }
  }
  for (std::size_t i = 0; i < scene.joints.size() && i < context.scene.joints.size(); ++i) {
    scene.joints[i].location = context.scene.joints[i].location;
  }
  return scene;
}

}  // namespace

std::string_view to_string(MjcfVerdict verdict) {
  switch (verdict) {
    case MjcfVerdict::taken:
      return "taken";
    case MjcfVerdict::approximated:
      return "approximated";
    case MjcfVerdict::ignored:
      return "ignored";
  }
  return {};
}

MjcfScene load_mjcf(const std::string& path, const std::vector<std::string>& overrides) {
  const XmlElement root = read_xml(path);
  MjcfContext context(root);
  const std::string* model = root.find("model");
  context.scene.file = path;
  context.scene.name = model != nullptr ? *model : std::filesystem::path(path).stem().string();
  read_settings(context);
  read_bodies(context);
  read_constraints(context);
  set_total_mass(context);
  part_static_parents(context);
  read_actuators(context);
  remark_attributes(context);
  return {reread(context, overrides), std::move(context.remarks)};
}

bool is_mjcf(const std::string& path) {
  return std::filesystem::path(path).extension() == ".xml";
}

Scene load_scene_or_mjcf(const std::string& path, const std::vector<std::string>& overrides) {
  return is_mjcf(path) ? load_mjcf(path, overrides).scene : load_scene(path, overrides);
}

SceneBody& MjcfContext::scene_body(const std::string& name) {
  return *std::ranges::find(scene.bodies, name, &SceneBody::name);
}

std::string MjcfContext::scene_name(const std::string& wish) {
  std::string name;
  for (const char c : wish) {
    const bool allowed = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    name += allowed || c == '_' || c == '-' ? c : '_';
  }
  if (name.empty() || name == "world") name += "body";
  std::string unique = name;
  for (int i = 2; !scene_names.insert(unique).second; ++i) unique = fmt::format("{}-{}", name, i);
  return unique;
}

}  // namespace pawl
