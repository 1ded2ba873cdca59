#pragma once
// The shapes that <collision> gives.

#include <map>
#include <optional>
#include <string>
#include <tuple>

#include <pawl/robot/hull_points.h>
#include <pawl/robot/robot_context.h>
#include <pawl/urdf/packages.h>

namespace pawl::internal {

class CollisionShapes {
 public:
  CollisionShapes(RobotContext& context, const std::vector<std::string>& package_path)
      : context_(context), packages_(context.path, package_path) {}
  /// The shape of a <collision> in its link's frame; none for kinds without one here.
  std::optional<SceneShape> read(const XmlElement& collision);

 private:
  const HullPoints& mesh(const XmlElement& xml);

  RobotContext& context_;
  Packages packages_;
  std::map<std::tuple<std::string, double, double, double>, HullPoints> meshes_;  // by path and scale
};

}  // namespace pawl::internal
