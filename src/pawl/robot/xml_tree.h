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
  std::string text;  // between its tags, up to the first element in it
  std::vector<XmlAttribute> attributes;
  std::vector<XmlElement> children;

  /// Null if there is none.
  const std::string* find(std::string_view attribute) const;
};

/// Files are refused beyond these.
inline constexpr std::size_t kMaxXmlBytes = std::size_t{64} << 20;
inline constexpr int kMaxXmlElements = 1'000'000;

/// Whether <include file="…"/> stands for the elements of that file, or is an element as others.
enum class Includes { expanded, kept };

/// Reads a file; the result is its first element. Throws SceneError.
XmlElement read_xml(const std::string& path, Includes includes);
/// The same of a text. `path` is its name in messages, and where its includes start from.
XmlElement parse_xml(std::string_view text, const std::string& path, Includes includes);

/// Throws SceneError for an attribute, or for the whole element if `attribute` is empty.
[[noreturn]] void fail(const XmlElement& element, std::string_view attribute, const std::string& reason);

}  // namespace pawl::internal
