#include <algorithm>
#include <charconv>
#include <chrono>
#include <memory>
#include <optional>
#include <thread>

#include <fmt/format.h>

#include <pawl/error.h>
#include <pawl/record/recorder.h>
#include <pawl/record/resume.h>
#include <pawl/sweep/sweep.h>
#include <pawl/version.h>

#include "commands.h"
#include "output_path.h"
#include "print.h"
#include "progress.h"
#include "scene_options.h"
#include "study_text.h"
#include "table.h"

namespace pawl::internal::cli {
namespace {

constexpr int kMaxSamples = 1'000'000'000;
constexpr std::string_view kSamplings[] = {"monte-carlo", "latin-hypercube", "sobol"};

struct SweepArguments {
  SceneOptions scene;
  std::string output;
  int samples = 0;
  std::vector<std::string> grid;
  std::optional<double> until_interval;
  std::string sampling = "monte-carlo";
  int seed = 1;
  int jobs = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  std::string shard;
  std::vector<std::string> replay;  // STUDY.db and the number of a sample
  bool quiet = false, json = false;
};

Sampling sampling_of(const std::string& name) {
  return static_cast<Sampling>(std::ranges::find(kSamplings, name) - std::begin(kSamplings));
}

DesignOptions design_options(const SweepArguments& a) {
  DesignOptions options;
  options.sampling = sampling_of(a.sampling);
  options.seed = static_cast<std::uint64_t>(a.seed);
  for (const std::string& axis : a.grid) options.grid.push_back(parse_grid_axis(axis));
  options.draw = a.samples > 0 || a.until_interval;
  options.samples = static_cast<std::uint64_t>(a.samples > 0      ? a.samples
                                               : a.until_interval ? kMaxSamples
                                                                  : 1);
  if (a.samples == 0 && a.grid.empty() && !a.until_interval)
    throw Error("how many runs? Give --samples N, --grid NAME=…, or --until-interval WIDTH");
  if (a.until_interval && (!a.grid.empty() || !a.shard.empty()))
    throw Error("--until-interval looks at all samples: it goes neither with --grid nor with --shard");
  if (a.until_interval && options.sampling == Sampling::latin_hypercube)
    throw Error("--until-interval adds samples: a Latin hypercube has a fixed number of them");
  return options;
}

/// What two sweeps must have in common for their samples to be the same.
std::string design_text(const DesignOptions& options) {
  std::string text = fmt::format("{}, seed {}", to_string(options.sampling), options.seed);
  for (const GridAxis& axis : options.grid)
    text += fmt::format(", {} = {}", axis.parameter, fmt::join(axis.values, " "));
  if (!options.draw) return text + ", one run a point";
  // By Monte Carlo and Sobol' points a study can grow.
  if (options.sampling == Sampling::latin_hypercube || !options.grid.empty())
    text += fmt::format(", {} samples{}", options.samples, options.grid.empty() ? "" : " a point");
  return text;
}

void read_shard(const std::string& text, SweepOptions& options) {
  if (text.empty()) return;
  const std::size_t slash = text.find('/');
  std::uint64_t i = 0, n = 0;
  const auto whole = [](std::string_view part, std::uint64_t& value) {
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), value);
    return error == std::errc() && end == part.data() + part.size();
  };
  const bool valid = slash != std::string::npos && whole(std::string_view(text).substr(0, slash), i) &&
                     whole(std::string_view(text).substr(slash + 1), n) && i >= 1 && i <= n && n <= 1'000'000;
  if (!valid) throw Error(fmt::format("--shard {}: it must be i/n with i from 1 to n, as in 3/100", text));
  options.shard = i - 1;
  options.shards = n;
}

std::string time_text(double seconds) {
  if (seconds < 100) return fmt::format("{:.0f} s", seconds);
  if (seconds < 6000) return fmt::format("{:.0f} min", seconds / 60);
  return fmt::format("{:.1f} h", seconds / 3600);
}

std::string progress_text(const SweepProgress& p, const StudySummary& summary, bool open_end) {
  const double rate = p.seconds > 0 ? static_cast<double>(p.now) / p.seconds : 0;
  std::string text =
      fmt::format("{}{}  {:.3g} runs/s", p.stored, open_end ? " runs" : fmt::format(" of {}", p.total), rate);
  if (!open_end && rate > 0)
    text += fmt::format("  {} left", time_text(static_cast<double>(p.total - p.stored) / rate));
  const std::uint64_t uncertified = summary.runs() - summary.runs(RunStatus::certified);
  if (uncertified > 0) text += fmt::format("  not certified {}", uncertified);
  return text + proportions_text(summary);
}

int run_sweep(const SweepArguments& a) {
  if (a.scene.scene.empty()) throw Error("sweep needs a SCENE, or --replay STUDY.db N");
  if (a.output.empty()) throw Error("sweep needs -o STUDY.db, where the runs are stored");
  const DesignOptions options = design_options(a);
  SweepOptions sweep_options{.jobs = a.jobs, .until_interval = a.until_interval};
  read_shard(a.shard, sweep_options);
  const Scene scene = a.scene.load();
  const Design design(scene.parameters, options);
  if (design.varied().empty())
    throw Error(fmt::format("{}: no parameter varies: give one a distribution, or a --grid", scene.file));
  const StudyInfo info = describe_study(scene, design, design_text(options));
  if (a.until_interval) proportions_of(info);  // throws before the study is created
  StudyStore store(resolve_output_path(a.output, scene.file), info);
  StudySummary summary(store.info());
  store.read([&](const StudyRow& row) { summary.add(row); });

  catch_interrupts();
  SweepResult result;
  {
    StatusLine line(a.quiet || a.json);
    auto last = std::chrono::steady_clock::now() - std::chrono::hours(1);
    result = sweep(StudyScene(scene, design), design, sweep_options, store,
                   [&](const SweepProgress& progress, const std::vector<StudyRow>& rows) {
                     for (const StudyRow& row : rows) summary.add(row);
                     const auto now = std::chrono::steady_clock::now();
                     if (line.visible() && now - last > std::chrono::milliseconds(500)) {
                       line.show(progress_text(progress, summary, a.until_interval.has_value()));
                       last = now;
                     }
                     return !interrupted();
                   });
  }
  store.finish();
  if (a.json) {
    Json out = study_json(summary);
    out["file"] = a.output;
    out["interrupted"] = result.interrupted;
    out["new_runs"] = result.progress.now;
    out["seconds"] = result.progress.seconds;
    out["manager_seconds"] = result.manager_seconds;
    print_stdout("{}\n", json_text(out));
  } else if (!a.quiet) {
    print_stdout("{}\n{} in {}, {:.3g} a second; in {}\n", study_text(summary),
                 pluralize(static_cast<long long>(result.progress.now), "new run"),
                 duration_text(result.progress.seconds),
                 static_cast<double>(result.progress.now) / std::max(1e-9, result.progress.seconds),
                 a.output);
  }
  if (result.interrupted) {
    print_stderr("pawl: interrupted; the same command continues\n");
    return interrupt_exit_code();
  }
  return summary.runs() == summary.runs(RunStatus::certified) ? 0 : kExitUncertified;
}

/// Records the run of a stored sample, and compares it with its row.
int replay(const SweepArguments& a) {
  if (!a.scene.scene.empty() || !a.grid.empty() || a.samples > 0)
    throw Error("--replay takes scene and parameters from the study; beside it only -o can be given");
  if (a.output.empty()) throw Error("--replay needs -o RUN.h5");
  const std::string& number = a.replay[1];
  std::uint64_t sample = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), sample);
  if (error != std::errc() || end != number.data() + number.size() || sample >> 62 != 0)
    throw Error(fmt::format("--replay: '{}' is not the number of a sample", number));
  StudyStore store(a.replay[0]);
  const StudyRow row = store.row(sample);
  if (row.status == RunStatus::invalid)
    throw Error(fmt::format("sample {} is no run: {}", sample, row.message));
  const std::string path = resolve_output_path(a.output, a.replay[0]);

  const StudyScene study(store.info());
  std::optional<TrajectoryWriter> writer;
  std::optional<Recorder> recorder;
  const Model* model = nullptr;
  RunHooks hooks;
  hooks.begin = [&](const Scene& scene, const Model& m, Simulation& simulation) {
    model = &m;
    writer.emplace(resolve_output_path(path, scene.file), describe_run(scene, m));
    recorder.emplace(simulation, scene.run, *writer);
  };
  hooks.step = [&](const StepReport& report) { recorder->add(report); };
  hooks.end = [&](const Simulation& simulation) {
    recorder->end();
    writer->finish(simulation.at_end(), pack_end(simulation.state(), *model));
  };
  const std::atomic<bool> cancelled = false;
  const StudyRow again = run_sample(study, sample, row.parameters, row.outcomes.size(), cancelled, hooks);
  if (again.status == RunStatus::invalid) throw Error(again.message);
  if (!same_result(row, again)) {
    throw Error(fmt::format("{}: sample {} ran differently from the study, which pawl {} made; this is {}",
                            a.output, sample, store.info().identity.version, kVersion));
  }
  if (!a.quiet) {
    print_stdout("sample {}: {}, {}, until t = {:.6g} s, the same bits as in the study; in {}\n", sample,
                 to_string(row.status), pluralize(row.steps, "step"), row.end_time, a.output);
  }
  return row.status == RunStatus::certified ? 0 : kExitUncertified;
}

}  // namespace

void add_sweep_command(CommandLine& line, int& exit_code) {
  const auto arguments = std::make_shared<SweepArguments>();
  Command command =
      line.add_command("sweep", "Run a scene many times with varied parameters, and store the outcomes");
  arguments->scene.add_to(command).required(false);
  command.add_option("-o,--output", arguments->output, "The study, an SQLite file; continued if it exists");
  command
      .add_option("--samples", arguments->samples,
                  "Number of runs; with --grid, of runs at each of its points")
      .range(1, kMaxSamples);
  command.add_option("--grid", arguments->grid, "Values of a parameter: mu=0.1:0.5:5 or mu=0.1,0.2,0.5")
      .disallow_extra_args()
      .take_all();
  command
      .add_option("--until-interval", arguments->until_interval,
                  "Run until the 95 % interval of every proportion is at most so wide")
      .range(1e-6, 1.0);
  command.add_option("--sampling", arguments->sampling, "How parameters are drawn")
      .is_member({"monte-carlo", "latin-hypercube", "sobol"})
      .capture_default_str();
  command.add_option("--seed", arguments->seed, "Of the random numbers")
      .range(0, 2'147'483'647)
      .capture_default_str();
  command.add_option("--jobs", arguments->jobs, "Runs at a time").range(1, 1024).capture_default_str();
  command.add_option("--shard", arguments->shard,
                     "i/n: only every n-th sample, for many machines; see study merge");
  command.add_option("--replay", arguments->replay, "STUDY.db N: record sample N as a trajectory")
      .expected(2, 2);
  command.add_flag("--quiet", arguments->quiet, "Print nothing unless something went wrong");
  command.add_flag("--json", arguments->json, "Print the summary as JSON");
  command.footer(
      "Runs that are stored are not run again: after Ctrl-C the same command continues. The runs do not "
      "depend on\n"
      "--jobs.\n"
      "Examples:\n"
      "  pawl sweep scenes/studies/fair_cube.yaml --samples 1000 -o cube.db\n"
      "  pawl sweep scenes/studies/fair_cube.yaml --grid mu=0.1:0.7:4 --samples 250 -o friction.db\n"
      "  pawl sweep --replay cube.db 47 -o run.h5");
  command.callback([arguments, &exit_code] {
    exit_code = arguments->replay.empty() ? run_sweep(*arguments) : replay(*arguments);
  });
}

}  // namespace pawl::internal::cli
