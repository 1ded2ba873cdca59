#pragma once
// Runs the pawl program from a test and captures its output.

#include <string>

#include <sys/wait.h>
#include <unistd.h>

#include "folder.h"

namespace pawl::internal::test {

struct Outcome {
  int exit_code = -1;
  std::string out, err;
};

/// Runs `pawl ARGUMENTS` (parsed by a shell) in `folder`.
inline Outcome pawl(const Folder& folder, const std::string& arguments) {
  const std::string command =
      "cd '" + folder.path().string() + "' && '" + PAWL_PROGRAM + "' " + arguments + " >.out 2>.err";
  const int status = std::system(command.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), folder.read(".out"),
          folder.read(".err")};
}

inline std::string repository_scene_path(const std::string& name) {
  return std::string(PAWL_SOURCE_DIR) + "/scenes/" + name;
}

}  // namespace pawl::internal::test
