#pragma once
// Programs of others, where they are installed.

#include <initializer_list>
#include <string>

namespace pawl::internal::cli {

/// The path of the first of these that is on the PATH; "" where none is.
std::string find_program(std::initializer_list<const char*> names);

}  // namespace pawl::internal::cli
