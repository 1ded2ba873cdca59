#pragma once
// A folder for files that no one needs after the program.

#include <string>
#include <string_view>

namespace pawl::internal {

/// A new folder PREFIX-XXXXXX in the system's temporary folder ($TMPDIR or /tmp), removed by the destructor.
/// Folders of the same prefix that killed programs left behind are removed too: the folder of a living
/// program is locked.
class TemporaryFolder {
 public:
  /// Throws Error.
  explicit TemporaryFolder(std::string_view prefix);
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
  int lock_ = -1;
};

}  // namespace pawl::internal
