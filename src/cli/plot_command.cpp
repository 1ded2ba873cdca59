#include <algorithm>
#include <filesystem>
#include <memory>

#include <fmt/format.h>

#include <draw/figure.h>
#include <pawl/error.h>
#include <pawl/view/quantity.h>

#include "commands.h"
#include "output_path.h"
#include "print.h"

namespace pawl::internal::cli {
namespace {

struct PlotArguments {
  std::vector<std::string> runs, what;
  std::string output = "figure.svg";
  std::string font = Figure{}.font;
};

/// Labels of the runs: the file names, or the full paths if two file names are equal.
std::vector<std::string> run_labels(const std::vector<std::string>& runs) {
  std::vector<std::string> labels;
  for (const std::string& run : runs) labels.push_back(std::filesystem::path(run).stem().string());
  for (const std::string& label : labels) {
    if (std::count(labels.begin(), labels.end(), label) > 1) return runs;
  }
  return labels;
}

/// One panel with a quantity of every run. Runs differ by colour if the quantity has one curve, else by dash.
Panel panel_of(const std::vector<RunView>& runs, const std::vector<std::string>& labels,
               const std::string& name) {
  Panel panel;
  panel.x.label = "t (s)";
  int run_index = 0;
  for (const RunView& run : runs) {
    const Quantity quantity = quantity_of(run, name);
    panel.title = quantity.title;
    panel.y = {.label = quantity.unit == "1" ? "" : quantity.unit, .logarithmic = quantity.logarithmic};
    if (quantity.level) panel.reference_line = ReferenceLine{*quantity.level, "certified below"};
    const bool single = quantity.curves.size() == 1;
    int curve_index = 0;
    for (const QuantityCurve& source : quantity.curves) {
      PlotCurve curve;
      curve.label = runs.size() == 1 ? source.name
                    : single         ? labels[run_index]
                                     : source.name + ", " + labels[run_index];
      curve.x = source.time;
      curve.y = source.value;
      curve.colour = single ? run_index : curve_index;
      curve.dash = single ? 0 : run_index;
      panel.curves.push_back(std::move(curve));
      ++curve_index;
    }
    ++run_index;
  }
  if (panel.curves.size() == 1) panel.curves[0].label.clear();  // the title suffices
  return panel;
}

void plot(const PlotArguments& arguments) {
  std::string output;
  for (const std::string& run : arguments.runs) output = resolve_output_path(arguments.output, run);
  check_figure_path(output);
  std::vector<RunView> runs;
  for (const std::string& run : arguments.runs) runs.emplace_back(run);
  Figure figure;
  figure.font = arguments.font;
  for (const std::string& name : arguments.what) {
    figure.panels.push_back(panel_of(runs, run_labels(arguments.runs), name));
  }
  draw_figure(figure, output);
  print_stdout("{}\n", arguments.output);
}

}  // namespace

void add_plot_command(CommandLine& line) {
  const auto arguments = std::make_shared<PlotArguments>();
  Command command = line.add_command("plot", "Plot quantities of recorded runs, for papers");
  command.add_option("RUN", arguments->runs, "Trajectories (.h5); several are plotted together").required();
  command
      .add_option(
          "--what", arguments->what,
          "Quantities, one panel each: energy, work, gap, force, residual, position:BODY, velocity:BODY, "
          "speed:BODY, angular_velocity:BODY, force:BODY, a column of the steps (iterations, …) or of the "
          "states (rod.theta)")
      .delimiter(',')
      .required();
  command.add_option("-o,--output", arguments->output, "Image (.svg, .pdf, .png)").capture_default_str();
  command.add_option("--font", arguments->font, "Family of the letters: 'Latin Modern Roman' fits LaTeX")
      .capture_default_str();
  command.footer(
      "Example:\n  pawl plot four_balls.h5 --what energy,gap,force,velocity:ball1 -o figure.svg\n"
      "  pawl plot coarse.h5 fine.h5 --what residual -o residual.png\n"
      "  pawl plot four_balls.h5 --what energy -o figure.pdf --font 'Latin Modern Roman'   # 160 mm wide");
  command.callback([arguments] { plot(*arguments); });
}

}  // namespace pawl::internal::cli
