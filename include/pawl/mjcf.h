#pragma once
// MJCF, the robot format of MuJoCo (docs/robots.md). Part of Pawl::io.

#include <string>
#include <string_view>
#include <vector>

#include <pawl/scene.h>

namespace pawl {

enum class MjcfVerdict { taken, approximated, ignored };
std::string_view to_string(MjcfVerdict verdict);

/// What became of an attribute, or of a whole element where `attribute` is empty.
struct MjcfRemark {
  MjcfVerdict verdict = MjcfVerdict::taken;
  std::string element;
  std::string attribute;
  std::string reason;  // empty if taken as it is
  std::string file;    // of the first place
  int line = 0;        // likewise
  int count = 1;       // places
};

struct MjcfScene {
  Scene scene;  // scene.text is the same scene as a scene file
  std::vector<MjcfRemark> remarks;
};

/// Reads an MJCF file, with its includes and meshes. Overrides are those of scene files, by the names of the
/// scene. Throws SceneError.
MjcfScene load_mjcf(const std::string& path, const std::vector<std::string>& overrides = {});

/// True if the name of the file ends in .xml.
bool is_mjcf(const std::string& path);

/// Reads an MJCF file if is_mjcf(), else a scene file.
Scene load_scene_or_mjcf(const std::string& path, const std::vector<std::string>& overrides = {});

}  // namespace pawl
