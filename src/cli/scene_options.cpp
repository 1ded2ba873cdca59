#include "scene_options.h"

#include <pawl/robot.h>

namespace pawl::internal::cli {

void add_robot_options(Command command, RobotOptions& options) {
  command
      .add_option("--package-path", options.package_path,
                  "URDF: folder with packages, before those of PAWL_PACKAGE_PATH and above the file")
      .disallow_extra_args()
      .take_all();
  command.add_option("--keyframe", options.keyframe,
                     "MJCF: name of the keyframe to start from (default: the first)");
}

Option SceneOptions::add_to(Command command, bool with_step) {
  Option positional =
      command.add_option("SCENE", scene, "Scene file (YAML) or robot (MJCF .xml, .urdf)").required();
  add_overrides(command, with_step);
  return positional;
}

void SceneOptions::add_overrides(Command command, bool with_step) {
  command.add_option("--until", until, "End time of the run: 2, 2s, 500ms");
  if (with_step) command.add_option("--step", step, "Step size: 0.005, 5ms");
  command.add_option("--method", method, "Time-stepping method, as in the scene's run.method");
  command.add_option("--set", set, "Override a field: --set bodies.ball1.velocity.0=1.5")
      .disallow_extra_args()
      .take_all();
  add_robot_options(command, robot);
}

Scene SceneOptions::load() const {
  std::vector<std::string> overrides = set;
  if (!method.empty()) overrides.push_back("run.method=" + method);
  if (!step.empty()) overrides.push_back("run.step=" + step);
  if (!until.empty()) overrides.push_back("run.until=" + until);
  return load_scene_or_robot(scene, overrides, robot);
}

}  // namespace pawl::internal::cli
