#pragma once
// Programs of others that ours talks to.

#include <sys/types.h>

#include <string>
#include <string_view>
#include <vector>

namespace pawl::internal::cli {

/// A program with two pipes: one to write to it, one to read from it. It is ended with the object.
class ChildProcess {
 public:
  /// The child finds the pipes under the descriptors `read_fd` and `write_fd`; -1: it has none. What it says
  /// of itself on stderr goes to the file `log`, and so does its stdout where that is no pipe. Throws Error.
  ChildProcess(const std::vector<std::string>& command, int read_fd, int write_fd, const std::string& log);
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  /// False once it does not listen any more.
  bool write(std::string_view bytes);
  /// Waits for bytes; "" when it says no more, after `seconds`, and when the user wants to stop.
  std::string read(double seconds);
  /// Closes the pipe to it and waits; its exit code, or 128 + the signal that ended it.
  int finish();

 private:
  pid_t pid_ = -1;
  int to_ = -1, from_ = -1;
};

}  // namespace pawl::internal::cli
