#include <filesystem>

#include <fmt/format.h>

#include <pawl/mjcf.h>
#include <pawl/scene_file.h>
#include <pawl/urdf.h>

namespace pawl {
namespace {

std::string ending_of(const std::string& path) {
  return std::filesystem::path(path).extension().string();
}

}  // namespace

bool is_robot(const std::string& path) {
  return ending_of(path) == ".xml" || ending_of(path) == ".urdf";
}

RobotScene load_robot(const std::string& path, const std::vector<std::string>& overrides,
                      const RobotOptions& options) {
  if (ending_of(path) == ".xml") return load_mjcf(path, overrides, options);
  if (ending_of(path) == ".urdf") return load_urdf(path, overrides, options);
  throw SceneError(path, {}, "file", "no robot: its name must end in .xml (MJCF) or .urdf");
}

Scene load_scene_or_robot(const std::string& path, const std::vector<std::string>& overrides,
                          const RobotOptions& options) {
  if (is_robot(path)) return load_robot(path, overrides, options).scene;
  if (!options.keyframe.empty())
    throw SceneError(path, {}, "keyframe", "a scene file has no keyframes: only MJCF has");
  return load_scene(path, overrides);
}

}  // namespace pawl
