#pragma once
// MJCF, the robot format of MuJoCo (docs/robots.md). Part of Pawl::io.

#include <string>
#include <vector>

#include <pawl/robot.h>

namespace pawl {

/// Reads an MJCF file, with its includes and meshes. Overrides are those of scene files, by the names of the
/// scene. Throws SceneError.
RobotScene load_mjcf(const std::string& path, const std::vector<std::string>& overrides = {},
                     const RobotOptions& options = {});

}  // namespace pawl
