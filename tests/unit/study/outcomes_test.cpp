// Outcomes of runs whose motions are known.

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include <pawl/scene_file.h>
#include <pawl/study/outcome_meter.h>

namespace pawl::internal {
namespace outcomes_test {

struct Ended {
  std::vector<OutcomeValue> values;
  double time = 0;
};

Ended run(const std::string& text) {
  const Scene scene = parse_scene("pawl: 1\n" + text, "s.yaml");
  const Model model = compile(scene);
  Simulation simulation(model, scene.run);
  OutcomeMeter meter(scene, model, simulation);
  while (!simulation.at_end() && !meter.stopped()) meter.add(simulation.step());
  return {meter.values(), simulation.time()};
}

double number(const OutcomeValue& value) {
  return std::holds_alternative<double>(value) ? std::get<double>(value)
                                               : std::numeric_limits<double>::quiet_NaN();
}

bool is_none(const OutcomeValue& value) {
  return std::holds_alternative<std::monostate>(value);
}

// z = 1 + t - 5 t² with g = 10: highest at t = 0.1, z = 1.05.
const std::string kThrown =
    "world: {gravity: [0, 0, -10]}\n"
    "bodies:\n  ball: {mass: 2, inertia: 1, position: [0, 0, 1], velocity: [3, 0, 1]}\n"
    "run: {step: 1ms, until: 0.4}\n";

TEST(Outcomes, OfAThrownBall) {
  const Ended end = run(kThrown +
                        "outcomes:\n"
                        "  top: {type: value, of: ball.z, take: max}\n"
                        "  low: {type: value, of: ball.z, take: min}\n"
                        "  mean: {type: value, of: ball.x, take: mean}\n"
                        "  last: {type: value, of: ball.vz}\n"
                        "  fell: {type: event, of: ball.vz, below: -2.0005}\n"
                        "  never: {type: event, of: ball.z, above: 2}\n"
                        "  where: {type: value, of: ball.x, at: fell}\n"
                        "  nowhere: {type: value, of: ball.x, at: never}\n"
                        "  energy: {type: value, of: kinetic}\n"
                        "  push: {type: force, body: ball}\n"
                        "  rested: {type: rest}\n");
  EXPECT_NEAR(number(end.values[0]), 1.05, 1e-12);
  EXPECT_NEAR(number(end.values[1]), 0.6, 1e-12);
  EXPECT_NEAR(number(end.values[2]), 0.6, 1e-12);
  EXPECT_NEAR(number(end.values[3]), -3, 1e-12);
  EXPECT_NEAR(number(end.values[4]), 0.301, 1e-12);  // the end of the first step that is below
  EXPECT_TRUE(is_none(end.values[5]));
  EXPECT_NEAR(number(end.values[6]), 0.903, 1e-12);
  EXPECT_TRUE(is_none(end.values[7]));
  EXPECT_NEAR(number(end.values[8]), 18, 1e-12);
  EXPECT_EQ(number(end.values[9]), 0);
  EXPECT_TRUE(is_none(end.values[10]));
  EXPECT_NEAR(end.time, 0.4, 1e-12);
}

TEST(Outcomes, EndTheRunEarly) {
  const Ended end =
      run(kThrown + "outcomes:\n  fell: {type: event, of: ball.vz, below: -2.0005, stop: true}\n");
  EXPECT_NEAR(end.time, 0.301, 1e-12);
}

TEST(Outcomes, GatesCountPassagesWithTheirDirection) {
  // Up through z = 1.04 at t = 0.1 - √0.002, down after 0.1 + √0.002; through x = 0.6 at t = 0.2, z = 1.
  const Ended end =
      run(kThrown +
          "outcomes:\n"
          "  both: {type: gate, body: ball, point: [0, 0, 1.04], normal: [0, 0, 1]}\n"
          "  up: {type: gate, body: ball, point: [0.165, 0, 1.04], normal: [0, 0, 1], radius: 0.01}\n"
          "  down: {type: gate, body: ball, point: [0.434, 0, 1.04], normal: [0, 0, 1], radius: 0.01}\n"
          "  hit: {type: gate, body: ball, point: [0.6, 0, 1.04], normal: [1, 0, 0], radius: 0.05}\n"
          "  miss: {type: gate, body: ball, point: [0.6, 0, 1.04], normal: [1, 0, 0], radius: 0.03}\n");
  EXPECT_EQ(number(end.values[0]), 0);
  EXPECT_EQ(number(end.values[1]), 1);
  EXPECT_EQ(number(end.values[2]), -1);
  EXPECT_EQ(number(end.values[3]), 1);
  EXPECT_EQ(number(end.values[4]), 0);
}

TEST(Outcomes, PosesAreTheDirectionThatPointsUp) {
  const auto pose = [](const std::string& degrees) {
    const Ended end =
        run("world: {gravity: [0, 0, 0]}\n"
            "bodies:\n  box: {mass: 1, inertia: 1, orientation: {axis: [0, 1, 0], angle_deg: " +
            degrees +
            "}}\nrun: {until: 2ms}\n"
            "outcomes:\n  face: {type: pose, body: box, classes: {top: [0, 0, 1], side: [-1, 0, 0]}, "
            "within_deg: 20}\n");
    return std::get<std::string>(end.values[0]);
  };
  EXPECT_EQ(pose("0"), "top");
  EXPECT_EQ(pose("19"), "top");
  EXPECT_EQ(pose("21"), "none");
  EXPECT_EQ(pose("71"), "side");  // turned about y by 90°, −x points up
  EXPECT_EQ(pose("-90"), "none");
}

const std::string kPushed =
    "materials: {plain: {friction: 0.5}}\n"
    "bodies:\n"
    "  floor: {joint: {type: weld}, shapes: [{type: half-space, material: plain}]}\n"
    "  box: {mass: 1, inertia: 1, position: [0, 0, 0.1], velocity: [1, 0, 0], shapes: [{type: box, size: "
    "[0.4, 0.4, 0.2], material: plain}]}\n"
    "  wheel: {mass: 1, inertia: 1, position: [5, 0, 5], joint: {type: revolute, anchor: [5, 0, 5], axis: "
    "[0, 0, 1], velocity: 3}}\n"
    "run: {step: 2ms, until: 1.5}\n";

TEST(Outcomes, RestAndForceOfASlidingBox) {
  // μ g = 4.905: at rest after 1 / 4.905 s and 1 / 9.81 m. Its weight is on at most 4 contacts.
  const Ended end = run(kPushed +
                        "outcomes:\n"
                        "  rested: {type: rest, bodies: [box], stop: true}\n"
                        "  all: {type: rest}\n"
                        "  way: {type: value, of: box.x, at: rested}\n"
                        "  weight: {type: force, body: box}\n");
  EXPECT_NEAR(number(end.values[0]), 1 / 4.905, 2.1e-3);
  EXPECT_NEAR(end.time, 1 / 4.905 + 0.1, 4.1e-3);
  EXPECT_TRUE(is_none(end.values[1]));  // the wheel turns on
  EXPECT_NEAR(number(end.values[2]), 1 / 9.81, 1e-4);
  EXPECT_GT(number(end.values[3]), 9.81 / 4);
}

TEST(Outcomes, AJamIsNoProgressWhileSomethingMoves) {
  const std::string outcome =
      "outcomes:\n"
      "  jammed: {type: jam, body: box, progress: 0.01, for: 0.5}\n"
      "  across: {type: jam, body: box, progress: 0.01, for: 0.1, along: [0, 1, 0]}\n";
  const Ended end = run(kPushed + outcome);
  // From the last centimetre of the way, ½ μ g t² = 1 cm before the end, up to a step of progress.
  EXPECT_NEAR(number(end.values[0]), 1 / 4.905 - std::sqrt(0.02 / 4.905), 0.07);
  EXPECT_EQ(number(end.values[1]), 0);
  std::string still = kPushed;
  still.replace(still.find("velocity: 3"), 11, "velocity: 0");
  EXPECT_TRUE(is_none(run(still + outcome).values[0]));
}

TEST(Outcomes, RefuseUnknownQuantities) {
  try {
    run(kThrown + "outcomes:\n  top: {type: value, of: bal.z}\n");
    FAIL();
  } catch (const SceneError& error) {
    EXPECT_EQ(std::string(error.what()).substr(0, 31), "s.yaml:7:3: outcomes.top.of: th");
    EXPECT_NE(std::string(error.what()).find("ball.z"), std::string::npos);
  }
}

}  // namespace outcomes_test
}  // namespace pawl::internal
