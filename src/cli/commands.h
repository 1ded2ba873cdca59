#pragma once
// The commands of the program.
//
// Each function adds its command to the command line. The command sets the exit code: 0 all well, 1 ran but
// something is not certified, 2 bad input or output, 3 a bug in pawl; 130 and 143 ended by a signal
// (progress.h).

#include <CLI/CLI.hpp>

namespace pawl::internal::cli {

inline constexpr int kExitUncertified = 1;
inline constexpr int kExitBadInput = 2;
inline constexpr int kExitBug = 3;

void add_run_command(CLI::App& app, int& exit_code);
void add_check_command(CLI::App& app);
void add_gap_command(CLI::App& app, int& exit_code);
void add_analyse_command(CLI::App& app, int& exit_code);
void add_info_command(CLI::App& app);
void add_export_command(CLI::App& app);
void add_view_command(CLI::App& app);
void add_report_command(CLI::App& app);
void add_plot_command(CLI::App& app);
void add_film_command(CLI::App& app, int& exit_code);
void add_solve_command(CLI::App& app, int& exit_code);
void add_compare_command(CLI::App& app, int& exit_code);
void add_convert_command(CLI::App& app);
void add_converge_command(CLI::App& app, int& exit_code);

}  // namespace pawl::internal::cli
