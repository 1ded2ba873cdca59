// Limits, motors and dry friction of joint coordinates; springs that the step does not resolve.

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <string>

#include <gtest/gtest.h>

#include <pawl/assemble/method.h>

#include "support.h"

namespace pawl::internal {
namespace {

using test::number_text;
using test::SceneRun;

/// Checks that every step is certified and that the ledger closes.
void step_to_end(
    SceneRun& run, const std::function<void(const StepReport&)>& seen = [](const StepReport&) {}) {
  double largest = 0;
  const double start = run.simulation.energy().kinetic + run.simulation.energy().potential;
  run.step_to_end([&](const StepReport& report) {
    ASSERT_TRUE(report.certified()) << report;
    const EnergyLedger& e = report.energy;
    largest = std::max({largest, std::abs(e.kinetic), std::abs(e.potential), std::abs(e.motors),
                        std::abs(e.limits), std::abs(e.applied), std::abs(e.discretisation)});
    EXPECT_NEAR(e.kinetic + e.potential - start,
                e.normal + e.stabilisation + e.friction + e.joints + e.limits + e.motors + e.applied +
                    e.discretisation + e.imbalance,
                1e-11 * largest);
    EXPECT_LE(std::abs(e.imbalance), 1e-9 * largest);
    seen(report);
  });
}

/// A wheel of inertia 2 about z, without gravity.
std::string wheel(const std::string& joint, const std::string& rest = "", double h = 0.01, double until = 1) {
  return "pawl: 1\nworld: {dimension: planar, gravity: [0, 0]}\nbodies:\n"
         "  wheel: {mass: 1, inertia: 2, joint: {type: revolute, anchor: [0, 0], " +
         joint + "}}\n" + rest + "run: {step: " + number_text(h) + ", until: " + number_text(until) + "}\n";
}

TEST(JointLimits, StopTheJointWhereTheyAreAndLetItGoAgain) {
  SceneRun run(wheel("velocity: 3, upper: 1", "", 0.01, 0.6));
  step_to_end(run, [&](const StepReport&) { EXPECT_LE(run.q(0), 1 + 1e-14); });
  EXPECT_NEAR(run.q(0), 1, 1e-14);
  EXPECT_NEAR(run.v(0), 0, 1e-14);
  EXPECT_NEAR(run.simulation.energy().limits, -9, 1e-12);  // all of ½ 2 3²

  SceneRun back(
      wheel("velocity: -3, lower_deg: -90", "forces: {t: {type: wrench, body: wheel, torque: 4}}\n"));
  step_to_end(back, [&](const StepReport&) { EXPECT_GE(back.q(0), -std::numbers::pi / 2 - 1e-14); });
  EXPECT_GT(back.v(0), 0.5);
}

TEST(JointLimits, ReturnTheirFractionOfTheVelocity) {
  for (const Method& method : methods()) {
    for (const double e : {0.5, 1.0}) {
      SCOPED_TRACE(std::string(method.name) + ", e = " + number_text(e));
      SceneRun run(wheel("velocity: 3, upper: 1, lower: -5, restitution: " + number_text(e), "", 0.01, 0.6));
      run.scene.run.method = method.name;
      run.simulation = Simulation(run.model, run.scene.run);
      double farthest = 0;
      step_to_end(run, [&](const StepReport&) { farthest = std::max(farthest, run.q(0)); });
      // The joint meets the limit within a step of 30 mrad: `anitescu-potra` after it, the others before.
      EXPECT_NEAR(farthest, 1, 0.03 + 1e-12);
      const double exact = method.newton ? 1e-9 : 1e-12;  // Newton's passes stop at 1e-9
      EXPECT_NEAR(run.v(0), -3 * e, 3 * exact);
      EXPECT_NEAR(run.simulation.energy().limits, -9 * (1 - e * e), 9 * exact);
    }
  }
}

TEST(JointLimits, LetWhatBouncesComeToRest) {
  SceneRun run(
      wheel("upper: 1, restitution: 0.6", "forces: {t: {type: wrench, body: wheel, torque: 4}}\n", 0.01, 10));
  int bounces = 0;
  double before = 0;
  step_to_end(run, [&](const StepReport&) {
    EXPECT_LE(run.q(0), 1 + 2e-13);
    bounces += before > 0 && run.v(0) < 0;
    before = run.v(0);
  });
  EXPECT_GE(bounces, 5);
  EXPECT_NEAR(run.q(0), 1, 1e-12);
  EXPECT_NEAR(run.v(0), 0, 1e-12);
}

TEST(JointLimits, HoldAPendulumAgainstGravityBitwiseStill) {
  SceneRun run(R"(
pawl: 1
bodies:
  upper: {mass: 1, inertia: [0.1, 0.1, 0.01], position: [0.5, 0, 0], joint: {type: revolute, anchor: [0, 0, 0], axis: [0, 1, 0], lower: -1, upper: 0.3}}
  lower: {mass: 1, inertia: [0.1, 0.1, 0.01], position: [1.5, 0, 0], joint: {type: revolute, parent: upper, anchor: [1, 0, 0], axis: [0, 1, 0], lower: -1, upper: 0.2}}
run: {step: 0.005, until: 3}
)");
  step_to_end(run);
  EXPECT_NEAR(run.q(0), 0.3, 1e-12);
  EXPECT_NEAR(run.q(1), 0.2, 1e-12);
}

TEST(JointLimits, BoundTheLengthOfARope) {
  SceneRun run(R"(
pawl: 1
bodies:
  bob: {mass: 1, inertia: 0.01, position: [0.5, 0, 0]}
joints: [{type: distance, between: [bob, world], anchor: [0.5, 0, 0], second_anchor: [0, 0, 0], upper: 1}]
run: {step: 0.001, until: 2}
)");
  const double taut = std::sqrt(2 * std::sqrt(0.75) / 9.81);
  double longest = 0;
  step_to_end(run, [&](const StepReport& report) {
    const double length = std::hypot(run.q(0), run.q(2));
    longest = std::max(longest, length);
    if (report.time < taut - 0.002) {
      EXPECT_EQ(run.v(0), 0);  // free fall
    }
  });
  EXPECT_NEAR(longest, 1, 1e-5);
}

TEST(Motors, WithoutBoundReachTheirVelocityInOneStep) {
  SceneRun run(wheel("motor: {velocity: 5}", "", 0.01, 0.02));
  run.simulation.step();
  EXPECT_NEAR(run.v(0), 5, 1e-8 * 5);
  EXPECT_NEAR(run.simulation.energy().motors, 25, 1e-8 * 50);
}

TEST(Motors, WithoutBoundAgainstALimitAreRefusedForThatReason) {
  SceneRun run(wheel("upper: 1, motor: {velocity: 3}"));
  run.step_to_end([&](const StepReport& report) {
    if (report.certified()) return;
    EXPECT_EQ(report.status, Status::refused);
    EXPECT_EQ(report.reason, "unbounded motor against a limit");
  });
  EXPECT_LT(run.simulation.time(), 0.4);
}

TEST(Motors, PushWithTheirBoundUntilTheyReachTheirVelocity) {
  SceneRun run(wheel("motor: {velocity: 5, max_force: 20}"));
  step_to_end(run, [&](const StepReport& report) {
    EXPECT_NEAR(run.v(0), std::min(5.0, 10 * report.time), 1e-12) << report.time;
  });
}

TEST(Motors, ReachAPositionAndHoldItAgainstALoad) {
  SceneRun run(wheel("motor: {position_deg: 90, max_force: 50}",
                     "forces: {load: {type: wrench, body: wheel, torque: -30}}\n", 0.01, 5));
  step_to_end(run);
  EXPECT_NEAR(run.q(0), std::numbers::pi / 2, 1e-12);
  SceneRun weak(wheel("motor: {position: 1, max_force: 20}",
                      "forces: {load: {type: wrench, body: wheel, torque: -30}}\n"));
  step_to_end(weak);
  EXPECT_NEAR(weak.v(0), -5, 1e-10);  // (20 − 30)/2 rad/s² for 1 s
}

TEST(Motors, FollowASineAndATable) {
  SceneRun sine(wheel("motor: {position: {sine: {amplitude: 0.5, frequency: 2, offset: 0.1}}}"));
  step_to_end(sine, [&](const StepReport& report) {
    EXPECT_NEAR(sine.q(0), 0.1 + 0.5 * std::sin(4 * std::numbers::pi * report.time), 1e-12);
  });
  SceneRun table(wheel("motor: {velocity_deg: {table: [[0, 0], [0.5, 180], [0.6, 0]]}}"));
  step_to_end(table, [&](const StepReport& report) {
    const double t = report.time;
    const double expected = t <= 0.5 ? 2 * t : t <= 0.6 ? (0.6 - t) / 0.1 : 0;
    EXPECT_NEAR(table.v(0), std::numbers::pi * expected, 1e-11) << t;
  });
}

TEST(Wrenches, ActAsTheirSignalSays) {
  SceneRun run(
      wheel("velocity: 0",
            "forces: {t: {type: wrench, body: wheel, torque: 4, over_time: {table: [[0, 0], [1, 1]]}}}\n"));
  step_to_end(run, [&](const StepReport& report) {
    EXPECT_NEAR(run.v(0), report.time * report.time, 1e-13);  // linear in each step: the midpoint is exact
  });
}

TEST(JointFriction, HoldsBelowItsBoundAndSlidesAboveIt) {
  const auto load = [](double torque) {
    return "forces: {t: {type: wrench, body: wheel, torque: " + number_text(torque) + "}}\n";
  };
  SceneRun held(wheel("friction: 3", load(2.999)));
  step_to_end(held);
  EXPECT_EQ(held.q(0), 0);
  SceneRun slides(wheel("friction: 3", load(4)));
  step_to_end(slides, [&](const StepReport& report) { EXPECT_NEAR(slides.v(0), 0.5 * report.time, 1e-12); });
  SceneRun stops(wheel("friction: 3, velocity: 1.2"));
  step_to_end(stops);
  EXPECT_NEAR(stops.v(0), 0, 1e-15);
  EXPECT_NEAR(stops.q(0), 1.2 * 1.2 * 2 / (2 * 3), 0.012);  // to first order
  EXPECT_NEAR(stops.simulation.energy().friction, -0.5 * 2 * 1.2 * 1.2, 1e-12);
}

TEST(Motors, OfAGripperPressWithTheirBound) {
  SceneRun run(R"(
pawl: 1
world: {gravity: [0, 0, 0]}
materials: {rough: {friction: 0.7}}
bodies:
  left: {mass: 0.5, inertia: 0.01, position: [-0.1, 0, 0], joint: {type: prismatic, axis: [1, 0, 0], motor: {velocity: 1, max_force: 12}}, shapes: [{type: box, size: [0.1, 0.1, 0.1]}]}
  right: {mass: 0.5, inertia: 0.01, position: [0.1, 0, 0], joint: {type: prismatic, axis: [-1, 0, 0], motor: {velocity: 1, max_force: 12}}, shapes: [{type: box, size: [0.1, 0.1, 0.1]}]}
  ball: {mass: 0.045, shapes: [{type: sphere, radius: 0.05}]}
forces: {weight: {type: wrench, body: ball, force: [0, 0, -0.44]}}
run: {step: 0.002, until: 2}
)");
  step_to_end(run);
  ASSERT_EQ(run.simulation.contacts().size(), 2u);
  for (const ContactRecord& contact : run.simulation.contacts()) {
    EXPECT_NEAR(contact.impulse[0], 12 * 0.002, 1e-8 * 12 * 0.002);
  }
  EXPECT_NEAR(run.v(4), 0, 1e-12);
}

TEST(Motors, OfAnyStrengthAreCertified) {
  for (const double force : {1e-9, 1e-3, 1e3, 1e9, 1e15}) {
    SceneRun run(wheel("velocity: 0.3, friction: 0.01, upper: 2, motor: {velocity: 5, max_force: " +
                       number_text(force) + "}"));
    step_to_end(run);
  }
}

TEST(ConstraintJointDrives, LimitAndTurnAsThoseOfTrees) {
  SceneRun run(R"(
pawl: 1
world: {dimension: planar, gravity: [0, 0]}
bodies:
  wheel: {mass: 1, inertia: 2}
  slide: {mass: 3, inertia: 1, position: [0, 1]}
joints:
  - {type: revolute, between: [wheel, world], anchor: [0, 0], upper: 0.7, motor: {velocity: 2, max_force: 10}}
  - {type: prismatic, between: [slide, world], anchor: [0, 1], axis: [1, 0], lower: -0.2, friction: 1, motor: {velocity: -1, max_force: 5}}
run: {step: 0.01, until: 1}
)");
  step_to_end(run, [&](const StepReport& report) {
    if (report.time < 0.199) {
      EXPECT_NEAR(run.v(2), 5 * report.time, 1e-10);
    }
  });
  EXPECT_NEAR(run.q(2), 0.7, 1e-12);
  EXPECT_NEAR(run.q(3), -0.2, 1e-12);
}

TEST(ConstraintJointDrives, MotorFollowsItsTargetOverThreeTurns) {
  for (const std::string strength : {"", ", max_force: 10000"}) {
    SceneRun run(R"(
pawl: 1
world: {dimension: planar, gravity: [0, 0]}
bodies: {wheel: {mass: 1, inertia: 2}}
joints:
  - {type: revolute, between: [wheel, world], anchor: [0, 0], motor: {position_deg: {table: [[0, 0], [3, 1080], [6, -360]]})" +
                 strength + "}}\nrun: {step: 0.01, until: 6}\n");
    step_to_end(run, [&](const StepReport& report) {
      if (report.time < 0.05 || std::abs(report.time - 3) < 0.05) return;  // a bounded motor needs some steps
      const double turns = report.time < 3 ? report.time : 3 - 4 * (report.time - 3) / 3;
      EXPECT_NEAR(run.q(2), 2 * std::numbers::pi * turns, 1e-9) << report.time;
    });
  }
}

TEST(ConstraintJointDrives, LimitsLieOnBothSidesOfHalfATurn) {
  for (const double velocity : {3., -3.}) {
    SceneRun run(R"(
pawl: 1
world: {dimension: planar, gravity: [0, 0]}
bodies: {wheel: {mass: 1, inertia: 2}}
joints:
  - {type: revolute, between: [wheel, world], anchor: [0, 0], lower_deg: -20, upper_deg: 300, motor: {max_force: 10, velocity: )" +
                 number_text(velocity) + "}}\nrun: {step: 0.01, until: 4}\n");
    step_to_end(run);
    EXPECT_NEAR(run.q(2), (velocity > 0 ? 300 : -20) * std::numbers::pi / 180, 1e-9);
  }
}

TEST(Springs, OfAnyStiffnessConvergeToStaticEquilibrium) {
  for (const double k : {1e5, 1e9, 1e13}) {
    SceneRun run(R"(
pawl: 1
bodies:
  mass: {mass: 2, inertia: 0.1, position: [0, 0, -1]}
forces:
  spring: {type: spring, from: {body: mass}, to: {body: world}, rest_length: 1, stiffness: )" +
                 number_text(k) + "}\nrun: {step: 0.01, until: 2}\n");
    step_to_end(run);
    EXPECT_NEAR(run.q(2), -1 - 2 * 9.81 / k, 1e-8 * 2 * 9.81 / k + 1e-14) << k;
  }
}

TEST(Springs, ThatStepsResolveKeepTheirEnergy) {
  SceneRun run(R"(
pawl: 1
world: {gravity: [0, 0, 0]}
bodies:
  mass: {mass: 2, inertia: 0.1, position: [1.5, 0, 0]}
forces:
  spring: {type: spring, from: {body: mass}, to: {body: world}, rest_length: 1, stiffness: 200}
run: {step: 0.001, until: 60}
)");
  double worst = 0;
  step_to_end(run, [&](const StepReport& report) {
    worst = std::max(worst, std::abs(report.energy.kinetic + report.energy.potential - 25));
  });
  EXPECT_LT(worst, 0.01 * 25);  // h ω/2 = 0.5 %
}

TEST(Dampers, OfAnyStrengthBringToRest) {
  for (const double d : {1.0, 1e6, 1e12}) {
    SceneRun run(R"(
pawl: 1
world: {gravity: [0, 0, 0]}
bodies:
  mass: {mass: 2, inertia: 0.1, position: [1, 0, 0], velocity: [3, 0, 0]}
forces:
  damper: {type: damper, from: {body: mass}, to: {body: world}, damping: )" +
                 number_text(d) + "}\nrun: {step: 0.01, until: 1}\n");
    step_to_end(run);
    EXPECT_NEAR(run.v(0), d == 1 ? 3 * std::exp(-0.5) : 0, d == 1 ? 0.01 : 1e-3 / d);
    if (d > 1) {
      EXPECT_NEAR(run.simulation.energy().applied, -9, 0.01);
    }
  }
}

}  // namespace
}  // namespace pawl::internal
