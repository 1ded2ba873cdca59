#include <memory>

#include <fmt/format.h>

#include <pawl/json/json.h>
#include <pawl/scene_file.h>
#include <pawl/study/convergence.h>

#include "commands.h"
#include "print.h"
#include "progress.h"
#include "scene_options.h"
#include "table.h"

namespace pawl::internal::cli {
namespace {

struct ConvergeArguments {
  SceneOptions scene;
  std::vector<std::string> steps;
  bool json = false;
};

std::string text_of(const std::optional<double>& value, fmt::format_string<const double&> format) {
  return value ? fmt::format(format, *value) : "—";
}

std::string steps_text(const ConvergenceRow& row) {
  std::string text = fmt::format("{}", row.steps);
  if (row.uncertified > 0) text += fmt::format(", {} not certified", row.uncertified);
  if (row.refused) text += fmt::format(", refused at t = {:.6g} s", *row.refused);
  return text;
}

Json to_json(const ConvergenceRow& row) {
  Json out{{"step", row.step},
           {"velocity_error", nullptr},
           {"position_error", nullptr},
           {"end_change", nullptr},
           {"order", nullptr},
           {"variation", row.variation},
           {"worst_natural_map", row.worst_residual},
           {"steps", row.steps},
           {"uncertified", row.uncertified},
           {"refused", nullptr}};
  if (row.velocity_error) out["velocity_error"] = *row.velocity_error;
  if (row.refused) out["refused"] = *row.refused;
  if (row.position_error) out["position_error"] = *row.position_error;
  if (row.end_change) out["end_change"] = *row.end_change;
  if (row.order) out["order"] = *row.order;
  return out;
}

int converge(const ConvergeArguments& arguments) {
  const Scene scene = arguments.scene.load();
  const Model model = compile(scene);
  std::vector<double> steps;
  for (const std::string& text : arguments.steps) steps.push_back(parse_duration(text));
  catch_interrupts();
  const ConvergenceStudy study =
      study_convergence(model, scene.run, steps, [](int) { return !interrupted(); });

  bool certified = true;
  Table table(true);
  table.add({"step (s)", "end change", "order", "velocity error", "position error", "variation",
             "worst residual", "steps"});
  Json rows = Json::array();
  for (const ConvergenceRow& row : study.rows) {
    certified = certified && row.uncertified == 0 && !row.refused;
    rows.push_back(to_json(row));
    table.add({fmt::format("{:g}", row.step), text_of(row.end_change, "{:.2e}"), text_of(row.order, "{:.2f}"),
               text_of(row.velocity_error, "{:.4f}"), text_of(row.position_error, "{:.4f}"),
               row.refused ? "—" : fmt::format("{:.4f}", row.variation),
               fmt::format("{:.1e}", row.worst_residual), steps_text(row)});
  }
  if (arguments.json) {
    Json out{{"scene", scene.name}, {"method", scene.run.method}, {"end_error", nullptr}, {"rows", rows}};
    if (study.end_error) out["end_error"] = *study.end_error;
    print_stdout("{}\n", out.dump(2));
  } else {
    print_stdout("{}: {}, {:g} s, against the finest step\n{}", scene.name, scene.run.method, scene.run.until,
                 table.text());
    if (study.end_error)
      print_stdout("positions at the end of the finest run: error about {:.1e}, extrapolated\n",
                   *study.end_error);
  }
  if (interrupted()) return interrupt_exit_code();
  return certified ? 0 : kExitUncertified;
}

}  // namespace

void add_converge_command(CommandLine& line, int& exit_code) {
  const auto arguments = std::make_shared<ConvergeArguments>();
  Command command = line.add_command("converge", "Measure the errors of a motion as the step shrinks");
  arguments->scene.add_to(command, false);
  command.add_option("--steps", arguments->steps, "Step sizes; the smallest is the reference")
      .required()
      .delimiter(',')
      .expected(2, 100);
  command.add_flag("--json", arguments->json, "Print as JSON");
  command.footer(
      "The end change is that of the coordinates at the end of the run, from one step size to the next "
      "smaller\n"
      "one; the order tells how it falls. The two errors take velocities as constant over a step, as the "
      "paper\n"
      "does, and positions as their integrals. All are those of the worst component.\n"
      "Example, table 1 of Stewart & Trinkle 2000:\n"
      "  pawl converge scenes/papers/four_balls.yaml --steps 0.02,0.01,0.005,0.0025,0.00125");
  command.callback([arguments, &exit_code] { exit_code = converge(*arguments); });
}

}  // namespace pawl::internal::cli
