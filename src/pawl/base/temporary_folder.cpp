#include <pawl/base/temporary_folder.h>

#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <ctime>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>

#include <pawl/error.h>

namespace pawl::internal {
namespace {

namespace fs = std::filesystem;

// A folder may not be locked yet in its first moments.
constexpr std::time_t kMinAge = 60;  // s

fs::path parent_folder() {
  std::error_code error;
  fs::path parent = fs::temp_directory_path(error);
  if (error) {
    const char* wanted = ::getenv("TMPDIR");
    throw Error(fmt::format("{}: can't be used for temporary files: {}; set TMPDIR to a folder",
                            wanted == nullptr ? "/tmp" : wanted, error.message()));
  }
  return parent;
}

/// True if the folder is ours, old enough, and no living program has locked it.
bool is_left_behind(const std::string& path) {
  const int folder = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (folder < 0) return false;
  struct stat status {};
  const bool left = ::fstat(folder, &status) == 0 && status.st_uid == ::geteuid() &&
                    status.st_mtime + kMinAge < std::time(nullptr) && ::flock(folder, LOCK_EX | LOCK_NB) == 0;
  ::close(folder);
  return left;
}

void remove_left_behind(const fs::path& parent, const std::string& prefix) {
  std::error_code ignored;
  for (fs::directory_iterator entry(parent, ignored), end; !ignored && entry != end;
       entry.increment(ignored)) {
    const std::string name = entry->path().filename().string();
    constexpr std::size_t kRandomLetters = 6;
    if (name.size() != prefix.size() + kRandomLetters || !name.starts_with(prefix)) continue;
    std::error_code busy;
    if (is_left_behind(entry->path().string())) fs::remove_all(entry->path(), busy);
  }
}

}  // namespace

TemporaryFolder::TemporaryFolder(std::string_view prefix) {
  const fs::path parent = parent_folder();
  remove_left_behind(parent, fmt::format("{}-", prefix));
  path_ = (parent / fmt::format("{}-XXXXXX", prefix)).string();
  if (::mkdtemp(path_.data()) == nullptr) {
    throw Error(fmt::format("{}: can't make a temporary folder: {}", parent.string(),
                            std::generic_category().message(errno)));
  }
  lock_ = ::open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (lock_ >= 0) ::flock(lock_, LOCK_EX | LOCK_NB);
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
  if (lock_ >= 0) ::close(lock_);
}

}  // namespace pawl::internal
