#pragma once
// Fields by keyword, and enumerations by the names of scene files.

#include <algorithm>
#include <optional>

#include "bindings.h"

namespace pawl::python {

template <class Enum>
std::vector<std::string> names_of(int count) {
  std::vector<std::string> names;
  for (int i = 0; i < count; ++i) names.emplace_back(to_string(static_cast<Enum>(i)));
  return names;
}

template <class Enum>
Enum parse_name(const std::vector<std::string>& names, const char* field, const std::string& name) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) {
    throw py::value_error(py::str("{} is {!r}; it must be one of {}").format(field, name, py::cast(names)));
  }
  return static_cast<Enum>(found - names.begin());
}

inline std::string choice(const std::vector<std::string>& names) {
  std::string text = "one of";
  for (std::size_t i = 0; i < names.size(); ++i) text += (i == 0 ? " " : ", ") + names[i];
  return text;
}

/// An enumeration as a property with names.
template <class Class, class T, class Enum>
void named(Class& type, const char* field, Enum T::*member, std::vector<std::string> names) {
  type.def_property(
      field, [=](const T& self) { return names.at(static_cast<std::size_t>(self.*member)); },
      [=](T& self, const std::string& name) { self.*member = parse_name<Enum>(names, field, name); },
      choice(names).c_str());
}
template <class Class, class T, class Enum>
void named(Class& type, const char* field, std::optional<Enum> T::*member, std::vector<std::string> names) {
  type.def_property(
      field,
      [=](const T& self) {
        return self.*member ? std::optional(names.at(static_cast<std::size_t>(*(self.*member))))
                            : std::nullopt;
      },
      [=](T& self, const std::optional<std::string>& name) {
        self.*member = name ? std::optional(parse_name<Enum>(names, field, *name)) : std::nullopt;
      },
      (choice(names) + ", or None").c_str());
}

/// A struct whose fields are set by keywords of their names.
template <class T>
std::unique_ptr<T> with_fields(const py::kwargs& fields) {
  auto made = std::make_unique<T>();
  const py::object object = py::cast(made.get(), py::return_value_policy::reference);
  const py::type type = py::type::of<T>();
  for (const auto& [name, value] : fields) {
    if (!py::hasattr(type, name)) {
      throw py::type_error(py::str("{} has no field {}").format(type.attr("__name__"), name));
    }
    py::setattr(object, name, value);
  }
  return made;
}

}  // namespace pawl::python
