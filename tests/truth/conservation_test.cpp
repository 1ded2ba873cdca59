// Momentum, energy and laws that every step must keep, in scenes where one of them was once broken.

#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include <pawl/error.h>
#include <pawl/model/dynamics.h>

#include "support.h"

namespace pawl::internal {
namespace {

using test::SceneRun;

Momentum momentum(const SceneRun& run) {
  Kinematics k;
  position_kinematics(run.model, run.simulation.state().q, k);
  velocity_kinematics(run.model, run.simulation.state().v, k);
  return internal::momentum(run.model, k);
}

/// What the columns of the ledger do not explain, J.
double unexplained(const EnergyLedger& start, const EnergyLedger& now) {
  return now.kinetic + now.potential - start.kinetic - start.potential - now.normal - now.stabilisation -
         now.friction - now.joints - now.limits - now.motors - now.applied - now.discretisation -
         now.imbalance;
}

TEST(FreeTree, KeepsItsMomentumWhileItsLinksTurn) {
  SceneRun run(
      "pawl: 1\nworld: {gravity: [0, 0, 0]}\nbodies:\n"
      "  a: {mass: 1, inertia: [0.01, 0.02, 0.03], velocity: [1, 2, 3], angular_velocity: [5, -4, 3]}\n"
      "  b: {mass: 0.5, inertia: [0.003, 0.004, 0.002], position: [0.3, 0, 0],\n"
      "      joint: {type: revolute, parent: a, anchor: [0.15, 0, 0], axis: [0, 1, 0.3], velocity: 12}}\n"
      "  c: {mass: 0.3, inertia: [0.001, 0.002, 0.002], position: [0.6, 0, 0],\n"
      "      joint: {type: ball, parent: b, anchor: [0.45, 0, 0]}}\n"
      "run: {step: 5ms, until: 2}\n");
  const Momentum start = momentum(run);
  const double energy = run.simulation.energy().kinetic;
  run.step_to_end([&](const StepReport& report) { ASSERT_TRUE(report.certified()) << report; });
  EXPECT_LT(norm(momentum(run).linear - start.linear), 1e-12 * norm(start.linear));
  EXPECT_LT(norm(momentum(run).angular - start.angular), 1e-11 * norm(start.angular));
  EXPECT_NEAR(run.simulation.energy().kinetic, energy, 1e-4 * energy);
}

TEST(TwoCones, KeepTheirAngularMomentumWhereTheyStrike) {
  SceneRun run(
      "pawl: 1\nworld: {gravity: [0, 0, 0]}\nmaterials: {m: {friction: 0}}\nbodies:\n"
      "  a: {position: [-0.46, 0.23, 0.11], mass: 0.82, shapes: [{type: cone, radius: 0.047, height: "
      "0.059}]}\n"
      "  b: {position: [0, 0, 0.11], orientation: {quaternion: [-0.46, -0.13, -0.085, -0.87]}, velocity: [0, "
      "0, 0.14],\n"
      "      shapes: [{type: cone, radius: 0.029, height: 0.069, density: 46000}]}\n"
      "forces:\n  s: {type: spring, from: {body: a, point: [0.015, -0.0012, 0.017]}, stiffness: 210, "
      "rest_length: 0.096,\n"
      "      to: {body: b, point: [0.014, -0.02, -0.0036]}}\n"
      "run: {step: 8.5ms, until: 0.55}\n");
  const Momentum start = momentum(run);
  int impacts = 0;
  run.step_to_end([&](const StepReport& report) {
    ASSERT_TRUE(report.certified()) << report;
    EXPECT_LT(norm(momentum(run).angular - start.angular), 1e-12);
    EXPECT_LE(report.gap_violation, 1e-8);
    impacts += report.impacts;
  });
  EXPECT_GT(impacts, 0);
  EXPECT_NEAR(run.simulation.time(), 65 * 8.5e-3, 1e-12);  // the first multiple of the step after 0.55 s
}

TEST(Ledger, ClosesWhereSeveralImpactsFallInOneStep) {
  SceneRun run(
      "pawl: 1\nmaterials: {m: {friction: 0}}\nbodies:\n"
      "  ground: {joint: {type: weld}, shapes: [{type: box, size: [1.4, 1.4, 0.064], position: [0, 0, "
      "-0.032]}]}\n"
      "  b: {position: [0.15, 0.3, 0.076], orientation: {quaternion: [-0.12, 0.67, -0.73, -0.051]}, mass: "
      "0.23,\n"
      "      shapes: [{type: frustum, radius: 0.02, height: 0.071, top_radius: 0.024}]}\n"
      "run: {step: 2.4ms, until: 0.48}\n");
  const EnergyLedger start = run.simulation.energy();
  run.step_to_end(
      [&](const StepReport& report) { EXPECT_NEAR(unexplained(start, report.energy), 0, 1e-12) << report; });
}

TEST(PlanarImpact, HasFrictionWithinItsSet) {
  SceneRun run(
      "pawl: 1\nworld: {dimension: planar}\nmaterials: {a: {friction: 0.5}, b: {friction: 0.5}}\n"
      "pairs: [{between: [a, b], friction: 0.14, friction_set: {type: planar, e_t: 0.46}}]\nbodies:\n"
      "  ground: {joint: {type: weld}, shapes: [{type: half-plane, material: a}]}\n"
      "  disc: {position: [0, 0.15], angular_velocity: -20, shapes: [{type: disc, radius: 0.1, material: b, "
      "density: 200}]}\n"
      "run: {step: 3ms, until: 0.2}\n");
  double slides = 0;
  run.step_to_end([&](const StepReport&) {
    for (const ContactRecord& contact : run.simulation.contacts()) {
      EXPECT_LE(std::abs(contact.impulse[1]), 0.14 * 0.46 * contact.impulse[0] * (1 + 1e-9) + 1e-15);
      slides = std::max(slides, std::abs(contact.impulse[1]));
    }
  });
  EXPECT_GT(slides, 0);
}

// The table moves by more than its thickness in a step: contacts of such fast bodies are swept.
TEST(BallOnALargeTurntable, RollsWithoutFrictionWork) {
  SceneRun run(
      "pawl: 1\nmaterials: {wood: {friction: 0.5}}\nbodies:\n"
      "  table: {mass: 10, inertia: 10, shapes: [{type: cylinder, radius: 5, height: 0.1, position: [0, 0, "
      "-0.05]}],\n"
      "      joint: {type: revolute, anchor: [0, 0, 0], axis: [0, 0, 1], velocity: 2, motor: {velocity: "
      "2}}}\n"
      "  ball: {mass: 1, inertia: 4e-3, position: [1, 0, 0.1], velocity: [0.3, 0.2, 0], angular_velocity: "
      "[18, 3, 0],\n"
      "      shapes: [{type: sphere, radius: 0.1}]}\n"
      "run: {step: 12.5ms, until: 1}\n");
  run.step_to_end([&](const StepReport& report) {
    ASSERT_TRUE(report.certified()) << report;
    EXPECT_NEAR(report.energy.friction, 0, 1e-12);
  });
}

// An ellipse with its mass off centre rolls, leaves the ground and turns on: without an impulse its spin is
// constant.
TEST(LeavingContact, LeavesNoSpinBehind) {
  SceneRun run(
      "pawl: 1\nworld: {dimension: planar}\nmaterials: {m: {friction: 0}}\nbodies:\n"
      "  ground: {joint: {type: weld}, shapes: [{type: half-plane}]}\n"
      "  b: {position: [0.7, 0.3], angle: 0.85, mass: 16, inertia: 0.052, center_of_mass: [-0.019, 0.018],\n"
      "      shapes: [{type: ellipse, semi_axes: [0.047, 0.092], margin: 0.0088}]}\n"
      "run: {step: 5.8ms, until: 0.45}\n");
  int flights = 0;
  double spin = run.v(2);
  run.step_to_end([&](const StepReport& report) {
    ASSERT_TRUE(report.certified()) << report;
    double pressed = 0;
    for (const ContactRecord& contact : run.simulation.contacts()) pressed += std::abs(contact.impulse[0]);
    if (pressed == 0) {
      EXPECT_NEAR(run.v(2), spin, 1e-12 * std::abs(spin));
      ++flights;
    }
    spin = run.v(2);
  });
  EXPECT_GT(flights, 0);
}

TEST(Impacts, LetFrictionTakeEnergyOnly) {
  for (const char* law : {"energetic", "poisson"}) {
    SceneRun run(
        std::string(
            "pawl: 1\nworld: {dimension: planar}\nmaterials: {m: {friction: 0.6, restitution: 0.3}}\n") +
        "pairs: [{between: [m, m], restitution_law: " + law +
        "}]\nbodies:\n  floor: {joint: {type: weld}, shapes: [{type: half-plane}]}\n"
        "  b0: {mass: 1, position: [0.00, 0.06], shapes: [{type: box, size: [0.1, 0.1]}]}\n"
        "  b1: {mass: 1, position: [0.01, 0.17], shapes: [{type: box, size: [0.1, 0.1]}]}\n"
        "  b2: {mass: 1, position: [0.02, 0.28], shapes: [{type: box, size: [0.1, 0.1]}]}\n"
        "run: {step: 5ms, until: 0.5}\n");
    const double fall = 0.5 * 3 * std::pow(9.81 * 5e-3, 2);  // J: of the boxes in a step
    double friction = 0, energy = run.simulation.energy().kinetic + run.simulation.energy().potential;
    run.step_to_end([&](const StepReport& report) {
      ASSERT_TRUE(report.certified()) << report << ": " << report.reason;
      EXPECT_LE(report.energy.friction, friction) << law;
      const double now = report.energy.kinetic + report.energy.potential;
      EXPECT_LE(now, energy + 1e-4 * std::max(report.energy.kinetic, fall)) << law;
      friction = report.energy.friction;
      energy = now;
    });
    EXPECT_LT(friction, 0) << law;
  }
}

TEST(PainlevesRod, IsToldToBeAmbiguous) {
  const char* rod =
      "pawl: 1\nworld: {dimension: planar}\nmaterials: {m: {friction: 2.5}}\nbodies:\n"
      "  ground: {joint: {type: weld}, shapes: [{type: half-plane}]}\n"
      "  rod: {mass: 1, inertia: 0.0833, position: [0, 0.40], angle: 0.93, velocity: [-3, 0],\n"
      "      shapes: [{type: capsule, radius: 0.001, length: 1}]}\n"
      "run: {step: 1ms, until: 0.001}\n";
  Scene scene = parse_scene(rod, "rod.yaml");
  // The lower end just touches the ground.
  scene.bodies[1].position.y = 0.5 * std::sin(0.93) + 0.001;
  SceneRun steep(scene);
  EXPECT_EQ(steep.simulation.step().ambiguous, 1);
  scene.materials[0].friction = 0.3;
  SceneRun slippery(scene);
  EXPECT_EQ(slippery.simulation.step().ambiguous, 0);
}

TEST(MotorAgainstAWeld, HasNoSolutionAndIsNamed) {
  SceneRun run(
      "pawl: 1\nworld: {dimension: planar}\nbodies:\n  arm: {position: [0.1, 0], mass: 1, inertia: 0.01,\n"
      "      joint: {type: revolute, anchor: [0, 0], motor: {velocity: 3}}}\n"
      "joints: [{type: weld, between: [arm, world], anchor: [0.2, 0]}]\nrun: {step: 1ms, until: 0.1}\n");
  const StepReport report = run.simulation.step();
  EXPECT_EQ(report.status, Status::refused);
  EXPECT_EQ(report.reason, "unbounded motor against a joint");
  EXPECT_EQ(run.model.body_names[report.body_a], "arm");
}

const std::string kTumbling =
    "pawl: 1\nmaterials: {m: {friction: 0}}\nbodies:\n  floor: {joint: {type: weld}, shapes: [{type: "
    "half-space}]}\n"
    "  egg: {mass: 1, position: [0, 0, 0.1], orientation: {quaternion: [1, 0.3, 0.2, 0]}, angular_velocity: "
    "[4, 6, 1],\n"
    "      shapes: [{type: ellipsoid, semi_axes: [0.05, 0.07, 0.1]}]}\n";

TEST(Accuracy, ChoosesStepsThatKeepTheEnergy) {
  double last_error = 1;
  int last_steps = 0;
  for (const char* accuracy : {"1e-4", "1e-6", "1e-8"}) {
    SceneRun run(kTumbling + "run: {step: 10ms, until: 0.5, accuracy: " + accuracy + "}\n");
    int steps = 0;
    run.step_to_end([&](const StepReport& report) {
      ASSERT_TRUE(report.certified()) << report;
      EXPECT_LE(report.local_error, std::stod(accuracy));
      ++steps;
    });
    const double error = std::abs(run.simulation.energy().discretisation);
    EXPECT_LT(error, 0.3 * last_error);
    EXPECT_GT(steps, last_steps);
    last_error = error;
    last_steps = steps;
  }
}

TEST(Accuracy, IsForTheDefaultMethodOnly) {
  EXPECT_THROW(SceneRun(kTumbling + "run: {method: stewart-trinkle, accuracy: 1e-4}\n"), Error);
}

// The first-order methods are certified for their own problem; their motion is measured by the same bounds.
TEST(FirstOrderMethods, TellWhatTheirMotionLacks) {
  SceneRun run(kTumbling + "run: {method: stewart-trinkle, step: 5ms, until: 0.3}\n");
  int lacking = 0;
  run.step_to_end([&](const StepReport& report) { lacking += report.motion.empty() ? 0 : 1; });
  EXPECT_GT(lacking, 0);
}

TEST(StepReport, HasTheTimesOfTheStages) {
  SceneRun run(kTumbling + "run: {step: 5ms, until: 0.3}\n");
  StageTimes sum;
  run.step_to_end([&](const StepReport& report) {
    sum.positions += report.times.positions;
    sum.velocities += report.times.velocities;
    sum.verify += report.times.verify;
  });
  EXPECT_GT(sum.positions, 0);
  EXPECT_GT(sum.velocities, 0);
  EXPECT_GT(sum.verify, 0);
}

}  // namespace
}  // namespace pawl::internal
