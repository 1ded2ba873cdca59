#pragma once
// Units of parameters and of expressions. Internal to scene/.

#include <optional>
#include <string>
#include <string_view>

namespace pawl::internal {

/// Exponents of the base units.
struct Unit {
  int m = 0, kg = 0, s = 0, rad = 0;
  bool operator==(const Unit&) const = default;
};

Unit operator+(const Unit& a, const Unit& b);  // of the product
Unit operator-(const Unit& a, const Unit& b);  // of the quotient

/// A unit as written in a scene. A number in it, `times` / `over`, is in SI units.
struct NamedUnit {
  std::string_view name;
  double times, over;
  Unit unit;
};

/// Null if there is no such unit.
const NamedUnit* find_unit(std::string_view name);
/// "m, mm, …", for messages.
std::string known_units();

/// The unit of a field of the scene (Quantity::unit). Nothing if it is one of several, or if any will do.
std::optional<Unit> unit_of_field(std::string_view unit);
/// True if a number in `unit` may stand in a field of `field`: radians count as 1.
bool fits(const Unit& unit, const Unit& field);
/// "kg m s^-2"; "1" without dimension.
std::string to_string(const Unit& unit);

}  // namespace pawl::internal
