#pragma once
// Checks where a command may write.

#include <string>

namespace pawl::internal::cli {

/// Returns the path to write to: `path`, or its target if it is a symbolic link. The file is renamed into
/// place and the link should stay. Throws Error if that would replace a device, a pipe, a folder or
/// `protected_path`. The latter is the input of the command, or else described by `description`.
std::string resolve_output_path(const std::string& path, const std::string& protected_path,
                                const std::string& description = "the input");

}  // namespace pawl::internal::cli
