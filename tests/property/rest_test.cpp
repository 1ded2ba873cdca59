// Shapes at rest stay at rest, on the same contacts at every step.

#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "folder.h"
#include "support.h"

#include <pawl/scene_file.h>

namespace pawl::internal {
namespace rest_test {

using test::Folder;

constexpr int kSteps = 1000;

/// Result of running a scene in steps of 1 ms.
struct Rest {
  int certified = 0;
  double moved = 0;                // m or 1: max displacement of any coordinate
  std::set<std::size_t> contacts;  // numbers of contacts that occurred
  int changes = 0;                 // steps whose contacts differ from those of the previous step
};

Rest rest(const std::string& text, const std::string& file = "rest.yaml") {
  const Scene scene = parse_scene(text, file, {"run.step=1ms", "run.until=10"});
  const Model model = compile(scene);
  Simulation simulation(model, scene.run);
  Rest result;
  std::vector<std::pair<int, std::uint64_t>> before, now;
  for (int i = 0; i < kSteps; ++i) {
    result.certified += simulation.step().certified();
    now.clear();
    for (const ContactRecord& contact : simulation.contacts())
      now.emplace_back(contact.shape_a, contact.feature);
    result.contacts.insert(now.size());
    if (i > 0) result.changes += now != before;
    before = now;
    for (int k = 0; k < model.nq; ++k) {
      result.moved = std::max(result.moved, std::abs(simulation.state().q[k] - model.q_start[k]));
    }
  }
  return result;
}

std::string scene(const std::string& bodies) {
  return "pawl: 1\nmaterials: {plain: {friction: 0.5}}\nbodies:\n" + bodies;
}

void expect_rest(const Rest& rest, std::size_t contacts) {
  EXPECT_EQ(rest.certified, kSteps);
  EXPECT_LE(rest.moved, 1e-11);
  EXPECT_EQ(rest.contacts, std::set{contacts});
  EXPECT_EQ(rest.changes, 0);
}

TEST(Rest, OfABoxOnABoxInAnyOfTwentyFourOrientationsIsOnFourCorners) {
  const Vec3 sides{0.3, 0.2, 0.1};
  int orientations = 0;
  for (const auto& axis : {"[1, 0, 0]", "[0, 1, 0]"}) {
    for (const int tilt : {0, 90, 180, 270}) {
      if (std::string(axis) == "[0, 1, 0]" && tilt % 180 == 0) continue;
      for (const int turn : {0, 90, 180, 270}) {
        ++orientations;
        const int up = tilt % 180 == 0 ? 2 : std::string(axis) == "[1, 0, 0]" ? 1 : 0;
        // The body is turned by `turn` about z, its shape by `tilt` about the axis.
        const Rest found =
            rest(scene(fmt::format("  table: {{joint: {{type: weld}}, position: [0, 0, -0.25], shapes: "
                                   "[{{type: box, size: [1, 1, 0.5]}}]}}\n"
                                   "  box: {{position: [0, 0, {}], orientation: {{axis: [0, 0, 1], "
                                   "angle_deg: {}}}, shapes: [{{type: box, size: [{}, {}, {}], "
                                   "orientation: {{axis: {}, angle_deg: {}}}, density: 1000}}]}}\n",
                                   0.5 * sides[up], turn, sides.x, sides.y, sides.z, axis, tilt)));
        SCOPED_TRACE(fmt::format("{} {} {}", axis, tilt, turn));
        expect_rest(found, 4);
      }
    }
  }
  EXPECT_EQ(orientations, 24);
}

TEST(Rest, OfAStandingCylinderIsOnFourPointsOfItsRim) {
  expect_rest(
      rest(scene(
          "  table: {joint: {type: weld}, shapes: [{type: box, size: [1, 1, 0.2], position: [0, 0, -0.1]}]}\n"
          "  can: {position: [0.1, 0.2, 0.1], shapes: [{type: cylinder, radius: 0.05, height: 0.2, density: "
          "1000}]}\n")),
      4);
}

TEST(Rest, OfALyingCylinderIsOnTheEndsOfItsLine) {
  expect_rest(
      rest(scene(
          "  table: {joint: {type: weld}, shapes: [{type: box, size: [1, 1, 0.2], position: [0, 0, -0.1]}]}\n"
          "  can: {position: [0, 0, 0.05], orientation: {axis: [0, 1, 0], angle_deg: 90}, "
          "shapes: [{type: cylinder, radius: 0.05, height: 0.2, density: 1000}]}\n")),
      2);
}

TEST(Rest, OfALyingCapsuleIsOnItsTwoEnds) {
  expect_rest(
      rest(scene(
          "  table: {joint: {type: weld}, shapes: [{type: box, size: [1, 1, 0.2], position: [0, 0, -0.1]}]}\n"
          "  pill: {position: [0, 0, 0.05], orientation: {axis: [0, 1, 0], angle_deg: 90}, "
          "shapes: [{type: capsule, radius: 0.05, length: 0.2, density: 1000}]}\n")),
      2);
}

TEST(Rest, OfAHullOnAMeshOfManyTrianglesIsOnItsCorners) {
  const Folder dir;
  std::string obj;
  const int n = 12;  // squares per side, 0.1 m each, two triangles each
  for (int i = 0; i <= n; ++i) {
    for (int j = 0; j <= n; ++j) obj += fmt::format("v {} {} 0\n", 0.1 * (i - n / 2), 0.1 * (j - n / 2));
  }
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      const int a = i * (n + 1) + j + 1;
      obj += fmt::format("f {} {} {}\nf {} {} {}\n", a, a + n + 1, a + n + 2, a, a + n + 2, a + 1);
    }
  }
  dir.write("floor.obj", obj);
  const Rest found = rest(scene("  floor: {joint: {type: weld}, shapes: [{type: mesh, file: floor.obj}]}\n"
                                "  wedge: {position: [0.013, 0.027, 0], shapes: [{type: hull, density: 1000, "
                                "points: [[-0.17, -0.12, 0], [0.19, -0.11, 0], "
                                "[0.18, 0.13, 0], [-0.16, 0.14, 0], [0, 0, 0.2]]}]}\n"),
                          dir / "rest.yaml");
  expect_rest(found, 4);
}

TEST(Rest, OfABoxOnAHeightFieldIsOnItsCorners) {
  expect_rest(rest(scene("  ground: {joint: {type: weld}, shapes: [{type: height-field, spacing: [0.3, 0.3], "
                         "position: [-0.45, -0.45, 0], "
                         "heights: [[0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]]}]}\n"
                         "  box: {position: [0.02, 0.01, 0.1], shapes: [{type: box, size: [0.4, 0.3, 0.2], "
                         "density: 1000}]}\n")),
              4);
}

TEST(Rest, InThePlaneIsOnTwoCorners) {
  const std::string planar =
      "pawl: 1\nworld: {dimension: planar}\nmaterials: {plain: {friction: 0.5}}\nbodies:\n";
  expect_rest(
      rest(planar + "  ground: {joint: {type: weld}, shapes: [{type: polyline, points: [[-1, 0], [-0.3, 0], "
                    "[0.1, 0], [1, 0]]}]}\n"
                    "  box: {position: [0, 0.1], shapes: [{type: box, size: [0.5, 0.2], density: 100}]}\n"),
      2);
  expect_rest(
      rest(planar +
           "  ground: {joint: {type: weld}, shapes: [{type: box, size: [2, 1], position: [0, -0.5]}]}\n"
           "  house: {position: [0, 0], shapes: [{type: polygon, points: [[-0.2, 0], [0.2, 0], [0.2, 0.2], "
           "[0, 0.4], [-0.2, 0.2]], density: 100}]}\n"),
      2);
}

/// The hole consists of plates or of a mesh.
class RestOfAPeg : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Holes, RestOfAPeg, ::testing::Values("peg_in_hole", "peg_in_mesh"),
                         [](const auto& scene) { return scene.param; });

TEST_P(RestOfAPeg, IsAtTheBottomOfItsHole) {
  test::SceneRun run(test::repository_scene(std::string(GetParam()) + ".yaml"));
  run.step_to_end([](const StepReport& report) {
    ASSERT_TRUE(report.certified()) << report.time;
    EXPECT_LE(report.gap_violation, 1e-6) << report.time;
  });
  // It still rolls on its rim, as Euler's disk: nothing in the scene takes the last of its energy.
  EXPECT_NEAR(run.q(2), -0.01, 2e-6);  // 40 mm long, 30 mm down
  EXPECT_LE(std::hypot(run.q(0), run.q(1)), 1.1e-5);
  EXPECT_NEAR(std::hypot(run.q(4), run.q(5)), 0, 1e-4);  // upright
}

TEST(Rest, OfABrickWallHoldsAllItsCornersAndNoBrickMoves) {
  test::SceneRun run(test::repository_scene("brick_wall.yaml"));
  for (int i = 0; i < 100; ++i) {  // 1,000 take half a minute; results are in docs/geometry.md
    const StepReport report = run.simulation.step();
    ASSERT_TRUE(report.certified()) << report.time;
    EXPECT_LE(report.gap_violation, 1e-12);
  }
  double moved = 0;
  for (int k = 0; k < run.model.nq; ++k) moved = std::max(moved, std::abs(run.q(k) - run.model.q_start[k]));
  EXPECT_LE(moved, 1e-11);
}

}  // namespace rest_test
/// A prism of 16 sides rolls on its edges with restitution: the contacts of the next side close one after the
/// other within a step, without end.
TEST(Rest, OfARollingPrismIsReachedInBoundedSteps) {
  std::string points;
  for (int k = 0; k < 16; ++k) {
    const double x = 0.002 * std::cos(k * std::numbers::pi / 8),
                 y = 0.002 * std::sin(k * std::numbers::pi / 8);
    for (const double z : {-0.04, 0.04}) points += fmt::format("[{}, {}, {}], ", x, y, z);
  }
  const Scene scene =
      parse_scene(fmt::format("pawl: 1\nmaterials: {{m: {{friction: 0.5, restitution: 0.3}}}}\nbodies:\n"
                              "  floor: {{joint: {{type: weld}}, shapes: [{{type: half-space}}]}}\n"
                              "  prism: {{mass: 0.001, position: [0, 0, 0.0021], orientation: {{axis: [1, "
                              "0.02, 0.05], angle_deg: "
                              "90}},\n          velocity: [0.02, 0, 0], angular_velocity: [0, 5, 0.3],\n"
                              "          shapes: [{{type: hull, points: [{}]}}]}}\n"
                              "run: {{step: 3ms, until: 0.3}}\n",
                              points),
                  "prism");
  const Model model = compile(scene);
  Simulation simulation(model, scene.run);
  int steps = 0;
  while (!simulation.at_end() && steps < 5000) {
    ASSERT_LT(simulation.step().status, Status::refused);
    ++steps;
  }
  EXPECT_TRUE(simulation.at_end()) << simulation.time();
}

}  // namespace pawl::internal
