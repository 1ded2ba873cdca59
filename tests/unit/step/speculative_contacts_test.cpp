// Every pair whose gap closes within a step is in its problem, also if the step's own impulses close it.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include <unit/base/random.h>
#include <unit/base/worst.h>

#include "support.h"

namespace pawl::internal {
namespace {

using test::number_text;
using test::SceneRun;

std::string vec_text(const Vec3& v) {
  return "[" + number_text(v.x) + ", " + number_text(v.y) + ", " + number_text(v.z) + "]";
}

constexpr double kStart = 0.3;  // m: initial x of the light body
constexpr int kLight = 7;       // index of its first coordinate, after the coordinates of the heavy ball

/// A heavy ball at 1 m per step hits a light body at rest, with a plate of 1 cm behind it.
std::string impacted_body(const std::string& shape, const Vec3& turn, const Vec3& aim, double room) {
  return R"(
pawl: 1
world: {gravity: [0, 0, 0]}
materials: {plain: {friction: 0.3}}
bodies:
  plate: {position: [)" +
         number_text(kStart + room) +
         R"(, 0, 0], joint: {type: weld}, shapes: [{type: box, size: [0.01, 4, 4]}]}
  heavy: {mass: 10, inertia: 0.01, position: )" +
         vec_text(aim) +
         R"(, velocity: [100, 0, 0], shapes: [{type: sphere, radius: 0.05}]}
  light: {mass: 0.1, inertia: 1e-4, position: [0.3, 0, 0], orientation: {axis: )" +
         vec_text(normalized(turn)) + ", angle_deg: " + number_text(60 * norm(turn)) + "}, shapes: [" +
         shape + R"(]}
run: {step: 10ms, until: 30ms, method: linearised}
)";
}

TEST(SpeculativeContacts, ABallHitByAnotherStopsAtTheWallBehindItInTheSameStep) {
  SceneRun run(impacted_body("{type: sphere, radius: 0.05}", {1, 0, 0}, {-0.1, 0, 0}, 0.2));
  const StepReport report = run.simulation.step();
  EXPECT_TRUE(report.certified()) << report;
  EXPECT_EQ(report.halvings, 0);
  EXPECT_LE(report.gap_violation, 1e-14);
  EXPECT_NEAR(run.q(kLight), kStart + 0.2 - 0.005 - 0.05, 1e-14);
  EXPECT_NEAR(run.q(0), run.q(kLight) - 0.1, 1e-14);
}

TEST(SpeculativeContacts, ADiscThatSlidesFastStopsAtTheWallOfTheSameGround) {
  SceneRun run(R"(
pawl: 1
world: {dimension: planar}
materials: {plain: {friction: 0.1}}
bodies:
  ground: {joint: {type: weld}, shapes: [{type: polyline, points: [[-5, 0], [0.5, 0], [0.5, 3]]}]}
  disc: {mass: 1, inertia: 0.001, position: [0, 0.05], velocity: [100, 0], shapes: [{type: disc, radius: 0.05}]}
run: {step: 10ms, until: 50ms}
)");
  run.step_to_end([&](const StepReport& report) { EXPECT_TRUE(report.certified()) << report; });
  EXPECT_NEAR(run.q(0), 0.45, 1e-12);
  EXPECT_NEAR(run.v(0), 0, 1e-12);
}

class ImpactedBody : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Shapes, ImpactedBody,
                         ::testing::Values("{type: sphere, radius: 0.05}",
                                           "{type: box, size: [0.1, 0.08, 0.06]}",
                                           "{type: capsule, radius: 0.02, length: 0.1}",
                                           "{type: cylinder, radius: 0.04, height: 0.1}",
                                           "{type: ellipsoid, semi_axes: [0.03, 0.04, 0.06]}"),
                         [](const auto& shape) {
                           const std::string text = shape.param;
                           return text.substr(7, text.find(',') - 7);
                         });

TEST_P(ImpactedBody, DoesNotTunnelThroughThePlateAtAnyImpactOrOrientation) {
  testing::Random random(1);
  testing::WorstValue overlap("overlap, m");
  for (int i = 0; i < 60; ++i) {
    const Vec3 aim{-0.1, random.uniform(-0.04, 0.04), random.uniform(-0.04, 0.04)};
    const double room = random.uniform(0.08, 0.6);
    SceneRun run(impacted_body(GetParam(), random.vec(), aim, room));
    run.step_to_end([&](const StepReport& report) {
      EXPECT_NE(report.reason, "passes through") << i;
      overlap.add(report.gap_violation);
    });
    EXPECT_LT(std::max(run.q(0), run.q(kLight)), kStart + room) << i;
  }
  // Steps that rotate bodies by radians are coarse, but less than half-way through.
  overlap.expect_at_most(0.06);
}

}  // namespace
}  // namespace pawl::internal
