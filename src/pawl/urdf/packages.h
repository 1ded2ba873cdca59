#pragma once
// Where package:// paths lead.

#include <filesystem>
#include <string>
#include <vector>

#include <pawl/robot/xml_tree.h>

namespace pawl::internal {

class Packages {
 public:
  /// `folders` are searched first, then those of PAWL_PACKAGE_PATH, then the ones above `urdf_path`.
  Packages(const std::string& urdf_path, const std::vector<std::string>& folders);
  /// The file that an attribute names: a path relative to the URDF file, an absolute one, file://… or
  /// package://NAME/…. Throws SceneError if there is none.
  std::string find(const XmlElement& element, std::string_view attribute, const std::string& uri) const;

 private:
  std::filesystem::path urdf_folder_;
  std::vector<std::filesystem::path> folders_;
};

}  // namespace pawl::internal
