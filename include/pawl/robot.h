#pragma once
// Robots from files of other programs: MJCF (mjcf.h) and URDF (urdf.h). docs/robots.md. Part of Pawl::io.

#include <string>
#include <string_view>
#include <vector>

#include <pawl/scene.h>

namespace pawl {

enum class RobotVerdict { taken, approximated, ignored };
std::string_view to_string(RobotVerdict verdict);

/// What became of an attribute, or of a whole element where `attribute` is empty.
struct RobotRemark {
  RobotVerdict verdict = RobotVerdict::taken;
  std::string element;
  std::string attribute;
  std::string reason;  // empty if taken as it is
  std::string file;    // of the first place
  int line = 0;        // likewise
  int count = 1;       // places
};

struct RobotScene {
  Scene scene;  // scene.text is the same scene as a scene file
  std::vector<RobotRemark> remarks;
};

/// How a robot is read.
struct RobotOptions {
  std::vector<std::string> package_path;  // URDF: folders with packages, see load_urdf()
  std::string keyframe;                   // MJCF: name of the keyframe to start from; empty: the first one
};

/// True if the name of the file ends in .xml (MJCF) or .urdf.
bool is_robot(const std::string& path);

/// Reads a robot by the ending of its name. Overrides are those of scene files, by the names of the scene.
/// Throws SceneError.
RobotScene load_robot(const std::string& path, const std::vector<std::string>& overrides = {},
                      const RobotOptions& options = {});

/// Reads a robot if is_robot(), else a scene file.
Scene load_scene_or_robot(const std::string& path, const std::vector<std::string>& overrides = {},
                          const RobotOptions& options = {});

}  // namespace pawl
