#include <cmath>
#include <memory>

#include <fmt/format.h>

#include <page/page.h>
#include <pawl/base/atomic_write.h>
#include <pawl/base/parse.h>
#include <pawl/error.h>
#include <pawl/view/report.h>

#include "commands.h"
#include "output_path.h"
#include "print.h"

namespace pawl::internal::cli {
namespace {

struct ReportArguments {
  std::vector<std::string> runs;
  std::string output = "report.html", budget = "20MB";
};

/// Parses bytes from "20MB", "800kB" or "1e6".
std::uint64_t parse_size(const std::string& text) {
  double factor = 1;
  std::string_view number = text;
  const std::pair<std::string_view, double> kUnits[] = {{"kB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"B", 1}};
  for (const auto& [unit, bytes] : kUnits) {
    if (!number.ends_with(unit)) continue;
    number.remove_suffix(unit.size());
    factor = bytes;
    break;
  }
  double value = 0;
  // Browsers do not accept pages above about half a gigabyte; the limit keeps the conversion to an integer
  // valid.
  if (parse_number(number, value) != std::errc() || !(value > 0) || !(value * factor < 1e15)) {
    throw Error(fmt::format("--budget {}: not a size, as in 20MB, 800kB or 1e6", internal::quote(text)));
  }
  return static_cast<std::uint64_t>(value * factor);
}

void report(const ReportArguments& arguments) {
  const std::uint64_t budget = parse_size(arguments.budget);
  const std::string_view page = viewer_page();
  std::string output = arguments.output;
  for (const std::string& run : arguments.runs) output = resolve_output_path(arguments.output, run);
  std::vector<RunView> runs;
  runs.reserve(arguments.runs.size());
  std::vector<const RunView*> views;
  for (const std::string& run : arguments.runs) views.push_back(&runs.emplace_back(run));
  const Report made = make_report(page, views, budget);
  write_text(output, made.html);
  print_stdout("{}  {:.3g} MB\n", arguments.output, 1e-6 * static_cast<double>(made.html.size()));
  if (!made.notes.empty()) print_stdout("{}\n", made.notes);
}

}  // namespace

void add_report_command(CommandLine& line) {
  const auto arguments = std::make_shared<ReportArguments>();
  Command command = line.add_command("report", "Embed recorded runs in one HTML file for offline viewing");
  command.add_option("RUN", arguments->runs, "Trajectories (.h5); several are shown side by side").required();
  command.add_option("-o,--output", arguments->output, "HTML file").capture_default_str();
  command.add_option("--budget", arguments->budget, "Max. file size; longer runs are downsampled")
      .capture_default_str();
  command.footer(
      "Example:\n  pawl report four_balls.h5 -o report.html\n"
      "  pawl report stewart.h5 tzitzouris.h5 -o both.html --budget 5MB");
  command.callback([arguments] { report(*arguments); });
}

}  // namespace pawl::internal::cli
