#pragma once

#include <cstdio>
#include <utility>

#include <fmt/format.h>

namespace pawl::internal::cli {

/// To stderr. Unlike fmt::print it does not mind when nobody can be told.
template <class... Arguments>
void print_stderr(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  std::fputs(fmt::format(format, std::forward<Arguments>(arguments)...).c_str(), stderr);
}

}  // namespace pawl::internal::cli
