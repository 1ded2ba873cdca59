#include <pawl/robot/robot_context.h>

#include <algorithm>

#include <fmt/format.h>

#include <pawl/scene_file.h>

namespace pawl {

std::string_view to_string(RobotVerdict verdict) {
  switch (verdict) {
    case RobotVerdict::taken:
      return "taken";
    case RobotVerdict::approximated:
      return "approximated";
    case RobotVerdict::ignored:
      return "ignored";
  }
  return {};
}

namespace internal {

void RobotContext::remark(RobotVerdict verdict, const XmlElement& element, std::string_view attribute,
                          std::string_view reason) {
  told_.emplace(&element, attribute);
  const auto [place, is_new] = places_.try_emplace(
      {element.name, std::string(attribute), verdict, std::string(reason)}, remarks.size());
  if (!is_new) {
    ++remarks[place->second].count;
    return;
  }
  remarks.push_back(
      {verdict, element.name, std::string(attribute), std::string(reason), element.file, element.line, 1});
}

bool RobotContext::has_remark_of_whole(const std::string& element) const {
  const auto found = places_.lower_bound({element, "", RobotVerdict::taken, ""});
  return found != places_.end() && std::get<0>(found->first) == element && std::get<1>(found->first).empty();
}

bool RobotContext::has_remark(const XmlElement& element, std::string_view attribute) const {
  return told_.contains({&element, std::string(attribute)});
}

SceneBody& RobotContext::scene_body(const std::string& name) {
  return *std::ranges::find(scene.bodies, name, &SceneBody::name);
}

std::string RobotContext::scene_name(const std::string& wish) {
  std::string name;
  for (const char c : wish) {
    const bool allowed = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    name += allowed || c == '_' || c == '-' ? c : '_';
  }
  if (name.empty() || name == "world") name += "body";
  std::string unique = name;
  for (int i = 2; !scene_names_.insert(unique).second; ++i) unique = fmt::format("{}-{}", name, i);
  return unique;
}

Scene reread(const RobotContext& context, const std::vector<std::string>& overrides) {
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
  for (std::size_t b = 0; b < scene.bodies.size() && b < context.scene.bodies.size(); ++b) {
    SceneBody& body = scene.bodies[b];
    const SceneBody& source = context.scene.bodies[b];
    if (source.name != body.name) break;
    body.location = source.location;
    body.joint.location = source.joint.location;
    for (std::size_t i = 0; i < body.shapes.size() && i < source.shapes.size(); ++i) {
      body.shapes[i].location = source.shapes[i].location;
    }
  }
  for (std::size_t i = 0; i < scene.joints.size() && i < context.scene.joints.size(); ++i) {
    scene.joints[i].location = context.scene.joints[i].location;
  }
  return scene;
}

}  // namespace internal
}  // namespace pawl
