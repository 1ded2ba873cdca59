#pragma once
// Formatted output to stderr.

#include <cstdio>
#include <utility>

#include <fmt/format.h>

namespace pawl::internal::cli {

/// Unlike fmt::print, it does not throw if stderr cannot be written.
template <class... Arguments>
void print_stderr(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  std::fputs(fmt::format(format, std::forward<Arguments>(arguments)...).c_str(), stderr);
}

}  // namespace pawl::internal::cli
