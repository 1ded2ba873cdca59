#pragma once
// The commands of the program.
//
// Each function adds its command to the command line. The command sets the exit code: 0 all well, 1 ran but
// something is not certified, 2 bad input or output, 3 a bug in pawl; 129, 130 and 143 ended by a signal
// (progress.h).

#include "command_line.h"

namespace pawl::internal::cli {

inline constexpr int kExitUncertified = 1;
inline constexpr int kExitBadInput = 2;
inline constexpr int kExitBug = 3;

void add_run_command(CommandLine& line, int& exit_code);
void add_check_command(CommandLine& line);
void add_gap_command(CommandLine& line, int& exit_code);
void add_analyse_command(CommandLine& line, int& exit_code);
void add_import_command(CommandLine& line);
void add_info_command(CommandLine& line);
void add_export_command(CommandLine& line);
void add_view_command(CommandLine& line);
void add_report_command(CommandLine& line);
void add_plot_command(CommandLine& line);
void add_film_command(CommandLine& line, int& exit_code);
void add_solve_command(CommandLine& line, int& exit_code);
void add_judge_command(CommandLine& line, int& exit_code);
void add_help_command(CommandLine& line);
void add_compare_command(CommandLine& line, int& exit_code);
void add_convert_command(CommandLine& line);
void add_converge_command(CommandLine& line, int& exit_code);
void add_sweep_command(CommandLine& line, int& exit_code);
void add_study_command(CommandLine& line, int& exit_code);
void add_poses_command(CommandLine& line, int& exit_code);

}  // namespace pawl::internal::cli
