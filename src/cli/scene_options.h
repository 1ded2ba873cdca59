#pragma once
// The arguments common to all commands on a scene.

#include <string>
#include <vector>

#include <pawl/robot.h>
#include <pawl/scene.h>

#include "command_line.h"

namespace pawl::internal::cli {

/// Adds --package-path and --keyframe.
void add_robot_options(Command command, RobotOptions& options);

/// SCENE, --until, --step, --method, --set, --package-path and --keyframe. --until, --step and --method are
/// short for --set run.…, so that a trajectory lists all changes to its scene in one place.
struct SceneOptions {
  std::string scene, until, step, method;
  std::vector<std::string> set;
  RobotOptions robot;

  /// Returns SCENE, which is required unless the command says otherwise.
  Option add_to(Command command, bool with_step = true);
  /// All but the positional argument.
  void add_overrides(Command command, bool with_step = true);
  Scene load() const;
};

}  // namespace pawl::internal::cli
