#pragma once
// Numbers as a scene or a command line writes them. Internal to scene/.

#include <string_view>

namespace pawl::internal {

enum class NumberStatus { ok, not_a_number, not_finite, out_of_range };

struct ParsedNumber {
  NumberStatus status = NumberStatus::not_a_number;
  double value = 0;
};

/// Decimal numbers only ("-1", ".5", "2e-3"), times ten to the power `shift`, rounded once. Infinities, NaN
/// and what double precision cannot hold are told apart from text.
ParsedNumber parse_number(std::string_view text, int shift = 0);

}  // namespace pawl::internal
