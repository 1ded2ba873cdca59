#pragma once
// Runs the pawl program as a user would and keeps what it said.

#include <string>

#include <sys/wait.h>
#include <unistd.h>

#include "folder.h"

namespace pawl::internal::test {

struct Outcome {
  int exit_code = -1;
  std::string out, err;
};

/// `pawl ARGUMENTS` (as a shell reads them), started in `folder`.
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
