#include <pawl/urdf/packages.h>

#include <cstdlib>
#include <optional>
#include <sstream>

#include <fmt/format.h>

#include <pawl/error.h>

namespace pawl::internal {
namespace {

namespace fs = std::filesystem;

/// The name that the package.xml of a folder gives; empty if it has none that can be read.
std::string package_name(const fs::path& folder) {
  const fs::path file = folder / "package.xml";
  std::error_code ignored;
  if (!fs::is_regular_file(file, ignored)) return {};
  try {
    for (const XmlElement& child : read_xml(file.string(), Includes::kept).children) {
      if (child.name == "name") return child.text;
    }
  } catch (const Error&) {  // a package.xml of no use is none
  }
  return {};
}

/// The folder of a package below or at `folder`.
std::optional<fs::path> package_in(const fs::path& folder, const std::string& name) {
  std::error_code ignored;
  if (fs::is_directory(folder / name, ignored)) return folder / name;
  if (folder.filename() == name || package_name(folder) == name) return folder;
  return std::nullopt;
}

}  // namespace

Packages::Packages(const std::string& urdf_path, const std::vector<std::string>& folders)
    : urdf_folder_(fs::path(urdf_path).parent_path()) {
  for (const std::string& each : folders) folders_.emplace_back(each);
  if (const char* const variable = std::getenv("PAWL_PACKAGE_PATH")) {
    std::istringstream list(variable);
    for (std::string each; std::getline(list, each, ':');) {
      if (!each.empty()) folders_.emplace_back(each);
    }
  }
  std::error_code ignored;
  fs::path above = fs::absolute(fs::path(urdf_path), ignored).lexically_normal().parent_path();
  for (; !above.empty() && above != above.root_path(); above = above.parent_path()) folders_.push_back(above);
}

std::string Packages::find(const XmlElement& element, std::string_view attribute,
                           const std::string& uri) const {
  constexpr std::string_view kPackage = "package://", kFile = "file://";
  std::error_code ignored;
  if (!uri.starts_with(kPackage)) {
    if (!uri.starts_with(kFile) && uri.find("://") != std::string::npos) {
      fail(element, attribute,
           fmt::format("'{}' is no path: it must be package://… or the path of a file", uri));
    }
    const fs::path path = urdf_folder_ / (uri.starts_with(kFile) ? uri.substr(kFile.size()) : uri);
    if (fs::is_regular_file(path, ignored)) return path.string();
    fail(element, attribute, fmt::format("there is no file '{}'", path.string()));
  }
  const std::string rest = uri.substr(kPackage.size());
  const std::string name = rest.substr(0, rest.find('/'));
  std::string first_miss;
  for (const fs::path& folder : folders_) {
    const std::optional<fs::path> package = name.empty() ? std::nullopt : package_in(folder, name);
    if (!package) continue;
    const fs::path path = *package / rest.substr(std::min(rest.size(), name.size() + 1));
    if (fs::is_regular_file(path, ignored)) return path.string();
    if (first_miss.empty()) first_miss = path.string();
  }
  if (!first_miss.empty()) fail(element, attribute, fmt::format("there is no file '{}'", first_miss));
  fail(element, attribute,
       fmt::format("the package '{}' is not found: name a folder that holds it by --package-path or "
                   "PAWL_PACKAGE_PATH",
                   name));
}

}  // namespace pawl::internal
