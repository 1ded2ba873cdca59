#pragma once
// Kinds of numbers in a scene, and the table of the magnitudes they may have. Internal to scene/.

#include <span>
#include <string_view>

namespace pawl::internal {

/// The meaning, unit and admissible range of a number.
struct Quantity {
  enum class Range { any, non_negative, positive, zero_to_one, inside_zero_to_one };
  std::string_view what;  // with its article, as in "a mass"
  std::string_view unit;  // empty if dimensionless
  Range range = Range::any;
};

/// Most steps of one run.
inline constexpr double kMaxSteps = 1e9;

/// The magnitudes of one kind of quantity: of all with this unit, or only of those called `what`. A quantity
/// that must be positive lies between `min` and `max`, any other has an absolute value of at most `max`.
/// Wide enough for any mechanism, and so narrow that products of several of them stay within double
/// precision. docs/scene-format.md, which a test compares, and docs/scene.schema.json repeat the table.
struct Magnitude {
  std::string_view what;  // empty: all quantities of this unit that have no row of their own
  std::string_view unit;
  double min, max;
};

std::span<const Magnitude> magnitudes();
const Magnitude& magnitude_of(const Quantity& quantity);

}  // namespace pawl::internal
