#include <pawl/scene_file/parameters.h>

#include <fmt/format.h>

#include <pawl/error.h>
#include <pawl/scene_file/nearest.h>

namespace pawl::internal {

const ParameterValue* Parameters::find(std::string_view name) const {
  const auto found = values_.find(name);
  return found == values_.end() ? nullptr : &found->second;
}

Amount Parameters::amount(std::string_view name) const {
  const std::size_t dot = name.find('.');
  const ParameterValue* value = find(name.substr(0, dot));
  if (value == nullptr) {
    std::vector<std::string_view> names;
    for (const auto& [known, parameter] : values_) names.push_back(known);
    throw Error(fmt::format("there is no parameter '{}'{}", name, hint(name, names, "there are")));
  }
  const std::string_view letters = value->components.size() == 4 ? "wxyz" : "xyz";
  if (value->components.size() == 1) {
    if (dot == std::string_view::npos) return {value->components[0], value->unit, false};
    throw Error(fmt::format("'{}' is one number: it has no components", name.substr(0, dot)));
  }
  if (dot != std::string_view::npos && dot + 2 == name.size()) {
    const std::size_t index = letters.find(name[dot + 1]);
    if (index < value->components.size()) return {value->components[index], value->unit, false};
  }
  throw Error(fmt::format("'{}' is no number: the components of '{}' are {}", name, name.substr(0, dot),
                          value->components.size() == 4   ? "w, x, y, z"
                          : value->components.size() == 3 ? "x, y, z"
                                                          : "x, y"));
}

}  // namespace pawl::internal
