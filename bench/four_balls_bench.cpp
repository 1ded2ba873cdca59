// Pawl on the scenes of the papers: cost of a step by method and by step size.

#include "four_balls.h"

namespace pawl::internal::bench {
namespace {

constexpr int kCoordinates = 7;  // per ball

void time_four_balls(benchmark::State& state, std::string_view method, const std::string& step) {
  test::SceneRun run(test::repository_scene("papers/four_balls.yaml",
                                            {"run.method=" + std::string(method), "run.step=" + step}));
  const FourBalls balls = four_balls();
  const auto center = [&](int ball) {
    const int at = kCoordinates * ball;
    return Vec3{run.q(at), run.q(at + 1), run.q(at + 2)};
  };
  double deepest = 0;
  run.step_to_end([&](const StepReport&) { deepest = std::max(deepest, overlap(balls, center)); });
  run.simulation.reset(initial_state(run.model));
  time_scene(state, run);
  state.counters["overlap_mm"] = 1e3 * deepest;  // same formula for all engines
}

void time_paper(benchmark::State& state, const std::string& scene, std::string_view method) {
  test::SceneRun run(test::repository_scene("papers/" + scene, {"run.method=" + std::string(method)}));
  time_scene(state, run);
}

[[maybe_unused]] const bool registered = [] {
  for (const std::string_view method : kMethodNames) {
    for (const std::string step : {"20ms", "5ms", "2.5ms"}) {
      add("FourBalls/pawl/" + std::string(method) + "/" + step,
          [=](benchmark::State& state) { time_four_balls(state, method, step); });
    }
    add("FallingRod/pawl/" + std::string(method) + "/2.5ms",
        [=](benchmark::State& state) { time_paper(state, "falling_rod.yaml", method); });
    add("TwoSpheres/pawl/" + std::string(method) + "/100ms",
        [=](benchmark::State& state) { time_paper(state, "two_spheres.yaml", method); });
  }
  return true;
}();

}  // namespace
}  // namespace pawl::internal::bench
