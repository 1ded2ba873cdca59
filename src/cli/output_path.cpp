#include "output_path.h"

#include <filesystem>

#include <fmt/format.h>

#include <pawl/error.h>

namespace pawl::internal::cli {
namespace {

namespace fs = std::filesystem;

constexpr int kMaxLinks = 40;  // the limit of Linux

/// Manual, because std::filesystem does not follow a link whose target does not exist yet.
fs::path resolve_symlinks(fs::path path) {
  for (int links = 0; fs::is_symlink(fs::symlink_status(path)); ++links) {
    if (links == kMaxLinks) throw Error(fmt::format("{}: links in a circle", path.string()));
    path = path.parent_path() / fs::read_symlink(path);
  }
  return path;
}

bool same_file(const fs::path& a, const fs::path& b) {
  std::error_code error;
  // weakly_canonical() leaves a relative path relative if it does not exist yet.
  const auto canonical = [&](const fs::path& path) {
    return fs::weakly_canonical(fs::absolute(path), error);
  };
  return fs::equivalent(a, b, error) || canonical(a) == canonical(b);
}

void check_regular_file(const fs::path& path, fs::file_status status) {
  if (fs::is_directory(status)) {
    throw Error(fmt::format("{}: is a directory; give the name of a file", path.string()));
  }
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    throw Error(fmt::format("{}: is not a regular file, and would be replaced", path.string()));
  }
}

}  // namespace

std::string resolve_output_path(const std::string& path, const std::string& protected_path,
                                const std::string& description) {
  if (!fs::path(path).has_filename()) throw Error(fmt::format("'{}' is not the name of a file", path));
  try {
    const fs::path target = resolve_symlinks(path);
    // Files are written under these temporary names first and would replace existing ones.
    for (const char* ending : {"", ".part", ".part.new"}) {
      const fs::path written = target.string() + ending;
      check_regular_file(written, fs::symlink_status(written));
      if (same_file(written, protected_path)) {
        throw Error(
            fmt::format("{}: would replace {} {}; choose another output", path, description, protected_path));
      }
    }
    return target.string();
  } catch (const fs::filesystem_error& error) {
    throw Error(fmt::format("{}: {}", path, error.code().message()));
  }
}

}  // namespace pawl::internal::cli
