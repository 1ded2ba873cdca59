// Motions whose answers are known beforehand, by the two-stage step: closed forms, conserved quantities, and
// the order of convergence.

#include <array>
#include <cmath>
#include <functional>
#include <numbers>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "support.h"

namespace pawl::internal {
namespace {

using test::number_text;
using test::SceneRun;

constexpr double kGravity = 9.81;

std::string run_line(double h, double until) {
  return "run: {method: pawl, step: " + number_text(h) + ", until: " + number_text(until) + "}\n";
}

double energy(const SceneRun& run) {
  return run.simulation.energy().kinetic + run.simulation.energy().potential;
}

/// Runs to the end and expects every step to be certified, without overlap.
void run_certified(SceneRun& run, double max_overlap = 1e-8) {
  run.step_to_end([&](const StepReport& report) {
    ASSERT_TRUE(report.certified()) << report << ": " << report.reason;
    EXPECT_LE(report.gap_violation, max_overlap) << report;
  });
}

// ---- Free motion

TEST(FreeBody, KeepsEnergyAndMomentumWhileItTumblesByTwoRadiansAStep) {
  SceneRun run(
      "pawl: 1\nworld: {gravity: [0, 0, 0]}\nbodies:\n"
      "  stone: {mass: 1, inertia: [1, 2, 3], angular_velocity: [0.1, 20, 0.2]}\n" +
      run_line(0.1, 50));
  const double start = energy(run);
  double worst = 0;
  run.step_to_end([&](const StepReport& report) {
    ASSERT_TRUE(report.certified());
    worst = std::max(worst, std::abs(energy(run) / start - 1));
  });
  EXPECT_LT(worst, 1e-12);
}

TEST(FreeBody, FallsExactlyAlongAParabola) {
  SceneRun run(
      "pawl: 1\nbodies:\n  stone: {mass: 1, inertia: 1, position: [0, 0, 0], velocity: [1, 0, 2]}\n" +
      run_line(0.01, 1));
  run_certified(run);
  EXPECT_NEAR(run.q(0), 1, 1e-13);
  EXPECT_NEAR(run.q(2), 2 - 0.5 * kGravity, 1e-12);
}

TEST(JoinedBodies, FallFreely) {
  SceneRun run(
      "pawl: 1\nbodies:\n"
      "  a: {mass: 1, inertia: 0.1, position: [0, 0, 0]}\n"
      "  b: {mass: 2, inertia: 0.1, position: [1, 0, 0]}\n"
      "joints:\n  - {type: revolute, between: [a, b], anchor: [0.5, 0, 0], axis: [0, 1, 0]}\n" +
      run_line(1e-3, 1));
  run_certified(run);
  EXPECT_NEAR(run.q(2), -0.5 * kGravity, 1e-9);
}

/// Errors of a heavy top that precesses steadily by Ω = 2 rad/s at the tilt θ, with the spin
/// ω₃ = (m g l + I₁ Ω² cos θ)/(I₃ Ω): its centre turns on a circle.
double error_of_heavy_top(double h) {
  const double theta = 0.5, rate = 2, l = 0.1, side = 2e-3, axial = 1e-3, until = 3;
  const double spin = (kGravity * l + (side + l * l) * rate * rate * std::cos(theta)) / (axial * rate);
  const Vec3 axis{std::sin(theta), 0, std::cos(theta)};
  const Vec3 w = Vec3{0, 0, rate} + (spin - rate * std::cos(theta)) * axis, v = cross(w, l * axis);
  const auto text = [](const Vec3& x) {
    return "[" + number_text(x.x) + ", " + number_text(x.y) + ", " + number_text(x.z) + "]";
  };
  SceneRun run("pawl: 1\nbodies:\n  top: {mass: 1, inertia: [2e-3, 2e-3, 1e-3], position: " + text(l * axis) +
               ", orientation: {axis: [0, 1, 0], angle: 0.5}, velocity: " + text(v) + ", angular_velocity: " +
               text(w) + "}\njoints:\n  - {type: ball, between: [top, world], anchor: [0, 0, 0]}\n" +
               run_line(h, until));
  run_certified(run);
  const double angle = rate * until;
  const Vec3 exact{l * std::sin(theta) * std::cos(angle), l * std::sin(theta) * std::sin(angle),
                   l * std::cos(theta)};
  return norm(Vec3{run.q(0), run.q(1), run.q(2)} - exact);
}

TEST(HeavyTop, PrecessesSteadilyWithSecondOrder) {
  const double coarse = error_of_heavy_top(2e-3),
               fine = error_of_heavy_top(5e-4);  // it spins by 1 rad in 2 ms
  EXPECT_LT(coarse, 1e-4);
  EXPECT_LT(fine, coarse / 12);
}

// ---- Rolling and sliding

/// A ball that slides rolls from t = 2 v/(7 μ g) on, with 5/7 of its speed.
TEST(Ball, SlidesUntilItRolls) {
  const double v = 2, mu = 0.2, until = 1;
  SceneRun run("pawl: 1\nmaterials: {m: {friction: " + number_text(mu) +
               "}}\nbodies:\n"
               "  floor: {joint: {type: weld}, shapes: [{type: half-space, material: m}]}\n"
               "  ball: {mass: 1, inertia: 0.004, position: [0, 0, 0.1], velocity: [2, 0, 0],\n"
               "         shapes: [{type: sphere, radius: 0.1, material: m}]}\n" +
               run_line(0.01, until));
  run_certified(run);
  const double rolls = 2 * v / (7 * mu * kGravity);
  const double x = v * rolls - 0.5 * mu * kGravity * rolls * rolls + 5.0 / 7 * v * (until - rolls);
  EXPECT_NEAR(run.v(0), 5.0 / 7 * v, 1e-9);
  EXPECT_NEAR(run.q(0), x, 1e-5);
}

std::string disc_scene(double h, double until) {
  // A thin disc, tilted by 60°, rolls in a circle.
  const double radius = 0.1, tilt = std::numbers::pi / 3;
  return "pawl: 1\nmaterials: {m: {friction: 5}}\nbodies:\n"
         "  floor: {joint: {type: weld}, shapes: [{type: half-space, material: m}]}\n"
         "  disc: {mass: 1, inertia: [0.0025, 0.0025, 0.005], position: [0, 0, " +
         number_text(radius * std::sin(tilt) + 5e-8 * std::cos(tilt)) +
         "],\n         orientation: {axis: [1, 0, 0], angle: " + number_text(tilt) +
         "}, velocity: [-0.85, 0, 0], angular_velocity: [0, " + number_text(-4 * std::sqrt(3)) +
         ", 5],\n         shapes: [{type: cylinder, radius: 0.1, height: 1e-7, material: m}]}\n" +
         run_line(h, until);
}

TEST(RollingDisc, KeepsItsEnergy) {
  SceneRun run(disc_scene(4e-3, 2));
  const double start = energy(run);
  run_certified(run);
  EXPECT_NEAR(energy(run) / start, 1, 1e-6);
}

TEST(RollingDisc, MovesWithSecondOrder) {
  const auto end = [](double h) {
    SceneRun run(disc_scene(h, 0.4));
    run_certified(run);
    return std::pair(run.q(0), run.q(1));
  };
  const auto a = end(4e-3), b = end(2e-3), c = end(1e-3);
  const double coarse = std::hypot(a.first - b.first, a.second - b.second);
  const double fine = std::hypot(b.first - c.first, b.second - c.second);
  EXPECT_NEAR(std::log2(coarse / fine), 2, 0.15);
}

std::string ellipsoid_scene(double h, double mu) {
  return "pawl: 1\nmaterials: {m: {friction: " + number_text(mu) +
         "}}\nbodies:\n"
         "  floor: {joint: {type: weld}, shapes: [{type: half-space, material: m}]}\n"
         "  stone: {mass: 1, inertia: [0.01, 0.02, 0.025], position: [0, 0, 0.1],\n"
         "          velocity: [0.3, -0.05, 0], angular_velocity: [0.5, 3, 1],\n"
         "          shapes: [{type: ellipsoid, semi_axes: [0.2, 0.15, 0.1], material: m}]}\n" +
         run_line(h, 2);
}

TEST(RockingEllipsoid, KeepsItsEnergyWithAndWithoutFriction) {
  for (const double mu : {0.0, 10.0}) {
    SceneRun run(ellipsoid_scene(4e-3, mu));
    const double start = energy(run), kinetic = run.simulation.energy().kinetic;
    run_certified(run);
    EXPECT_NEAR(energy(run), start, 5e-4 * kinetic) << mu;
  }
}

// ---- Impacts

/// A box, tilted by 0.1°, lands on one corner and 0.3 ms later on the other. Without friction the impulse at
/// a corner x from the centre of mass is p = −(1 + e) u/(1/m + x²/I).
TEST(TiltedBox, LandsOnOneCornerAndThenOnTheOther) {
  const double half = 0.1, tilt = 0.1 * std::numbers::pi / 180, e = 0.8, mass = 1;
  const double inertia = mass * (4 * half * half) / 6;
  for (const double h : {1e-2, 1e-3, 1e-4}) {
    SceneRun run(
        "pawl: 1\nworld: {dimension: planar, gravity: [0, 0]}\n"
        "materials: {m: {friction: 0, restitution: 0.8}}\nbodies:\n"
        "  floor: {joint: {type: weld}, shapes: [{type: half-plane, material: m}]}\n"
        "  box: {mass: 1, inertia: " +
        number_text(inertia) + ", position: [0, 0.11], angle: " + number_text(tilt) +
        ", velocity: [0, -1],\n"
        "        shapes: [{type: box, size: [0.2, 0.2], material: m}]}\n" +
        run_line(h, 0.02));
    run_certified(run);
    // The corners at height 0, at rotation a: x = ∓half cos a + half sin a.
    const auto strike = [&](double x, double& v, double& w) {
      const double p = -(1 + e) * (v + w * x) / (1 / mass + x * x / inertia);
      v += p / mass;
      w += p * x / inertia;
    };
    double v = -1, w = 0, a = tilt;
    strike(-half * std::cos(a) + half * std::sin(a), v, w);
    EXPECT_LT(w, 0);
    // The other corner closes: its height is y + half (sin a − cos a) with the first at height 0 at the
    // start.
    double y = half * (std::cos(a) + std::sin(a)), t = 0;
    const auto height = [&](double time) {
      return y + v * time + half * (std::sin(a + w * time) - std::cos(a + w * time));
    };
    double low = 0, high = 1e-3;
    ASSERT_LT(height(high), 0);
    for (int i = 0; i < 100; ++i) (height(t = 0.5 * (low + high)) > 0 ? low : high) = t;
    a += w * t;
    strike(half * std::cos(a) + half * std::sin(a), v, w);
    EXPECT_NEAR(run.v(1), v, 1e-6) << h;
    EXPECT_NEAR(run.v(2), w, 1e-5) << h;
  }
}

/// [Housner1963]: a slender block that rocks loses speed at each impact, ω⁺/ω⁻ = 1 − (3/2) sin²α.
TEST(RockingBlock, LosesHousnersShareOfItsSpeed) {
  const double alpha = std::atan(0.25), height = 1, width = 0.25, tilt = 0.1;
  const double r = 0.5 * std::hypot(height, width),
               angle = tilt - alpha;  // of the diagonal from the vertical
  const double x = r * std::sin(-angle), y = r * std::cos(angle);
  SceneRun run(
      "pawl: 1\nworld: {dimension: planar}\nmaterials: {m: {friction: 10}}\nbodies:\n"
      "  floor: {joint: {type: weld}, shapes: [{type: half-plane, material: m}]}\n"
      "  block: {mass: 1, inertia: " +
      number_text((height * height + width * width) / 12) + ", position: [" + number_text(-x) + ", " +
      number_text(y) + "], angle: " + number_text(-tilt) +
      ",\n          shapes: [{type: box, size: [0.25, 1], material: m}]}\n" + run_line(0.01, 1.5));
  int impacts = 0;
  double ratio = 0;
  EnergyLedger before = run.simulation.energy();
  run.step_to_end([&](const StepReport& report) {
    ASSERT_TRUE(report.certified()) << report << ": " << report.reason;
    const EnergyLedger& now = report.energy;
    if (impacts == 0 && report.impacts > 0) {
      // The block sticks, so all the work since the last step is that of the impact.
      const double lost = before.normal + before.friction - now.normal - now.friction;
      ratio = std::sqrt(now.kinetic / (now.kinetic + lost));
    }
    impacts += report.impacts;
    before = now;
  });
  ASSERT_GE(impacts, 1);
  EXPECT_NEAR(ratio, 1 - 1.5 * std::sin(alpha) * std::sin(alpha), 1e-5);
}

// ---- Starts that break the laws

TEST(BallInTheFloor, IsPartedAtABoundedSpeedAndKeepsNone) {
  SceneRun run(
      "pawl: 1\nmaterials: {m: {friction: 0.5}}\nbodies:\n"
      "  floor: {joint: {type: weld}, shapes: [{type: half-space, material: m}]}\n"
      "  ball: {mass: 1, inertia: 0.004, position: [0, 0, 0.06],\n"
      "         shapes: [{type: sphere, radius: 0.1, material: m}]}\n" +
      run_line(1e-3, 0.5));
  double fastest = 0;
  run.step_to_end([&](const StepReport&) { fastest = std::max(fastest, std::abs(run.v(2))); });
  EXPECT_LT(fastest, 1e-6);
  EXPECT_NEAR(run.q(2), 0.1, 1e-9);
}

// ---- Linkages

/// A heavy bob on two light links: a step that is too long for the whip of the links is divided.
TEST(HeavyBobOnLightLinks, KeepsItsEnergy) {
  for (const double h : {1e-2, 1e-3}) {
    SceneRun run(
        "pawl: 1\nworld: {dimension: planar}\nbodies:\n"
        "  a: {position: [0.1, 0.95], mass: 0.1, inertia: 1e-4}\n"
        "  b: {position: [0.2, 0.8], mass: 0.2, inertia: 4e-4}\n"
        "  bob: {position: [0.3, 0.65], mass: 10, inertia: 0.02}\n"
        "joints:\n"
        "  - {type: distance, between: [a, world], anchor: [0.1, 0.95], second_anchor: [0, 1]}\n"
        "  - {type: revolute, between: [b, a], anchor: [0.2, 0.9]}\n"
        "  - {type: distance, between: [bob, b], anchor: [0.3, 0.65], second_anchor: [0.2, 0.8]}\n" +
        run_line(h, 1));
    const double start = energy(run);
    double worst_energy = 0, worst_joint = 0;
    run.step_to_end([&](const StepReport& report) {
      worst_energy = std::max(worst_energy, std::abs(energy(run) - start));
      worst_joint = std::max(worst_joint, report.joint_violation);
    });
    EXPECT_LT(worst_energy, 0.01 * start) << h;
    EXPECT_LT(worst_joint, 1e-9) << h;
  }
}

TEST(OverlappingBoxes, PartAndKeepNoSpeed) {
  SceneRun run(
      "pawl: 1\nworld: {gravity: [0, 0, 0]}\nmaterials: {m: {friction: 0.5}}\nbodies:\n"
      "  a: {mass: 1, shapes: [{type: box, size: [0.2, 0.2, 0.2]}]}\n"
      "  b: {mass: 3, position: [0.18, 0.01, 0.02], orientation: {rpy: [0, 0, 0.1]}, "
      "shapes: [{type: box, size: [0.2, 0.2, 0.2]}]}\n" +
      run_line(1e-3, 0.05));
  int steps = 0;
  run.step_to_end([&](const StepReport& report) {
    ASSERT_TRUE(report.certified()) << report << ": " << report.reason;
    ++steps;
  });
  EXPECT_LT(steps, 60);
  EXPECT_LT(run.simulation.energy().friction, 1e-4);
  EXPECT_LT(energy(run), 1e-3);  // 0.5 J if they kept the speed at which they are parted
}

/// A trunk on a springy leg (period 0.2 s) whose foot starts 18 mm in the floor. Lifted in 0.18 s, it
/// overshoots by 18 mm sin(0.9 π)/(0.9 π) = 2 mm. Lifted at once, it would hop by 18 mm more.
TEST(FootInTheFloor, IsLiftedSoSlowlyThatTheTrunkDoesNotHop) {
  SceneRun run(
      "pawl: 1\nmaterials: {m: {friction: 0.5}}\nbodies:\n"
      "  floor: {joint: {type: weld}, shapes: [{type: half-space}]}\n"
      "  trunk: {mass: 10, inertia: 0.1, position: [0, 0, 0.302], "
      "joint: {type: prismatic, axis: [0, 0, 1]}}\n"
      "  foot: {mass: 0.1, inertia: 1e-4, position: [0, 0, 0.002], "
      "joint: {type: prismatic, axis: [0, 0, 1]}, shapes: [{type: sphere, radius: 0.02}]}\n"
      "forces:\n"
      "  leg: {type: spring, from: {body: foot}, to: {body: trunk}, stiffness: 9810, rest_length: 0.31}\n"
      "  damper: {type: damper, from: {body: foot}, to: {body: trunk}, damping: 60}\n" +
      run_line(2e-3, 1));
  double highest = 0;
  run.step_to_end([&](const StepReport& report) {
    ASSERT_TRUE(report.certified()) << report << ": " << report.reason;
    highest = std::max(highest, run.q(0));
  });
  EXPECT_LT(highest, 0.0205);
  EXPECT_NEAR(run.q(0), 0.018, 1e-3);
  EXPECT_NEAR(run.q(1), 0.018, 1e-9);
}

/// A joint that starts beyond its limit goes back at 1 rad/s, and stops there.
TEST(JointBeyondItsLimit, IsPushedBack) {
  SceneRun run(
      "pawl: 1\nworld: {gravity: [0, 0, 0]}\nbodies:\n"
      "  rod: {mass: 1, inertia: 0.1, position: [1, 0, 0], joint: {type: revolute, anchor: [0, 0, 0], "
      "axis: [0, 1, 0], position: 1, upper: 0.5}}\n" +
      run_line(2e-3, 1));
  run_certified(run);
  EXPECT_NEAR(run.q(0), 0.5, 1e-12);
  EXPECT_NEAR(run.v(0), 0, 1e-12);
}

/// A ball that rolls 10 nm deep in the floor, 10⁻⁷ of its radius, as where a scene rounds its numbers: no
/// work lifts it.
TEST(OverlapOfRounding, StaysAndTakesNoEnergy) {
  SceneRun run(
      "pawl: 1\nmaterials: {m: {friction: 0.5}}\nbodies:\n"
      "  floor: {joint: {type: weld}, shapes: [{type: half-space}]}\n"
      "  ball: {mass: 1, position: [0, 0, 0.09999999], velocity: [1, 0, 0], angular_velocity: [0, 10, 0], "
      "shapes: [{type: sphere, radius: 0.1}]}\n" +
      run_line(2e-3, 0.2));
  const double before = energy(run), height = run.q(2);
  run_certified(run, 2e-8);
  EXPECT_NEAR(run.q(2), height, 1e-14);
  EXPECT_NEAR(energy(run), before, 1e-9 * before);
}

/// Two equal wheels whose gear does not fit the angles of the start: each turns by half of the error, at
/// ½ rad/s, since the error closes at 1 rad/s. Nothing moves afterwards.
TEST(JointWithAnErrorAtTheStart, ClosesAtABoundedSpeed) {
  SceneRun run(
      "pawl: 1\nworld: {gravity: [0, 0, 0]}\nbodies:\n"
      "  a: {mass: 1, inertia: 0.1, joint: {type: revolute, anchor: [0, 0, 0], axis: [0, 0, 1], position: "
      "0.4}}\n"
      "  b: {mass: 1, inertia: 0.1, position: [1, 0, 0], joint: {type: revolute, anchor: [1, 0, 0], "
      "axis: [0, 0, 1]}}\n"
      "joints:\n  - {type: coupling, between: [a, b], ratio: -1}\n" +
      run_line(2e-3, 1));
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(run.simulation.step().certified());
  EXPECT_NEAR(run.q(0), 0.3, 1e-9);
  EXPECT_NEAR(run.q(1), -0.1, 1e-9);
  run_certified(run);
  EXPECT_NEAR(run.q(0), 0.2, 1e-9);
  EXPECT_NEAR(run.q(1), -0.2, 1e-9);
  EXPECT_NEAR(run.v(0), 0, 1e-9);
  EXPECT_NEAR(energy(run), 0, 1e-12);
}

// ---- Forces and impulses

TEST(Damper, BrakesWithSecondOrder) {
  const auto error = [](double h) {
    SceneRun run(
        "pawl: 1\nworld: {gravity: [0, 0, 0]}\nbodies:\n"
        "  b: {mass: 2, inertia: 1, position: [1, 0, 0], velocity: [3, 0, 0]}\n"
        "forces: {d: {type: damper, from: {body: b}, to: {body: world}, damping: 1}}\n" +
        run_line(h, 1));
    run_certified(run);
    return std::abs(run.v(0) - 3 * std::exp(-0.5));
  };
  const double coarse = error(0.02), fine = error(0.01);
  EXPECT_LT(coarse, 1e-4);
  EXPECT_NEAR(coarse / fine, 4, 0.5);
}

/// m Δv = Σ p + m g Δt for each body and step, from the records alone; steps and impacts have other axes.
TEST(TwoBoxes, HaveRecordedImpulsesThatAddUp) {
  SceneRun run(
      "pawl: 1\nmaterials: {m: {friction: 0.5, restitution: 0.3}}\nbodies:\n"
      "  floor: {joint: {type: weld}, shapes: [{type: half-space}]}\n"
      "  a: {mass: 1, position: [0, 0, 0.06], shapes: [{type: box, size: [0.1, 0.1, 0.1]}]}\n"
      "  b: {mass: 1, position: [0.01, 0, 0.17], shapes: [{type: box, size: [0.1, 0.1, 0.1]}]}\n" +
      run_line(5e-3, 0.5));
  std::vector<double> before = run.simulation.state().v;
  double time = 0;
  int impacts = 0;
  run.step_to_end([&](const StepReport& report) {
    ASSERT_TRUE(report.certified()) << report;
    impacts += report.impacts;
    std::array<Vec3, 2> impulse;  // of a and b
    for (const ContactRecord& c : run.simulation.contacts()) {
      const Vec3 p =
          c.impulse[0] * c.normal + c.impulse[1] * c.tangent + c.impulse[2] * cross(c.normal, c.tangent);
      if (c.body_a >= 2) impulse[c.body_a - 2] = impulse[c.body_a - 2] + p;
      if (c.body_b >= 2) impulse[c.body_b - 2] = impulse[c.body_b - 2] - p;
    }
    for (int i = 0; i < 2; ++i) {
      const Vec3 change{run.v(6 * i) - before[6 * i], run.v(6 * i + 1) - before[6 * i + 1],
                        run.v(6 * i + 2) - before[6 * i + 2]};
      const Vec3 weight{0, 0, -kGravity * (report.time - time)};
      EXPECT_LT(norm(change - weight - impulse[i]), 1e-13) << report.time << ' ' << i;
    }
    before = run.simulation.state().v;
    time = report.time;
  });
  EXPECT_GT(impacts, 5);
}

}  // namespace
}  // namespace pawl::internal
