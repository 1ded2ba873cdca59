#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <thread>

#include <fmt/format.h>

#include <page/page.h>
#include <pawl/error.h>
#include <pawl/robot.h>
#include <serve/live_run.h>
#include <serve/view_server.h>

#include "commands.h"
#include "find_program.h"
#include "print.h"
#include "progress.h"
#include "scene_options.h"

namespace pawl::internal::cli {
namespace {

struct ViewArguments {
  std::string file;
  std::vector<std::string> set;
  RobotOptions robot;
  int port = 0;
  bool no_open = false;
};

bool is_scene(const std::string& path) {
  const std::string ending = std::filesystem::path(path).extension().string();
  return ending == ".yaml" || ending == ".yml" || is_robot(path);
}

std::unique_ptr<ServedRun> open(const ViewArguments& arguments) {
  if (is_scene(arguments.file))
    return std::make_unique<LiveRun>(arguments.file, arguments.set, arguments.robot);
  if (!arguments.set.empty()) {
    throw Error("--set is for scenes (.yaml, .xml, .urdf): a recorded run can't be changed any more");
  }
  return std::make_unique<RecordedRun>(arguments.file);
}

/// Asks the desktop to open the page. If that fails, the user still has the address printed on the terminal.
void open_browser(const std::string& address) {
  const std::string opener = find_program({"xdg-open"});
  if (opener.empty()) return;
  std::string name = opener, where = address;
  char* const command[] = {name.data(), where.data(), nullptr};
  posix_spawn_file_actions_t quiet;
  posix_spawn_file_actions_init(&quiet);
  posix_spawn_file_actions_addopen(&quiet, 1, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&quiet, 2, "/dev/null", O_WRONLY, 0);
  pid_t child = 0;
  if (posix_spawn(&child, opener.c_str(), &quiet, nullptr, command, environ) == 0) {
    // xdg-open may run as long as the browser.
    std::thread([child] { waitpid(child, nullptr, 0); }).detach();
  }
  posix_spawn_file_actions_destroy(&quiet);
}

void view(const ViewArguments& arguments) {
  const std::string_view page = viewer_page();
  const std::unique_ptr<ServedRun> served_run = open(arguments);
  const ViewServer server(page, *served_run, arguments.port);
  catch_interrupts();
  print_stdout("{}\n", server.address());
  std::fflush(stdout);
  if (!arguments.no_open) open_browser(server.address());
  if (isatty(STDERR_FILENO) == 1) std::fputs("Ctrl-C ends it.\n", stderr);
  while (!interrupted()) std::this_thread::sleep_for(std::chrono::milliseconds(50));
}

}  // namespace

void add_view_command(CommandLine& line) {
  const auto arguments = std::make_shared<ViewArguments>();
  Command command =
      line.add_command("view", "Show a recorded run, or a running simulation of a scene, in the browser");
  command.add_option("FILE", arguments->file, "Trajectory (.h5), scene (.yaml) or robot (.xml, .urdf)")
      .required();
  command.add_option("--port", arguments->port, "Port on 127.0.0.1 (default: any free port)").range(0, 65535);
  command.add_flag("--no-open", arguments->no_open, "Print the address without opening a browser");
  command.add_option("--set", arguments->set, "Override a field of the scene: --set run.step=5ms").take_all();
  add_robot_options(command, arguments->robot);
  command.footer(
      "The address contains a random token: access requires it. Ctrl-C ends the command, exit code 0.\n\n"
      "Example:\n  pawl view four_balls.h5\n  pawl view scenes/papers/four_balls.yaml --no-open");
  command.callback([arguments] { view(*arguments); });
}

}  // namespace pawl::internal::cli
