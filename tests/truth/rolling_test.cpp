// Bodies that roll: rattleback, tippe top, Euler's disk, coin, turntable, rocker, ball on a ball.

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "classics.h"

namespace pawl::internal {
namespace {

using std::numbers::pi;
using test::Classic;
using test::expect_second_order;

/// [KaneLevinson1982]: rolling without slip, integrated by references.py.
TEST(Rattleback, TurnsBackAsTheEquationsOfRollingDo) {
  std::vector<double> errors;
  for (const double h : {5e-4, 2.5e-4}) {
    Classic run("rattleback", h, 2.5);
    double turned = 0;
    run.run([&](const StepReport& report) {
      if (turned == 0 && run.v(5) > 0) turned = report.time;
    });
    EXPECT_NEAR(turned, 2.226012, 1e-3) << h;
    errors.push_back(run.v(5) - 0.296321695);
  }
  EXPECT_NEAR(errors[1], 0, 6e-4);
  expect_second_order(errors);
}

/// [Cohen1977]: Coulomb's friction turns the sliding ball over; integrated by references.py. Jellett's
/// constant is −L·r, with r from the centre of mass to the contact.
TEST(TippeTop, TurnsOverAsTheEquationsOfSlidingDo) {
  const double a = 0.004, radius = 0.02, side = 3e-6, axial = 3.2e-6;
  std::vector<double> tilts, spins;
  for (const double h : {1e-3, 5e-4}) {
    Classic run("tippe_top", h, 2);
    const auto jellett = [&] {
      const Vec3 e = run.rotate({0, 0, 1}), w = run.angular_velocity();
      const Vec3 momentum = side * w + ((axial - side) * dot(w, e)) * e;
      return -dot(momentum, a * e - Vec3{0, 0, radius});
    };
    const double start = jellett();
    double worst = 0;
    run.run([&](const StepReport&) { worst = std::max(worst, std::abs(jellett() / start - 1)); });
    EXPECT_LT(worst, 1e-12);
    tilts.push_back(run.rotate({0, 0, 1}).z + 0.990133014);
    spins.push_back(run.v(5) - 107.400341812);
  }
  EXPECT_NEAR(tilts[1], 0, 5e-4);
  expect_second_order(tilts, 0.15);
  expect_second_order(spins, 0.15);
}

/// Steady rolling in closed form: the centre stands still, and the disc precesses at the same tilt.
TEST(EulersDisk, PrecessesWithSecondOrder) {
  const double rate = 61.9649076719, until = 0.5;
  std::vector<double> errors;
  for (const double h : {2e-3, 1e-3, 5e-4}) {
    Classic run("eulers_disk", h, until);
    run.run();
    const Vec3 e = run.rotate({0, 0, 1});
    errors.push_back(std::remainder(std::atan2(e.x, -e.y) - rate * until, 2 * pi));
    EXPECT_NEAR(std::acos(e.z), pi / 12, 1e-4);
    EXPECT_LT(std::hypot(run.q(0), run.q(1)), 1e-5);
  }
  expect_second_order(errors, 0.05);
}

TEST(EulersDisk, KeepsItsEnergyForFiftyTurns) {
  Classic run("eulers_disk", 1e-3, 5);
  const double start = run.energy();
  double worst = 0;
  run.run([&](const StepReport&) { worst = std::max(worst, std::abs(run.energy() / start - 1)); });
  EXPECT_LT(worst, 1e-6);
}

/// Steady rolling in closed form: the centre moves on a circle.
TEST(RollingCoin, MovesOnItsCircleWithSecondOrder) {
  const double rate = 8, radius = 0.0277395311039, until = 1;
  std::vector<double> errors;
  for (const double h : {2e-3, 1e-3, 5e-4}) {
    Classic run("rolling_coin", h, until);
    run.run();
    const double a = rate * until;
    errors.push_back(std::hypot(run.q(0) - radius * std::sin(a), run.q(1) - radius * (1 - std::cos(a))));
  }
  EXPECT_LT(errors.back(), 2e-5);
  expect_second_order(errors, 0.05);
}

/// r'' = 2/7 Ω × r': a circle, around once in 3½ turns of the table.
TEST(BallOnATurntable, IsBackAfterThreeAndAHalfTurns) {
  const double period = 2 * pi / (2.0 / 7 * 2);
  std::vector<double> errors;
  for (const int steps : {1100, 2200}) {
    Classic run("turntable", period / steps, period);
    run.run();
    errors.push_back(std::hypot(run.q(1) - 1, run.q(2)));  // after the angle of the table
  }
  EXPECT_LT(errors.back(), 1e-5);
  expect_second_order(errors);
}

/// The period is a quadrature. The angle is at its maximum there, so the angular velocity shows the error.
TEST(Rocker, SwingsBackInItsPeriod) {
  const double period = 0.922646401307;
  std::vector<double> errors;
  for (const int steps : {200, 400, 800}) {
    Classic run("rocker", period / steps, period);
    run.run();
    EXPECT_NEAR(2 * std::atan2(run.q(5), run.q(3)), 1, 1e-6);
    errors.push_back(run.v(4));
  }
  EXPECT_NEAR(errors.back(), 0, 2e-4);
  expect_second_order(errors);
}

/// The angle (0.5 s, rolling) and the place in flight (0.8 s) follow from closed forms and quadratures.
TEST(BallOnABall, RollsSlipsAndLeaves) {
  std::vector<double> rolling, flying;
  for (const double h : {5e-3, 2.5e-3, 1.25e-3}) {
    Classic run("ball_on_ball", h, 0.8);
    double angle = 0;
    run.run([&](const StepReport& report) {
      if (std::abs(report.time - 0.5) < 1e-9) angle = std::atan2(run.q(0), run.q(2));
    });
    rolling.push_back(angle - 0.656980779676);
    flying.push_back(std::hypot(run.q(0) - 0.605432301, run.q(2) + 0.175459102));
  }
  expect_second_order(rolling);
  EXPECT_LT(flying[0], 1e-5);
  EXPECT_LT(flying[2], 2e-6);
}

}  // namespace
}  // namespace pawl::internal
