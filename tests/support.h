#pragma once
// Helpers for tests: scenes of the repository, and runs.

#include <cstdio>
#include <string>
#include <vector>

#include <pawl/scene_file.h>
#include <pawl/simulation.h>

namespace pawl::internal::test {

inline Scene repository_scene(const std::string& name, const std::vector<std::string>& overrides = {}) {
  return load_scene(std::string(PAWL_SOURCE_DIR) + "/scenes/" + name, overrides);
}

/// The number with all its digits, for scene texts.
inline std::string number_text(double x) {
  char text[32];
  std::snprintf(text, sizeof text, "%.17g", x);
  return text;
}

/// A scene, its model and its simulation.
struct SceneRun {
  explicit SceneRun(Scene scene_)
      : scene(std::move(scene_)), model(compile(scene)), simulation(model, scene.run) {}
  explicit SceneRun(const std::string& text) : SceneRun(parse_scene(text, "test.yaml")) {}

  /// Steps to the end, or to a refused step; calls `callback(report)` after each step.
  template <class Callback>
  void step_to_end(Callback callback) {
    while (!simulation.at_end()) {
      const StepReport report = simulation.step();
      callback(report);
      if (report.status == Status::refused) break;
    }
  }
  double q(int i) const { return simulation.state().q[i]; }
  double v(int i) const { return simulation.state().v[i]; }

  Scene scene;
  Model model;
  Simulation simulation;
};

}  // namespace pawl::internal::test
