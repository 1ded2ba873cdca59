#include <fcntl.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <new>
#include <system_error>

#include <fmt/format.h>

#include <pawl/base/printable.h>
#include <pawl/error.h>
#include <pawl/hdf5/exit.h>
#include <pawl/version.h>

#include "commands.h"

namespace {

/// A file opened while a standard stream is closed would get its descriptor, and then the next message. The
/// replacement of stdout is read-only, so that writing to it still fails.
void open_missing_standard_streams() {
  for (const int stream : {0, 1, 2}) {
    if (fcntl(stream, F_GETFD) < 0) open("/dev/null", stream == 2 ? O_WRONLY : O_RDONLY);
  }
}

void print_error(const std::string& what) {
  std::fputs(("pawl: " + pawl::internal::printable(what) + "\n").c_str(), stderr);
}

int run(int argc, char** argv) {
  pawl::internal::cli::CommandLine line(
      "Pawl simulates rigid bodies in contact and certifies the accuracy of each step.",
      fmt::format("pawl {}", pawl::kVersion),
      "Examples:\n"
      "  pawl run scenes/papers/four_balls.yaml          simulate and print a summary\n"
      "  pawl view scenes/papers/four_balls.yaml         simulate and watch in the browser\n"
      "  pawl check scenes/papers/four_balls.yaml        validate a scene and show how it was interpreted\n"
      "  pawl help COMMAND                               options and an example of each command\n\n"
      "Exit codes: 0 all well, 1 ran but something is not certified, 2 bad input or output,\n"
      "or out of memory, 3 a bug in pawl, 129 hung up (SIGHUP), 130 interrupted (Ctrl-C), 143 terminated "
      "(SIGTERM).");
  int exit_code = 0;
  pawl::internal::cli::add_run_command(line, exit_code);
  pawl::internal::cli::add_check_command(line);
  pawl::internal::cli::add_gap_command(line, exit_code);
  pawl::internal::cli::add_analyse_command(line, exit_code);
  pawl::internal::cli::add_import_command(line);
  pawl::internal::cli::add_info_command(line);
  pawl::internal::cli::add_export_command(line);
  pawl::internal::cli::add_view_command(line);
  pawl::internal::cli::add_report_command(line);
  pawl::internal::cli::add_plot_command(line);
  pawl::internal::cli::add_film_command(line, exit_code);
  pawl::internal::cli::add_solve_command(line, exit_code);
  pawl::internal::cli::add_compare_command(line, exit_code);
  pawl::internal::cli::add_convert_command(line);
  pawl::internal::cli::add_converge_command(line, exit_code);
  pawl::internal::cli::add_sweep_command(line, exit_code);
  pawl::internal::cli::add_study_command(line, exit_code);
  pawl::internal::cli::add_poses_command(line, exit_code);
  pawl::internal::cli::add_judge_command(line, exit_code);
  pawl::internal::cli::add_help_command(line);
  // CLI11's own message only says that a command is required.
  if (argc > 1 && argv[1][0] != '-') line.check_command(argv[1]);
  return line.parse(argc, argv) ? exit_code : pawl::internal::cli::kExitBadInput;
}

int run_and_report_errors(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const pawl::Error& error) {
    print_error(error.what());
    return pawl::internal::cli::kExitBadInput;
  } catch (const std::filesystem::filesystem_error& error) {
    print_error(error.path1().empty()
                    ? error.what()
                    : fmt::format("{}: {}", error.path1().string(), error.code().message()));
    return pawl::internal::cli::kExitBadInput;
  } catch (const std::bad_alloc&) {
    std::fputs("pawl: out of memory\n", stderr);
    return pawl::internal::cli::kExitBadInput;
  } catch (const std::exception& error) {
    if (std::ferror(stdout) != 0) return pawl::internal::cli::kExitBadInput;  // fmt throws then; main tells
    print_error(fmt::format("this is a bug in pawl, please report it: {}", error.what()));
    return pawl::internal::cli::kExitBug;
  }
}

}  // namespace

int main(int argc, char** argv) {
  open_missing_standard_streams();
  pawl::internal::h5::do_not_clean_up_at_exit();
  const int exit_code = run_and_report_errors(argc, argv);
  errno = 0;
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return exit_code;
  print_error("can't write to standard output" +
              (errno == 0 ? "" : ": " + std::generic_category().message(errno)));
  return pawl::internal::cli::kExitBadInput;
}
