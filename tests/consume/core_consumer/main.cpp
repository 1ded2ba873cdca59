// A ball dropped from 1 m in a scene built in code comes to rest on the floor, every step certified.

#include <cmath>
#include <iostream>

#include <pawl/model.h>
#include <pawl/scene.h>
#include <pawl/simulation.h>

int main() {
  pawl::Scene scene;
  scene.add(pawl::SceneMaterial{.name = "rubber", .friction = 0.5});

  pawl::SceneShape floor;
  floor.kind = pawl::ShapeKind::half_space;
  floor.material = "rubber";
  scene.add_static("floor", {floor});

  pawl::SceneShape sphere;
  sphere.kind = pawl::ShapeKind::sphere;
  sphere.radius = 0.1;
  sphere.material = "rubber";
  pawl::SceneBody ball;
  ball.name = "ball";
  ball.mass = 1;
  ball.position = {0, 0, 1};
  ball.shapes = {sphere};
  scene.add(ball);

  scene.run.step = 0.01;
  const pawl::Model model = pawl::compile(scene);
  pawl::Simulation sim(model, scene.run);
  while (!sim.at_end()) {
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
