#include <pawl/view/info.h>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <fmt/format.h>

#include <pawl/error.h>
#include <pawl/scene_file.h>

#include "recorded_run.h"

namespace pawl::internal {
namespace {

using nlohmann::json;
using test::Folder;
using testing::HasSubstr;

json info_of(const std::string& path) {
  return json::parse(info_json(RunView(path)));
}

std::string open_error(const std::string& path) {
  try {
    RunView view(path);
    return "";
  } catch (const Error& error) {
    return error.what();
  }
}

TEST(Info, TellsWhatTheRunIs) {
  const Folder folder;
  test::record(test::kBallAndBox, folder / "run.h5");
  const json info = info_of(folder / "run.h5");
  EXPECT_EQ(info["format"], 1);
  EXPECT_EQ(info["name"], "ball and box");
  EXPECT_EQ(info["method"], "linearised");
  EXPECT_EQ(info["states"], 101);
  EXPECT_EQ(info["steps"], 100);
  EXPECT_EQ(info["finished"], true);
  EXPECT_EQ(info["planar"], false);
  EXPECT_EQ(info["gravity"], json({0, 0, -9.81}));
  EXPECT_EQ(info["start"], 0);
  EXPECT_NEAR(info["end"].get<double>(), 1, 1e-12);
  EXPECT_TRUE(info["uncertified"].empty());
  ASSERT_EQ(info["bodies"].size(), 4u);
  EXPECT_EQ(info["bodies"][0]["name"], "world");
  EXPECT_EQ(info["bodies"][0]["fixed"], true);
  EXPECT_EQ(info["bodies"][1]["shapes"][0]["kind"], "half_space");
  EXPECT_EQ(info["bodies"][2]["fixed"], false);
  EXPECT_EQ(info["bodies"][2]["shapes"][0]["radius"], 0.2);
  EXPECT_EQ(info["bodies"][3]["shapes"][0]["size"], json({1, 1, 1}));
}

TEST(Info, HasEveryKindOfShapeWithItsTriangles) {
  const Folder folder;
  folder.write("roof.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 1\nf 1 2 3\nf 2 4 3\n");
  folder.write("all.yaml", R"(
pawl: 1
materials: {plain: {friction: 0.5}}
bodies:
  ground:
    joint: {type: weld}
    shapes:
      - {type: mesh, file: roof.obj, position: [0, 0, -9]}
      - {type: height-field, heights: [[0, 0, 0], [0, 1, 0]], spacing: [1, 2], position: [0, 0, -9]}
  heap:
    mass: 1
    inertia: [1, 1, 1]
    position: [0, 0, 50]
    shapes:
      - {type: capsule, radius: 0.1, length: 1}
      - {type: cylinder, radius: 0.1, height: 1}
      - {type: cone, radius: 0.1, height: 1}
      - {type: ellipsoid, semi_axes: [1, 2, 3]}
      - {type: hull, points: [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0], [0, 0, 1], [1, 0, 1], [0, 1, 1], [1, 1, 1]], margin: 0.01}
      - {type: frustum, radius: 0.2, top_radius: 0.1, height: 1}
run: {until: 1ms}
)");
  test::record(load_scene(folder / "all.yaml"), folder / "run.h5");
  const json info = info_of(folder / "run.h5");
  const json& ground = info["bodies"][1]["shapes"];
  EXPECT_EQ(ground[0]["kind"], "mesh");
  EXPECT_EQ(ground[0]["vertices"].size(), 12u);
  EXPECT_EQ(ground[0]["triangles"].size(), 6u);
  EXPECT_EQ(ground[1]["kind"], "height_field");
  EXPECT_EQ(ground[1]["vertices"].size(), 18u);
  EXPECT_EQ(ground[1]["triangles"].size(), 12u);
  const json& heap = info["bodies"][2]["shapes"];
  EXPECT_EQ(heap[0]["kind"], "capsule");
  EXPECT_EQ(heap[3]["size"], json({1, 2, 3}));
  EXPECT_EQ(heap[4]["margin"], 0.01);
  EXPECT_EQ(heap[4]["vertices"].size(), 24u);
  EXPECT_EQ(heap[4]["triangles"].size(), 36u) << "a cube has twelve triangles";
  EXPECT_EQ(heap[5]["kind"], "hull") << "of points on its rims, for the viewer";
  EXPECT_EQ(heap[5]["vertices"].size(), 3u * 2 * 64);
  EXPECT_EQ(heap[5]["triangles"].size(), 3u * (2 * 62 + 2 * 64));
}

TEST(Info, HasPlanarShapesAsOutlines) {
  const Folder folder;
  test::record(R"(
pawl: 1
world: {dimension: planar}
materials: {plain: {friction: 0.5}}
bodies:
  ground: {joint: {type: weld}, shapes: [{type: polyline, points: [[-5, 0], [0, 0], [5, 1]]}, {type: half-plane, offset: -3}]}
  rock: {mass: 1, position: [0, 9], shapes: [{type: polygon, points: [[0, 0], [1, 0], [0, 1]]}, {type: box, size: [1, 2]}]}
run: {until: 1ms}
)",
               folder / "run.h5");
  const json info = info_of(folder / "run.h5");
  EXPECT_EQ(info["planar"], true);
  const json& ground = info["bodies"][1]["shapes"];
  EXPECT_EQ(ground[0]["kind"], "mesh");
  EXPECT_EQ(ground[0]["vertices"].size(), 9u);
  EXPECT_TRUE(ground[0]["triangles"].empty());
  EXPECT_EQ(ground[1]["kind"], "half_space");
  EXPECT_EQ(ground[1]["offset"], -3);
  const json& rock = info["bodies"][2]["shapes"];
  EXPECT_EQ(rock[0]["kind"], "hull");
  EXPECT_EQ(rock[0]["vertices"].size(), 9u);
  EXPECT_TRUE(rock[0]["triangles"].empty());
  EXPECT_EQ(rock[1]["size"], json({1, 2, 0}));
}

TEST(Info, ListsWhatMayBeChanged) {
  const Scene scene = parse_scene(test::kBallAndBox, "test.yaml");
  std::vector<std::string> keys;
  for (const Parameter& parameter : parameters_of(scene)) {
    keys.push_back(parameter.key);
    // Setting a parameter to its present value must be accepted.
    const std::string value =
        parameter.choices.empty() ? fmt::format("{:g}", parameter.number) : parameter.choice;
    EXPECT_NO_THROW(parse_scene(test::kBallAndBox, "test.yaml", {parameter.key + "=" + value}))
        << parameter.key;
  }
  EXPECT_THAT(keys,
              testing::IsSupersetOf({"run.method", "run.step", "run.until", "materials.plain.friction"}));
}

TEST(Info, ListsStepsThatAreNotCertified) {
  const Folder folder;
  const Scene scene = parse_scene(test::kBallAndBox, "test.yaml");
  const Model model = compile(scene);
  const Simulation simulation(model, scene.run);
  TrajectoryWriter writer(folder / "run.h5", describe_run(scene, model));
  Recorder recorder(simulation, scene.run, writer);
  const State& state = simulation.state();
  for (int i = 1; i <= 20; ++i) {
    StepReport step;
    step.time = 0.01 * i;
    step.status = i % 5 == 0 ? Status::approximate : Status::certified;
    step.reason = i % 5 == 0 ? "ray" : "";
    writer.append_step(step);
    if (i % 2 == 0) writer.append_state(step.time, state.q, state.v, {}, {});  // every other state only
  }
  writer.finish(true);
  const json list = info_of(folder / "run.h5")["uncertified"];
  ASSERT_EQ(list.size(), 4u);
  EXPECT_EQ(list[0], json({{"state", 3}, {"time", 0.05}, {"status", "approximate"}, {"reason", "ray"}}));
  EXPECT_EQ(list[1]["state"], 5);
  EXPECT_EQ(list[3]["state"], 10);
}

TEST(RunView, SaysSoWhenMeshesAreGone) {
  const Folder folder;
  std::filesystem::create_directory(folder.path() / "scene");
  folder.write("scene/roof.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
  folder.write("scene/roof.yaml", R"(
pawl: 1
materials: {plain: {friction: 0.5}}
bodies:
  roof: {joint: {type: weld}, shapes: [{type: mesh, file: roof.obj}]}
  ball: {mass: 1, position: [0, 0, 9], shapes: [{type: sphere, radius: 1}]}
run: {until: 1ms}
)");
  test::record(load_scene(folder / "scene/roof.yaml"), folder / "run.h5");
  EXPECT_EQ(open_error(folder / "run.h5"), "");
  std::filesystem::rename(folder.path() / "scene/roof.obj", folder.path() / "roof.obj");
  EXPECT_EQ(open_error(folder / "run.h5"), "") << "found beside the run";
  std::filesystem::remove(folder.path() / "roof.obj");
  EXPECT_THAT(open_error(folder / "run.h5"),
              testing::AllOf(HasSubstr("run.h5"), HasSubstr("roof.obj"), HasSubstr("no meshes")));
}

TEST(RunView, RefusesARunWhoseColumnsAreNotItsScenes) {
  const Folder folder;
  const Scene scene = parse_scene(test::kBallAndBox, "test.yaml");
  TrajectoryInfo info = describe_run(scene, compile(scene));
  info.q_columns.pop_back();
  TrajectoryWriter writer(folder / "run.h5", info);
  writer.append_state(0, std::vector<double>(info.q_columns.size()),
                      std::vector<double>(info.v_columns.size()), {}, {});
  writer.finish(true);
  EXPECT_THAT(open_error(folder / "run.h5"), HasSubstr("not those of its scene"));
}

TEST(RunView, RefusesARunWithoutStates) {
  const Folder folder;
  const Scene scene = parse_scene(test::kBallAndBox, "test.yaml");
  TrajectoryWriter(folder / "run.h5", describe_run(scene, compile(scene))).finish(false);
  EXPECT_THAT(open_error(folder / "run.h5"), HasSubstr("holds no state"));
}

TEST(RunView, FindsStatesByTime) {
  const Folder folder;
  test::record(test::kBallAndBox, folder / "run.h5");
  const RunView run(folder / "run.h5");
  EXPECT_EQ(run.state_at(-1), 0u);
  EXPECT_EQ(run.state_at(0), 0u);
  EXPECT_EQ(run.state_at(0.0151), 1u);
  EXPECT_EQ(run.state_at(99), 100u);
  EXPECT_NEAR(run.step_size_of_state(7), 0.01, 1e-15);
  EXPECT_EQ(run.step_size_of_state(0), 0);
  EXPECT_EQ(run.state_of_step(0), 1u);
  EXPECT_EQ(run.state_of_step(99), 100u);
}

}  // namespace
}  // namespace pawl::internal
