#pragma once
// Formatted output to stdout and stderr, in which names can't send commands to the terminal.

#include <cstdio>
#include <utility>

#include <fmt/format.h>

#include <pawl/base/printable.h>

namespace pawl::internal::cli {

/// Throws if stdout cannot be written.
template <class... Arguments>
void print_stdout(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  fmt::print("{}", printable(fmt::format(format, std::forward<Arguments>(arguments)...)));
}

/// Does not throw if stderr cannot be written.
template <class... Arguments>
void print_stderr(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  std::fputs(printable(fmt::format(format, std::forward<Arguments>(arguments)...)).c_str(), stderr);
}

}  // namespace pawl::internal::cli
