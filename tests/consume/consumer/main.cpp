// A ball dropped from 1 m comes to rest on the floor; every step must be certified.

#include <cmath>
#include <iostream>

#include <pawl/model.h>
#include <pawl/scene.h>
#include <pawl/scene_file.h>
#include <pawl/simulation.h>

namespace {

constexpr const char* kScene = R"(
pawl: 1
name: A ball on a floor
materials:
  rubber: {friction: 0.5}
bodies:
  floor:
    joint: {type: weld}
    shapes:
      - {type: half-space}
  ball:
    mass: 1
    position: [0, 0, 1]
    shapes:
      - {type: sphere, radius: 0.1}
run:
  step: 10ms
  until: 1
)";

}  // namespace

int main() {
  const pawl::Scene scene = pawl::parse_scene(kScene, "ball.yaml");
  const pawl::Model model = pawl::compile(scene);
  pawl::Simulation sim(model, scene.run);
  while (sim.time() < scene.run.until) {
    const pawl::StepReport report = sim.step();
    if (!report.certified()) {
      std::cerr << "not certified: " << report << '\n';
      return 1;
    }
  }
  const double height = sim.state().q[2];
  std::cout << "t = " << sim.time() << " s, height of the ball = " << height << " m\n";
  return std::abs(height - 0.1) < 1e-3 ? 0 : 1;
}
