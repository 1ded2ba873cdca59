// A three-finger hand closes on a glass and rises [AnitescuMillerHart2003, Section 4, Figures 3 to 12].

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <pawl/model/kinematics.h>

#include "support.h"

namespace pawl::internal {
namespace grasp_test {

using test::number_text;
using test::SceneRun;

constexpr double kRise = 0.1;  // m, rise of the palm

int body_number(const SceneRun& run, const std::string& name) {
  const std::vector<std::string>& names = run.model.body_names;
  return static_cast<int>(std::find(names.begin(), names.end(), name) - names.begin());
}

Pose pose_of(const SceneRun& run, const std::string& name) {
  Kinematics kinematics;
  position_kinematics(run.model, run.simulation.state().q, kinematics);
  return kinematics.X_WB[body_number(run, name)];
}

void run_to(SceneRun& run, double until) {
  while (run.simulation.time() < until - 1e-9) {
    const StepReport report = run.simulation.step();
    ASSERT_TRUE(report.certified()) << report;
  }
}

bool fingers_touch_glass(const SceneRun& run) {
  const int glass = body_number(run, "glass"), table = body_number(run, "table");
  const auto contacts = run.simulation.contacts();
  return std::any_of(contacts.begin(), contacts.end(), [&](const ContactRecord& c) {
    return (c.body_a == glass && c.body_b != table) || (c.body_b == glass && c.body_a != table);
  });
}

/// The hand as a tree, and as free bodies with constraint joints.
class Grasp : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Hand, Grasp, ::testing::Values("grasp", "grasp_rows"),
                         [](const auto& scene) { return scene.param; });

TEST_P(Grasp, SlipsOffTheGlassWhereFrictionIsLow) {
  SceneRun run(test::repository_scene("papers/" + GetParam() + ".yaml"));
  ASSERT_NO_FATAL_FAILURE(run_to(run, 1));
  EXPECT_TRUE(fingers_touch_glass(run));
  const double palm = pose_of(run, "palm").p.z;
  ASSERT_NO_FATAL_FAILURE(run_to(run, 2));
  EXPECT_NEAR(pose_of(run, "palm").p.z, palm + kRise, 1e-9);
  EXPECT_NEAR(pose_of(run, "glass").p.z, 0.05, 5e-6);  // the glass stands; it may still roll on its rim
  EXPECT_FALSE(fingers_touch_glass(run));
}

TEST_P(Grasp, LiftsTheGlassWhereFrictionIsEnough) {
  SceneRun run(test::repository_scene("papers/" + GetParam() + ".yaml", {"pairs.0.friction=0.8"}));
  ASSERT_NO_FATAL_FAILURE(run_to(run, 1));
  const Pose grasped = pose_of(run, "glass");
  ASSERT_NO_FATAL_FAILURE(run_to(run, 1.9));
  const Pose lifted = pose_of(run, "glass");
  const Vec3 slip = lifted.p - grasped.p - Vec3{0, 0, kRise};
  // m: the palm's velocity jumps by 50 mm/s nine times, which friction follows at about 20 m/s².
  EXPECT_LT(norm(slip), 9 * 0.05 * 0.05 / (2 * 20));
  const Vec3 axis = lifted.R * Vec3{0, 0, 1};
  EXPECT_LT(norm(cross(axis, grasped.R * Vec3{0, 0, 1})), 5e-3);
  ASSERT_NO_FATAL_FAILURE(run_to(run, 2));
  EXPECT_LT(norm(pose_of(run, "glass").p - lifted.p), 1e-9);  // no creep
}

/// Motors press against limits without motion: the impulses balance each other.
TEST(GraspHand, PressesItsFingersOnTheirStops) {
  SceneRun run(test::repository_scene(
      "papers/grasp.yaml",
      {"run.method=linearised", "bodies.thumb_inner.joint.upper_deg=25",
       "bodies.left_inner.joint.upper_deg=25", "bodies.right_inner.joint.upper_deg=25"}));
  ASSERT_NO_FATAL_FAILURE(run_to(run, 3));
  for (const char* finger : {"thumb_inner", "left_inner", "right_inner"}) {
    const int joint = run.model.bodies[body_number(run, finger)].q_begin;
    EXPECT_NEAR(run.q(joint), 25 * std::numbers::pi / 180, 1e-12) << finger;
  }
}

TEST(GraspHand, PressesItsFingerTipsTogetherWhereTheGlassSlippedAway) {
  // By the fast method: by `pawl`, the glass rolls on its rim for ever, in short steps.
  SceneRun run(test::repository_scene("papers/grasp.yaml", {"run.until=3", "run.method=linearised"}));
  ASSERT_NO_FATAL_FAILURE(run_to(run, 3));
  int between_fingers = 0;
  const int glass = body_number(run, "glass");
  for (const ContactRecord& contact : run.simulation.contacts()) {
    between_fingers += contact.body_a != glass && contact.body_b != glass && contact.impulse[0] > 0;
  }
  EXPECT_EQ(between_fingers, 3);
  const double thumb = run.q(run.model.bodies[body_number(run, "thumb_inner")].q_begin);
  run_to(run, 3.5);
  EXPECT_NEAR(run.q(run.model.bodies[body_number(run, "thumb_inner")].q_begin), thumb, 1e-12);
}

/// The glass tilts on its rim as the fingers close: the lowest point moves along the rim within a pass.
TEST_P(Grasp, IsCertifiedByTheMethodsAtTheEndOfTheStep) {
  for (const char* method : {"tzitzouris-pang", "stewart-trinkle-nonlinear"}) {
    SCOPED_TRACE(method);
    SceneRun run(
        test::repository_scene("papers/" + GetParam() + ".yaml", {std::string("run.method=") + method}));
    ASSERT_NO_FATAL_FAILURE(run_to(run, 0.6));
    EXPECT_TRUE(fingers_touch_glass(run));
  }
}

/// The infeasibility of the hand of free bodies by the paper's method, with contacts that enter at touch.
struct Infeasibility {
  double joints_opening = 0;  // of the joints at 0.35 s, while the fingers close without contact
  double joints_worst = 0;
  double joints_last = 0;
  double total_worst = 0;
  double total_held = 0;  // max from 0.65 s to 0.8 s, while the glass is held
  double total_mean = 0;
  double thrown = 0;  // m/s: max separation velocity of finger and glass at a positive normal impulse
  double risen = 0;   // m, rise of the glass
};

Infeasibility run_with(const std::string& gamma, double h = 2.5e-3, double friction = 0.1) {
  SceneRun run(test::repository_scene(
      "papers/grasp_rows.yaml", {"run.method=anitescu-hart", "run.active_gap=0", "run.gamma=" + gamma,
                                 "run.step=" + number_text(h), "pairs.0.friction=" + number_text(friction)}));
  Infeasibility result;
  const int table = body_number(run, "table");
  const double height = pose_of(run, "glass").p.z;
  int steps = 0;
  run.step_to_end([&](const StepReport& report) {
    ASSERT_TRUE(report.certified()) << report;
    const double total = std::max(report.joint_violation, report.gap_violation);
    for (const ContactRecord& contact : run.simulation.contacts()) {
      if (contact.body_b != table && contact.impulse[0] > 0)
        result.thrown = std::max(result.thrown, contact.velocity[0]);
    }
    result.total_mean += (total - result.total_mean) / ++steps;
    if (report.time < 0.35) result.joints_opening = report.joint_violation;
    if (report.time > 0.65 && report.time < 0.8) result.total_held = std::max(result.total_held, total);
    result.joints_worst = std::max(result.joints_worst, report.joint_violation);
    result.total_worst = std::max(result.total_worst, total);
    result.joints_last = report.joint_violation;
  });
  result.risen = pose_of(run, "glass").p.z - height;
  return result;
}

TEST(GraspInfeasibility, DriftsWithoutStabilisationAndIsArrestedByIt) {
  const Infeasibility none = run_with("0"), some = run_with("0.2"), full = run_with("1");
  // Figure 3, joints: with γ = 0 the error grows to the end, with γ = 1 it is smallest.
  EXPECT_GT(none.joints_last, 20 * some.joints_worst);
  EXPECT_LT(full.joints_worst, some.joints_worst);
  // Figure 4, joints and contacts: with γ = 0 the error persists; with γ = 0.2 it falls as (1 − γ)^l.
  EXPECT_GT(none.total_held, 0.9 * none.total_worst);
  EXPECT_LT(some.total_held, 1e-4 * some.total_worst);
  // "γ = 1 does not necessarily result in the smallest": pushed out in one step, fingers leave and return.
  EXPECT_GT(full.total_held, some.total_held);
}

TEST(GraspInfeasibility, OfJointsInSteadyMotionIsOneOverGammaAndOfSecondOrder) {
  // I = (1 − γ) I + C h² ω², the recursion of Theorem 3.1 at its fixed point.
  const double full = run_with("1").joints_opening;
  EXPECT_NEAR(run_with("0.2").joints_opening / full, 5, 0.1);
  EXPECT_NEAR(full / run_with("1", 1.25e-3).joints_opening, 4, 0.1);
}

TEST(GraspInfeasibility, OfAnAdaptiveGammaIsThatOfGammaOneWithoutItsBounces) {
  const Infeasibility one = run_with("1"), adaptive = run_with("adaptive");
  EXPECT_LE(adaptive.joints_worst, one.joints_worst);
  EXPECT_LE(adaptive.total_worst, one.total_worst);
  EXPECT_LE(adaptive.total_mean, one.total_mean);
  EXPECT_GT(one.thrown, 0.1);
  EXPECT_LT(adaptive.thrown, 0.005);
  // Hence the fingers keep their hold if friction is sufficient.
  EXPECT_LT(run_with("1", 2.5e-3, 0.8).risen, 0.09);
  EXPECT_NEAR(run_with("adaptive", 2.5e-3, 0.8).risen, kRise, 2e-4);
}

}  // namespace grasp_test
}  // namespace pawl::internal
