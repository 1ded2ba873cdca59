#include <cstdio>
#include <new>

#include <fmt/format.h>

#include <pawl/base/error.h>
#include <pawl/base/version.h>

#include "commands.h"

namespace {

int run(int argc, char** argv) {
  CLI::App app("Pawl simulates rigid bodies that touch and says how exact each step is.", "pawl");
  app.set_version_flag("--version", fmt::format("pawl {}", pawl::kVersion));
  app.require_subcommand(1);
  app.footer(
      "Examples:\n"
      "  pawl run scenes/papers/four_balls.yaml          simulate, and say what held\n"
      "  pawl check scenes/papers/four_balls.yaml        what was understood of a scene\n"
      "  pawl COMMAND --help                             options and an example of each command\n\n"
      "Exit codes: 0 all well, 1 ran but a step is not certified, 2 bad input, 3 a bug of ours.");
  int exit_code = 0;
  pawl::cli::add_run_command(app, exit_code);
  pawl::cli::add_check_command(app);
  pawl::cli::add_info_command(app);
  pawl::cli::add_export_command(app);
  pawl::cli::add_solve_command(app, exit_code);
  pawl::cli::add_converge_command(app, exit_code);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : pawl::cli::kExitBadInput;
  }
  return exit_code;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const pawl::Error& error) {
    fmt::print(stderr, "pawl: {}\n", error.what());
    return pawl::cli::kExitBadInput;
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "pawl: out of memory\n");
    return pawl::cli::kExitBadInput;
  } catch (const std::exception& error) {
    fmt::print(stderr, "pawl: this is a bug in pawl, please report it: {}\n", error.what());
    return pawl::cli::kExitBug;
  }
}
