#pragma once
// The parameters of a scene, for the readers of its fields. Internal to scene/.

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <pawl/parameter.h>
#include <pawl/scene_file/expression.h>

namespace pawl::internal {

/// A parameter with its components in SI units: one of a number, two or three of a vector, four of a
/// rotation.
struct ParameterValue {
  std::vector<double> components;
  std::optional<Unit> unit;
};

class Parameters {
 public:
  bool empty() const { return values_.empty(); }
  void add(const std::string& name, ParameterValue value) { values_.emplace(name, std::move(value)); }
  /// Null if there is none of this name.
  const ParameterValue* find(std::string_view name) const;
  /// The number `name`, or the component of a vector: place.x. Throws Error that suggests a name.
  Amount amount(std::string_view name) const;

 private:
  std::map<std::string, ParameterValue, std::less<>> values_;
};

}  // namespace pawl::internal
