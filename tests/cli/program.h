#pragma once
// Runs the pawl program as a user would and keeps what it said.

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include <sys/wait.h>
#include <unistd.h>

namespace pawl::test {

/// A folder of its own for a test, removed with it.
class Folder {
 public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "pawl_test_XXXXXX").string();
    path_ = mkdtemp(name.data());
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  std::string operator/(const std::string& name) const { return (path_ / name).string(); }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path_ / name) << text;
    return *this / name;
  }
  std::string read(const std::string& name) const { return text_of(*this / name); }
  static std::string text_of(const std::string& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  }
  bool has(const std::string& name) const { return std::filesystem::exists(path_ / name); }
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

struct Outcome {
  int exit_code = -1;
  std::string out, err;
};

/// `pawl ARGUMENTS` (as a shell reads them), started in `folder`.
inline Outcome pawl(const Folder& folder, const std::string& arguments) {
  const std::string command =
      "cd '" + folder.path() + "' && '" + PAWL_PROGRAM + "' " + arguments + " >.out 2>.err";
  const int status = std::system(command.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), folder.read(".out"),
          folder.read(".err")};
}

inline std::string repository_scene_path(const std::string& name) {
  return std::string(PAWL_SOURCE_DIR) + "/scenes/" + name;
}

}  // namespace pawl::test
