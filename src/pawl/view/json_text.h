#pragma once
// Writes long lists of numbers as JSON without building a tree of values.

#include <cmath>
#include <string>
#include <string_view>

#include <fmt/format.h>

namespace pawl::internal {

/// Writes nine digits, more than a plot or a float resolves. JSON has no NaN and no infinity: they become
/// null.
inline void append_number(std::string& json, double value) {
  if (std::isfinite(value)) {
    json += fmt::format("{:.9g}", value);
  } else {
    json += "null";
  }
}

/// Writes "name":[…]; write(json, i) writes entry i.
template <class Write>
void append_list(std::string& json, std::string_view name, std::size_t count, Write write) {
  json += fmt::format("\"{}\":[", name);
  for (std::size_t i = 0; i < count; ++i) {
    if (i > 0) json += ',';
    write(json, i);
  }
  json += ']';
}

}  // namespace pawl::internal
