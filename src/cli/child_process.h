#pragma once
// Runs another program and communicates with it through pipes.

#include <sys/types.h>

#include <string>
#include <string_view>
#include <vector>

namespace pawl::internal::cli {

/// A program with one pipe to write to it and one to read from it. The destructor kills it.
class ChildProcess {
 public:
  /// The child has the pipes at the descriptors `read_fd` and `write_fd`; -1 means no pipe. Its stderr goes
  /// to the file `log`, and so does its stdout unless that is a pipe. Throws Error.
  ChildProcess(const std::vector<std::string>& command, int read_fd, int write_fd, const std::string& log);
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  /// Returns false once the child no longer reads.
  bool write(std::string_view bytes);
  /// Waits for bytes. Returns "" at the end of the stream, after `seconds`, and when the user interrupts.
  std::string read(double seconds);
  /// Closes the pipe to the child and waits for its end. Returns its exit code, or 128 + the signal that
  /// ended it.
  int finish();

 private:
  pid_t pid_ = -1;
  int to_ = -1, from_ = -1;
};

}  // namespace pawl::internal::cli
