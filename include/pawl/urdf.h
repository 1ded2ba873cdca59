#pragma once
// URDF, the robot format of ROS (docs/robots.md). Part of Pawl::io.

#include <string>
#include <vector>

#include <pawl/robot.h>

namespace pawl {

/// Reads a URDF file, with its meshes. Overrides are those of scene files, by the names of the scene.
/// package://NAME/… is looked for in the folders of `options.package_path`, then in those of the environment
/// variable PAWL_PACKAGE_PATH (separated by colons), then above the file: in folders called NAME, or whose
/// package.xml has this name. Throws SceneError.
RobotScene load_urdf(const std::string& path, const std::vector<std::string>& overrides = {},
                     const RobotOptions& options = {});

}  // namespace pawl
