#pragma once
// Numbers in the syntax of scenes and command lines. Internal to scene/.

#include <string_view>

namespace pawl::internal {

enum class NumberStatus { ok, not_a_number, not_finite, out_of_range };

struct ParsedNumber {
  NumberStatus status = NumberStatus::not_a_number;
  double value = 0;
};

/// Parses a decimal number ("-1", ".5", "2e-3") times 10^shift, rounded once. The status distinguishes
/// infinities, NaN and numbers outside double precision from other text.
ParsedNumber parse_number(std::string_view text, int shift = 0);

}  // namespace pawl::internal
