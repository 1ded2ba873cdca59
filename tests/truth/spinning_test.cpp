// Free and heavy tops, in elliptic integrals.

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "classics.h"

namespace pawl::internal {
namespace {

using test::Classic;
using test::expect_second_order;

/// Its angular velocity, in its own axes, is what it was after 4 K(k)/λ, two flips later.
TEST(TennisRacket, FlipsTwiceInItsPeriod) {
  const double period = 41.5092195293;
  std::vector<double> errors;
  for (const int steps : {400, 800, 1600}) {
    Classic run("racket", period / steps, period);
    int flips = 0;
    double before = 1;
    run.run([&](const StepReport&) {
      const double along = dot(run.angular_velocity(), run.rotate({0, 1, 0}));
      flips += along * before < 0;
      before = along;
    });
    EXPECT_EQ(flips, 2);
    EXPECT_NEAR(dot(run.angular_velocity(), run.rotate({1, 0, 0})), 0.01, 1e-5);
    errors.push_back(dot(run.angular_velocity(), run.rotate({0, 0, 1})));
  }
  EXPECT_NEAR(errors.back(), 0, 1e-5);
  expect_second_order(errors, 0.05);
}

/// From cusp to cusp, by quadrature; the top spins by 0.1 rad in the longest step.
TEST(HeavyTop, NutatesFromCuspToCusp) {
  const double period = 0.599985198492, angle = 3.39778194864;
  std::vector<double> errors;
  for (const int steps : {1200, 2400, 4800}) {
    Classic run("heavy_top", period / steps, period);
    const double top = run.q(2);
    double lowest = top;
    run.run([&](const StepReport&) { lowest = std::min(lowest, run.q(2)); });
    EXPECT_NEAR(run.q(2), top, 1e-8);
    EXPECT_NEAR(lowest, 0.0369224457535, 1e-5);
    errors.push_back(std::remainder(std::atan2(run.q(1), run.q(0)) - angle, 2 * std::numbers::pi));
  }
  EXPECT_NEAR(errors.back(), 0, 2e-5);
  expect_second_order(errors, 0.05);
}

}  // namespace
}  // namespace pawl::internal
