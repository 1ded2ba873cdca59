#include "child_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <system_error>
#include <thread>

#include <fmt/format.h>

#include <pawl/error.h>

#include "progress.h"

namespace pawl::internal::cli {
namespace {

struct Pipe {
  int read_end = -1, write_end = -1;
};

Pipe make_pipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) throw Error(std::generic_category().message(errno));
  return {ends[0], ends[1]};
}

void close_end(int& descriptor) {
  if (descriptor >= 0) ::close(descriptor);
  descriptor = -1;
}

}  // namespace

ChildProcess::ChildProcess(const std::vector<std::string>& command, int read_fd, int write_fd,
                           const std::string& log) {
  ::signal(SIGPIPE, SIG_IGN);  // write() reports a child that has ended
  Pipe to = make_pipe(), from = make_pipe();
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 2, log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
  posix_spawn_file_actions_adddup2(&actions, 2, 1);
  // Duplicated above all wanted descriptors, so that neither dup2 overwrites the other's source.
  const int to_copy = ::fcntl(to.read_end, F_DUPFD_CLOEXEC, 100),
            from_copy = ::fcntl(from.write_end, F_DUPFD_CLOEXEC, 100);
  if (read_fd >= 0) posix_spawn_file_actions_adddup2(&actions, to_copy, read_fd);
  if (write_fd >= 0) posix_spawn_file_actions_adddup2(&actions, from_copy, write_fd);
  std::vector<char*> argv;
  for (const std::string& word : command) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  // The child gets its own process group: Ctrl-C does not reach it, and killing the group ends its children
  // too.
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  const int error = posix_spawn(&pid_, command[0].c_str(), &actions, &attributes, argv.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  for (const int end : {to.read_end, from.write_end, to_copy, from_copy}) ::close(end);
  to_ = to.write_end;
  from_ = from.read_end;
  if (error != 0) {
    pid_ = -1;
    close_end(to_);
    close_end(from_);
    throw Error(fmt::format("can't start {}: {}", command[0], std::generic_category().message(error)));
  }
}

ChildProcess::~ChildProcess() {
  close_end(to_);
  close_end(from_);
  if (pid_ <= 0) return;
  ::kill(-pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
}

bool ChildProcess::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(to_, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR && !interrupted()) continue;
    if (count <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

std::string ChildProcess::read(double seconds) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  while (std::chrono::steady_clock::now() < until && !interrupted()) {
    pollfd one{from_, POLLIN, 0};
    if (::poll(&one, 1, 100) <= 0) continue;
    char bytes[65536];
    const ssize_t count = ::read(from_, bytes, sizeof bytes);
    if (count < 0 && errno == EINTR) continue;
    return count > 0 ? std::string(bytes, static_cast<std::size_t>(count)) : "";
  }
  return "";
}

int ChildProcess::finish() {
  close_end(to_);
  int status = 0;
  while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace pawl::internal::cli
