// Fuzzes the reader of state files, and what a run makes of their history: a state that fits, or an Error.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <pawl/error.h>
#include <pawl/scene_file.h>
#include <pawl/simulation.h>
#include <pawl/state_file.h>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const pawl::Scene scene = pawl::parse_scene(
      "pawl: 1\n"
      "materials: {wood: {friction: 0.3}}\n"
      "bodies:\n"
      "  floor: {joint: {type: weld}, shapes: [{type: half-space}]}\n"
      "  ball: {mass: 1, position: [0, 0, 0.1], shapes: [{type: sphere, radius: 0.1}]}\n",
      "fuzz.yaml");
  static const pawl::Model model = pawl::compile(scene);
  static pawl::Simulation simulation(model, scene.run);
  try {
    simulation.reset(pawl::parse_state({reinterpret_cast<const char*>(data), size}, "fuzz.json", model));
    simulation.step();
  } catch (const pawl::Error&) {
  }
  return 0;
}
