#pragma once
// Words of text files: as numbers, and as messages show them.

#include <string>
#include <string_view>
#include <system_error>

namespace pawl::internal {

/// A whole word as a number, a sign in front allowed; std::errc() where it is one.
std::errc parse_number(std::string_view word, double& value);

/// Short, in quotes, and nothing that a terminal would act on.
std::string quote(std::string_view word);

}  // namespace pawl::internal
