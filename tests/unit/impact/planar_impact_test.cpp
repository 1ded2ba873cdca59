#include <pawl/impact.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>

#include <unit/base/random.h>

namespace pawl::internal {
namespace planar_impact_test {

using testing::Random;

constexpr double kRounding = 1e-13;

/// A rod of mass 1 and length 1 at 45°, whose lower left tip hits the floor.
PlanarContact rod_tip() {
  return {
      .a_nn = 2.5, .a_nt = -1.5, .a_tt = 2.5, .v_n = -1, .v_t = 0.5, .mu = 0.7, .mu_static = 0.7, .e = 0.9};
}

/// A random contact, with correlations up to nearly singular, and μ_static ≥ μ.
PlanarContact random_contact(Random& random) {
  PlanarContact c;
  c.a_nn = random.scale(1e-2, 1e2);
  c.a_tt = random.scale(1e-2, 1e2);
  const double r = random.uniform(-1, 1);
  c.a_nt = (random.below(4) == 0 ? std::copysign(1 - 1e-6 * std::abs(r), r) : r) * std::sqrt(c.a_nn * c.a_tt);
  c.v_n = -random.scale(1e-3, 1e3);
  c.v_t = (random.below(2) == 0 ? 1 : -1) * random.scale(1e-3, 1e3);
  c.mu = random.below(8) == 0 ? 0 : random.scale(1e-2, 10);
  c.mu_static = random.below(2) == 0 ? c.mu : c.mu * random.uniform(1, 2);
  c.e = random.below(4) == 0 ? random.below(2) : random.uniform(0, 1);
  return c;
}

double work(const PlanarContact& c, const PlanarImpact& hit) {
  const double p_n = hit.p_n, p_t = hit.p_t;
  return c.v_n * p_n + c.v_t * p_t + 0.5 * (c.a_nn * p_n * p_n + 2 * c.a_nt * p_n * p_t + c.a_tt * p_t * p_t);
}
/// The magnitude of the terms of work().
double work_terms(const PlanarContact& c, const PlanarImpact& hit) {
  const double p_n = hit.p_n, p_t = std::abs(hit.p_t);
  return -c.v_n * p_n + std::abs(c.v_t) * p_t + c.a_nn * p_n * p_n + c.a_tt * p_t * p_t;
}

bool same(const PlanarImpact& a, const PlanarImpact& b) {
  return a.status == b.status && a.reason == b.reason && a.path == b.path && a.slip == b.slip &&
         a.p_n == b.p_n && a.p_t == b.p_t && a.v_n == b.v_n && a.v_t == b.v_t;
}

TEST(PlanarImpact, OfTheRodTipLosesEnergy) {
  const PlanarImpact hit = planar_impact(rod_tip());
  EXPECT_EQ(hit.status, ImpactStatus::resolved);
  EXPECT_NEAR(hit.v_n, 0.6758, 5e-5);
  EXPECT_NEAR(hit.history.end().E_n + hit.history.end().E_f, -0.0604, 5e-5);
  EXPECT_EQ(hit.path, ImpactPath::stops_in_compression);
  EXPECT_EQ(hit.slip, ImpactSlip::stops_and_sticks);
}

TEST(PlanarImpact, KeepsItsLawsOnEveryPath) {
  Random random(1);
  std::map<ImpactPath, int> paths;
  std::map<ImpactSlip, int> slips;
  int jams = 0;
  for (int i = 0; i < 100000; ++i) {
    const PlanarContact c = random_contact(random);
    const PlanarImpact hit = planar_impact(c);
    ASSERT_EQ(hit.status, ImpactStatus::resolved) << i << ' ' << to_string(hit.reason);
    ++paths[hit.path];
    ++slips[hit.slip];
    jams += hit.jam;
    const double p_size = hit.p_n + std::abs(hit.p_t);
    const double v_size = std::max(-c.v_n, std::abs(c.v_t)) + std::max(c.a_nn, c.a_tt) * p_size;
    // v⁺ = v + A p
    ASSERT_NEAR(hit.v_n, c.v_n + c.a_nn * hit.p_n + c.a_nt * hit.p_t, kRounding * v_size) << i;
    ASSERT_NEAR(hit.v_t, c.v_t + c.a_nt * hit.p_n + c.a_tt * hit.p_t, kRounding * v_size) << i;
    ASSERT_LE(std::abs(hit.p_t), c.mu_static * hit.p_n * (1 + kRounding)) << i;
    ASSERT_GE(hit.v_n, 0) << i;
    if (c.e == 0) {
      ASSERT_EQ(hit.v_n, 0) << i;
    }
    // Energies: their sum, their signs and Stronge's law.
    const ImpactPhase& end = hit.history.end();
    const ImpactPhase* pause = hit.history.find(ImpactEvent::normal_pause);
    ASSERT_NE(pause, nullptr) << i;
    const double terms = work_terms(c, hit);
    ASSERT_NEAR(end.E_n + end.E_f, work(c, hit), kRounding * terms) << i;
    ASSERT_LE(end.E_f, 0) << i;
    ASSERT_LE(end.E_n + end.E_f, kRounding * terms) << i;
    ASSERT_NEAR(end.E_n, (1 - c.e * c.e) * pause->E_n, kRounding * std::abs(pause->E_n)) << i;
    // Events are in order.
    for (int k = 1; k < hit.history.count; ++k) {
      ASSERT_GE(hit.history.phase[k].p_n, hit.history.phase[k - 1].p_n) << i;
      ASSERT_LE(hit.history.phase[k].E_f, hit.history.phase[k - 1].E_f) << i;
    }
    ASSERT_EQ(end.event, ImpactEvent::end);
  }
  for (const ImpactPath path :
       {ImpactPath::stops_in_compression, ImpactPath::never_stops, ImpactPath::stops_in_expansion}) {
    EXPECT_GT(paths[path], 1000) << to_string(path);
  }
  for (const ImpactSlip slip :
       {ImpactSlip::slides_through, ImpactSlip::stops_and_sticks, ImpactSlip::stops_and_reverses}) {
    EXPECT_GT(slips[slip], 1000) << to_string(slip);
  }
  EXPECT_GT(jams, 1000);
}

TEST(PlanarImpact, WithoutFrictionMirrorsTheNormalVelocity) {
  Random random(2);
  for (int i = 0; i < 10000; ++i) {
    PlanarContact c = random_contact(random);
    c.mu = c.mu_static = 0;
    c.e = i % 2 == 0 ? 1 : random.uniform(0, 1);
    const PlanarImpact hit = planar_impact(c);
    ASSERT_NEAR(hit.v_n, -c.e * c.v_n, -4e-16 * c.v_n) << i;
    ASSERT_EQ(hit.p_t, 0) << i;
    ASSERT_EQ(hit.history.end().E_f, 0) << i;
    if (c.e == 1) {
      ASSERT_NEAR(hit.history.end().E_n, 0, 1e-15 * c.v_n * c.v_n / c.a_nn) << i;
    }
  }
}

TEST(PlanarImpact, BouncesInProportionToATinyRestitution) {
  PlanarContact c = rod_tip();
  c.e = 1e-6;
  const double v_6 = planar_impact(c).v_n;
  c.e = 1e-12;
  EXPECT_NEAR(planar_impact(c).v_n, 1e-6 * v_6, 1e-15 * v_6);
}

TEST(PlanarImpact, ThatJamsSticksAndIsFinite) {
  PlanarContact c{.a_nn = 1, .a_nt = 1.2, .a_tt = 2, .v_n = -1, .v_t = 3, .mu = 1, .mu_static = 1, .e = 0.5};
  const PlanarImpact hit = planar_impact(c);
  EXPECT_EQ(hit.status, ImpactStatus::resolved);
  EXPECT_TRUE(hit.jam);
  EXPECT_EQ(hit.path, ImpactPath::stops_in_compression);
  EXPECT_EQ(hit.slip, ImpactSlip::stops_and_sticks);
  // Sliding stops at p_n = 3/0.8, where v_n = -1.75, and from there v_n grows by 1 - 1.2²/2 = 0.28.
  EXPECT_NEAR(hit.history.find(ImpactEvent::tangential_pause)->p_n, 3.75, 1e-14);
  EXPECT_NEAR(hit.history.find(ImpactEvent::normal_pause)->p_n, 3.75 + 1.75 / 0.28, 1e-13);
}

TEST(PlanarImpact, ThatStartsWithoutSlidingSticksUpToTheStaticCoefficient) {
  PlanarContact c{
      .a_nn = 3, .a_nt = 1, .a_tt = 2, .v_n = -1, .v_t = 0, .mu = 0.3, .mu_static = 0.5, .e = 0.5};
  PlanarImpact hit = planar_impact(c);  // sticking needs exactly 0.5
  EXPECT_EQ(hit.slip, ImpactSlip::sticks_throughout);
  EXPECT_EQ(hit.path, ImpactPath::never_stops);
  EXPECT_EQ(hit.v_t, 0);
  EXPECT_NEAR(hit.v_n, 0.5, 1e-15);
  EXPECT_NEAR(hit.p_t, -0.5 * hit.p_n, 1e-15);
  EXPECT_EQ(hit.history.end().E_f, 0);
  c.mu_static = std::nextafter(0.5, 0);
  hit = planar_impact(c);
  EXPECT_EQ(hit.slip, ImpactSlip::breaks_loose);
  EXPECT_GT(hit.v_t, 0);  // in the direction of a_nt
  EXPECT_NEAR(hit.p_t, -0.3 * hit.p_n, 1e-15);
  c.a_nt = -1;
  EXPECT_LT(planar_impact(c).v_t, 0);
}

TEST(PlanarImpact, StopsAndSticksOrReversesByTheStaticCoefficient) {
  PlanarContact c{
      .a_nn = 3, .a_nt = 1, .a_tt = 2, .v_n = -1, .v_t = -0.1, .mu = 0.3, .mu_static = 0.5, .e = 0.5};
  EXPECT_EQ(planar_impact(c).slip, ImpactSlip::stops_and_sticks);
  c.mu_static = 0.49;
  const PlanarImpact hit = planar_impact(c);
  EXPECT_EQ(hit.slip, ImpactSlip::stops_and_reverses);
  EXPECT_GT(hit.v_t, 0);
}

TEST(PlanarImpact, IsTheSameSeenFromTheOtherSide) {
  Random random(3);
  for (int i = 0; i < 10000; ++i) {
    PlanarContact c = random_contact(random);
    const PlanarImpact hit = planar_impact(c);
    c.a_nt = -c.a_nt;
    c.v_t = -c.v_t;
    PlanarImpact mirrored = planar_impact(c);
    mirrored.p_t = -mirrored.p_t;
    mirrored.v_t = -mirrored.v_t;
    ASSERT_TRUE(same(hit, mirrored)) << i;
  }
}

TEST(PlanarImpact, HasTheSameBitsInAllUnitsThatArePowersOfTwo) {
  Random random(4);
  for (int i = 0; i < 10000; ++i) {
    PlanarContact c = random_contact(random);
    const PlanarImpact hit = planar_impact(c);
    const int v = random.below(1200) - 600, a = v + random.below(200) - 100;
    for (double* x : {&c.a_nn, &c.a_nt, &c.a_tt}) *x = std::ldexp(*x, a);
    for (double* x : {&c.v_n, &c.v_t}) *x = std::ldexp(*x, v);
    PlanarImpact scaled = planar_impact(c);
    for (double* x : {&scaled.p_n, &scaled.p_t}) *x = std::ldexp(*x, a - v);
    for (double* x : {&scaled.v_n, &scaled.v_t}) *x = std::ldexp(*x, -v);
    ASSERT_TRUE(same(hit, scaled)) << i;
  }
}

/// A pendulum on one hinge with its tip at (x, y) from the hinge: v = (v_n, v_t) = rate (x, −y), so A is
/// singular.
PlanarContact pendulum(double x, double y, double rate, double inertia) {
  return {.a_nn = x * x / inertia,
          .a_nt = -x * y / inertia,
          .a_tt = y * y / inertia,
          .v_n = rate * x,
          .v_t = -rate * y,
          .mu = 0,
          .mu_static = 0,
          .e = 0.8};
}

TEST(PlanarImpact, OfAPendulumBouncesOrIsWedged) {
  Random random(5);
  int wedged = 0;
  for (int i = 0; i < 10000; ++i) {
    const double x = random.uniform(0.1, 1), y = random.uniform(-1, 1);
    PlanarContact c = pendulum(x, y, -random.scale(1e-2, 1e2), random.scale(1e-3, 1e3));
    c.mu = c.mu_static = random.uniform(0, 2);
    const bool held = x < c.mu * std::abs(y);
    if (std::abs(x - c.mu * std::abs(y)) < 1e-9) continue;
    const PlanarImpact hit = planar_impact(c);
    ASSERT_EQ(hit.status, ImpactStatus::resolved) << i << ' ' << to_string(hit.reason);
    ASSERT_EQ(hit.wedged, held) << i;
    wedged += held;
    if (held) {
      ASSERT_EQ(hit.v_n, 0) << i;
      ASSERT_EQ(hit.v_t, 0) << i;
    } else {
      // The velocity reverses: e² of the work of compression is returned, less friction in expansion.
      const double in = x + c.mu * std::abs(y), back = x - c.mu * std::abs(y);
      ASSERT_NEAR(hit.v_n, c.e * std::sqrt(back / in) * -c.v_n, 1e-9 * -c.v_n) << i;
    }
  }
  EXPECT_GT(wedged, 1000);
}

TEST(PlanarImpact, OfASingularMatrixAndAVelocityOffItsMechanismIsRefused) {
  PlanarContact c = pendulum(0.3, 1, -1, 1);
  c.mu = c.mu_static = 1;
  c.v_t = 0;
  const PlanarImpact hit = planar_impact(c);
  EXPECT_EQ(hit.status, ImpactStatus::refused);
  EXPECT_EQ(hit.reason, ImpactReason::never_ends);
  EXPECT_EQ(hit.v_n, c.v_n);
  EXPECT_EQ(hit.p_n, 0);
}

TEST(PlanarImpact, WhereNothingMovesTangentiallySlidesOnOrSticks) {
  PlanarContact c{
      .a_nn = 2, .a_nt = 0, .a_tt = 0, .v_n = -1, .v_t = 0.5, .mu = 0.4, .mu_static = 0.4, .e = 0.5};
  PlanarImpact hit = planar_impact(c);
  EXPECT_EQ(hit.slip, ImpactSlip::slides_through);
  EXPECT_NEAR(hit.v_n, 0.5, 1e-15);
  EXPECT_EQ(hit.v_t, 0.5);
  EXPECT_NEAR(hit.p_t, -0.4 * 0.75, 1e-15);
  c.v_t = 0;
  hit = planar_impact(c);
  EXPECT_EQ(hit.slip, ImpactSlip::sticks_throughout);
  EXPECT_EQ(hit.p_t, 0);
  EXPECT_NEAR(hit.v_n, 0.5, 1e-15);
}

TEST(PlanarImpact, OfSeparatingOrRestingContactsChangesNothing) {
  PlanarContact c = rod_tip();
  c.v_n = 1e-300;
  PlanarImpact hit = planar_impact(c);
  EXPECT_EQ(hit.status, ImpactStatus::unchanged);
  EXPECT_EQ(hit.reason, ImpactReason::separating);
  EXPECT_EQ(hit.v_n, c.v_n);
  EXPECT_EQ(hit.v_t, c.v_t);
  EXPECT_EQ(hit.p_n, 0);
  EXPECT_EQ(hit.history.count, 0);
  c.v_n = 0;
  hit = planar_impact(c);
  EXPECT_EQ(hit.status, ImpactStatus::unchanged);
  EXPECT_EQ(hit.reason, ImpactReason::resting);
}

TEST(PlanarImpact, OfBadInputIsRefusedWithItsReason) {
  const auto reason = [](auto change) {
    PlanarContact c = rod_tip();
    change(c);
    const PlanarImpact hit = planar_impact(c);
    EXPECT_EQ(hit.status, ImpactStatus::refused);
    EXPECT_EQ(hit.p_n, 0);
    return hit.reason;
  };
  const double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
  EXPECT_EQ(reason([&](PlanarContact& c) { c.e = -1e-9; }), ImpactReason::restitution_out_of_range);
  EXPECT_EQ(reason([&](PlanarContact& c) { c.e = 1 + 1e-9; }), ImpactReason::restitution_out_of_range);
  EXPECT_EQ(reason([&](PlanarContact& c) { c.mu = -1e-9; }), ImpactReason::negative_friction);
  EXPECT_EQ(reason([&](PlanarContact& c) { c.mu_static = 0.6; }), ImpactReason::static_below_dynamic);
  EXPECT_EQ(reason([&](PlanarContact& c) { c.a_nt = 2.6; }), ImpactReason::not_positive_semidefinite);
  EXPECT_EQ(reason([&](PlanarContact& c) { c.a_tt = -1; }), ImpactReason::not_positive_semidefinite);
  EXPECT_EQ(reason([&](PlanarContact& c) { c.a_nn = 0; }), ImpactReason::not_positive_semidefinite);
  EXPECT_EQ(reason([&](PlanarContact& c) { c.a_nn = c.a_nt = 0; }), ImpactReason::normal_immovable);
  for (const double bad : {nan, inf, -inf}) {
    for (double PlanarContact::*x :
         {&PlanarContact::a_nn, &PlanarContact::a_nt, &PlanarContact::a_tt, &PlanarContact::v_n,
          &PlanarContact::v_t, &PlanarContact::mu, &PlanarContact::mu_static, &PlanarContact::e}) {
      EXPECT_EQ(reason([&](PlanarContact& c) { c.*x = bad; }), ImpactReason::not_finite);
    }
  }
}

TEST(PlanarImpact, IsFiniteOrRefusedForAnyNumbers) {
  Random random(6);
  int resolved = 0;
  for (int i = 0; i < 200000; ++i) {
    const auto any = [&] {
      const double specials[] = {0, 1, 5e-324, 1e-308, 1e308, 1e-160, 1e160};
      return random.below(2) == 0 ? specials[random.below(7)] : random.scale(1e-300, 1e300);
    };
    PlanarContact c{.a_nn = any(),
                    .a_nt = 0,
                    .a_tt = any(),
                    .v_n = -any(),
                    .v_t = any(),
                    .mu = any(),
                    .mu_static = 0,
                    .e = random.uniform(0, 1)};
    c.mu_static = c.mu;
    const double r = random.below(3) - 1.0;
    c.a_nt = r * random.uniform(0.9, 1) * std::sqrt(c.a_nn) * std::sqrt(c.a_tt);
    const PlanarImpact hit = planar_impact(c);
    resolved += hit.status == ImpactStatus::resolved;
    for (const double x : {hit.p_n, hit.p_t, hit.v_n, hit.v_t}) ASSERT_TRUE(std::isfinite(x)) << i;
    for (int k = 0; k < hit.history.count; ++k) {
      const ImpactPhase& phase = hit.history.phase[k];
      for (const double x : {phase.p_n, phase.E_n, phase.E_f}) ASSERT_TRUE(std::isfinite(x)) << i;
    }
  }
  EXPECT_GT(resolved, 10000);
}

TEST(ApplyImpulse, AddsTheColumnsOfLTimesTheImpulses) {
  const std::array<double, 6> L{1, 2, 3, 10, 20, 30};
  const std::array<double, 2> p{2, -1};
  std::array<double, 3> u{100, 200, 300};
  apply_impulse(L, p, u);
  EXPECT_EQ(u, (std::array<double, 3>{92, 184, 276}));
}

}  // namespace planar_impact_test
}  // namespace pawl::internal
