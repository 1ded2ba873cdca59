#include <pawl/simulation.h>

#include <cmath>
#include <numbers>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <pawl/assemble/method.h>
#include <pawl/model/dynamics.h>
#include <pawl/scene_file.h>

#include "support.h"

namespace pawl::internal {
namespace {

using test::number_text;
using test::SceneRun;

std::string ball_on_plane(const std::string& velocity, const std::string& extra = "") {
  return R"(
pawl: 1
materials: {plain: {friction: 0.5}}
bodies:
  floor: {joint: {type: weld}, shapes: [{type: half-space, normal: [0, 0, 1]}]}
  ball: {mass: 2, position: [0, 0, 0.1], velocity: )" +
         velocity + R"(, shapes: [{type: sphere, radius: 0.1}]}
run: {step: 0.01, until: 1)" +
         extra + "}\n";
}

/// A bar that slides flat on the floor: two contacts, planar.
std::string sliding_bar(double speed) {
  return R"(
pawl: 1
world: {dimension: planar}
materials: {plain: {friction: 0.5}}
bodies:
  floor: {joint: {type: weld}, shapes: [{type: half-plane, normal: [0, 1]}]}
  bar: {mass: 1, inertia: 0.01, position: [0, 0.05], velocity: [)" +
         number_text(speed) + R"(, 0], shapes: [{type: capsule, radius: 0.05, length: 0.4}]}
run: {step: 0.001, until: 1}
)";
}

TEST(Simulation, BallAtRestStaysBitwiseAndCarriesItsWeight) {
  SceneRun run(ball_on_plane("[0, 0, 0]"));
  const double height = run.q(2);
  run.step_to_end([&](const StepReport& report) {
    ASSERT_TRUE(report.certified()) << report;
    ASSERT_EQ(run.simulation.contacts().size(), 1U);
    EXPECT_NEAR(run.simulation.contacts()[0].impulse[0], 2 * 9.81 * 0.01, 1e-15);
    EXPECT_EQ(run.simulation.contacts()[0].state, ContactState::sticking);
  });
  EXPECT_NEAR(run.q(2), height, 1e-16);
}

TEST(Simulation, ThrownBallIsFreeUntilItLands) {
  SceneRun run(ball_on_plane("[1, 0, 3]"));
  int airborne = 0;
  double last = 0;
  run.step_to_end([&](const StepReport& report) {
    ASSERT_TRUE(report.certified()) << report;
    last = report.gap_violation;
    airborne += report.contacts == 0;
    EXPECT_LE(report.gap_violation, 1e-10);  // a thousandth of the gap of touching bodies, where it lands
  });
  // It lands after 2 · 3/9.81 s = 61.16 steps: the last is a part of one.
  EXPECT_EQ(airborne, 62);
  EXPECT_NEAR(run.q(2), 0.1, 1e-15);
  EXPECT_LE(last, 1e-15);
}

TEST(Simulation, SlidingBarStopsWhereCoulombSays) {
  SceneRun run(sliding_bar(2));
  run.step_to_end([](const StepReport& report) { ASSERT_TRUE(report.certified()) << report; });
  // x = v²/(2 μ g); the last step of the discrete motion is shorter, so the error is of first order in h.
  EXPECT_NEAR(run.q(0), 2 * 2 / (2 * 0.5 * 9.81), 2 * 0.001);
  EXPECT_NEAR(run.v(0), 0, 1e-12);
  EXPECT_NEAR(run.q(1), 0.05, 1e-12);
}

TEST(Simulation, LedgerTellsFrictionFromNormalImpulses) {
  SceneRun slides(sliding_bar(2));
  slides.step_to_end([](const StepReport&) {});
  EXPECT_NEAR(slides.simulation.energy().friction, -0.5 * 2 * 2, 1e-9);
  EXPECT_NEAR(slides.simulation.energy().normal, 0, 1e-9);

  SceneRun lands(ball_on_plane("[0, 0, -2]"));  // in contact already: an impact takes all its energy at once
  lands.simulation.step();
  EXPECT_NEAR(lands.simulation.energy().normal, -0.5 * 2 * 2 * 2, 1e-12);
  EXPECT_NEAR(lands.simulation.energy().stabilisation, 0, 1e-12);
  EXPECT_NEAR(lands.simulation.energy().friction, 0, 1e-15);
}

TEST(Simulation, LedgerNamesWhatPushesOverlapsApart) {
  Scene scene = parse_scene(ball_on_plane("[0, 0, 0]"), "test.yaml", {"bodies.ball.position.2=0.09"});
  SceneRun run(std::move(scene));
  for (int i = 0; i < 10; ++i) {  // by 0.1 m/s for 10 ms each
    EXPECT_NEAR(run.q(2), 0.09 + 0.001 * i, 1e-15);
    run.simulation.step();
    EXPECT_NEAR(run.v(2), 0, 1e-12);  // lifted without speed
  }
  EXPECT_NEAR(run.q(2), 0.1, 1e-15);
  EXPECT_NEAR(run.simulation.energy().stabilisation, 2 * 9.81 * 0.01, 1e-12);
  EXPECT_NEAR(run.simulation.energy().normal, 0, 1e-12);
}

TEST(Simulation, SphereRollsDownAnInclineWithFiveSeventhsOfGravity) {
  const double slope = 0.3;
  SceneRun run(R"(
pawl: 1
materials: {plain: {friction: 0.5}}
bodies:
  ramp: {joint: {type: weld}, shapes: [{type: half-space, normal: [)" +
               number_text(std::sin(slope)) + ", 0, " + number_text(std::cos(slope)) + R"(]}]}
  ball: {mass: 1, inertia: 4e-3, position: [0, 0, )" +
               number_text(0.1 / std::cos(slope)) + R"(], shapes: [{type: sphere, radius: 0.1}]}
run: {step: 0.01, until: 1}
)");
  run.step_to_end([](const StepReport& report) { ASSERT_TRUE(report.certified()) << report; });
  const double speed = std::hypot(run.v(0), run.v(2));
  EXPECT_NEAR(speed, 5.0 / 7.0 * 9.81 * std::sin(slope), 1e-12);
  EXPECT_EQ(run.simulation.contacts()[0].state, ContactState::sticking);
}

TEST(Simulation, FrictionHoldsABodyAgainstATorque) {
  SceneRun run(R"(
pawl: 1
materials: {plain: {friction: 1}}
bodies:
  floor: {joint: {type: weld}, shapes: [{type: half-space}]}
  bar:
    mass: 1
    position: [0, 0, 0.05]
    orientation: {axis: [0, 1, 0], angle_deg: 90}
    shapes: [{type: capsule, radius: 0.05, length: 0.4}]
forces:
  twist: {type: wrench, body: bar, torque: [0, 0, 0.4]}
run: {step: 5ms, until: 10}
)");
  const std::vector<double> start = run.simulation.state().q;
  run.step_to_end([](const StepReport& report) { ASSERT_TRUE(report.certified()) << report; });
  for (std::size_t i = 0; i < start.size(); ++i) EXPECT_NEAR(run.simulation.state().q[i], start[i], 1e-12);
}

TEST(Simulation, RefusesToGoOnToInfinity) {
  Scene scene =
      parse_scene(ball_on_plane("[0, 0, 0]") + "forces: {f: {type: wrench, body: ball, force: [0, 0, 1]}}\n",
                  "test.yaml");
  scene.forces[0].force.z = 1e155;  // beyond the range of scene files
  SceneRun run(scene);
  Status last = Status::certified;
  run.step_to_end([&](const StepReport& report) {
    last = report.status;
    if (report.status == Status::refused) {
      EXPECT_EQ(report.reason, "not finite");
    }
  });
  EXPECT_EQ(last, Status::refused);
  for (const double x : run.simulation.state().q) EXPECT_TRUE(std::isfinite(x));
}

TEST(Simulation, PressedBodySticksWithoutGravity) {
  SceneRun run(R"(
pawl: 1
world: {dimension: planar, gravity: [0, 0]}
materials: {plain: {friction: 0.5}}
bodies:
  floor: {joint: {type: weld}, shapes: [{type: half-plane, normal: [0, 1]}]}
  bar: {mass: 1, inertia: 0.01, position: [0, 0.05], shapes: [{type: capsule, radius: 0.05, length: 0.4}]}
forces:
  press: {type: wrench, body: bar, force: [3, -10]}
run: {step: 1ms, until: 0.1}
)");
  run.step_to_end([&](const StepReport&) {
    for (const ContactRecord& contact : run.simulation.contacts())
      EXPECT_EQ(contact.state, ContactState::sticking);
  });
}

TEST(Simulation, CountsTimeWithoutDrift) {
  SceneRun run(ball_on_plane("[0, 0, 0]", ", tolerance: 1e-8"));
  for (int k = 1; k <= 1000; ++k) {
    run.simulation.step();
    ASSERT_EQ(run.simulation.time(), 0.01 * k);
  }
}

TEST(Simulation, FlagsUncertifiedStepsAndFinishesTheGridInSubsteps) {
  // Few solutions in double precision reach 1e-17: such steps are halved four times and then flagged.
  SceneRun run(R"(
pawl: 1
materials: {plain: {friction: 0.5}}
bodies:
  floor: {joint: {type: weld}, shapes: [{type: half-space, normal: [0, 0, 1]}]}
  left: {mass: 2, position: [0, 0, 0.1], velocity: [3, 2, 0], angular_velocity: [1, 20, 3], shapes: [{type: sphere, radius: 0.1}]}
  right: {mass: 3, position: [0.2, 0, 0.1], velocity: [1, 0.7, 0], angular_velocity: [3, 20, 1], shapes: [{type: sphere, radius: 0.1}]}
run: {step: 0.01, until: 1, tolerance: 1e-17, method: linearised}
)");
  int flagged = 0;
  double time = 0;
  while (run.simulation.time() < 0.1) {
    const StepReport report = run.simulation.step();
    time += report.step;
    if (report.certified()) continue;
    ++flagged;
    ASSERT_EQ(report.status, Status::approximate);
    ASSERT_EQ(report.halvings, 4);
    ASSERT_EQ(report.step, 0.01 / 16);
    ASSERT_GT(report.residual.worst(), 1e-17);
  }
  EXPECT_GT(flagged, 16);
  EXPECT_EQ(run.simulation.time(), 0.1);
  EXPECT_NEAR(time, 0.1, 1e-15);
}

TEST(Simulation, RefusesOptionsThatMakeNoSense) {
  const Scene scene = parse_scene(ball_on_plane("[0, 0, 0]"), "test.yaml");
  const Model model = compile(scene);
  RunOptions options = scene.run;
  options.step = 0;
  EXPECT_THROW(Simulation(model, options), Error);
  options = scene.run;
  options.tolerance = std::nan("");
  EXPECT_THROW(Simulation(model, options), Error);
  options = scene.run;
  options.method = "leapfrog";
  EXPECT_THROW(Simulation(model, options), Error);
  options = scene.run;
  options.friction = FrictionForm::polyhedral;
  options.friction_directions = 2;
  EXPECT_THROW(Simulation(model, options), Error);
  options = scene.run;
  for (const int points : {-1, 0, 9}) {
    options.contact_points = points;
    EXPECT_THROW(Simulation(model, options), Error) << points;
  }
}

TEST(Simulation, RefusesRestitutionInsteadOfIgnoringIt) {
  Scene scene = parse_scene(ball_on_plane("[0, 0, 0]"), "test.yaml");
  scene.materials[0].restitution = 0.5;
  const Model model = compile(scene);
  for (const char* method : {"stewart-trinkle-nonlinear", "anitescu-potra", "tzitzouris-pang"}) {
    scene.run.method = method;
    EXPECT_THROW(Simulation(model, scene.run), Error) << method;
  }
}

TEST(Simulation, ResetGoesBackToTheSameMotionAndForgets) {
  SceneRun run(ball_on_plane("[1, 0.3, -1]"));
  const State start = run.simulation.state();
  std::vector<int> pivots, pivots_again;  // a warm start would need no pivots
  run.step_to_end([&](const StepReport& report) { pivots.push_back(report.iterations); });
  const State end = run.simulation.state();
  run.simulation.reset(start);
  run.step_to_end([&](const StepReport& report) { pivots_again.push_back(report.iterations); });
  EXPECT_EQ(run.simulation.state().q, end.q);
  EXPECT_EQ(run.simulation.state().v, end.v);
  EXPECT_EQ(pivots, pivots_again);
  EXPECT_GT(pivots[0], 0);
}

// With a tolerance at the level of rounding only some steps are certified, so segments are halved again
// midway. In every case time advances by the step taken and meets the grid.
TEST(Simulation, TimeAndStepAgreeHoweverStepsAreHalved) {
  int halved_again = 0;
  for (const char* tolerance :
       {"run.tolerance=1e-16", "run.tolerance=2e-16", "run.tolerance=3e-16", "run.tolerance=4e-16",
        "run.tolerance=6e-16", "run.tolerance=8e-16", "run.tolerance=1.2e-15", "run.tolerance=1.6e-15"}) {
    SceneRun run(test::repository_scene("papers/four_balls.yaml", {tolerance}));
    double before = 0;
    int last_halvings = 0;
    std::int64_t met = 0;
    run.step_to_end([&](const StepReport& report) {
      ASSERT_NEAR(report.time - before, report.step, 1e-15);
      ASSERT_EQ(report.step, std::ldexp(0.005, -report.halvings));
      const bool inside_cell = std::abs(std::remainder(before, 0.005)) > 1e-9;
      halved_again += inside_cell && report.halvings > last_halvings;
      met += std::abs(std::remainder(report.time, 0.005)) < 1e-12;
      before = report.time;
      last_halvings = report.halvings;
    });
    EXPECT_EQ(met, 200);
  }
  EXPECT_GT(halved_again, 0);
}

TEST(Simulation, HugeFrictionSticksAndZeroFrictionDoesNot) {
  std::string text = sliding_bar(2);
  const auto with_friction = [&](const std::string& mu) {
    std::string changed = text;
    changed.replace(changed.find("0.5"), 3, mu);
    SceneRun run(changed);
    run.step_to_end([](const StepReport& report) { ASSERT_TRUE(report.certified()) << report; });
    return run.v(0);
  };
  EXPECT_NEAR(with_friction("1e9"), 0, 1e-9);
  EXPECT_EQ(with_friction("0"), 2);
}

/// A bar falls at a small angle onto a longer fixed bar, and must come to rest on both of its ends.
TEST(Simulation, CapsuleComesToRestOnACapsule) {
  for (const char* world : {"planar", "spatial"}) {
    const bool planar = world == std::string("planar");
    const std::string place = planar ? "[0, 0.3]" : "[0, 0, 0.3]";
    const std::string along = planar ? "" : ", orientation: {axis: [0, 1, 0], angle_deg: 90}";
    SceneRun run(R"(
pawl: 1
world: {dimension: )" +
                 std::string(world) + R"(}
materials: {plain: {friction: 0.5}}
bodies:
  rail: {joint: {type: weld}, shapes: [{type: capsule, radius: 0.1, length: 4)" +
                 along + R"(}]}
  bar:
    mass: 1
    position: )" +
                 place + R"(
    )" + (planar ? "angle: 0.02" : "orientation: {axis: [0, 1, 0], angle: 0.02}") +
                 R"(
    shapes: [{type: capsule, radius: 0.1, length: 1)" +
                 along + R"(}]
run: {step: 2ms, until: 1}
)");
    double overlap = 0;
    run.step_to_end([&](const StepReport& report) {
      ASSERT_TRUE(report.certified()) << report;
      overlap = std::max(overlap, report.gap_violation);
    });
    EXPECT_LT(overlap, 1e-6) << world;
    for (const double rate : run.simulation.state().v) EXPECT_NEAR(rate, 0, 1e-9) << world;
  }
}

TEST(Methods, TableAndSceneReaderKnowTheSameNames) {
  std::vector<std::string_view> names;
  for (const Method& method : methods()) names.push_back(method.name);
  EXPECT_THAT(names, testing::UnorderedElementsAreArray(kMethodNames));
}

TEST(Methods, PendulumKeepsItsSwing) {
  const auto energy_lost = [](const std::string& method) {
    SceneRun run(test::repository_scene("pendulum.yaml", {"run.method=" + method, "run.until=20"}));
    const EnergyLedger start = run.simulation.energy();
    const double swing = 9.81 * (1 - std::cos(std::numbers::pi / 6));  // m g l (1 - cos 30°)
    double worst = 0;
    run.step_to_end([&](const StepReport& report) {
      worst = std::max(
          worst, std::abs(report.energy.kinetic + report.energy.potential - start.kinetic - start.potential));
    });
    return worst / swing;
  };
  EXPECT_LT(energy_lost("stewart-trinkle"), 2e-3);  // oscillates by h ω/2, no drift over 10 periods
  EXPECT_LT(energy_lost("anitescu-potra"), 2e-3);
  EXPECT_GT(energy_lost("stewart-trinkle-nonlinear"), 0.1);  // backward Euler, as in the paper
}

/// A ball that rolls over a fixed ball: the boundary of the free space is curved.
std::string ball_on_ball(const std::string& method) {
  return R"(
pawl: 1
materials: {plain: {friction: 0.6}}
bodies:
  hill: {joint: {type: weld}, shapes: [{type: sphere, radius: 1}]}
  ball: {mass: 1, position: [0.1, 0, )" +
         number_text(std::sqrt(1.21 - 0.01)) + R"(], shapes: [{type: sphere, radius: 0.1}]}
run: {step: 0.01, until: 0.7, method: )" +
         method + "}\n";
}

TEST(Methods, NonlinearOneClosesTheGapThatTheLinearOneLeaves) {
  const auto worst_gap = [](const std::string& method) {
    SceneRun run(ball_on_ball(method));
    double worst = 0;
    int touching = 0;
    run.step_to_end([&](const StepReport& report) {
      ASSERT_TRUE(report.certified()) << report;
      for (const ContactRecord& contact : run.simulation.contacts()) {
        if (contact.impulse[0] > 0) worst = std::max(worst, std::abs(contact.gap)), ++touching;
      }
    });
    EXPECT_GT(touching, 60);
    return worst;
  };
  EXPECT_LT(worst_gap("stewart-trinkle-nonlinear"), 1e-12);
  EXPECT_GT(worst_gap("stewart-trinkle"), 1e-9);
}

TEST(Methods, NonlinearOneConvergesAtRest) {
  SceneRun run(test::repository_scene("papers/falling_rod.yaml", {"run.method=stewart-trinkle-nonlinear"}));
  run.step_to_end([](const StepReport& report) { ASSERT_TRUE(report.certified()) << report; });
}

TEST(Methods, AnitescuPotraDoesNotPushAcrossAGap) {
  SceneRun run(ball_on_ball("anitescu-potra"));
  const auto gap_now = [&] { return norm({run.q(0), run.q(1), run.q(2)}) - 1.1; };
  double start_gap = gap_now();
  run.step_to_end([&](const StepReport& report) {
    ASSERT_TRUE(report.certified()) << report;
    // A contact acts only if it touched at the start of the step.
    for (const ContactRecord& contact : run.simulation.contacts()) {
      if (contact.impulse[0] > 0) {
        EXPECT_LE(start_gap, 1e-15);
      }
    }
    start_gap = gap_now();
  });
}

TEST(Methods, AnitescuPotraConstrainsTheVelocityOnly) {
  // The method stops the ball at its first penetration and leaves it there.
  SceneRun run(ball_on_plane("[0, 0, 1]", ", method: anitescu-potra"));
  double overlap = 0;
  run.step_to_end([&](const StepReport& report) {
    ASSERT_TRUE(report.certified()) << report;
    overlap = report.gap_violation;
  });
  EXPECT_GT(overlap, 1e-3);
  EXPECT_LT(overlap, 0.01 * 1.1);  // one step of the landing speed
  EXPECT_NEAR(run.v(2), 0, 1e-15);
}

}  // namespace
}  // namespace pawl::internal
