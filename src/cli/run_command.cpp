#include <filesystem>
#include <memory>
#include <optional>

#include <fmt/format.h>

#include <pawl/assemble/joint_rank.h>
#include <pawl/json/json.h>
#include <pawl/problem_file.h>
#include <pawl/record/recorder.h>
#include <pawl/record/resume.h>
#include <pawl/state_file.h>

#include "commands.h"
#include "output_path.h"
#include "overlaps.h"
#include "print.h"
#include "progress.h"
#include "run_start.h"
#include "summary_text.h"

namespace pawl::internal::cli {
namespace {

/// Path beside the trajectory: four_balls.h5 -> four_balls.problem.json.
std::string problem_path(const std::string& output) {
  return std::filesystem::path(output).replace_extension(".problem.json").string();
}

int run(const RunArguments& arguments) {
  check(arguments);
  std::optional<TrajectoryReader> old;
  if (!arguments.resume.empty()) old.emplace(arguments.resume);
  const Scene scene = old ? recorded_scene(old->info(), arguments.scene.until) : arguments.scene.load();
  State start;
  const Model model = make_model(arguments, scene, start);
  const RunOptions& options = scene.run;
  Simulation simulation(model, options);
  start_simulation(arguments, model, old ? &*old : nullptr, start, simulation);
  const std::string output = output_path(arguments, scene);
  const std::string problem_output = resolve_output_path(problem_path(output), scene.file);
  const std::string state_output = state_path(arguments, scene, output);
  const std::vector<Overlap> overlaps = overlaps_at_start(model);
  const std::vector<JointViolation> joints = joints_at_start(model);
  const JointRank rank = joint_rank(model, simulation.state());
  TrajectoryInfo info = describe_run(scene, model);
  info.start_overlap = old ? old->info().start_overlap : deepest(overlaps);
  TrajectoryWriter writer(resolve_output_path(output, scene.file), info);
  RunSummary summary;
  std::optional<Recorder> recorder;
  if (old) {
    recorder.emplace(simulation, options, writer, copy_rows(*old, options.record_every, writer, summary));
    old.reset();
  } else {
    summary.begin(simulation.energy(), info.start_overlap);
    recorder.emplace(simulation, options, writer);
  }

  if (!arguments.json) {
    for (const Overlap& overlap : overlaps) print_stderr("note: {}\n", overlap_text(model, overlap));
    for (const JointViolation& joint : joints) print_stderr("note: {}\n", joint_text(model, joint));
  }
  if (!arguments.quiet && !arguments.json) {
    if (rank.redundant > 0) print_stderr("note: joint rows: {}, redundant: {}\n", rank.rows, rank.redundant);
  }

  catch_interrupts();
  std::string dumped;  // file of the first uncertified step's problem
  {
    Progress progress(options.until, arguments.quiet || arguments.json);
    while (!simulation.at_end() && !interrupted()) {
      const StepReport report = simulation.step();
      summary.add(report);
      recorder->add(report);
      if (!report.certified()) {
        const ContactProblem* problem = dumped.empty() ? simulation.worst_problem() : nullptr;
        if (problem != nullptr) {
          write_problem(problem_output, *problem, scene.run.tolerance);
          dumped = problem_output;
        }
        if (report.status == Status::refused || options.on_uncertified == OnUncertified::stop) break;
      }
      progress.show(simulation.time(), summary.natural_map.value);
    }
    summary.wall_seconds = progress.seconds();
  }
  recorder->end();
  writer.finish(simulation.at_end(), pack_end(simulation.state(), model));
  if (!state_output.empty()) save_state(state_output, simulation.state(), model);

  if (arguments.json) {
    Json out = summary_json(summary, info);
    out["file"] = output;
    out["interrupted"] = interrupted();
    out["joint_rows"] = rank.rows;
    out["redundant_joint_rows"] = rank.redundant;
    out["overlaps_at_start"] = overlaps_json(model, overlaps);
    out["problem"] = dumped.empty() ? Json() : Json(dumped);
    print_stdout("{}\n", out.dump(2));
  } else {
    if (!arguments.quiet) print_stdout("{}  {:<16}  {}\n", summary_text(summary, info), "file", output);
    if (interrupted()) print_stderr("pawl: interrupted at t = {:.6g} s\n", simulation.time());
    if (summary.certified != summary.steps) {
      print_stderr("pawl: {} of {} steps not certified, the first at t = {:.6g} s{}{}{}\n",
                   summary.steps - summary.certified, summary.steps, *summary.first_uncertified,
                   reason_text(summary, info),
                   simulation.at_end() ? "" : fmt::format("; stopped at t = {:.6g} s", simulation.time()),
                   dumped.empty() ? "" : fmt::format("; the problem: pawl solve {}", dumped));
    }
  }
  if (interrupted()) return interrupt_exit_code();
  return summary.certified == summary.steps ? 0 : kExitUncertified;
}

}  // namespace

void add_run_command(CommandLine& line, int& exit_code) {
  const auto arguments = std::make_shared<RunArguments>();
  Command command = line.add_command("run", "Simulate a scene, write the trajectory, print a summary");
  arguments->scene.add_to(command).required(false);
  command
      .add_option("-o,--output", arguments->output,
                  "Trajectory file (default: scene name with .h5, in the current folder)")
      .check([](const std::string& path) { return path.empty() ? "needs a file name" : ""; });
  command.add_option("--save-state", arguments->save_state, "Write the state at the end to this file");
  command.add_option("--from", arguments->from, "Continue from a state file, up to --until");
  command.add_flag("--fresh", arguments->fresh,
                   "With --from: take only time, q and v, for another method or step");
  command.add_option("--resume", arguments->resume,
                     "Continue a run from the end of its trajectory, without SCENE");
  command.add_flag("--quiet", arguments->quiet, "Print nothing unless something went wrong");
  command.add_flag("--json", arguments->json, "Print the summary as JSON");
  command.footer("Example:\n  pawl run scenes/papers/four_balls.yaml --until 1s --step 5ms -o four_balls.h5");
  command.callback([arguments, &exit_code] { exit_code = run(*arguments); });
}

}  // namespace pawl::internal::cli
