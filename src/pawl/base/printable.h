#pragma once
// Text from elsewhere, made safe for a terminal.

#include <cstddef>
#include <string>
#include <string_view>

namespace pawl::internal {

/// The length in bytes of the UTF-8 character at the front of `text`, which must not be empty; 0 if it is not
/// valid.
std::size_t letter_length(std::string_view text);

/// The text with control characters other than tab and end of line, and bytes that are not UTF-8, written as
/// \x1b. Names of files and scenes could otherwise send commands to the terminal.
std::string printable(std::string_view text);

}  // namespace pawl::internal
