// Cost of a step by number of bodies: balls side by side (as many islands) and stacked (one island).

#include "timing.h"

namespace pawl::internal::bench {
namespace {

/// Balls of radius 0.1 at rest on a table; ball i is at i · spacing above or beside the first.
test::SceneRun resting_balls(int count, double spacing_x, double spacing_z) {
  std::string text =
      "pawl: 1\n"
      "materials: {plain: {friction: 0.4, restitution: 0}}\n"
      "bodies:\n"
      "  table: {joint: {type: weld}, shapes: [{type: half-space, normal: [0, 0, 1], offset: 0}]}\n";
  for (int i = 0; i < count; ++i) {
    text += "  ball" + std::to_string(i) + ": {mass: 1, inertia: 4e-3, position: [" +
            test::number_text(spacing_x * i) + ", 0, " + test::number_text(0.1 + spacing_z * i) +
            "], shapes: [{type: sphere, radius: 0.1}]}\n";
  }
  text += "run: {step: 5ms, until: 1, friction_directions: 8}\n";
  return test::SceneRun(text);
}

[[maybe_unused]] const bool registered = [] {
  for (const int count : {10, 100}) {
    add("Row/balls:" + std::to_string(count), [=](benchmark::State& state) {
      test::SceneRun run = resting_balls(count, 0.3, 0);
      time_scene(state, run);
    });
  }
  for (int count = 2; count <= 10; ++count) {
    add("Stack/balls:" + std::to_string(count), [=](benchmark::State& state) {
      test::SceneRun run = resting_balls(count, 0, 0.2);
      time_scene(state, run);
    });
  }
  return true;
}();

}  // namespace
}  // namespace pawl::internal::bench
