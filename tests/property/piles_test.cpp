// Bodies dropped into a bin, in disorder: every step is certified, and few steps are halved.

#include <fmt/format.h>
#include <gtest/gtest.h>

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

class Piles : public testing::TestWithParam<const char*> {};

TEST_P(Piles, FallAndRestInCertifiedSteps) {
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

INSTANTIATE_TEST_SUITE_P(Property, Piles,
                         testing::Values("{type: sphere, radius: 0.1}", "{type: box, size: [0.2, 0.2, 0.2]}"),
                         [](const auto& tried) { return tried.index == 0 ? "Spheres" : "Boxes"; });

}  // namespace piles_test
}  // namespace pawl::internal
