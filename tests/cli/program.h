#pragma once
// Runs the pawl program from a test and captures its output.

#include <signal.h>

#include <chrono>
#include <string>
#include <thread>

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

/// Starts a run of the falling rod in the background, to endless.h5, that is far too long to finish.
inline pid_t start_endless_run(const Folder& folder) {
  const std::string scene = repository_scene_path("papers/falling_rod.yaml");
  const pid_t child = fork();
  if (child == 0) {
    if (chdir(folder.path().c_str()) != 0) _exit(99);
    execl(PAWL_PROGRAM, PAWL_PROGRAM, "run", scene.c_str(), "--until", "1e6s", "-o", "endless.h5", "--quiet",
          nullptr);
    _exit(99);
  }
  while (!folder.has("endless.h5.part")) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  std::this_thread::sleep_for(std::chrono::milliseconds(1500));
  return child;
}

/// Sends a signal to a run, waits for its end and returns the status of waitpid().
inline int end_by(pid_t child, int signal) {
  kill(child, signal);
  int status = 0;
  waitpid(child, &status, 0);
  return status;
}

}  // namespace pawl::internal::test
