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
                      const std::vector<std::string>& package_path) {
  if (ending_of(path) == ".xml") return load_mjcf(path, overrides);
  if (ending_of(path) == ".urdf") return load_urdf(path, overrides, package_path);
  throw SceneError(path, {}, "file", "no robot: its name must end in .xml (MJCF) or .urdf");
}

Scene load_scene_or_robot(const std::string& path, const std::vector<std::string>& overrides,
                          const std::vector<std::string>& package_path) {
  return is_robot(path) ? load_robot(path, overrides, package_path).scene : load_scene(path, overrides);
}

}  // namespace pawl
