#include "scene_options.h"

#include <pawl/mjcf.h>

namespace pawl::internal::cli {

Option SceneOptions::add_to(Command command, bool with_step) {
  Option positional =
      command.add_option("SCENE", scene, "Scene file (YAML) or robot (MJCF, .xml)").required();
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
}

Scene SceneOptions::load() const {
  std::vector<std::string> overrides = set;
  if (!method.empty()) overrides.push_back("run.method=" + method);
  if (!step.empty()) overrides.push_back("run.step=" + step);
  if (!until.empty()) overrides.push_back("run.until=" + until);
  return load_scene_or_mjcf(scene, overrides);
}

}  // namespace pawl::internal::cli
