#pragma once
// Writes files by rename, so that a reader never sees a partial file.

#include <functional>
#include <string>
#include <string_view>

namespace pawl::internal {

/// Calls `write` with a temporary path beside `path`, then renames the temporary file to `path`. On failure
/// the temporary file is removed, the old file at `path` stays, and an Error naming `path` is thrown.
void write_atomically(const std::string& path,
                      const std::function<void(const std::string& temporary_path)>& write);

/// Writes `text` to `path` atomically. Throws Error naming `path`.
void write_text(const std::string& path, std::string_view text);

}  // namespace pawl::internal
