#pragma once
// Small scenes for the tests, and the reader's messages about them.

#include <string>
#include <string_view>
#include <vector>

#include <pawl/scene.h>
#include <pawl/scene_file.h>

namespace pawl::internal::testing {

/// The whole message of the SceneError, or "no error".
inline std::string message_of(std::string_view text, const std::vector<std::string>& overrides = {}) {
  try {
    parse_scene(text, "s.yaml", overrides);
  } catch (const SceneError& error) {
    return error.what();
  }
  return "no error";
}

/// A spatial scene with one material. `ball` is the body in flow style, `rest` any further sections.
inline std::string scene_with_ball(const std::string& ball, const std::string& rest = "") {
  return "pawl: 1\n"
         "materials: {plain: {friction: 0.5}}\n"
         "bodies:\n"
         "  ball: " +
         ball + "\n" + rest;
}

inline std::string planar_scene_with_rod(const std::string& rod) {
  return "pawl: 1\n"
         "world: {dimension: planar}\n"
         "materials: {plain: {friction: 0.5}}\n"
         "bodies:\n"
         "  rod: " +
         rod + "\n";
}

/// Mass and inertia, for tests about something else.
inline const std::string kHeavy = "mass: 1, inertia: 1";

inline SceneBody read_ball(const std::string& ball) {
  return parse_scene(scene_with_ball(ball), "s.yaml").bodies.at(0);
}
inline SceneBody read_rod(const std::string& rod) {
  return parse_scene(planar_scene_with_rod(rod), "s.yaml").bodies.at(0);
}

}  // namespace pawl::internal::testing
