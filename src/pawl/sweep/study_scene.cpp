#include <pawl/sweep/study_scene.h>

#include <algorithm>
#include <chrono>

#include <fmt/format.h>

#include <pawl/error.h>
#include <pawl/model/fingerprint.h>
#include <pawl/scene_file.h>
#include <pawl/study/outcome_meter.h>
#include <pawl/version.h>

namespace pawl::internal {
namespace {

constexpr std::size_t kMaxColumns = 1900;  // SQLite has 2000

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

/// Simulates up to the end or an early stop, and fills the row.
void simulate(const Scene& scene, const Model& model, const std::atomic<bool>& cancelled,
              const RunHooks& hooks, StudyRow& row) {
  Simulation simulation(model, scene.run);
  OutcomeMeter meter(scene, model, simulation);
  if (hooks.begin) hooks.begin(scene, model, simulation);
  while (!simulation.at_end() && !meter.stopped() && !cancelled) {
    const StepReport report = simulation.step();
    if (hooks.step) hooks.step(report);
    ++row.steps;
    if (!report.certified()) {
      if (row.uncertified++ == 0)
        row.message = fmt::format("t = {:.6g} s: {}", report.time,
                                  report.reason.empty() ? to_string(report.status) : report.reason);
      if (row.status == RunStatus::certified) row.status = RunStatus::uncertified;
      if (report.status == Status::refused || report.status == Status::no_solution) {
        row.status = RunStatus::refused;
        break;
      }
      if (scene.run.on_uncertified == OnUncertified::stop) break;
    }
    meter.add(report);
  }
  row.end_time = simulation.time();
  row.checksum = checksum(simulation.state());
  row.outcomes = meter.values();
  if (hooks.end) hooks.end(simulation);
}

}  // namespace

StudyScene::StudyScene(const Scene& scene, const Design& design)
    : text_(scene.text),
      file_(scene.file),
      overrides_(scene.overrides),
      columns_(parameter_columns(design.varied())) {}

StudyScene::StudyScene(const StudyInfo& info)
    : text_(info.identity.scene_text),
      file_(info.scene_file),
      overrides_(lines_of(info.identity.overrides)),
      columns_(info.parameters) {}

Scene StudyScene::vary(const std::vector<double>& values) const {
  std::vector<std::string> overrides = overrides_;
  for (std::size_t i = 0; i < columns_.size();) {
    const std::string& name = columns_[i].parameter;
    std::string text;
    std::size_t count = 0;
    for (; i < columns_.size() && columns_[i].parameter == name; ++i, ++count)
      text += fmt::format("{}{}", count == 0 ? "" : ", ", values[i]);
    // Keeps the unit of the file. A number of --set is in that unit too.
    overrides.push_back(count == 1 ? fmt::format("parameters.{}={}", name, text)
                                   : fmt::format("parameters.{}=[{}]", name, text));
  }
  return parse_scene(text_, file_, overrides);
}

StudyRow run_sample(const StudyScene& study, std::uint64_t sample, const std::vector<double>& values,
                    std::size_t outcomes, const std::atomic<bool>& cancelled, const RunHooks& hooks) {
  const auto start = std::chrono::steady_clock::now();
  StudyRow row;
  row.sample = sample;
  row.parameters = values;
  try {
    const Scene scene = study.vary(values);
    const Model model = compile(scene);
    simulate(scene, model, cancelled, hooks, row);
  } catch (const Error& error) {
    row.status = RunStatus::invalid;
    row.message = error.what();
  }
  row.outcomes.resize(outcomes);
  row.seconds = seconds_since(start);
  return row;
}

std::vector<ParameterColumn> parameter_columns(const std::vector<SceneParameter>& varied) {
  std::vector<ParameterColumn> columns;
  for (const SceneParameter& p : varied) {
    const std::size_t n = p.nominal.size();
    const std::string_view letters = n == 4 ? "wxyz" : "xyz";
    for (std::size_t i = 0; i < n; ++i)
      columns.push_back({n == 1 ? p.name : fmt::format("{}.{}", p.name, letters[i]), p.unit, p.name});
  }
  return columns;
}

std::vector<double> sample_values(const Design& design, std::uint64_t sample) {
  std::vector<double> values;
  for (const std::vector<double>& components : design.sample(sample)) {
    for (const double x : components) values.push_back(x + 0.0);  // no -0, which the store does not keep
  }
  return values;
}

StudyInfo describe_study(const Scene& scene, const Design& design, const std::string& design_text) {
  const Model model = compile(scene);
  const Simulation simulation(model, scene.run);
  const OutcomeMeter meter(scene, model, simulation);  // throws for an unknown quantity
  StudyInfo info;
  info.identity.version = kVersion;
  info.identity.scene_text = scene.text;
  for (const std::string& each : scene.overrides) info.identity.overrides += each + "\n";
  info.identity.design = design_text;
  info.identity.fingerprint = fmt::format("{:016x}", fingerprint(model));
  info.scene_file = scene.file;
  info.scene_name = scene.name;
  info.parameters = parameter_columns(design.varied());
  for (const SceneOutcome& outcome : scene.outcomes)
    info.outcomes.push_back({outcome.name, std::string(to_string(outcome.kind))});
  if (info.parameters.size() + info.outcomes.size() > kMaxColumns)
    throw Error(
        fmt::format("{}: {} varied parameters and {} outcomes: a study has at most {} columns of them",
                    scene.file, info.parameters.size(), info.outcomes.size(), kMaxColumns));
  return info;
}

}  // namespace pawl::internal
