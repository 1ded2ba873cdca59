#pragma once
// Finds installed programs.

#include <initializer_list>
#include <string>

namespace pawl::internal::cli {

/// Path of the first of these programs that is on the PATH, or "".
std::string find_program(std::initializer_list<const char*> names);

}  // namespace pawl::internal::cli
