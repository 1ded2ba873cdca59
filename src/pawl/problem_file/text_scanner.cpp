#include "text_scanner.h"

#include <algorithm>
#include <cmath>
#include <system_error>

#include <fmt/format.h>

#include <pawl/base/parse.h>
#include <pawl/error.h>

namespace pawl::internal {
namespace {

constexpr std::string_view kSpace = " \t\n\r\v\f";

std::string to_string(TextField field) {
  if (field.row < 0) return field.name;
  if (field.column < 0) return fmt::format("{}[{}]", field.name, field.row);
  return fmt::format("{}({}, {})", field.name, field.row, field.column);
}

}  // namespace

bool parse_integer(std::string_view word, long long& value) {
  double number = 0;
  if (parse_number(word, number) != std::errc() || !(std::abs(number) < 1e15) || number != std::floor(number))
    return false;
  value = static_cast<long long>(number);
  return true;
}

void TextScanner::skip_space() {
  at_ = std::min(text_.find_first_not_of(kSpace, at_), text_.size());
}

std::string_view TextScanner::word() {
  skip_space();
  word_at_ = at_;
  at_ = std::min(text_.find_first_of(kSpace, at_), text_.size());
  return text_.substr(word_at_, at_ - word_at_);
}

std::string_view TextScanner::peek() {
  skip_space();
  return text_.substr(at_, std::min(text_.find_first_of(kSpace, at_), text_.size()) - at_);
}

double TextScanner::number(TextField field) {
  const std::string_view taken = word();
  double value = 0;
  const std::errc error = parse_number(taken, value);
  if (error == std::errc::result_out_of_range) refuse(field, taken, "a number that a double can hold");
  if (error != std::errc()) refuse(field, taken, "a number");
  if (!std::isfinite(value)) refuse(field, taken, "finite");
  return value;
}

long long TextScanner::integer(TextField field, long long low, long long high) {
  const std::string_view taken = word();
  long long value = 0;
  if (!parse_integer(taken, value) || value < low || value > high) {
    refuse(field, taken,
           low == high ? fmt::format("{}", low) : fmt::format("a whole number from {} to {}", low, high));
  }
  return value;
}

void TextScanner::expect(std::string_view wanted) {
  if (const std::string_view taken = word(); taken != wanted)
    refuse({""}, taken, fmt::format("'{}'", wanted));
}

void TextScanner::skip_line() {
  at_ = std::min(text_.find('\n', at_), text_.size());
}

void TextScanner::check_remaining(long long count, TextField field) const {
  const long long most = static_cast<long long>(text_.size() - at_ + 1) / 2;  // a digit and a space each
  if (count > most) {
    fail(field,
         fmt::format("needs {} numbers, and the rest of the file holds {} at most: it was cut off, or a size "
                     "before it is wrong",
                     count, most));
  }
}

void TextScanner::fail(TextField field, const std::string& reason) const {
  const std::string_view before = text_.substr(0, word_at_);
  const auto line = std::ranges::count(before, '\n') + 1;
  const auto column = before.size() - (before.rfind('\n') + 1) + 1;  // npos + 1 is 0
  const std::string what = to_string(field);
  throw Error(fmt::format("{}:{}:{}: {}{}{}", file_, line, column, what, what.empty() ? "" : " ", reason));
}

void TextScanner::refuse(TextField field, std::string_view word, const std::string& wanted) const {
  fail(field, word.empty() ? fmt::format("must be {}, but the file ends here", wanted)
                           : fmt::format("must be {}, not {}", wanted, quote(word)));
}

}  // namespace pawl::internal
