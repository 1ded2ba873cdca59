#pragma once
// Scene files (docs/scene-format.md). Part of Pawl::io.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <pawl/scene.h>

namespace pawl {

/// Reads and checks a scene file. Each override is "path=value" (bodies.ball1.velocity.0=1.5) and takes
/// precedence over the file. Throws SceneError.
Scene load_scene(const std::string& path, const std::vector<std::string>& overrides = {});

/// The same from text. `file` is the name used in messages.
Scene parse_scene(std::string_view text, const std::string& file,
                  const std::vector<std::string>& overrides = {});

/// Seconds from "0.005", "5ms", "100us" or "2s"; never negative. Throws Error saying what would be right.
double parse_duration(std::string_view text);

/// SceneShape::faces of the convex hull of points (planar: in z = 0). Throws Error if the points span no
/// volume (area).
std::vector<std::vector<int>> convex_hull_faces(std::span<const Vec3> points, bool planar = false);

}  // namespace pawl
