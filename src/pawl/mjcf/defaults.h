#pragma once
// The default classes of an MJCF file.

#include <map>
#include <string>
#include <string_view>

#include <pawl/robot/element.h>

namespace pawl::internal {

/// All default classes by name; the outermost one is "".
class Defaults {
 public:
  /// Reads the <default> elements of the root.
  explicit Defaults(const XmlElement& root);
  /// The class called `name`. Throws SceneError at the attribute of `where` that names it.
  const DefaultClass& find(const XmlElement& where, std::string_view attribute,
                           const std::string& name) const;
  const DefaultClass& main() const { return classes_.at(""); }

 private:
  void add(const XmlElement& element, const DefaultClass& parent, bool outermost);

  std::map<std::string, DefaultClass> classes_;
};

}  // namespace pawl::internal
