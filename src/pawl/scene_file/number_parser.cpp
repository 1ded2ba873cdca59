#include <pawl/scene_file/number_parser.h>

#include <algorithm>
#include <charconv>
#include <string>
#include <utility>

#include <fmt/format.h>

#include <pawl/scene.h>
#include <pawl/scene_file.h>

namespace pawl::internal {
namespace {

std::size_t count_digits(std::string_view text) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  return static_cast<std::size_t>(std::find_if_not(text.begin(), text.end(), is_digit) - text.begin());
}

bool is_inf_or_nan(std::string_view unsigned_text) {
  std::string word(unsigned_text.substr(unsigned_text.starts_with('.') ? 1 : 0));
  std::transform(word.begin(), word.end(), word.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? char(c + 32) : c; });
  return word == "inf" || word == "infinity" || word == "nan";
}

}  // namespace

ParsedNumber parse_number(std::string_view text, int shift) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  if (is_inf_or_nan(text)) return {NumberStatus::not_finite, 0};

  std::size_t length = count_digits(text);
  std::size_t digits = length;
  if (length < text.size() && text[length] == '.') {
    const std::size_t decimals = count_digits(text.substr(length + 1));
    digits += decimals;
    length += 1 + decimals;
  }
  if (digits == 0) return {};
  const std::string_view mantissa = text.substr(0, length);
  std::string_view rest = text.substr(length);

  long exponent = 0;
  if (!rest.empty()) {
    if (rest[0] != 'e' && rest[0] != 'E') return {};
    rest.remove_prefix(rest.starts_with("e+") || rest.starts_with("E+") ? 2 : 1);
    if (rest.empty() || rest.back() == '-') return {};
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), exponent);
    if (end != rest.data() + rest.size()) return {};
    if (error != std::errc()) return {NumberStatus::out_of_range, 0};
  }
  // The shift is applied to the text, so 0.1ms is the double nearest to 1e-4, rounded once.
  const std::string number =
      fmt::format("{}{}e{}", negative ? "-" : "", mantissa, std::clamp(exponent, -100000L, 100000L) + shift);
  double value = 0;
  const auto result = std::from_chars(number.data(), number.data() + number.size(), value);
  if (result.ec != std::errc()) return {NumberStatus::out_of_range, 0};
  return {NumberStatus::ok, value};
}

}  // namespace pawl::internal

namespace pawl {

using namespace internal;

double parse_duration(std::string_view text) {
  constexpr std::pair<std::string_view, int> kUnits[] = {{"ms", -3}, {"us", -6}, {"s", 0}};
  std::string_view number = text;
  int shift = 0;
  for (const auto& [unit, power] : kUnits) {
    if (!text.ends_with(unit)) continue;
    number.remove_suffix(unit.size());
    while (number.ends_with(' ')) number.remove_suffix(1);
    shift = power;
    break;
  }
  const ParsedNumber parsed = parse_number(number, shift);
  if (parsed.status != NumberStatus::ok || parsed.value < 0) {
    throw Error(
        fmt::format("'{}' is not a time: it must be a finite number >= 0 of seconds, or one with its unit: "
                    "5ms, 100us, 2s",
                    text));
  }
  return parsed.value;
}

}  // namespace pawl
