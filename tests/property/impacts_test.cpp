// Impacts in time-stepping: restitution laws, impact order, bouncing to rest, and the energy ledger.

#include <array>
#include <cmath>
#include <numbers>
#include <random>

#include <gtest/gtest.h>

#include "support.h"

namespace pawl::internal {
namespace impacts_test {

/// Imbalance of the ledger relative to its largest entry.
double imbalance_of(const EnergyLedger& energy) {
  return std::abs(energy.imbalance) / std::max({std::abs(energy.kinetic), std::abs(energy.potential),
                                                energy.stored, std::abs(energy.friction)});
}

struct LawCase {
  const char* law;
  double tip;   // m/s, v_n of the tip after the impact
  double gain;  // J
};

// A rod with m = 1, L = 1 at 45°, v = (0.5, -1), μ = 0.7, e = 0.9; expected values for the three laws.
TEST(RodTip, ObeysTheLawItsMaterialsName) {
  for (const auto& [law, tip, gain] : {LawCase{"newton", 0.900, 0.0500}, LawCase{"poisson", 0.630, -0.0791},
                                       LawCase{"energetic", 0.6758, -0.0604}}) {
    test::SceneRun run(
        test::repository_scene("rod_tip.yaml", {std::string("pairs.0.restitution_law=") + law}));
    const double before = run.simulation.energy().kinetic;
    const StepReport report = run.simulation.step();
    ASSERT_TRUE(report.certified()) << law;
    EXPECT_EQ(report.impacts, 1);
    const double lever = 0.5 * std::cos(std::numbers::pi / 4);  // the tip is left of the centre
    EXPECT_NEAR(run.v(1) - lever * run.v(2), tip, 5e-5) << law;
    EXPECT_NEAR(report.energy.kinetic - before, gain, 5e-5) << law;
    EXPECT_NEAR(report.impact_gain, std::max(0.0, gain), 1e-12) << law;
    EXPECT_LT(imbalance_of(report.energy), 1e-15) << law;
  }
}

TEST(ThreeBalls, FollowTheOrderOfTheSceneAndNotRounding) {
  struct Case {
    const char* order;
    std::array<double, 3> v;
  };
  for (const auto& [order, v] :
       {Case{"sequential", {0, 0, 2}}, Case{"simultaneous", {-2.0 / 3, 4.0 / 3, 4.0 / 3}}}) {
    for (const char* law : {"newton", "poisson", "energetic"}) {
      // Within a millionth of the radius, balls touch.
      for (const double gap : {0.0, 4e-8, -4e-8}) {
        test::SceneRun run(test::repository_scene(
            "three_balls.yaml",
            {std::string("run.impacts.order=") + order,
             "bodies.third.position.0=" + test::number_text(0.1 + gap),
             std::string("pairs=[{between: [steel, steel], restitution_law: ") + law + "}]"}));
        run.step_to_end([&](const StepReport& report) { ASSERT_TRUE(report.certified()) << report; });
        for (int ball = 0; ball < 3; ++ball) {
          EXPECT_NEAR(run.v(6 * ball), v[ball], 1e-10) << order << ' ' << law << ' ' << gap;
        }
        EXPECT_NEAR(run.simulation.energy().kinetic, 2, 1e-12) << order << ' ' << law << ' ' << gap;
      }
    }
  }
}

// Peaks from the energy between bounces, h_k = e^2k; at rest at time √(2/g) (1 + e)/(1 - e).
TEST(BouncingBall, KeepsTheFractionOfItsEnergyAtEveryBounceAndComesToRestInTime) {
  test::SceneRun run(test::repository_scene("bouncing_ball.yaml"));
  double peak = 1, last_moving = 0;
  int bounces = 0;
  run.step_to_end([&](const StepReport& report) {
    ASSERT_TRUE(report.certified()) << report;
    ASSERT_LT(imbalance_of(report.energy), 1e-12);
    const double height = (report.energy.kinetic + report.energy.potential) / 9.81 - 0.05;
    if (report.impacts > 0 && peak > 1e-6) {  // twenty times the gap of touching bodies
      ++bounces;
      ASSERT_NEAR(height / peak, 0.64, 1e-6) << bounces;
      peak = height;
    }
    if (std::abs(run.v(2)) > 1e-12) last_moving = report.time;
  });
  EXPECT_GT(bounces, 25);
  const double rest = std::sqrt(2 / 9.81) * 9;
  EXPECT_NEAR(rest, 4.0637, 5e-5);
  EXPECT_LE(last_moving, rest + 1e-3);
  EXPECT_GT(last_moving, rest - 1e-3);
  EXPECT_NEAR(run.q(2), 0.05, 1e-12);
}

TEST(BouncingBall, NeitherGainsNorLosesInAThousandBounces) {
  for (const char* timing : {"located", "stepwise"}) {
    test::SceneRun run(test::repository_scene(
        "bouncing_ball.yaml", {"materials.rubber.restitution=1", "run.until=910", "run.step=5ms",
                               std::string("run.impacts.timing=") + timing}));
    const double start = run.simulation.energy().potential;
    std::int64_t bounces = 0;
    run.step_to_end([&](const StepReport& report) {
      ASSERT_TRUE(report.certified()) << report;
      bounces += report.impacts;
    });
    EXPECT_GE(bounces, 1000);
    EXPECT_NEAR((run.simulation.energy().kinetic + run.simulation.energy().potential) / start, 1, 1e-9)
        << timing;
  }
}

// Beyond the max number of impacts per step, contact is inelastic, and the report says so.
TEST(BouncingBall, IsCaughtAfterTheMaximumOfImpactsOfAStep) {
  test::SceneRun run(test::repository_scene("bouncing_ball.yaml", {"run.impacts.most=3", "run.step=20ms"}));
  int caught = 0;
  run.step_to_end([&](const StepReport& report) {
    ASSERT_TRUE(report.certified()) << report;
    caught += report.inelastic;
  });
  EXPECT_GT(caught, 0);
  EXPECT_NEAR(run.q(2), 0.05, 1e-9);
  EXPECT_NEAR(run.v(2), 0, 1e-12);
}

TEST(Cradle, SendsOffTheLastBallAloneAndKeepsItsEnergy) {
  test::SceneRun run(test::repository_scene("cradle.yaml", {"run.until=0.35"}));
  const double start = run.simulation.energy().potential;
  run.step_to_end([&](const StepReport& report) { ASSERT_TRUE(report.certified()) << report; });
  for (int ball = 0; ball < 4; ++ball) EXPECT_NEAR(run.v(ball), 0, 1e-9) << ball;
  EXPECT_LT(run.v(4), -1);  // outwards, about y
  EXPECT_NEAR((run.simulation.energy().kinetic + run.simulation.energy().potential - start) / start, 0, 1e-4);
}

// A fall from rest ends at rest and loses energy at every impact.
TEST(DoublePendulum, BouncesToRest) {
  for (const char* change : {"pairs.0.restitution=0.6", "pairs.0.restitution=0.9", "pairs.0.restitution=0",
                             "pairs.0.friction=0.05", "bodies.upper.joint.position_deg=-50"}) {
    test::SceneRun run(test::repository_scene("papers/double_pendulum.yaml", {change}));
    double energy = run.simulation.energy().kinetic + run.simulation.energy().potential;
    run.step_to_end([&](const StepReport& report) {
      ASSERT_TRUE(report.certified()) << change << report;
      ASSERT_LT(imbalance_of(report.energy), 1e-9);
      ASSERT_EQ(report.impact_gain, 0);
      const double now = report.energy.kinetic + report.energy.potential;
      if (report.impacts > 0) {
        ASSERT_LT(now, energy + 1e-6) << change << report.time;
      }
      energy = now;
    });
  }
}

TEST(Impacts, CloseTheLedgerInEveryScene) {
  for (const char* name :
       {"bouncing_ball.yaml", "rod_tip.yaml", "three_balls.yaml", "cradle.yaml", "pedestal.yaml",
        "box_corner.yaml", "arm_wall.yaml", "papers/double_pendulum.yaml"}) {
    for (const char* timing : {"located", "stepwise"}) {
      test::SceneRun run(test::repository_scene(name, {std::string("run.impacts.timing=") + timing}));
      std::int64_t impacts = 0;
      run.step_to_end([&](const StepReport& report) {
        ASSERT_TRUE(report.certified()) << name << ' ' << timing << ' ' << report;
        ASSERT_LT(imbalance_of(report.energy), 1e-9) << name << ' ' << timing << ' ' << report.time;
        ASSERT_EQ(report.impact_gain, 0) << name << ' ' << timing;
        impacts += report.impacts;
      });
      EXPECT_GT(impacts, 0) << name << ' ' << timing;
    }
  }
}

// Four corners at once: the box stays level and rebounds with e times its speed.
TEST(FlatBox, BouncesLevelUnderEveryLaw) {
  for (const char* law : {"newton", "poisson", "energetic"}) {
    test::SceneRun run(std::string(R"(
pawl: 1
world: {gravity: [0, 0, 0]}
materials: {wood: {friction: 0.5}}
pairs: [{between: [wood, wood], restitution: 0.5, restitution_law: )") +
                       law + R"(}]
bodies:
  floor: {joint: {type: weld, parent: world}, shapes: [{type: half-space, normal: [0, 0, 1], offset: 0, material: wood}]}
  box: {mass: 2, position: [0, 0, 0.0513], velocity: [0, 0, -1], shapes: [{type: box, size: [0.3, 0.2, 0.1], material: wood}]}
run: {step: 1ms, until: 10ms}
)");
    std::int64_t impacts = 0;
    run.step_to_end([&](const StepReport& report) {
      ASSERT_TRUE(report.certified()) << report;
      impacts += report.impacts;
    });
    EXPECT_EQ(impacts, 1) << law;
    EXPECT_NEAR(run.v(2), 0.5, 1e-10) << law;
    for (const int i : {0, 1, 3, 4, 5}) EXPECT_NEAR(run.v(i), 0, 1e-10) << law;
  }
}

// Boxes thrown at random: the energetic law never gains energy, and the ledger balances.
TEST(ThrownBoxes, NeverGainEnergyByTheEnergeticLaw) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> unit(-1, 1);
  const auto text = [&](double scale) { return test::number_text(scale * unit(random)); };
  for (int i = 0; i < 40; ++i) {
    test::SceneRun run(test::repository_scene(
        "box_corner.yaml",
        {"bodies.box.velocity=[" + text(2) + "," + text(2) + "," + text(2) + "]",
         "bodies.box.angular_velocity=[" + text(10) + "," + text(10) + "," + text(10) + "]",
         "bodies.box.orientation={rpy: [" + text(3) + "," + text(1.5) + "," + text(3) + "]}",
         "materials.wood.restitution=" + test::number_text(std::abs(unit(random))), "run.until=1.2",
         std::string("run.impacts.order=") + (i % 2 == 0 ? "simultaneous" : "sequential")}));
    std::int64_t impacts = 0;
    run.step_to_end([&](const StepReport& report) {
      ASSERT_TRUE(report.certified()) << i << ' ' << report;
      ASSERT_EQ(report.impact_gain, 0) << i;
      ASSERT_LT(imbalance_of(report.energy), 1e-9) << i << ' ' << report.time;
      // A corner at rest that turns at 10 rad/s, at 0.19 m, deviates by ½ ω² r h² from the linearised step.
      ASSERT_LT(report.gap_violation, 9.5e-6) << i << ' ' << report.time;
      impacts += report.impacts;
    });
    EXPECT_GT(impacts, 0) << i;
  }
}

}  // namespace impacts_test
}  // namespace pawl::internal
