#pragma once
// The scene of a thrown ball and a row of three (scenes/papers/four_balls.yaml) for any engine with balls and
// a table. An engine is constructed from the scene and has reset(), step() and center(ball).

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "timing.h"

namespace pawl::internal::bench {

struct FourBalls {
  struct Ball {
    double mass, inertia, radius;  // kg, kg m², m
    Vec3 position, velocity;       // at the start, m, m/s
  };
  std::vector<Ball> balls;
  Vec3 gravity;
  double friction = 0;
  double step = 0;  // s
  int steps = 0;
};

inline FourBalls four_balls() {
  const Scene scene = test::repository_scene("papers/four_balls.yaml");
  FourBalls made;
  for (const SceneBody& body : scene.bodies) {
    if (body.joint.kind == JointKind::weld) continue;  // the table
    made.balls.push_back(
        {body.mass.value(), (*body.inertia)(0, 0), body.shapes.at(0).radius, body.position, body.velocity});
  }
  made.gravity = scene.gravity;
  made.friction = scene.materials.at(0).friction;
  made.step = scene.run.step;
  made.steps = static_cast<int>(std::lround(scene.run.until / scene.run.step));
  return made;
}

/// Max penetration depth of the balls with each other and with the table z = 0, in m; 0 without overlap.
template <class Center>
double overlap(const FourBalls& scene, Center center) {
  double deepest = 0;
  for (std::size_t i = 0; i < scene.balls.size(); ++i) {
    const Vec3 at = center(static_cast<int>(i));
    deepest = std::max(deepest, scene.balls[i].radius - at.z);
    for (std::size_t j = 0; j < i; ++j) {
      const double distance = norm(at - center(static_cast<int>(j)));
      deepest = std::max(deepest, scene.balls[i].radius + scene.balls[j].radius - distance);
    }
  }
  return deepest;
}

/// Runs another engine: once to measure the penetration, then repeatedly for the timing.
template <class Engine>
void time_peer(benchmark::State& state, Engine& engine, const FourBalls& scene) {
  double deepest = 0;
  engine.reset();
  for (int i = 0; i < scene.steps; ++i) {
    engine.step();
    deepest = std::max(deepest, overlap(scene, [&](int ball) { return engine.center(ball); }));
  }
  const auto run = [&] {
    for (int i = 0; i < scene.steps; ++i) engine.step();
  };
  time_runs(
      state, scene.steps, [&] { engine.reset(); }, run);
  state.counters["overlap_mm"] = 1e3 * deepest;
}

}  // namespace pawl::internal::bench
