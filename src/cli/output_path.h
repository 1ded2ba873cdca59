#pragma once
// Where a command may write.

#include <string>

namespace pawl::internal::cli {

/// Where to write what the user wants at `path`: there, or where it leads if it is a symbolic link, since the
/// file is renamed into place and the link should stay. Throws Error where that would destroy what is not a
/// file of ours: a device, a pipe, a folder, or `protected_path`, which is the input of the command or what
/// `description` says.
std::string resolve_output_path(const std::string& path, const std::string& protected_path,
                                const std::string& description = "the input");

}  // namespace pawl::internal::cli
