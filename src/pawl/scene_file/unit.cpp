#include <pawl/scene_file/unit.h>

#include <numbers>
#include <span>

#include <fmt/format.h>

namespace pawl::internal {
namespace {

constexpr double kPi = std::numbers::pi;

std::span<const NamedUnit> named_units() {
  static constexpr NamedUnit kRows[] = {
      {"m", 1, 1, {1}},
      {"cm", 1, 1e2, {1}},
      {"mm", 1, 1e3, {1}},
      {"um", 1, 1e6, {1}},
      {"µm", 1, 1e6, {1}},
      {"kg", 1, 1, {0, 1}},
      {"g", 1, 1e3, {0, 1}},
      {"s", 1, 1, {0, 0, 1}},
      {"ms", 1, 1e3, {0, 0, 1}},
      {"us", 1, 1e6, {0, 0, 1}},
      {"rad", 1, 1, {0, 0, 0, 1}},
      {"deg", kPi, 180, {0, 0, 0, 1}},
      {"°", kPi, 180, {0, 0, 0, 1}},
      {"m/s", 1, 1, {1, 0, -1}},
      {"mm/s", 1, 1e3, {1, 0, -1}},
      {"rad/s", 1, 1, {0, 0, -1, 1}},
      {"deg/s", kPi, 180, {0, 0, -1, 1}},
      {"rpm", kPi, 30, {0, 0, -1, 1}},
      {"Hz", 1, 1, {0, 0, -1}},
      {"m/s²", 1, 1, {1, 0, -2}},
      {"m/s^2", 1, 1, {1, 0, -2}},
      {"N", 1, 1, {1, 1, -2}},
      {"mN", 1, 1e3, {1, 1, -2}},
      {"N m", 1, 1, {2, 1, -2}},
      {"N/m", 1, 1, {0, 1, -2}},
      {"N/mm", 1e3, 1, {0, 1, -2}},
      {"N s/m", 1, 1, {0, 1, -1}},
      {"J", 1, 1, {2, 1, -2}},
      {"kg m²", 1, 1, {2, 1}},
      {"kg m^2", 1, 1, {2, 1}},
      {"kg/m³", 1, 1, {-3, 1}},
      {"kg/m^3", 1, 1, {-3, 1}},
      {"g/cm³", 1e3, 1, {-3, 1}},
      {"g/cm^3", 1e3, 1, {-3, 1}},
      {"kg/m²", 1, 1, {-2, 1}},
      {"kg/m^2", 1, 1, {-2, 1}},
      {"%", 1, 1e2, {}},
  };
  return kRows;
}

}  // namespace

Unit operator+(const Unit& a, const Unit& b) {
  return {a.m + b.m, a.kg + b.kg, a.s + b.s, a.rad + b.rad};
}

Unit operator-(const Unit& a, const Unit& b) {
  return {a.m - b.m, a.kg - b.kg, a.s - b.s, a.rad - b.rad};
}

const NamedUnit* find_unit(std::string_view name) {
  for (const NamedUnit& row : named_units()) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

std::string known_units() {
  std::string text;
  for (const NamedUnit& row : named_units()) text += fmt::format("{}{}", text.empty() ? "" : ", ", row.name);
  return text;
}

std::optional<Unit> unit_of_field(std::string_view unit) {
  // A field without a unit may be a component of an axis or a scale, in which any unit cancels.
  if (unit.empty()) return std::nullopt;
  if (unit == "degrees") unit = "deg";
  if (unit == "degrees/s") unit = "deg/s";
  const NamedUnit* named = find_unit(unit);
  return named == nullptr ? std::nullopt : std::optional(named->unit);
}

bool fits(const Unit& unit, const Unit& field) {
  return unit.m == field.m && unit.kg == field.kg && unit.s == field.s;
}

std::string to_string(const Unit& unit) {
  std::string text;
  const auto add = [&](const char* name, int exponent) {
    if (exponent == 0) return;
    text += text.empty() ? "" : " ";
    text += exponent == 1 ? name : fmt::format("{}^{}", name, exponent);
  };
  add("kg", unit.kg);
  add("m", unit.m);
  add("rad", unit.rad);
  add("s", unit.s);
  return text.empty() ? "1" : text;
}

}  // namespace pawl::internal
