#include "output_path.h"

#include <filesystem>

#include <fmt/format.h>

#include <pawl/base/error.h>

namespace pawl::cli {
namespace {

namespace fs = std::filesystem;

constexpr int kMostLinks = 40;  // as many as Linux follows

/// By hand, as the library does not follow a link whose target is yet to be made.
fs::path follow(fs::path path) {
  for (int links = 0; fs::is_symlink(fs::symlink_status(path)); ++links) {
    if (links == kMostLinks) throw Error(fmt::format("{}: links in a circle", path.string()));
    path = path.parent_path() / fs::read_symlink(path);
  }
  return path;
}

bool same_file(const fs::path& a, const fs::path& b) {
  std::error_code error;
  // Of a relative path that is yet to be made weakly_canonical() stays relative.
  const auto whole = [&](const fs::path& path) { return fs::weakly_canonical(fs::absolute(path), error); };
  return fs::equivalent(a, b, error) || whole(a) == whole(b);
}

void refuse_all_but_files(const fs::path& path, fs::file_status status) {
  if (fs::is_directory(status)) {
    throw Error(fmt::format("{}: is a directory; give the name of a file", path.string()));
  }
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    throw Error(fmt::format("{}: is not a regular file, and would be replaced", path.string()));
  }
}

}  // namespace

std::string checked_output(const std::string& path, const std::string& kept, const std::string& called) {
  if (!fs::path(path).has_filename()) throw Error(fmt::format("'{}' is not the name of a file", path));
  try {
    const fs::path target = follow(path);
    // What is written aside under these names until it is whole would replace their files as well.
    for (const char* ending : {"", ".part", ".part.new"}) {
      const fs::path written = target.string() + ending;
      refuse_all_but_files(written, fs::symlink_status(written));
      if (same_file(written, kept)) {
        throw Error(fmt::format("{}: would replace {} {}; choose another output", path, called, kept));
      }
    }
    return target.string();
  } catch (const fs::filesystem_error& error) {
    throw Error(fmt::format("{}: {}", path, error.code().message()));
  }
}

}  // namespace pawl::cli
