#include <map>
#include <memory>
#include <optional>

#include <fmt/format.h>

#include <pawl/assemble/joint_rank.h>
#include <pawl/error.h>
#include <pawl/json/json.h>
#include <pawl/record/csv.h>
#include <pawl/view/run_view.h>

#include "commands.h"
#include "output_path.h"
#include "print.h"
#include "summary_text.h"

namespace pawl::internal::cli {
namespace {

struct InfoArguments {
  std::string file;
  bool json = false;
};

/// Joint rank at the start of a recorded run. Empty if its scene cannot be read, for example because meshes
/// are missing.
std::optional<JointRank> joint_rank_of_run(const std::string& file) {
  try {
    const RunView run(file);
    return joint_rank(run.model(), initial_state(run.model()));
  } catch (const Error&) {
    return {};
  }
}

Json final_state_json(const Trajectory& run) {
  if (run.time.empty()) return {};
  const std::size_t nq = run.info.q_columns.size(), nv = run.info.v_columns.size();
  return {{"time", run.time.back()},
          {"q", std::vector<double>(run.q.end() - static_cast<long>(nq), run.q.end())},
          {"v", std::vector<double>(run.v.end() - static_cast<long>(nv), run.v.end())},
          {"q_names", run.info.q_columns},
          {"v_names", run.info.v_columns}};
}

void info(const InfoArguments& arguments) {
  const Trajectory run = read_trajectory(arguments.file);
  const RunSummary summary = summarize(run);
  const std::optional<JointRank> rank = joint_rank_of_run(arguments.file);
  if (arguments.json) {
    Json out = summary_json(summary, run.info);
    out["format"] = "pawl-run";
    out["version"] = kRunJsonVersion;
    out["finished"] = run.finished;
    out["final_state"] = final_state_json(run);
    out["rows"] = run.time.size();
    out["pawl_version"] = run.pawl_version;
    out["overrides"] = run.info.overrides;
    if (rank) out["joint_rows"] = {{"rows", rank->rows}, {"redundant", rank->redundant}};
    print_stdout("{}\n", out.dump(2));
    return;
  }
  print_stdout("{}", summary_text(summary, run.info));
  print_stdout("  {:<16}  {} rows, written by pawl {}{}\n", "file", run.time.size(), run.pawl_version,
               run.finished ? "" : "; unfinished: the run was stopped, killed, or still goes on");
  if (rank && rank->rows > 0)
    print_stdout("  {:<16}  {}, redundant: {}\n", "joint rows", rank->rows, rank->redundant);
  for (const std::string& override_text : run.info.overrides)
    print_stdout("  {:<16}  {}\n", "set", override_text);
}

struct ExportArguments {
  std::string file, table = "states";
  std::vector<std::string> csv;  // one path at most; none or "" is standard output
};

const std::map<std::string, CsvTable> kTables{{"states", CsvTable::states},
                                              {"steps", CsvTable::steps},
                                              {"contacts", CsvTable::contacts},
                                              {"joints", CsvTable::joints}};

void export_table(const ExportArguments& arguments) {
  const CsvTable table = kTables.at(arguments.table);
  const std::string file = arguments.csv.empty() ? "" : arguments.csv.front();
  if (file.empty()) {
    print_csv(read_trajectory(arguments.file), stdout, "standard output", table);
    return;
  }
  const std::string output = resolve_output_path(file, arguments.file);
  export_csv(read_trajectory(arguments.file), output, table);
  print_stdout("{}\n", file);
}

}  // namespace

void add_info_command(CommandLine& line) {
  const auto arguments = std::make_shared<InfoArguments>();
  Command command = line.add_command("info", "Summarise a recorded run: status, residuals, energy");
  command.add_option("RUN", arguments->file, "Trajectory (.h5, or the .part file of a killed run)")
      .required();
  command.add_flag("--json", arguments->json, "Print as JSON");
  command.footer("Example:\n  pawl info four_balls.h5");
  command.callback([arguments] { info(*arguments); });
}

void add_export_command(CommandLine& line) {
  const auto arguments = std::make_shared<ExportArguments>();
  Command command = line.add_command("export", "Write a table of a recorded run as text");
  command.add_option("RUN", arguments->file, "Trajectory (.h5)").required();
  command.add_option("--csv", arguments->csv, "Comma-separated values, to FILE or to standard output")
      .type_name("[FILE]")
      .expected(0, 1)
      .required();
  command.add_option("--table", arguments->table, "Table to write")
      .capture_default_str()
      .is_member({"states", "steps", "contacts", "joints"});
  command.footer(
      "Example:\n  pawl export four_balls.h5 --csv | head\n"
      "  pawl export four_balls.h5 --csv four_balls.csv\n"
      "  pawl export four_balls.h5 --table contacts --csv contacts.csv");
  command.callback([arguments] { export_table(*arguments); });
}

}  // namespace pawl::internal::cli
