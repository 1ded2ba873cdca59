#pragma once
// Files as they are.

#include <string>

namespace pawl::internal {

/// All of a file or pipe, of up to 1 GiB: far more than any problem or mesh that can be used. Throws Error
/// naming it.
std::string read_bytes(const std::string& path);

}  // namespace pawl::internal
