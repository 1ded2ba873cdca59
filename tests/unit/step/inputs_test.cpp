// Inputs of a simulation: controls, wrenches, the callback before each step.

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <pawl/scene_file.h>
#include <pawl/simulation.h>

namespace pawl::internal {
namespace inputs_test {

Scene scene(const std::string& inside, const std::string& forces = "") {
  return parse_scene(
      "pawl: 1\nworld: {gravity: [0, 0, 0]}\nbodies:\n" + inside + forces + "run: {step: 1e-3}\n",
      "inputs.yaml");
}
const std::string kBall = "  ball: {mass: 2, inertia: [0.1, 0.1, 0.1], center_of_mass: [0, 0, 0.5]}\n";
std::string arm(const std::string& name, const std::string& motor) {
  return "  " + name +
         ": {mass: 1, inertia: [0.1, 0.1, 0.1], joint: {type: revolute, anchor: [0, 0, 0], axis: [0, 1, 0]," +
         " motor: {" + motor + "}}}\n";
}

TEST(Inputs, HaveTheNamesOfMotorsAndWrenches) {
  const Scene s =
      scene(arm("a", "velocity: 1") + arm("b", "position: 1, kp: 10, kv: 1") + arm("c", "force: 1"),
            "forces:\n  push: {type: wrench, body: a, force: [1, 0, 0]}\n");
  EXPECT_THAT(control_names(compile(s)), ::testing::ElementsAre("a", "push", "b", "c"));
}

TEST(Inputs, ControlsReplaceTargetsUntilTheyAreNaN) {
  const Model model = compile(scene(arm("a", "velocity: 1") + arm("c", "force: 0.2")));
  Simulation simulation(model, RunOptions{});
  simulation.step();
  EXPECT_NEAR(simulation.state().v[0], 1, 1e-10);
  simulation.control()[simulation.control_index("a")] = -3;
  simulation.control()[simulation.control_index("c")] = 5;
  const double before = simulation.state().v[1];
  simulation.step();
  EXPECT_NEAR(simulation.state().v[0], -3, 1e-10);
  EXPECT_NEAR(simulation.state().v[1] - before, 5 * 1e-3 / 0.1, 1e-12);
  simulation.control()[0] = std::nan("");
  simulation.step();
  EXPECT_NEAR(simulation.state().v[0], 1, 1e-10);
  EXPECT_EQ(model.drives[0].law.target.constant, 1) << "the model itself stays as it is";
}

TEST(Inputs, AnUnknownNameIsRefusedWithThoseThereAre) {
  const Model model = compile(scene(arm("knee", "velocity: 1")));
  Simulation simulation(model, {});
  EXPECT_THAT(
      [&] { simulation.control_index("kne"); },
      ::testing::ThrowsMessage<Error>(::testing::HasSubstr("no input is called 'kne': there are knee")));
  EXPECT_THROW(simulation.apply_wrench(7, {}), Error);
  EXPECT_THROW(simulation.apply_wrench(-1, {}), Error);
  EXPECT_THROW(simulation.apply_wrench(1, {{std::nan(""), 0, 0}, {}}), Error);
}

TEST(Inputs, AWrenchActsAtItsPointUntilItIsCleared) {
  const Model model = compile(scene(kBall));
  Simulation simulation(model, RunOptions{});
  simulation.apply_wrench(1, {{4, 0, 0}, {0, 0, 0.3}}, {0, 0, 1});  // 0.5 m above the centre of mass
  simulation.step();
  const std::vector<double>& v = simulation.state().v;
  EXPECT_NEAR(v[0], 4e-3 / 2, 1e-15);
  EXPECT_NEAR(v[4], 0.5 * 4e-3 / 0.1, 1e-8);
  EXPECT_NEAR(v[5], 0.3e-3 / 0.1, 1e-8);
  simulation.clear_wrenches();
  const double vx = v[0];
  simulation.step();
  EXPECT_EQ(simulation.state().v[0], vx);
}

TEST(Inputs, TheCallbackComesBeforeEachStep) {
  const Model model = compile(scene(arm("c", "force: 0")));
  Simulation simulation(model, RunOptions{});
  int calls = 0;
  simulation.before_step([&](Simulation& s) {
    ++calls;
    s.control()[0] = -10 * s.state().q[0] + 1 - s.state().v[0];
  });
  for (int i = 0; i < 20000; ++i) ASSERT_TRUE(simulation.step().certified());
  EXPECT_EQ(calls, 20000);
  EXPECT_NEAR(simulation.state().q[0], 0.1, 1e-6);
}

TEST(Inputs, ReplayedControlsGiveTheSameBits) {
  const Model model = compile(scene(arm("a", "force: 0") + arm("b", "position: 0, kp: 100, kv: 1")));
  Simulation first(model, RunOptions{}), second(model, RunOptions{});
  std::vector<std::array<double, 2>> recorded;
  for (int i = 0; i < 100; ++i) {
    recorded.push_back({std::sin(0.1 * i) - first.state().v[0], 0.01 * i});
    std::ranges::copy(recorded.back(), first.control().begin());
    first.step();
  }
  for (const auto& each : recorded) {
    std::ranges::copy(each, second.control().begin());
    second.step();
  }
  EXPECT_EQ(first.state().q, second.state().q);
  EXPECT_EQ(first.state().v, second.state().v);
}

}  // namespace inputs_test
}  // namespace pawl::internal
