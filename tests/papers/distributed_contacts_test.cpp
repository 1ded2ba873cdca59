// [TrinkleTzitzourisPang2001, section 4]: spheres with torsional friction, by the report's two methods.

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include <gtest/gtest.h>

#include "support.h"

namespace pawl::internal {
namespace {

constexpr const char* kStewart = "run.method=stewart-trinkle";
constexpr const char* kTzitzourisPang = "run.method=tzitzouris-pang";
constexpr double kGravity = 9.81;

/// A run that records every step and expects it to be certified.
struct Recorded {
  Recorded(const std::string& scene, const std::vector<std::string>& overrides)
      : run(test::repository_scene(scene, overrides)) {
    keep();
    run.step_to_end([&](const StepReport& report) {
      EXPECT_TRUE(report.certified()) << report;
      EXPECT_LE(report.residual.natural_map, 1e-8);
      EXPECT_EQ(report.halvings, 0);
      keep();
    });
  }
  void keep() {
    t.push_back(run.simulation.time());
    v.push_back(run.simulation.state().v);
    contacts.emplace_back(run.simulation.contacts().begin(), run.simulation.contacts().end());
  }
  /// The end of the first step at which every contact sticks.
  double sticks_at() const {
    for (std::size_t i = 1; i < t.size(); ++i) {
      if (!contacts[i].empty() &&
          std::ranges::all_of(contacts[i], [](const auto& c) { return c.state == ContactState::sticking; })) {
        return t[i];
      }
    }
    return std::nan("");
  }
  /// The total impulse of all contacts over the run, in (n, t, o, r).
  std::array<double, 4> impulse() const {
    std::array<double, 4> sum{};
    for (const auto& step : contacts) {
      for (const ContactRecord& contact : step) {
        for (int r = 0; r < 4; ++r) sum[r] += contact.impulse[r];
      }
    }
    return sum;
  }
  const std::vector<double>& velocity_at(double time) const {
    const auto after = std::ranges::lower_bound(t, time - 1e-9);
    return v.at(after - t.begin());
  }

  test::SceneRun run;
  std::vector<double> t;
  std::vector<std::vector<double>> v;  // vx vy vz wx wy wz
  std::vector<std::vector<ContactRecord>> contacts;
};

// Problem 1, experiment 1. Published: both methods agree; the spin falls with slope −1.962 to zero at t = 1;
// the only mismatch is inside the step that contains t = 1. Ours: the same, to rounding.
TEST(SpinInPlace, FallsOnTheExactLineByBothMethods) {
  const Recorded exact("papers/spin_in_place.yaml", {kTzitzourisPang});
  const Recorded polyhedral("papers/spin_in_place.yaml", {kStewart});
  ASSERT_EQ(exact.t.size(), polyhedral.t.size());
  for (std::size_t i = 0; i < exact.t.size(); ++i) {
    EXPECT_NEAR(exact.v[i][5], std::max(0.0, 1.962 - 1.962 * exact.t[i]), 1e-12);
    for (int k = 0; k < 6; ++k) EXPECT_NEAR(exact.v[i][k], polyhedral.v[i][k], 1e-9);
    for (int k = 0; k < 5; ++k) EXPECT_NEAR(exact.v[i][k], 0, 1e-12);
  }
  EXPECT_NEAR(exact.sticks_at(), 1.05, 1e-12);  // the step from 0.98 s
  for (std::size_t i = 1; exact.t[i] < 1; ++i) {
    EXPECT_NEAR(exact.contacts[i].at(0).impulse[0] / 0.07, kGravity, 1e-10);  // c_n = m g at all times
    EXPECT_NEAR(exact.contacts[i].at(0).impulse[3] / 0.07, -0.7848, 1e-10);
  }
}

// Experiment 2: the six directions of (6). Published: slower; the same total impulse. The slope follows from
// the hull: its extent along r is 0.3504 m, hence 0.2 · 9.81 · 0.3504 / 0.4 = 1.71873 rad/s². Published too:
// a very small velocity remains after the spin. Ours has none.
TEST(SpinInPlace, FallsSlowerWithoutADirectionAboutTheNormal) {
  const Recorded run("papers/spin_in_place.yaml", {kStewart,
                                                   "pairs.0.friction_set.directions={rings: [{latitude_deg: "
                                                   "36, count: 3}, {latitude_deg: -36, count: 3}]}"});
  EXPECT_NEAR((run.v[1][5] - run.v[0][5]) / run.t[1], -1.71873, 5e-6);
  EXPECT_NEAR(run.impulse()[3], -0.7848, 1e-12);
  for (const double v : run.v.back()) EXPECT_NEAR(v, 0, 1e-12);
}

// Problem 2, experiment 1. Published: transition at 0.291 s, then v_x = ω_y = 10/7. Ours: the transition is
// in the step that contains 0.29125 s at every h, and the velocities are 10/7 to 1e-9.
TEST(SlideToRoll, RollsFromTheExactTimeOnByBothMethods) {
  const double transition = 2 * 2.0 / (7 * 0.2 * kGravity);
  for (const char* method : {kStewart, kTzitzourisPang}) {
    for (const double h : {0.12, 0.06, 0.03, 0.012, 0.0012}) {
      const Recorded run("papers/slide_to_roll.yaml", {method, "run.step=" + test::number_text(h)});
      EXPECT_NEAR(run.sticks_at(), h * std::ceil(transition / h), 1e-9) << method << " " << h;
      const std::array<double, 6> end{10.0 / 7, 0, 0, 0, 10.0 / 7, 0};
      for (int k = 0; k < 6; ++k) EXPECT_NEAR(run.v.back()[k], end[k], 1e-9) << method << " " << h;
    }
  }
}

// Experiment 2: three directions in the plane, none along −x. Published: later, with the same final velocity.
// Between two directions at 60° to −x, the friction along −x is at most half as large. Ours: 0.42 s at
// h = 0.012.
TEST(SlideToRoll, RollsLaterWithThreeDirectionsInThePlane) {
  const Recorded run("papers/slide_to_roll.yaml",
                     {kStewart, "run.step=0.012",
                      "pairs.0.friction_set.directions={rings: [{count: 3}, {latitude_deg: 90, count: 1},"
                      " {latitude_deg: -90, count: 1}]}"});
  EXPECT_GT(run.sticks_at(), 0.35);
  EXPECT_NEAR(run.v.back()[0], 10.0 / 7, 1e-9);
  EXPECT_NEAR(run.v.back()[4], 10.0 / 7, 1e-9);
}

// Problem 3. Published: sliding stops "near 8 s", about 0.4 s sooner with the exact set. Ours: 7.436 s in the
// limit with the exact set, and 7.82 s with 40 directions on 7 circles (the paper does not print their
// distribution).
TEST(BowlingBall, StopsSlidingAtTheExactTimeWithTheExactSet) {
  const double exact = 7.436;
  double error = 0.05;
  for (const double h : {0.05, 0.01, 0.002}) {
    const Recorded run("papers/bowling_ball.yaml", {kTzitzourisPang, "run.step=" + test::number_text(h)});
    EXPECT_NEAR(run.sticks_at(), exact, error) << h;
    error /= 5;
  }
}

TEST(BowlingBall, SlidesLongerWithFortyDirections) {
  const Recorded run("papers/bowling_ball.yaml", {kStewart});
  ASSERT_EQ(run.contacts[1].size(), 1u);
  EXPECT_GE(run.sticks_at() - 7.436, 0.3);
  EXPECT_LE(run.sticks_at() - 7.436, 0.6);
}

// Figure 17: between two directions the impulse lies inside the ellipsoid, so sliding friction has slack.
TEST(BowlingBall, HasSlackInTheEllipsoidWhereDirectionsAreMixed) {
  const auto slack = [](const ContactRecord& contact) {
    const auto& p = contact.impulse;
    return 0.01 - std::hypot(p[1], p[2], p[3] / 0.2) / p[0];  // μ − used friction
  };
  double most = 0;
  const Recorded polyhedral("papers/bowling_ball.yaml", {kStewart});
  for (const auto& step : polyhedral.contacts) {
    for (const ContactRecord& c : step) {
      EXPECT_GE(slack(c), -1e-12);
      if (c.state == ContactState::sliding) most = std::max(most, slack(c));
    }
  }
  EXPECT_GT(most, 1e-4);
  const Recorded exact("papers/bowling_ball.yaml", {kTzitzourisPang});
  for (const auto& step : exact.contacts) {
    for (const ContactRecord& c : step) {
      if (c.state == ContactState::sliding) {
        EXPECT_NEAR(slack(c), 0, 1e-10);
      }
    }
  }
}

/// The end of the last step in which each large sphere has a normal impulse.
std::map<int, double> last_push(const Recorded& run) {
  std::map<int, double> last;
  for (std::size_t i = 1; i < run.t.size(); ++i) {
    for (const ContactRecord& contact : run.contacts[i]) {
      if (contact.impulse[0] > 0) last[contact.body_b] = run.t[i];
    }
  }
  return last;
}

// System 2. Published: smooth at h = 0.1, with both contacts kept. Ours: the same until after 3 s.
TEST(TwoSpheres, KeepBothContactsAndMoveSmoothlyAtALargeStep) {
  const Recorded run("papers/two_spheres.yaml", {});
  for (const auto& [body, time] : last_push(run)) EXPECT_GE(time, 3.0) << body;
  for (std::size_t i = 2; run.t[i] <= 3.0; ++i) {
    for (int k = 0; k < 6; ++k) {
      const double second = run.v[i][k] - 2 * run.v[i - 1][k] + run.v[i - 2][k];
      EXPECT_LT(std::abs(second), 0.07)
          << "t = " << run.t[i];  // velocities are up to 3.9; a bounce would show in full
    }
  }
}

/// The number of steps up to 3 s in which a large sphere has no normal impulse.
int pauses(const Recorded& run, int body) {
  int count = 0;
  for (std::size_t i = 1; run.t[i] <= 3.0; ++i) {
    count += std::ranges::none_of(
        run.contacts[i], [&](const ContactRecord& c) { return c.body_b == body && c.impulse[0] > 0; });
  }
  return count;
}

// The report's Stewart method: all linearised at q, friction by the 20 directions. Published: from about 2 s
// on the sphere bounces across the seam, and separates finally at about 3.6 s. Contacts that enter only below
// a gap of 1e-3 m reproduce this. With all contacts linearised there is no bounce: gaps are convex, so none
// is violated.
TEST(TwoSpheres, BounceInTheSeamWhenContactsEnterLate) {
  const std::vector<std::string> stewart{"run.method=anitescu-hart", "run.gamma=1",
                                         "run.friction=polyhedral"};
  auto late = stewart, all = stewart;
  late.push_back("run.active_gap=1e-3");
  all.push_back("run.active_gap=1");
  const Recorded bouncing("papers/two_spheres.yaml", late), smooth("papers/two_spheres.yaml", all);
  double first = 4, last = 0;
  for (std::size_t i = 1; i < bouncing.t.size(); ++i) {
    const auto pushes = [](const ContactRecord& c) { return c.impulse[0] > 0; };
    if (std::ranges::count_if(bouncing.contacts[i], pushes) < 2) first = std::min(first, bouncing.t[i]);
    if (std::ranges::any_of(bouncing.contacts[i], pushes)) last = bouncing.t[i];
  }
  EXPECT_NEAR(first, 2.0, 0.101);
  EXPECT_NEAR(last, 3.6, 0.101);
  for (const int body : {1, 2}) {
    EXPECT_GE(pauses(bouncing, body), 5) << body;
    EXPECT_EQ(pauses(smooth, body), 0) << body;
  }
}

// First order in h: the extrapolated velocities at 1, 2 and 3 s change by less than 1e-3 from h = 0.1/27 to
// 0.1/81, and contact is lost at 3.21 and 3.70 s.
TEST(TwoSpheres, ConvergeAtFirstOrder) {
  std::vector<std::vector<double>> at;  // by refinement: velocities at 1, 2, 3 s
  std::map<int, double> lost;
  for (const double h : {0.1 / 9, 0.1 / 27, 0.1 / 81}) {
    const Recorded run("papers/two_spheres.yaml", {"run.step=" + test::number_text(h)});
    std::vector<double>& all = at.emplace_back();
    for (const double time : {1.0, 2.0, 3.0}) {
      const auto& v = run.velocity_at(time);
      all.insert(all.end(), v.begin(), v.end());
    }
    lost = last_push(run);
  }
  for (std::size_t k = 0; k < at[0].size(); ++k) {
    const double coarse = 1.5 * at[1][k] - 0.5 * at[0][k], fine = 1.5 * at[2][k] - 0.5 * at[1][k];
    EXPECT_NEAR(coarse, fine, 1e-3) << k;
    const double first = at[0][k] - at[1][k], second = at[1][k] - at[2][k];
    if (std::abs(second) > 1e-6) {
      EXPECT_NEAR(first / second, 3, 0.25) << k;
    }
  }
  EXPECT_NEAR(lost.at(1), 3.2128, 2e-3);
  EXPECT_NEAR(lost.at(2), 3.7012, 2e-3);
}

// A cube slides on its face. Theory: at rest after the time v/(μ g) and the distance v²/(2 μ g). Backward
// Euler stops it v h/2 short, to first order, for every heading.
TEST(SlidingCube, StopsWhereTheorySaysInEveryHeading) {
  const double v = 6, mu = 0.5, h = 1e-3;
  const double time = v / (mu * kGravity), way = v * time / 2;
  double reference = -1;
  for (const double heading : {0.0, 30.0, 45.0, 77.0, 123.0}) {
    const double angle = heading * std::acos(-1.0) / 180;
    Recorded run("sliding_cube.yaml", {"bodies.cube.velocity=[" + test::number_text(v * std::cos(angle)) +
                                       ", " + test::number_text(v * std::sin(angle)) + ", 0]"});
    const double x = run.run.q(0), y = run.run.q(1);
    EXPECT_NEAR(std::hypot(x, y), way, v * h) << heading;
    EXPECT_NEAR(std::atan2(y, x), angle, 1e-9) << heading;
    EXPECT_NEAR(run.run.q(2), 0.05, 1e-12) << heading;
    EXPECT_NEAR(run.sticks_at(), time, h) << heading;
    for (const auto& rates : run.v) EXPECT_NEAR(rates[2], 0, 1e-9);  // of 6 m/s, with tolerance 1e-8
    if (reference < 0) reference = std::hypot(x, y);
    EXPECT_NEAR(std::hypot(x, y), reference, 1e-9) << heading;
  }
}

}  // namespace
}  // namespace pawl::internal
