#pragma once
// Internal to urdf/, and for its fuzz target.

#include <pawl/robot/xml_tree.h>
#include <pawl/urdf.h>

namespace pawl::internal {

RobotScene urdf_scene(const XmlElement& root, const std::vector<std::string>& overrides,
                      const RobotOptions& options);

}  // namespace pawl::internal
