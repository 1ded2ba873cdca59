#include <memory>
#include <optional>

#include <fmt/format.h>

#include "analysis_text.h"
#include "commands.h"
#include "print.h"
#include "progress.h"
#include "scene_options.h"
#include "simulate_until.h"
#include "table.h"

#include <pawl/scene_file.h>

namespace pawl::internal::cli {
namespace {

struct AnalyseArguments {
  SceneOptions scene;
  std::string at = "0";
  std::optional<double> touching;
  double velocity_tolerance = InstantOptions{}.velocity_tolerance;
  bool json = false;
};

int analyse_scene(const AnalyseArguments& arguments) {
  const Scene scene = arguments.scene.load();
  const Model model = compile(scene);
  const ReachedState reached = simulate_until(model, scene.run, parse_duration(arguments.at));
  if (reached.interrupted) return interrupt_exit_code();
  const InstantOptions options{.touching = arguments.touching,
                               .velocity_tolerance = arguments.velocity_tolerance,
                               .step = reached.state.time > 0 ? scene.run.step : 0,
                               .contact_points = scene.run.contact_points,
                               .friction = scene.run.friction.value_or(FrictionForm::exact),
                               .friction_directions = scene.run.friction_directions};
  AnalysedState state{model, reached.state.time, instant_of(model, reached.state, options), {}};
  bool decided = reached.certified;
  for (const AccelerationProblem& island : state.instant.islands) {
    const AccelerationAnalysis& analysis = state.islands.emplace_back(analyse(island, scene.run.tolerance));
    decided &= analysis.status == Status::certified || analysis.status == Status::no_solution;
  }
  print_stdout("{}", arguments.json ? json_text(analysis_json(state)) + "\n" : analysis_text(state));
  return decided ? 0 : kExitUncertified;
}

std::string check_not_negative(const std::string& text) {
  return text.starts_with("-") || text.find("nan") != std::string::npos ? "must not be negative" : "";
}

}  // namespace

void add_analyse_command(CommandLine& line, int& exit_code) {
  const auto arguments = std::make_shared<AnalyseArguments>();
  Command command = line.add_command(
      "analyse", "Solve for the forces and accelerations of a state; test existence and uniqueness");
  arguments->scene.add_to(command);
  command.add_option("--at", arguments->at, "Simulate up to this time first (s; or 5ms, 100us, 2s)")
      .capture_default_str();
  command
      .add_option("--touching", arguments->touching,
                  "Largest gap of a touching contact (m; default: 10⁻⁶ of the smaller body's size)")
      .check(check_not_negative);
  command
      .add_option("--still", arguments->velocity_tolerance,
                  "Normal and slip velocities below this fraction of the local velocities count as zero")
      .check(check_not_negative)
      .capture_default_str();
  command.add_flag("--json", arguments->json, "Print as JSON");
  command.footer(
      "Solves for the forces and accelerations of all contacts that touch and do not separate. Friction is\n"
      "as in the scene; --set run.friction=polyhedral replaces it by a polyhedron. Then tells whether a\n"
      "solution exists and whether it is unique; docs/existence-and-uniqueness.md explains the tests.\n"
      "Exit code 0, or 1 if the answer, or a step before the given time, is not certified.\n"
      "Example:\n  pawl analyse scenes/papers/spin_in_place.yaml");
  command.callback([arguments, &exit_code] { exit_code = analyse_scene(*arguments); });
}

}  // namespace pawl::internal::cli
