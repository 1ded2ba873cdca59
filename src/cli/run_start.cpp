#include "run_start.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <set>

#include <fmt/format.h>

#include <pawl/error.h>
#include <pawl/record/resume.h>
#include <pawl/scene_file.h>
#include <pawl/state_file.h>

#include "output_path.h"

namespace pawl::internal::cli {

int dump_interval(const RunArguments& arguments) {
  const std::string& text = arguments.dump_problems;
  if (text.empty()) return 0;
  int every = 0;
  const char* const begin = text.data() + std::min<std::size_t>(6, text.size());
  const auto [end, error] = std::from_chars(begin, text.data() + text.size(), every);
  if (!text.starts_with("every=") || error != std::errc() || end != text.data() + text.size() || every < 1) {
    throw Error(fmt::format("--dump-problems is '{}'; it must be every=N, with N at least 1", text));
  }
  return every;
}

void check(const RunArguments& a) {
  dump_interval(a);
  if (a.no_record && (!a.output.empty() || !a.resume.empty()))
    throw Error("--no-record writes no trajectory: it excludes --output and --resume");
  if (a.scenes.size() > 1) {
    if (!a.output.empty() || !a.resume.empty() || !a.from.empty() || !a.save_state.empty())
      throw Error("--output, --resume, --from and --save-state are for one SCENE");
    std::set<std::string> names;
    for (const std::string& file : a.scenes) {
      const std::string name = std::filesystem::path(file).stem().string();
      if (!a.no_record && !names.insert(name).second)
        throw Error(
            fmt::format("two scenes would be written to {}.h5: run them one by one, with --output", name));
    }
  }
  const SceneOptions& scene = a.scene;
  if (a.resume.empty() && a.scenes.empty()) throw Error("run needs a SCENE, or --resume RUN.h5");
  if (a.fresh && a.from.empty()) throw Error("--fresh needs --from FILE");
  if (a.resume.empty()) return;
  if (!a.scenes.empty() || !a.from.empty() || !scene.step.empty() || !scene.method.empty() ||
      !scene.set.empty() || !scene.robot.package_path.empty() || !scene.robot.keyframe.empty())
    throw Error("--resume takes scene and options from the trajectory; beside it, only --until can be given");
}

Scene recorded_scene(const TrajectoryInfo& info, const std::string& until) {
  std::vector<std::string> overrides = info.overrides;
  if (!until.empty()) overrides.push_back("run.until=" + until);
  return parse_scene(info.scene_text, info.scene_file, overrides);
}

std::string output_path(const RunArguments& arguments, const Scene& scene) {
  if (!arguments.output.empty()) return arguments.output;
  if (!arguments.resume.empty()) return arguments.resume;
  return std::filesystem::path(scene.file).stem().string() + ".h5";
}

std::string state_path(const RunArguments& arguments, const Scene& scene, const std::string& output) {
  if (arguments.save_state.empty()) return "";
  resolve_output_path(arguments.save_state, output, "the trajectory");
  return resolve_output_path(arguments.save_state, scene.file);
}

Model make_model(const RunArguments& arguments, const Scene& scene, State& start) {
  Model model = compile(scene);
  start = initial_state(model);
  if (arguments.from.empty()) return model;
  start = load_state(arguments.from, model);
  if (arguments.fresh) start.history.clear();
  model.q_start = start.q;
  model.v_start = start.v;
  return model;
}

void start_simulation(const RunArguments& arguments, const Model& model, const TrajectoryReader* old,
                      const State& start, Simulation& simulation) {
  if (old != nullptr) {
    continue_from_end(*old, arguments.resume, model, simulation);
    if (simulation.at_end()) {
      throw Error(fmt::format("{}: the run has reached its end, t = {:.6g} s: give a later --until",
                              arguments.resume, simulation.time()));
    }
  } else if (!arguments.from.empty()) {
    try {
      simulation.reset(start);
    } catch (const Error& error) {
      throw Error(fmt::format("{}: {}; --fresh takes only its time, q and v", arguments.from, error.what()));
    }
  }
}

}  // namespace pawl::internal::cli
