// Chains of impacts: rocking block, dominoes, woodpecker toy, slider-crank with clearance; and stick-slip.

#include <algorithm>
#include <array>
#include <cmath>

#include <gtest/gtest.h>

#include "classics.h"

namespace pawl::internal {
namespace {

using test::Classic;
using test::expect_second_order;

/// [Housner1963], with large angles: times of the impacts and amplitudes between them.
TEST(RockingBlock, RocksFasterAndFaster) {
  const std::array times{0.295958603, 0.794811510, 1.225731247, 1.603468756};
  const std::array tops{0.078909325, 0.063214800, 0.051122773};
  std::vector<double> errors;
  for (const double h : {5e-3, 2.5e-3, 1.25e-3}) {
    Classic run("rocking_block", h, 1.65);
    std::size_t impacts = 0;
    double top = 0, last = 0;
    run.run([&](const StepReport& report) {
      top = std::max(top, std::abs(run.q(2)));
      if (report.impacts == 0) return;
      ASSERT_LT(impacts, times.size());
      if (impacts > 0) {
        EXPECT_NEAR(top, tops[impacts - 1], 1e-6) << h;
      }
      last = report.time - times[impacts++];
      EXPECT_NEAR(last, 0, 3e-5) << h;
      top = 0;
    });
    EXPECT_EQ(impacts, times.size());
    errors.push_back(last);
  }
  expect_second_order(errors, 0.3);
}

/// [VanLeeuwen2010]: the dominoes that lean on each other have one freedom; times at which each is hit.
TEST(Dominoes, AreHitWhenEnergyAndMomentumSay) {
  const std::array times{0.071683445, 0.149145786, 0.199201642, 0.236354623, 0.267333694,
                         0.295033882, 0.320861161, 0.345565961, 0.369576806};
  std::vector<double> errors;
  for (const double h : {2e-3, 1e-3, 5e-4}) {
    Classic run("dominoes", h, 0.38);
    std::size_t hit = 0;
    double worst = 0;
    run.run([&](const StepReport& report) {
      if (hit == times.size() || run.v(3 * static_cast<int>(hit + 1) + 2) > -1) return;
      worst = std::max(worst, std::abs(report.time - times[hit++]));
    });
    EXPECT_EQ(hit, times.size());
    errors.push_back(worst);
  }
  EXPECT_LT(errors[0], 3e-5);
  expect_second_order(errors);
}

/// Beats of the bird after the first two, from one passage of the level to the next: period (s) and descent
/// (m).
std::array<double, 2> woodpecker_beat(double h) {
  Classic run("woodpecker", h, 0.7);
  std::vector<std::array<double, 2>> passages;
  std::array<double, 3> before{0, 0, -1};  // time, height, angle of the bird
  run.run([&](const StepReport& report) {
    const std::array<double, 3> now{report.time, run.q(0), run.q(1) + run.q(2)};
    if (before[2] < 0 && now[2] >= 0) {
      const double s = before[2] / (before[2] - now[2]);
      passages.push_back({before[0] + s * (now[0] - before[0]), before[1] + s * (now[1] - before[1])});
    }
    before = now;
  });
  const double beats = static_cast<double>(passages.size()) - 3;
  const auto &first = passages[2], &last = passages.back();
  return {(last[0] - first[0]) / beats, (first[1] - last[1]) / beats};
}

/// The same model by Moreau's time-stepping at 20 µs, in references.py; its error is 0.1 %.
TEST(Woodpecker, PecksItsWayDown) {
  const auto coarse = woodpecker_beat(4e-4), fine = woodpecker_beat(1e-4);
  EXPECT_NEAR(fine[0], 0.13185, 2e-4);
  EXPECT_NEAR(fine[1], 14.683e-3, 0.06e-3);
  EXPECT_NEAR(coarse[0], fine[0], 3e-4);
}

/// [FloresLeineGlocker2010]: the time of the first impact is that of a double pendulum; then the speed of the
/// crank converges, over 14 impacts and more.
TEST(SliderCrankWithClearance, ConvergesOverItsFirstImpacts) {
  std::vector<double> first, speed;
  for (const double h : {2e-4, 1e-4, 5e-5, 2.5e-5}) {
    Classic run("slider_crank_clearance", h, 0.02);
    double time = 0;
    run.run([&](const StepReport& report) {
      if (time == 0 && report.impacts > 0) time = report.time;
    });
    first.push_back(time - 0.0026925028);
    speed.push_back(run.v(0));
  }
  expect_second_order(first);
  expect_second_order({speed[1] - speed[0], speed[2] - speed[1], speed[3] - speed[2]}, 0.3);
}

/// Closed form: sines, a straight line while it sticks, and a sine for ever.
TEST(BlockOnABelt, SwingsSticksAndSwingsForEver) {
  const double middle = 0.07848, amplitude = 0.12152, w = std::sqrt(50.0), belt = 0.5;
  const double sticks = 0.532117278299, slips = 0.72977466268;
  const auto exact = [&](double t) {
    if (t < sticks) return middle + amplitude * std::cos(w * t);
    if (t < slips) return middle + belt * (t - slips);
    return middle + belt / w * std::sin(w * (t - slips));
  };
  std::vector<double> swinging, worst;
  for (const double h : {5e-3, 2.5e-3, 1.25e-3}) {
    Classic run("stick_slip", h, 4);
    swinging.push_back(0), worst.push_back(0);
    run.run([&](const StepReport& report) {
      const double error = std::abs(run.q(1) - exact(report.time));
      if (report.time < sticks) swinging.back() = std::max(swinging.back(), error);
      worst.back() = std::max(worst.back(), error);
    });
  }
  expect_second_order(swinging, 0.05);
  expect_second_order(worst, 0.3);
}

}  // namespace
}  // namespace pawl::internal
