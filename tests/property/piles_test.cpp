// Bodies dropped into a bin, in disorder: every step is certified, and few steps are halved.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include <pawl/scene_file.h>
#include <pawl/simulation.h>

#include "unit/problem/random.h"

namespace pawl::internal {
namespace piles_test {

/// count³ bodies of 0.2 m above each other in a bin of half-spaces.
std::string pile(const std::string& shape, int count) {
  Random random(7);
  const double pitch = 0.36, wall = 0.5 * count * pitch;
  std::string text = fmt::format(
      "pawl: 1\nmaterials: {{plain: {{friction: 0.5}}}}\nbodies:\n  ground:\n    joint: {{type: weld}}\n    "
      "shapes:\n"
      "      - {{type: half-space, normal: [0, 0, 1]}}\n"
      "      - {{type: half-space, normal: [1, 0, 0], offset: {0}}}\n"
      "      - {{type: half-space, normal: [-1, 0, 0], offset: {0}}}\n"
      "      - {{type: half-space, normal: [0, 1, 0], offset: {0}}}\n"
      "      - {{type: half-space, normal: [0, -1, 0], offset: {0}}}\n",
      -wall);
  for (int k = 0; k < count * count * count; ++k) {
    const auto at = [&](int i) { return (i + 0.5) * pitch - wall + random.uniform(-0.005, 0.005); };
    const double x = at(k % count), y = at(k / count % count), z = at(k / (count * count)) + wall + 0.1;
    text += fmt::format(
        "  b{}: {{mass: 8, inertia: [0.053, 0.053, 0.053], position: [{}, {}, {}], orientation: {{axis: [{}, "
        "{}, 1], "
        "angle: {}}}, shapes: [{}]}}\n",
        k, x, y, z, random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-3, 3), shape);
  }
  return text + "run: {step: 5ms, until: 1}\n";
}

class PilesOf : public testing::TestWithParam<const char*> {};

TEST_P(PilesOf, FallAndRestInCertifiedSteps) {
  const Scene scene = parse_scene(pile(GetParam(), 3), "pile");
  const Model model = compile(scene);
  Simulation simulation(model, scene.run);
  const double energy = simulation.energy().kinetic + simulation.energy().potential;
  int steps = 0, certified = 0, with_slack = 0;
  while (!simulation.at_end()) {
    const StepReport report = simulation.step();
    ASSERT_LT(report.status, Status::refused) << report;
    ++steps;
    certified += report.certified() ? 1 : 0;
    with_slack += report.slack > 0 ? 1 : 0;
    EXPECT_LE(report.gap_violation, 1e-7 * 0.2) << report;
    EXPECT_LE(report.slack, 0.1 * 1e-6 * 0.1) << report;  // a tenth of the touch gap
    EXPECT_LE(report.energy.kinetic + report.energy.potential, energy * (1 + 1e-9)) << report;
  }
  EXPECT_GE(certified, 0.97 * steps) << steps;
  EXPECT_LE(steps, 3 * 200);  // with steps of 5 ms for 1 s
  EXPECT_GT(with_slack, 0);
}

INSTANTIATE_TEST_SUITE_P(Property, PilesOf,
                         testing::Values("{type: sphere, radius: 0.1}", "{type: box, size: [0.2, 0.2, 0.2]}"),
                         [](const auto& tried) { return tried.index == 0 ? "Spheres" : "Boxes"; });

/// `count` balls that touch in a row make every step one with slack.
std::string row_of_balls(int count) {
  std::string text = "pawl: 1\nworld: {gravity: [0, 0, 0]}\nmaterials: {m: {friction: 0.5}}\nbodies:\n";
  for (int k = 0; k < count; ++k)
    text += fmt::format(
        "  r{}: {{mass: 1, position: [{}, 1, 0], shapes: [{{type: sphere, radius: 0.05}}]}}\n", k, 0.1 * k);
  return text;
}

/// Friction of contacts that close within a step acts at one point: at two, a gap apart, it would be a
/// torque.
TEST(Piles, DoNotTurnBodiesThatCollideElsewhere) {
  const Scene scene = parse_scene(
      row_of_balls(31) +
          "  a: {mass: 1, position: [0, -2, 0], velocity: [3, 0, 0], shapes: [{type: sphere, radius: 0.1}]}\n"
          "  c: {mass: 1, position: [0.22, -1.9, 0], shapes: [{type: sphere, radius: 0.1}]}\n"
          "run: {step: 10ms, until: 0.1}\n",
      "collision");
  const Model model = compile(scene);
  Simulation simulation(model, scene.run);
  const auto momentum = [&] {  // of a and c about the origin; planar motion
    double L = 0;
    for (const std::string name : {"a", "c"}) {
      const auto b = std::ranges::find(model.body_names, name) - model.body_names.begin();
      const double* q = simulation.state().q.data() + model.bodies[b].q_begin;
      const double* v = simulation.state().v.data() + model.bodies[b].v_begin;
      L += q[0] * v[1] - q[1] * v[0] + 0.4 * 0.01 * v[5];
    }
    return L;
  };
  const double before = momentum();
  double slack = 0;
  while (!simulation.at_end()) {
    const StepReport report = simulation.step();
    EXPECT_TRUE(report.certified()) << report;
    slack = std::max(slack, report.slack);
    EXPECT_NEAR(momentum(), before, 1e-11) << report;
  }
  EXPECT_GT(slack, 0);
}

/// The island of a pair that flies apart is solved anew for the least norm without having been solved before.
TEST(Piles, OfATouchingGridStayWhileABallFliesBy) {
  std::string text = "pawl: 1\nworld: {gravity: [0, 0, 0]}\nmaterials: {m: {friction: 0.5}}\nbodies:\n";
  for (int k = 0; k < 35; ++k)
    text +=
        fmt::format("  g{}: {{mass: 1, position: [{}, {}, 0], shapes: [{{type: sphere, radius: 0.05}}]}}\n",
                    k, 0.1 * (k % 5), 0.1 * (k / 5));
  text +=
      "  ball: {mass: 1, position: [0, 0, 2], velocity: [1, 0, 0], shapes: [{type: sphere, radius: 0.05}]}\n";
  const Scene scene = parse_scene(text + "run: {step: 5ms, until: 0.1}\n", "grid");
  const Model model = compile(scene);
  Simulation simulation(model, scene.run);
  while (!simulation.at_end()) EXPECT_TRUE(simulation.step().certified());
  for (int k = 0; k < 3 * 35; ++k) EXPECT_NEAR(simulation.state().v[6 * (k / 3) + k % 3], 0, 1e-9);
}

}  // namespace piles_test
}  // namespace pawl::internal
