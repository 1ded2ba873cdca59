// [StewartTrinkle2000, section 4.1]: a rod falls on a table, slides right, stops, slides left, slaps down,
// rests. Data not printed: the initial height (taken as 1 m), and the end radius in the lever arm of
// friction.

#include <cmath>

#include <gtest/gtest.h>

#include "support.h"

namespace pawl::internal {
namespace {

struct Events {
  double first_contact = -1, both_ends = -1, rest = -1;  // s, starts of the steps of the events
  bool all_certified = true;
  double worst_residual = 0;
  double landing_friction = 0;                  // N s, along x, in the first contact step
  double tip_speed_max = 0, tip_speed_min = 0;  // along x, while one end touches
};

Events fall(double h) {
  test::SceneRun run(test::repository_scene("papers/falling_rod.yaml", {"run.step=" + test::number_text(h)}));
  Events events;
  double start = 0;
  run.step_to_end([&](const StepReport& report) {
    events.all_certified &= report.certified();
    events.worst_residual = std::max(events.worst_residual, report.residual.natural_map);
    int acting = 0;
    for (const ContactRecord& contact : run.simulation.contacts()) {
      if (!(contact.impulse[0] > 0)) continue;
      ++acting;
      if (events.both_ends < 0) {
        events.tip_speed_max = std::max(events.tip_speed_max, contact.velocity[1]);
        events.tip_speed_min = std::min(events.tip_speed_min, contact.velocity[1]);
      }
    }
    if (acting >= 1 && events.first_contact < 0) {
      events.first_contact = start;
      events.landing_friction = run.simulation.contacts()[0].impulse[1];
    }
    if (acting == 2 && events.both_ends < 0) events.both_ends = start;
    const double speed = std::abs(run.v(0)) + std::abs(run.v(1)) + std::abs(run.v(2));
    if (speed > 1e-9) events.rest = -1;
    if (speed <= 1e-9 && events.rest < 0) events.rest = report.time;
    start = report.time;
  });
  return events;
}

// Published: contact at t ≈ 0.383, full contact at t ≈ 0.548, then sliding for 0.02 s (h = 0.0025). As the
// starts of the contact steps these are the grid times 0.3825 and 0.5475. Ours are the same steps.
TEST(FallingRod, EventsFallInThePublishedSteps) {
  const Events events = fall(0.0025);
  EXPECT_NEAR(events.first_contact, 0.3825, 1e-12);
  EXPECT_NEAR(events.both_ends, 0.5475, 1e-12);
  EXPECT_NEAR(events.rest, 0.5700, 1e-12);
}

// After the first impact no acceleration-level solution exists; every step must be solved nevertheless.
TEST(FallingRod, EveryStepIsCertifiedThroughTheInconsistentState) {
  for (const double h : {0.01, 0.005, 0.0025, 0.00125}) {
    const Events events = fall(h);
    EXPECT_TRUE(events.all_certified) << "h = " << h;
    EXPECT_LT(events.worst_residual, 1e-11) << "h = " << h;
  }
}

TEST(FallingRod, EventTimesConverge) {
  for (const double h : {0.01, 0.005, 0.0025, 0.00125, 0.000625}) {
    const Events events = fall(h);
    EXPECT_NEAR(events.first_contact, 0.3858, 2 * h) << "h = " << h;
    EXPECT_NEAR(events.both_ends, 0.5473, 2 * h) << "h = " << h;
    EXPECT_NEAR(events.rest, 0.5663, 2 * h) << "h = " << h;
  }
}

// Published: "the tip of the rod slides right, stops, and begins sliding left before slap-down". Ours: the
// tip lands moving right (friction pulls it left) and stops within the step of the impact. It sticks until t
// = 0.42 and then slides left until slap-down. The slide to the right lasts less than a step, at every h
// tried.
TEST(FallingRod, TipIsStoppedFromTheRightAndSlidesLeft) {
  const Events events = fall(0.0025);
  EXPECT_LT(events.landing_friction, -0.1);
  EXPECT_LT(events.tip_speed_max, 1e-12);
  EXPECT_LT(events.tip_speed_min, -0.9);
}

}  // namespace
}  // namespace pawl::internal
