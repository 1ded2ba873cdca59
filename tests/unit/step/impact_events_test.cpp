// The histories of impacts that a run records.

#include <gtest/gtest.h>

#include <vector>

#include <support.h>

namespace pawl::internal {
namespace {

std::vector<ImpactRecord> first_impact(test::SceneRun& run, double& change) {
  std::vector<ImpactRecord> events;
  run.step_to_end([&](const StepReport& report) {
    if (!events.empty() || report.impacts == 0) return;
    const auto of_step = run.simulation.impacts();
    events.assign(of_step.begin(), of_step.end());
    change = report.energy.normal + report.energy.friction;
  });
  return events;
}

TEST(ImpactEvents, OfTheRodsTipAreThoseOfItsPath) {
  for (const char* method : {"pawl", "linearised"}) {
    SCOPED_TRACE(method);
    test::SceneRun run(
        test::repository_scene("rod_tip.yaml", {std::string("run.method=") + method, "run.until=3ms"}));
    double change = 0;
    const std::vector<ImpactRecord> events = first_impact(run, change);
    ASSERT_EQ(events.size(), 4u);
    EXPECT_EQ(events[0].event, ImpactEvent::start);
    EXPECT_EQ(events[0].E_n, 0);
    EXPECT_EQ(events[1].event, ImpactEvent::tangential_pause);
    EXPECT_EQ(events[2].event, ImpactEvent::normal_pause);
    EXPECT_EQ(events[3].event, ImpactEvent::end);
    // docs/impacts.md: E_n = -0.0335 J, E_f = -0.0269 J, p_n = 0.8599 N s.
    EXPECT_NEAR(events[3].E_n, -0.0335, 1e-4);
    EXPECT_NEAR(events[3].E_f, -0.0269, 1e-4);
    EXPECT_NEAR(events[3].p_n, 0.8599, 1e-4);
    EXPECT_NEAR(events[3].E_n, (1 - 0.81) * events[2].E_n, 1e-12);
    EXPECT_NEAR(events[3].E_n + events[3].E_f, change, 1e-9);
    EXPECT_EQ(run.model.body_names[std::max(events[3].body_a, events[3].body_b)], "rod");
  }
}

constexpr const char* kFlatBox = R"(
pawl: 1
materials: {wood: {friction: 0.3, restitution: 0.6}}
bodies:
  floor: {joint: {type: weld}, shapes: [{type: half-space}]}
  box: {mass: 2, position: [0, 0, 0.2], velocity: [0.5, 0, -1], shapes: [{type: box, size: [0.2, 0.2, 0.2]}]}
run: {step: 1ms, until: 0.3}
)";

TEST(ImpactEvents, OfSeveralContactsAddUpToTheWork) {
  test::SceneRun run{std::string(kFlatBox)};
  double change = 0, normal = 0, friction = 0, compressed = 0;
  const std::vector<ImpactRecord> events = first_impact(run, change);
  ASSERT_EQ(events.size(), 12u) << "four corners with three events";
  for (const ImpactRecord& event : events) {
    if (event.event == ImpactEvent::normal_pause) compressed += event.E_n;
    if (event.event != ImpactEvent::end) continue;
    normal += event.E_n;
    friction += event.E_f;
  }
  EXPECT_NEAR(normal, (1 - 0.36) * compressed, 1e-6);
  EXPECT_LT(friction, 0);
  EXPECT_NEAR(normal + friction, change, 1e-4);
}

TEST(ImpactEvents, AreOfTheLastStepOnly) {
  test::SceneRun run(test::repository_scene("rod_tip.yaml", {"run.until=5ms"}));
  bool found = false;
  run.step_to_end([&](const StepReport& report) {
    EXPECT_EQ(run.simulation.impacts().empty(), report.impacts == 0);
    found |= report.impacts > 0;
  });
  EXPECT_TRUE(found);
}

}  // namespace
}  // namespace pawl::internal
