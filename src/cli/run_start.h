#pragma once
// Where a run of `pawl run` starts: at the start of its scene, in a state file, or at the end of a
// trajectory.

#include <string>
#include <vector>

#include <pawl/model.h>
#include <pawl/simulation.h>
#include <pawl/trajectory.h>

#include "scene_options.h"

namespace pawl::internal::cli {

struct RunArguments {
  std::vector<std::string> scenes;
  SceneOptions scene;  // of one of `scenes`
  std::string output;
  std::string resume;         // a trajectory to continue
  std::string from;           // a state file to start from
  std::string save_state;     // a state file for the end
  bool fresh = false;         // takes time, q and v of `from` only
  std::string dump_problems;  // "every=N", or "" for the first problem that is not certified
  bool no_record = false;
  bool quiet = false;
  bool json = false;
};

/// N of --dump-problems every=N; 0 without it. Throws Error.
int dump_interval(const RunArguments& arguments);

/// Throws Error for arguments that exclude each other.
void check(const RunArguments& arguments);

/// The scene of a trajectory, as it was run; `until` may be "".
Scene recorded_scene(const TrajectoryInfo& info, const std::string& until);

std::string output_path(const RunArguments& arguments, const Scene& scene);
/// Of --save-state; "" without it.
std::string state_path(const RunArguments& arguments, const Scene& scene, const std::string& output);

/// The model, which starts where --from says, and that start.
Model make_model(const RunArguments& arguments, const Scene& scene, State& start);

/// Puts the simulation to the end of the old trajectory, or to `start` if there is none.
void start_simulation(const RunArguments& arguments, const Model& model, const TrajectoryReader* old,
                      const State& start, Simulation& simulation);

}  // namespace pawl::internal::cli
