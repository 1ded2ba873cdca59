#pragma once
// An XML file as a tree, with the files it includes in their places.

#include <string>
#include <string_view>
#include <vector>

namespace pawl::internal {

struct XmlAttribute {
  std::string name, value;
};

struct XmlElement {
  std::string name;
  std::string file;
  int line = 0;
  std::vector<XmlAttribute> attributes;
  std::vector<XmlElement> children;

  /// Null if there is none.
  const std::string* find(std::string_view attribute) const;
};

/// Files are refused beyond these.
inline constexpr std::size_t kMaxXmlBytes = std::size_t{64} << 20;
inline constexpr int kMaxXmlElements = 1'000'000;

/// Reads a file whose root is <mujoco>. Throws SceneError.
XmlElement read_xml(const std::string& path);

/// Throws SceneError for an attribute, or for the whole element if `attribute` is empty.
[[noreturn]] void fail(const XmlElement& element, std::string_view attribute, const std::string& reason);

}  // namespace pawl::internal
