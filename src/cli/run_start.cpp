#include "run_start.h"

#include <filesystem>

#include <fmt/format.h>

#include <pawl/error.h>
#include <pawl/record/resume.h>
#include <pawl/scene_file.h>
#include <pawl/state_file.h>

#include "output_path.h"

namespace pawl::internal::cli {

void check(const RunArguments& a) {
  const SceneOptions& scene = a.scene;
  if (a.resume.empty() && scene.scene.empty()) throw Error("run needs a SCENE, or --resume RUN.h5");
  if (a.fresh && a.from.empty()) throw Error("--fresh needs --from FILE");
  if (a.resume.empty()) return;
  if (!scene.scene.empty() || !a.from.empty() || !scene.step.empty() || !scene.method.empty() ||
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
