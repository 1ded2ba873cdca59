// Whatever is not certified, or lacks accuracy, names its bodies.

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <string>

#include <support.h>

#include <pawl/step/named_bodies.h>

namespace pawl::internal {
namespace {

/// The names of the bodies that the first defect is about, joined, and the defect.
std::string first_defect(const std::string& text) {
  test::SceneRun run(text);
  std::string found;
  run.step_to_end([&](const StepReport& report) {
    const std::string_view what = report.reason.empty() ? report.motion : report.reason;
    if (!found.empty() || what.empty()) return;
    const std::set<std::string> names{run.model.body_names[report.body_a],
                                      run.model.body_names[report.body_b]};
    found = what;
    for (const std::string& name : names) found += " " + name;
  });
  return found;
}

constexpr const char* kPendulums = R"(
pawl: 1
bodies:
  slow: {mass: 1, inertia: 0.1, position: [5, 0, -1]}
  bob: {mass: 1, inertia: 0.1, position: [0, 0, -1], velocity: [6, 0, 0]}
joints:
  - {type: distance, between: [slow, world], anchor: [5, 0, -1], second_anchor: [5, 0, 0]}
  - {type: distance, between: [bob, world], anchor: [0, 0, -1], second_anchor: [0, 0, 0]}
)";

TEST(NamedBodies, OfAJointErrorAreThoseOfTheJoint) {
  EXPECT_EQ(first_defect(std::string(kPendulums) + "run: {method: anitescu-potra, step: 10ms, until: 0.2}"),
            "joint error bob world");
}

constexpr const char* kFastBalls = R"(
pawl: 1
world: {gravity: [0, 0, 0]}
materials: {steel: {friction: 0}}
bodies:
  wall: {joint: {type: weld}, shapes: [{type: box, size: [0.1, 1, 1]}]}
  quiet: {mass: 1, position: [5, 0, 0], shapes: [{type: sphere, radius: 0.1}]}
  quick: {mass: 1, position: [0.6, 0, 0], velocity: [-2, 0, 0], shapes: [{type: sphere, radius: 0.1}]}
)";

TEST(NamedBodies, OfAnOverlapAreThoseOfTheContact) {
  EXPECT_EQ(first_defect(std::string(kFastBalls) + "run: {method: anitescu-potra, step: 120ms, until: 0.36}"),
            "overlap quick wall");
}

constexpr const char* kTumbling = R"(
pawl: 1
world: {gravity: [0, 0, 0]}
bodies:
  quiet: {mass: 1, inertia: [1, 2, 3], position: [5, 0, 0]}
  arm: {mass: 1, inertia: [0.1, 0.2, 0.3], position: [0, 0, -1], joint: {type: revolute, anchor: [0, 0, 0], axis: [0, 1, 0], velocity: 20}}
  hand: {mass: 1, inertia: [0.1, 0.2, 0.3], position: [0, 0, -2], joint: {type: revolute, parent: arm, anchor: [0, 0, -1.5], axis: [0, 1, 0], velocity: -30}}
)";

TEST(NamedBodies, OfAnEnergyErrorMovedMost) {
  const std::string defect = first_defect(std::string(kTumbling) +
                                          "run: {method: stewart-trinkle-nonlinear, step: 10ms, until: 0.1}");
  EXPECT_TRUE(defect == "energy arm" || defect == "energy hand") << defect;
}

TEST(NamedBodies, AVelocityThatIsNoNumberIsFound) {
  const Model model = compile(parse_scene(kFastBalls, "test.yaml"));
  std::vector<double> before(model.nv, 0.0), after(model.nv, 0.0);
  after[0] = 3;
  after[7] = std::nan("");
  const NamedBodies named = most_changed_tree(model, before, after);
  EXPECT_EQ(model.body_names[named.a], "quick");
  EXPECT_EQ(named.a, named.b);
}

}  // namespace
}  // namespace pawl::internal
