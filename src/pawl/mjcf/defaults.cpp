#include <pawl/mjcf/defaults.h>

#include <vector>

#include <fmt/format.h>

#include <pawl/scene_file/nearest.h>

namespace pawl::internal {

Defaults::Defaults(const XmlElement& root) {
  classes_[""];
  for (const XmlElement& child : root.children) {
    if (child.name == "default") add(child, classes_[""], true);
  }
}

void Defaults::add(const XmlElement& element, const DefaultClass& parent, bool outermost) {
  const std::string* name = element.find("class");
  if (name == nullptr && !outermost) internal::fail(element, "class", "missing: a nested class needs a name");
  DefaultClass own = parent;
  for (const XmlElement& child : element.children) {
    if (child.name == "default") continue;
    for (const XmlAttribute& each : child.attributes) own[child.name][each.name] = each.value;
  }
  if (outermost) classes_[""] = own;
  if (name != nullptr) classes_[*name] = own;
  for (const XmlElement& child : element.children) {
    if (child.name == "default") add(child, own, false);
  }
}

const DefaultClass& Defaults::find(const XmlElement& where, std::string_view attribute,
                                   const std::string& name) const {
  if (const auto found = classes_.find(name); found != classes_.end()) return found->second;
  std::vector<std::string_view> names;
  for (const auto& [known, unused] : classes_) names.push_back(known);
  internal::fail(where, attribute,
                 fmt::format("no default class is called '{}'{}", name, hint(name, names, "there are")));
}

}  // namespace pawl::internal
