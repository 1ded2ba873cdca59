// Invariants of every motion: momentum, energy, order of bodies, bits.

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <thread>

#include <gtest/gtest.h>

#include <pawl/model/dynamics.h>

#include "support.h"

namespace pawl::internal {
namespace step_test {

using test::SceneRun;

Momentum momentum_now(const SceneRun& run) {
  Kinematics k;
  position_kinematics(run.model, run.simulation.state().q, k);
  velocity_kinematics(run.model, run.simulation.state().v, k);
  return momentum(run.model, k);
}

Scene floating(int balls, unsigned seed, double friction) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> unit(-1, 1);
  Scene scene;
  scene.file = "test";
  scene.gravity = {};
  scene.materials.push_back({"plain", friction, 0});
  for (int i = 0; i < balls; ++i) {
    SceneBody body;
    body.name = "body" + std::to_string(i);
    const double mass = std::exp(2 * unit(random));
    body.mass = mass;
    body.inertia = mass * Mat3::diagonal({0.003, 0.004, 0.005});
    body.position = {0.5 * i, 0.05 * unit(random), 0.05 * unit(random)};
    body.velocity = {-body.position.x, 0.02 * unit(random), 0.02 * unit(random)};
    body.angular_velocity = {3 * unit(random), 3 * unit(random), 3 * unit(random)};
    SceneShape shape;
    shape.radius = 0.1;
    shape.material = "plain";
    body.shapes.push_back(shape);
    scene.bodies.push_back(body);
  }
  scene.run.step = 0.01;
  scene.run.until = 2;
  return scene;
}

TEST(Momentum, OfATumblingFreeBodyIsConserved) {
  Scene scene = floating(1, 3, 0);
  scene.bodies[0].inertia = Mat3::diagonal({1, 2, 2.5});
  scene.bodies[0].angular_velocity = {0.1, 5, 0.2};  // about the unstable axis
  scene.bodies[0].velocity = {1, 2, 3};
  scene.run.until = 100;
  SceneRun run(std::move(scene));
  const Momentum before = momentum_now(run);
  run.step_to_end([](const StepReport& report) { ASSERT_TRUE(report.certified()); });
  const Momentum after = momentum_now(run);
  EXPECT_EQ(before.linear, after.linear);
  // About the centre of mass: about the origin, the rounding of x × p would dominate.
  const Vec3 x0 = run.scene.bodies[0].position;
  const Vec3 x1{run.q(0), run.q(1), run.q(2)};
  const Vec3 spin_before = before.angular - cross(x0, before.linear),
             spin_after = after.angular - cross(x1, after.linear);
  EXPECT_LT(norm(spin_after - spin_before), 1e-12 * norm(spin_before));
}

// A racket as one body, and as two halves welded together.
TEST(Momentum, DoesNotDependOnHowARigidBodyIsWritten) {
  const auto racket = [](bool welded) {
    Scene scene = floating(1, 3, 0);
    SceneBody& body = scene.bodies[0];
    body.inertia.reset();
    body.mass.reset();
    body.position = {};
    body.angular_velocity = {0.1, 5, 0.2};
    body.shapes.clear();
    const auto ball = [](const Vec3& position, double radius) {
      SceneShape shape;
      shape.radius = radius;
      shape.material = "plain";
      shape.position = position;
      shape.density = 1000;
      return shape;
    };
    const SceneShape parts[] = {ball({0, 0, 0}, 0.1), ball({0.5, 0, 0}, 0.06), ball({0, 0.2, 0}, 0.08)};
    body.shapes = {parts[0], parts[1]};
    if (!welded) {
      body.shapes.push_back(parts[2]);
    } else {
      SceneBody half;
      half.name = "half";
      half.joint.kind = JointKind::weld;
      half.joint.parent = body.name;
      half.position = parts[2].position;
      half.shapes = {ball({}, 0.08)};
      scene.bodies.push_back(half);
    }
    scene.run.until = 10;
    SceneRun run(std::move(scene));
    // The scene's velocity is that of the first body's own centre: start both from the same state.
    State start = run.simulation.state();
    for (int i = 0; i < 3; ++i) start.v[i] = i + 1;
    run.simulation.reset(start);
    const double energy = run.simulation.energy().kinetic;
    run.step_to_end([](const StepReport& report) { ASSERT_TRUE(report.certified()); });
    EXPECT_NEAR(run.simulation.energy().kinetic, energy, 1e-3 * energy);
    return run.simulation.state();
  };
  const State one = racket(false), two = racket(true);
  ASSERT_EQ(one.q.size(), two.q.size());
  for (std::size_t i = 0; i < one.q.size(); ++i) EXPECT_NEAR(one.q[i], two.q[i], 1e-9);
}

TEST(Momentum, OfCollidingBodiesIsConserved) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    SceneRun run(floating(4, seed, 0.5));
    const Momentum before = momentum_now(run);
    double size = 0;
    for (int i = 0; i < 4; ++i) size += *run.scene.bodies[i].mass * norm(run.scene.bodies[i].velocity);
    bool touched = false;
    run.step_to_end([&](const StepReport& report) {
      ASSERT_TRUE(report.certified()) << report;
      touched |= report.contacts > 0;
    });
    EXPECT_TRUE(touched);
    EXPECT_LT(norm(momentum_now(run).linear - before.linear), 1e-12 * size) << "seed " << seed;
  }
}

TEST(Energy, LedgerClosesAndContactsNeverGainEnergy) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    SceneRun run(floating(4, seed, 0.5));
    double last_work = 0;
    const double start = run.simulation.energy().kinetic;
    run.step_to_end([&](const StepReport& report) {
      const EnergyLedger& e = report.energy;
      EXPECT_LT(std::abs(e.imbalance), 1e-10 * start);  // of impacts, solved to 1e-8
      EXPECT_NEAR(e.kinetic + e.potential - start,
                  e.normal + e.stabilisation + e.friction + e.joints + e.limits + e.motors + e.applied +
                      e.discretisation + e.imbalance,
                  1e-12 * start);
      // Inelastic contact and dry friction only remove energy, at every step.
      EXPECT_LT(e.normal + e.stabilisation + e.friction - last_work, 1e-12 * start);
      last_work = e.normal + e.stabilisation + e.friction;
    });
  }
}

TEST(Bits, SameRunTwiceIsTheSame) {
  const auto final_state = [] {
    SceneRun run(test::repository_scene("papers/four_balls.yaml"));
    run.step_to_end([](const StepReport&) {});
    return run.simulation.state();
  };
  const State a = final_state(), b = final_state();
  EXPECT_EQ(a.q, b.q);
  EXPECT_EQ(a.v, b.v);
}

TEST(Bits, SimulationsThatShareAModelDoNotDisturbEachOther) {
  const Scene scene = test::repository_scene("papers/four_balls.yaml");
  const Model model = compile(scene);
  const auto final_state = [&] {
    Simulation simulation(model, scene.run);
    while (!simulation.at_end()) simulation.step();
    return simulation.state();
  };
  const State alone = final_state();
  std::array<State, 4> together;
  {
    std::vector<std::jthread> threads;
    for (State& state : together) threads.emplace_back([&] { state = final_state(); });
  }
  for (const State& state : together) {
    EXPECT_EQ(state.q, alone.q);
    EXPECT_EQ(state.v, alone.v);
  }
}

// The motion of the four balls is unique. Only its rounding may depend on the order of the bodies.
TEST(Order, OfBodiesDoesNotChangeTheMotion) {
  const Scene scene = test::repository_scene("papers/four_balls.yaml");
  const auto positions = [](const Scene& ordered) {
    SceneRun run(ordered);
    run.step_to_end([](const StepReport& report) { ASSERT_TRUE(report.certified()); });
    std::vector<std::pair<std::string, Vec3>> out;
    for (std::size_t b = 1; b < run.model.bodies.size(); ++b) {
      const int i = run.model.bodies[b].q_begin;
      if (run.model.bodies[b].nv > 0)
        out.emplace_back(run.model.body_names[b], Vec3{run.q(i), run.q(i + 1), run.q(i + 2)});
    }
    std::ranges::sort(out, {}, [](const auto& entry) { return entry.first; });
    return out;
  };
  const auto reference = positions(scene);
  std::mt19937 random(7);
  for (int trial = 0; trial < 10; ++trial) {
    Scene shuffled = scene;
    std::ranges::shuffle(shuffled.bodies, random);
    const auto other = positions(shuffled);
    for (std::size_t i = 0; i < reference.size(); ++i) {
      EXPECT_EQ(other[i].first, reference[i].first);
      EXPECT_LT(norm(other[i].second - reference[i].second), 1e-9) << other[i].first;
    }
  }
}

// A kilometre away coordinates are rounded to 1.1e-13 m. The motion grows that, and nothing else changes.
TEST(Place, OfTheSceneDoesNotChangeTheMotion) {
  for (const char* name : {"papers/four_balls.yaml", "box_corner.yaml"}) {
    Scene scene = test::repository_scene(name);
    scene.run.until = 0.5;
    const auto end = [&] {
      SceneRun run(scene);
      run.step_to_end([&](const StepReport& report) { ASSERT_TRUE(report.certified()) << name << report; });
      return run.simulation.state();
    };
    const State here = end();
    const Vec3 shift = {1000, -1000, 0};
    for (SceneBody& body : scene.bodies) body.position += shift;
    const State there = end();
    const Model model = compile(scene);
    for (const auto& body : model.bodies) {
      if (body.nv != 6) continue;
      for (int i = 0; i < 3; ++i)
        EXPECT_NEAR(there.q[body.q_begin + i] - shift[i], here.q[body.q_begin + i], 1e-9) << name;
    }
  }
}

// Light and heavy, small and large: the same motion in other units, with the same residuals.
TEST(Units, DoNotChangeTheMotion) {
  const Scene scene = test::repository_scene("papers/four_balls.yaml");
  SceneRun reference(scene);
  reference.step_to_end([](const StepReport&) {});
  const double mass = 1e6, length = 1e-3;
  Scene scaled = scene;
  scaled.gravity = length * scene.gravity;
  for (SceneBody& body : scaled.bodies) {
    if (body.mass) *body.mass *= mass;
    if (body.inertia) *body.inertia = mass * length * length * *body.inertia;
    body.position *= length;
    body.velocity *= length;
    for (SceneShape& shape : body.shapes) shape.radius *= length;
  }
  SceneRun run(scaled);
  run.step_to_end([](const StepReport& report) { ASSERT_TRUE(report.certified()) << report; });
  for (int i = 0; i < reference.model.nq; ++i) {
    const double unit = i % 7 < 3 ? length : 1;
    EXPECT_NEAR(run.q(i) / unit, reference.q(i), 1e-8);
  }
}

}  // namespace step_test
}  // namespace pawl::internal
