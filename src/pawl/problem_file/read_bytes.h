#pragma once
// Internal to problem_file/.

#include <string>

namespace pawl::detail {

/// All of a file. Throws Error naming it.
std::string read_bytes(const std::string& path);

}  // namespace pawl::detail
