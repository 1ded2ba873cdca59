#pragma once
// Where a command may write.

#include <string>

namespace pawl::cli {

/// Where to write what the user wants at `path`: there, or where it leads if it is a symbolic link, since the
/// file is renamed into place and the link should stay. Throws Error where that would destroy what is not a
/// file of ours: a device, a pipe, a folder, or `kept`, which is the input of the command or what `called`
/// says.
std::string checked_output(const std::string& path, const std::string& kept,
                           const std::string& called = "the input");

}  // namespace pawl::cli
