#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>

#include <fmt/format.h>

#include <pawl/assemble/joint_rank.h>
#include <pawl/error.h>
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

/// Writes problems of steps: every one of --dump-problems, else the first that is not certified.
class ProblemDump {
 public:
  ProblemDump(const RunArguments& arguments, const std::string& output, const Scene& scene)
      : every_(dump_interval(arguments)), tolerance_(scene.run.tolerance) {
    first_ = resolve_output_path(problem_path(output), scene.file);
    folder_ = std::filesystem::path(output).replace_extension(".problems").string();
    if (every_ == 0) return;
    std::error_code error;
    std::filesystem::create_directories(folder_, error);
    if (error) throw Error(fmt::format("{}: {}", folder_, error.message()));
  }

  void add(const Simulation& simulation, const StepReport& report) {
    const long long step = steps_++;
    const ContactProblem* problem = simulation.worst_problem();
    if (problem == nullptr) return;
    if (every_ > 0 && step % every_ == 0) {
      write_problem(fmt::format("{}/{:06}.json", folder_, step), *problem, tolerance_);
      ++count_;
    }
    if (!report.certified() && dumped_.empty()) {
      write_problem(first_, *problem, tolerance_);
      dumped_ = first_;
    }
  }

  const std::string& first_uncertified() const { return dumped_; }  // its file; "" if none
  const std::string& folder() const { return folder_; }
  int count() const { return count_; }

 private:
  int every_;
  double tolerance_;
  long long steps_ = 0;
  int count_ = 0;
  std::string first_, folder_, dumped_;
};

struct RunOutcome {
  int exit_code = 0;
  Json json;
};

Json state_json(const State& state, const TrajectoryInfo& info) {
  return {{"time", state.time},
          {"q", state.q},
          {"v", state.v},
          {"q_names", info.q_columns},
          {"v_names", info.v_columns}};
}

RunOutcome run_scene(const RunArguments& arguments) {
  std::optional<TrajectoryReader> old;
  if (!arguments.resume.empty()) old.emplace(arguments.resume);
  const Scene scene = old ? recorded_scene(old->info(), arguments.scene.until) : arguments.scene.load();
  State start;
  const Model model = make_model(arguments, scene, start);
  const RunOptions& options = scene.run;
  Simulation simulation(model, options);
  start_simulation(arguments, model, old ? &*old : nullptr, start, simulation);
  const std::string output = output_path(arguments, scene);
  ProblemDump problems(arguments, output, scene);
  const std::string state_output = state_path(arguments, scene, output);
  const std::vector<Overlap> overlaps = overlaps_at_start(model);
  const std::vector<JointViolation> joints = joints_at_start(model);
  const JointRank rank = joint_rank(model, simulation.state());
  TrajectoryInfo info = describe_run(scene, model);
  info.start_overlap = old ? old->info().start_overlap : deepest(overlaps);
  std::optional<TrajectoryWriter> writer;
  if (!arguments.no_record) writer.emplace(resolve_output_path(output, scene.file), info);
  RunSummary summary;
  std::optional<Recorder> recorder;
  if (old) {
    recorder.emplace(simulation, options, *writer, copy_rows(*old, options.record_every, *writer, summary));
    old.reset();
  } else {
    summary.begin(simulation.energy(), info.start_overlap);
    if (writer) recorder.emplace(simulation, options, *writer);
  }

  if (!arguments.json) {
    for (const Overlap& overlap : overlaps) print_stderr("note: {}\n", overlap_text(model, overlap));
    for (const JointViolation& joint : joints) print_stderr("note: {}\n", joint_text(model, joint));
    if (rank.redundant > 0) print_stderr("note: joint rows: {}, redundant: {}\n", rank.rows, rank.redundant);
  }

  catch_interrupts();
  {
    Progress progress(options.until, arguments.quiet || arguments.json);
    while (!simulation.at_end() && !interrupted()) {
      const StepReport report = simulation.step();
      summary.add(report);
      if (recorder) recorder->add(report);
      problems.add(simulation, report);
      if (!report.certified() &&
          (report.status == Status::refused || options.on_uncertified == OnUncertified::stop))
        break;
      progress.show(simulation.time(), summary.natural_map.value);
    }
    summary.wall_seconds = progress.seconds();
  }
  if (recorder) recorder->end();
  if (writer) writer->finish(simulation.at_end(), pack_end(simulation.state(), model));
  if (!state_output.empty()) save_state(state_output, simulation.state(), model);

  const std::string& dumped = problems.first_uncertified();
  RunOutcome outcome;
  if (arguments.json) {
    Json& out = outcome.json = summary_json(summary, info);
    out["format"] = "pawl-run";
    out["version"] = kRunJsonVersion;
    out["file"] = writer ? Json(output) : Json();
    out["finished"] = simulation.at_end();
    out["interrupted"] = interrupted();
    out["joint_rows"] = rank.rows;
    out["redundant_joint_rows"] = rank.redundant;
    out["overlaps_at_start"] = overlaps_json(model, overlaps);
    out["problem"] = dumped.empty() ? Json() : Json(dumped);
    out["final_state"] = state_json(simulation.state(), info);
  } else {
    if (!arguments.quiet) {
      print_stdout("{}", summary_text(summary, info));
      if (writer) print_stdout("  {:<16}  {}\n", "file", output);
      if (problems.count() > 0)
        print_stdout("  {:<16}  {} in {}\n", "problems", problems.count(), problems.folder());
    } else {
      print_stderr("{}", warning_text(summary));
    }
    if (interrupted()) print_stderr("pawl: interrupted at t = {:.6g} s\n", simulation.time());
    if (summary.certified != summary.steps) {
      print_stderr("pawl: {} of {} steps not certified, the first at t = {:.6g} s{}{}{}\n",
                   summary.steps - summary.certified, summary.steps, *summary.first_uncertified,
                   reason_text(summary, info),
                   simulation.at_end() ? "" : fmt::format("; stopped at t = {:.6g} s", simulation.time()),
                   dumped.empty() ? "" : fmt::format("; the problem: pawl solve {}", dumped));
    }
  }
  outcome.exit_code = interrupted()                        ? interrupt_exit_code()
                      : summary.certified == summary.steps ? 0
                                                           : kExitUncertified;
  return outcome;
}

/// One JSON object for one scene, a list for several. Ends at an interrupt; else runs them all.
int run(const RunArguments& arguments) {
  check(arguments);
  const std::size_t count = std::max<std::size_t>(arguments.scenes.size(), 1);
  std::vector<Json> all;
  int exit_code = 0;
  for (std::size_t i = 0; i < count && !interrupted(); ++i) {
    RunArguments one = arguments;
    if (!arguments.scenes.empty()) one.scene.scene = arguments.scenes[i];
    if (i > 0 && !arguments.quiet && !arguments.json) print_stdout("\n");
    RunOutcome outcome = run_scene(one);
    exit_code = std::max(exit_code, outcome.exit_code);
    all.push_back(std::move(outcome.json));
  }
  if (arguments.json) print_stdout("{}\n", (arguments.scenes.size() > 1 ? Json(all) : all.front()).dump(2));
  return exit_code;
}

}  // namespace

void add_run_command(CommandLine& line, int& exit_code) {
  const auto arguments = std::make_shared<RunArguments>();
  Command command = line.add_command("run", "Simulate a scene, write the trajectory, print a summary");
  command.add_option("SCENE", arguments->scenes,
                     "Scene files (YAML) or robots (MJCF .xml, .urdf), one after the other");
  arguments->scene.add_overrides(command);
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
  command.add_flag("--no-record", arguments->no_record, "Write no trajectory");
  command
      .add_option("--dump-problems", arguments->dump_problems,
                  "Write the contact problem of every N-th step to NAME.problems/")
      .type_name("every=N");
  command.add_flag("--quiet", arguments->quiet,
                   "Print no summary and no progress; warnings go to standard error");
  command.add_flag("--json", arguments->json,
                   "Print the summary and the final state as JSON (docs/command-line.md)");
  command.footer(
      "Example:\n  pawl run scenes/papers/four_balls.yaml --until 1s --step 5ms -o four_balls.h5\n"
      "  pawl run a.yaml b.yaml --no-record --quiet");
  command.callback([arguments, &exit_code] { exit_code = run(*arguments); });
}

}  // namespace pawl::internal::cli
