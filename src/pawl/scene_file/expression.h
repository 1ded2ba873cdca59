#pragma once
// Arithmetic expressions in place of numbers: 2 * (width + 0.001), sqrt(a) / 2, -pi. Internal to scene/.
//
//   sum     = product {("+" | "-") product}
//   product = signed {("*" | "/") signed}
//   signed  = ("+" | "-") signed | primary
//   primary = number | name | function "(" sum ")" | "(" sum ")"

#include <functional>
#include <optional>
#include <string_view>

#include <pawl/scene_file/unit.h>

namespace pawl::internal {

/// A number in SI units. A number without a unit may stand for any: one written as digits takes the unit of
/// what it is added to, and a parameter declared without a unit stays unknown.
struct Amount {
  double value = 0;
  std::optional<Unit> unit = Unit{};  // nothing: unknown
  bool is_literal = false;            // written as digits
};

/// The value of a name; throws Error if there is none.
using AmountOfName = std::function<Amount(std::string_view name)>;

inline constexpr std::size_t kMaxExpressionLength = 1000;
inline constexpr int kMaxExpressionDepth = 50;

/// Throws Error that says what is wrong: syntax, units, a name, or a value that is not finite.
Amount evaluate(std::string_view text, const AmountOfName& amount_of_name);

/// True for a name that a parameter may have: letters, digits and _, no digit first, and none of pi, sin,
/// cos, sqrt.
bool is_parameter_name(std::string_view name);

/// True if the text has an operator or a parenthesis: no single word.
bool has_operator(std::string_view text);

}  // namespace pawl::internal
