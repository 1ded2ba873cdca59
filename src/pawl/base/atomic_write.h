#pragma once
// Files that are whole at any time.

#include <functional>
#include <string>
#include <string_view>

namespace pawl::internal {

/// Lets `write` make a file beside `path`, which then takes its place. Where that fails the file beside is
/// removed, what was at `path` stays, and an Error names `path`.
void write_atomically(const std::string& path,
                      const std::function<void(const std::string& temporary_path)>& write);

/// A text file, written aside. Throws Error naming it.
void write_text(const std::string& path, std::string_view text);

}  // namespace pawl::internal
