#pragma once
// Internal to mjcf/, and for its fuzz target.

#include <pawl/mjcf.h>
#include <pawl/robot/xml_tree.h>

namespace pawl::internal {

RobotScene mjcf_scene(const XmlElement& root, const std::vector<std::string>& overrides,
                      const RobotOptions& options);

}  // namespace pawl::internal
