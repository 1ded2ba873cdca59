#include "scene_options.h"

#include <pawl/robot.h>

namespace pawl::internal::cli {

void add_package_path(Command command, std::vector<std::string>& folders) {
  command
      .add_option("--package-path", folders,
                  "URDF: folder with packages, before those of PAWL_PACKAGE_PATH and above the file")
      .disallow_extra_args()
      .take_all();
}

Option SceneOptions::add_to(Command command, bool with_step) {
  Option positional =
      command.add_option("SCENE", scene, "Scene file (YAML) or robot (MJCF .xml, .urdf)").required();
  command.add_option("--until", until, "End time of the run: 2, 2s, 500ms");
  if (with_step) command.add_option("--step", step, "Step size: 0.005, 5ms");
  command.add_option("--method", method, "Time-stepping method, as in the scene's run.method");
  command.add_option("--set", set, "Override a field: --set bodies.ball1.velocity.0=1.5")
      .disallow_extra_args()
      .take_all();
  add_package_path(command, package_path);
  return positional;
}

Scene SceneOptions::load() const {
  std::vector<std::string> overrides = set;
  if (!method.empty()) overrides.push_back("run.method=" + method);
  if (!step.empty()) overrides.push_back("run.step=" + step);
  if (!until.empty()) overrides.push_back("run.until=" + until);
  return load_scene_or_robot(scene, overrides, package_path);
}

}  // namespace pawl::internal::cli
