#pragma once
// Parsing of numbers, and quoting of words in messages.

#include <string>
#include <string_view>
#include <system_error>

namespace pawl::internal {

/// Parses all of `word` as a number; a leading sign is allowed. Returns std::errc() on success.
std::errc parse_number(std::string_view word, double& value);

/// The word in quotes, truncated, with spaces and non-ASCII or control characters escaped for the terminal.
std::string quote(std::string_view word);

}  // namespace pawl::internal
