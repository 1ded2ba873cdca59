#pragma once
// Reads whole files as bytes.

#include <string>

namespace pawl::internal {

/// The contents of a file, or of a pipe under /dev, of up to 1 GiB, more than any usable problem or mesh has.
/// Throws Error naming `path`.
std::string read_bytes(const std::string& path);

}  // namespace pawl::internal
