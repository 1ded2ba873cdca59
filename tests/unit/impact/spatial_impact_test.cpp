#include <pawl/impact.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include <unit/base/random.h>

namespace pawl::internal {
namespace spatial_impact_test {

using testing::Random;

constexpr double kRounding = 1e-13;

Mat3 random_matrix(Random& random) {
  Mat3 G;
  for (Vec3& row : G.row) row = random.vec();
  Mat3 A = transpose(G) * G;
  const Vec3 size{random.scale(0.3, 3), random.scale(0.3, 3), random.scale(0.3, 3)};
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) A(i, j) *= size[i] * size[j];
  }
  return A;
}

SpatialContact random_contact(Random& random) {
  SpatialContact c;
  c.A = random_matrix(random);
  c.v = {-random.scale(0.01, 100), random.uniform(-1, 1) * random.scale(0.01, 100),
         random.uniform(-1, 1) * random.scale(0.01, 100)};
  c.mu = random.scale(0.02, 5);
  c.mu_static = random.below(2) == 0 ? c.mu : c.mu * random.uniform(1, 1.5);
  c.e = random.below(4) == 0 ? random.below(2) : random.uniform(0, 1);
  if (random.below(2) == 0) c.e_t = random.uniform(0.1, 2), c.e_o = random.uniform(0.1, 2);
  return c;
}

/// Rotates the tangents by an angle.
void turn(SpatialContact& c, double angle) {
  const double s = std::sin(angle), co = std::cos(angle);
  const Mat3 R{{{{1, 0, 0}, {0, co, s}, {0, -s, co}}}};
  c.A = R * c.A * transpose(R);
  c.v = R * c.v;
}

double speed(const SpatialContact& c, const SpatialImpact& hit) {
  return norm(c.v) + norm(hit.v);
}
/// The magnitude of the terms of v + A p.
double speed_terms(const SpatialContact& c, const SpatialImpact& hit) {
  return norm(c.v) + trace(c.A) * norm(hit.p);
}
double energy_terms(const SpatialContact& c, const SpatialImpact& hit) {
  return speed_terms(c, hit) * norm(hit.p);
}

TEST(SpatialImpact, KeepsItsLawsOnEveryPath) {
  Random random(1);
  std::map<ImpactPath, int> paths;
  std::map<ImpactSlip, int> slips;
  int recompressed = 0;
  for (int i = 0; i < 20000; ++i) {
    const SpatialContact c = random_contact(random);
    const SpatialImpact hit = spatial_impact(c);
    ASSERT_EQ(hit.status, ImpactStatus::resolved) << i << ' ' << to_string(hit.reason);
    ++paths[hit.path];
    ++slips[hit.slip];
    recompressed += hit.recompressed;
    const Vec3 off = hit.v - (c.v + c.A * hit.p);
    ASSERT_LE(norm(off), 10 * c.tolerance * speed_terms(c, hit)) << i;
    ASSERT_LE(std::hypot(hit.p.y / c.e_t, hit.p.z / c.e_o), c.mu_static * hit.p.x * (1 + 10 * c.tolerance))
        << i;
    ASSERT_GE(hit.v.x, 0) << i;
    if (c.e == 0) {
      ASSERT_EQ(hit.v.x, 0) << i;
    }
    const ImpactPhase& end = hit.history.end();
    const ImpactPhase* pause = hit.history.find(ImpactEvent::normal_pause);
    ASSERT_NE(pause, nullptr) << i;
    const double work = dot(c.v, hit.p) + 0.5 * dot(hit.p, c.A * hit.p);
    ASSERT_NEAR(end.E_n + end.E_f, work, 10 * c.tolerance * energy_terms(c, hit)) << i;
    ASSERT_LE(end.E_f, 0) << i;
    ASSERT_LE(work, kRounding * energy_terms(c, hit)) << i;
    ASSERT_NEAR(end.E_n, (1 - c.e * c.e) * pause->E_n, kRounding * std::abs(pause->E_n)) << i;
    for (int k = 1; k < hit.history.count; ++k) {
      ASSERT_GE(hit.history.phase[k].p_n, hit.history.phase[k - 1].p_n) << i;
    }
  }
  for (const ImpactPath path :
       {ImpactPath::stops_in_compression, ImpactPath::never_stops, ImpactPath::stops_in_expansion}) {
    EXPECT_GT(paths[path], 100) << to_string(path);
  }
  for (const ImpactSlip slip :
       {ImpactSlip::slides_through, ImpactSlip::stops_and_sticks, ImpactSlip::stops_and_reverses}) {
    EXPECT_GT(slips[slip], 100) << to_string(slip);
  }
  EXPECT_GT(recompressed, 0);
}

TEST(SpatialImpact, ConvergesAsTheToleranceIsRefined) {
  Random random(2);
  for (const double tolerance : {1e-4, 1e-6, 1e-8, 1e-10, 1e-12}) {
    double worst = 0;
    for (int i = 0; i < 2000; ++i) {
      SpatialContact c = random_contact(random);
      c.tolerance = 1e-13;
      const SpatialImpact fine = spatial_impact(c);
      c.tolerance = tolerance;
      const SpatialImpact coarse = spatial_impact(c);
      worst = std::max(worst, norm(coarse.v - fine.v) / speed(c, fine));
    }
    EXPECT_LE(worst, 20 * tolerance);
  }
}

/// A planar contact in the plane of n and t, without motion along o.
SpatialContact in_space(const PlanarContact& planar, double a_oo) {
  SpatialContact c;
  c.A = {{{{planar.a_nn, planar.a_nt, 0}, {planar.a_nt, planar.a_tt, 0}, {0, 0, a_oo}}}};
  c.v = {planar.v_n, planar.v_t, 0};
  c.mu = planar.mu;
  c.mu_static = planar.mu_static;
  c.e = planar.e;
  return c;
}

TEST(SpatialImpact, OfAPlanarMotionIsThePlanarOneInAnyTangents) {
  Random random(3);
  std::map<ImpactPath, int> paths;
  for (int i = 0; i < 20000; ++i) {
    PlanarContact planar;
    planar.a_nn = random.scale(0.1, 10);
    planar.a_tt = random.scale(0.1, 10);
    planar.a_nt = random.uniform(-0.99, 0.99) * std::sqrt(planar.a_nn * planar.a_tt);
    planar.v_n = -random.scale(0.1, 10);
    planar.v_t = random.uniform(-1, 1) * random.scale(0.1, 10);
    planar.mu = random.scale(0.01, 5);
    planar.mu_static = planar.mu * (random.below(2) == 0 ? 1 : 1.3);
    planar.e = random.uniform(0, 1);
    SpatialContact c = in_space(planar, random.below(8) == 0 ? 0 : random.scale(0.1, 10));
    const double angle = i % 2 == 0 ? 0 : random.uniform(-3, 3);
    turn(c, angle);
    const PlanarImpact exact = planar_impact(planar);
    const SpatialImpact hit = spatial_impact(c);
    ASSERT_EQ(hit.status, ImpactStatus::resolved) << i;
    EXPECT_EQ(hit.path, exact.path) << i;
    EXPECT_EQ(hit.slip, exact.slip) << i;
    ++paths[hit.path];
    const Vec3 tangent{0, std::cos(angle), -std::sin(angle)};
    const Vec3 v = Vec3{exact.v_n, 0, 0} + exact.v_t * tangent,
               p = Vec3{exact.p_n, 0, 0} + exact.p_t * tangent;
    ASSERT_LE(norm(hit.v - v), 1e-12 * speed_terms(c, hit)) << i;
    ASSERT_LE(norm(hit.p - p), 1e-9 * norm(p)) << i;
    for (int k = 0; k < hit.history.count; ++k) {
      const ImpactPhase &ours = hit.history.phase[k], &theirs = exact.history.phase[k];
      ASSERT_EQ(ours.event, theirs.event) << i;
      ASSERT_NEAR(ours.E_n, theirs.E_n, 1e-12 * energy_terms(c, hit)) << i;
      ASSERT_NEAR(ours.E_f, theirs.E_f, 1e-12 * energy_terms(c, hit)) << i;
    }
  }
  EXPECT_EQ(paths.size(), 3u);
}

TEST(SpatialImpact, WithAnEllipseIsTheCircularOneInScaledTangents) {
  Random random(4);
  for (int i = 0; i < 2000; ++i) {
    SpatialContact c = random_contact(random);
    const SpatialImpact hit = spatial_impact(c);
    SpatialContact round = c;
    round.e_t = round.e_o = 1;
    const Vec3 radii{1, c.e_t, c.e_o};
    for (int k = 0; k < 3; ++k) {
      round.v[k] *= radii[k];
      for (int j = 0; j < 3; ++j) round.A(k, j) *= radii[k] * radii[j];
    }
    const SpatialImpact other = spatial_impact(round);
    const Vec3 p{other.p.x, c.e_t * other.p.y, c.e_o * other.p.z};
    ASSERT_LE(norm(hit.p - p), 1e-8 * norm(p)) << i;
  }
}

TEST(SpatialImpact, WithoutFrictionAlongOneTangentLeavesThatImpulseZero) {
  Random random(5);
  for (int i = 0; i < 2000; ++i) {
    SpatialContact c = random_contact(random);
    c.e_o = 0;
    const SpatialImpact hit = spatial_impact(c);
    ASSERT_EQ(hit.status, ImpactStatus::resolved) << i;
    ASSERT_EQ(hit.p.z, 0) << i;
    // The rest of the impact is planar.
    const PlanarImpact planar = planar_impact(
        {c.A(0, 0), c.A(0, 1), c.A(1, 1), c.v.x, c.v.y, c.mu * c.e_t, c.mu_static * c.e_t, c.e});
    ASSERT_NEAR(hit.p.y, planar.p_t, 1e-12 * planar.p_n) << i;
    c.e_t = 0;
    ASSERT_EQ(spatial_impact(c).p.y, 0) << i;
  }
}

TEST(SpatialImpact, ThatStartsWithoutSlidingSticksOrBreaksLooseAgainstItsFriction) {
  Random random(6);
  int sticks = 0, loose = 0;
  for (int i = 0; i < 5000; ++i) {
    SpatialContact c = random_contact(random);
    c.v.y = c.v.z = 0;
    c.e_t = c.e_o = 1;
    const SpatialImpact hit = spatial_impact(c);
    ASSERT_EQ(hit.steps, 0);
    ASSERT_EQ(hit.status, ImpactStatus::resolved) << i;
    if (hit.slip == ImpactSlip::sticks_throughout) {
      ++sticks;
      ASSERT_EQ(hit.v.y, 0);
      ASSERT_EQ(hit.v.z, 0);
      ASSERT_EQ(hit.history.end().E_f, 0);
    } else {
      ++loose;
      ASSERT_EQ(hit.slip, ImpactSlip::breaks_loose);
      const double slip = std::hypot(hit.v.y, hit.v.z), friction = std::hypot(hit.p.y, hit.p.z);
      ASSERT_NEAR(friction, c.mu * hit.p.x, kRounding * hit.p.x) << i;
      ASSERT_NEAR(hit.v.y * hit.p.y + hit.v.z * hit.p.z, -slip * friction, 1e-10 * slip * friction) << i;
    }
  }
  EXPECT_GT(sticks, 500);
  EXPECT_GT(loose, 500);
}

TEST(SpatialImpact, OfNearlyNoSlidingIsNearThatOfNone) {
  Random random(7);
  for (int i = 0; i < 5000; ++i) {
    SpatialContact c = random_contact(random);
    c.mu_static = c.mu;
    c.v.y = c.v.z = 0;
    const SpatialImpact none = spatial_impact(c);
    const double slip = random.scale(1e-300, 1e-9), angle = random.uniform(-3, 3);
    c.v.y = slip * std::cos(angle);
    c.v.z = slip * std::sin(angle);
    const SpatialImpact hit = spatial_impact(c);
    ASSERT_EQ(hit.status, ImpactStatus::resolved) << i;
    ASSERT_LE(norm(hit.v - none.v), 1e-5 * speed_terms(c, none)) << i << ' ' << slip;
    ASSERT_LE(hit.steps, 100) << i;
  }
}

TEST(SpatialImpact, OfVeryAnisotropicTangentsTakesNoMoreSteps) {
  Random random(8);
  int most = 0;
  for (int i = 0; i < 20000; ++i) {
    SpatialContact c = random_contact(random);
    const Vec3 size{1, random.scale(1e-6, 1e6), random.scale(1e-6, 1e6)};
    for (int k = 0; k < 3; ++k) {
      for (int j = 0; j < 3; ++j) c.A(k, j) *= size[k] * size[j];
    }
    turn(c, random.uniform(-3, 3));
    c.v.y *= random.scale(1e-6, 1e6);
    c.v.z *= random.scale(1e-6, 1e6);
    const SpatialImpact hit = spatial_impact(c);
    ASSERT_EQ(hit.status, ImpactStatus::resolved) << i << ' ' << to_string(hit.reason);
    most = std::max(most, hit.steps);
  }
  EXPECT_LE(most, 200);
}

/// Mechanisms of one and two degrees of freedom: A is singular, and v is feasible for the mechanism.
TEST(SpatialImpact, OfMechanismsWithFewDofsBouncesOrIsWedged) {
  Random random(9);
  int wedged = 0;
  for (int i = 0; i < 10000; ++i) {
    const Vec3 first = random.unit(), second = i % 2 == 0 ? Vec3{} : random.unit();
    SpatialContact c = random_contact(random);
    c.A = outer(first, first) + outer(second, second);
    c.v = random.uniform(-1, 1) * first + random.uniform(-1, 1) * second;
    if (c.v.x > 0) c.v = -c.v;
    const SpatialImpact hit = spatial_impact(c);
    ASSERT_EQ(hit.status, ImpactStatus::resolved) << i << ' ' << to_string(hit.reason);
    const double work = dot(c.v, hit.p) + 0.5 * dot(hit.p, c.A * hit.p);
    ASSERT_LE(work, 1e-9 * energy_terms(c, hit)) << i;
    wedged += hit.wedged;
    if (hit.wedged) {
      ASSERT_EQ(hit.v.x, 0) << i;
    }
    ASSERT_LE(norm(hit.p) * norm(first), 1e9 * norm(c.v)) << i;
  }
  EXPECT_GT(wedged, 100);
}

TEST(SpatialImpact, OfSeparatingOrRestingContactsChangesNothing) {
  Random random(10);
  SpatialContact c = random_contact(random);
  c.v.x = 0.1;
  SpatialImpact hit = spatial_impact(c);
  EXPECT_EQ(hit.status, ImpactStatus::unchanged);
  EXPECT_EQ(hit.reason, ImpactReason::separating);
  EXPECT_EQ(hit.v, c.v);
  c.v.x = 0;
  EXPECT_EQ(spatial_impact(c).reason, ImpactReason::resting);
}

TEST(SpatialImpact, OfBadInputIsRefusedWithItsReason) {
  Random random(11);
  const SpatialContact good = random_contact(random);
  const auto reason = [&](auto change) {
    SpatialContact c = good;
    change(c);
    const SpatialImpact hit = spatial_impact(c);
    EXPECT_EQ(hit.status, ImpactStatus::refused);
    EXPECT_EQ(hit.p, Vec3{});
    return hit.reason;
  };
  const double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
  using C = SpatialContact;
  EXPECT_EQ(reason([&](C& c) { c.e = -1e-9; }), ImpactReason::restitution_out_of_range);
  EXPECT_EQ(reason([&](C& c) { c.e = 1 + 1e-9; }), ImpactReason::restitution_out_of_range);
  EXPECT_EQ(reason([&](C& c) { c.mu = -1e-9; }), ImpactReason::negative_friction);
  EXPECT_EQ(reason([&](C& c) { c.e_t = -1e-9; }), ImpactReason::negative_friction);
  EXPECT_EQ(reason([&](C& c) { c.mu_static = 0.99 * c.mu; }), ImpactReason::static_below_dynamic);
  EXPECT_EQ(reason([&](C& c) { c.tolerance = 0; }), ImpactReason::bad_tolerance);
  EXPECT_EQ(reason([&](C& c) { c.A(1, 1) = -1; }), ImpactReason::not_positive_semidefinite);
  EXPECT_EQ(reason([&](C& c) { c.A(0, 1) = 1.01 * std::sqrt(c.A(0, 0) * c.A(1, 1)); }),
            ImpactReason::not_positive_semidefinite);
  // Every 2×2 principal minor is positive; the determinant is not.
  EXPECT_EQ(reason([&](C& c) {
              c.A = {{{{1, 0.9, 0.9}, {0.9, 1, -0.9}, {0.9, -0.9, 1}}}};
            }),
            ImpactReason::not_positive_semidefinite);
  EXPECT_EQ(reason([&](C& c) { c.A = Mat3::diagonal({0, 1, 1}); }), ImpactReason::normal_immovable);
  for (const double bad : {nan, inf, -inf}) {
    for (double C::*x : {&C::mu, &C::mu_static, &C::e, &C::e_t, &C::e_o, &C::tolerance}) {
      EXPECT_EQ(reason([&](C& c) { c.*x = bad; }), ImpactReason::not_finite);
    }
    for (int i = 0; i < 3; ++i) {
      EXPECT_EQ(reason([&](C& c) { c.v[i] = bad; }), ImpactReason::not_finite);
      for (int j = i; j < 3; ++j) {
        EXPECT_EQ(reason([&](C& c) { c.A(i, j) = bad; }), ImpactReason::not_finite);
      }
    }
  }
}

TEST(SpatialImpact, IsFiniteOrRefusedForAnyNumbers) {
  Random random(12);
  int resolved = 0;
  for (int i = 0; i < 100000; ++i) {
    const auto any = [&] {
      const double specials[] = {0, 1, 5e-324, 1e-308, 1e308, 1e-160, 1e160};
      return random.below(2) == 0 ? specials[random.below(7)] : random.scale(1e-300, 1e300);
    };
    SpatialContact c = random_contact(random);
    const Vec3 size{std::sqrt(any()), std::sqrt(any()), std::sqrt(any())};
    for (int k = 0; k < 3; ++k) {
      for (int j = 0; j < 3; ++j) c.A(k, j) *= size[k] * size[j];
    }
    c.v = {-any(), any(), any()};
    if (random.below(2) == 0) c.mu = c.mu_static = any();
    if (random.below(2) == 0) c.e_t = any(), c.e_o = any();
    const SpatialImpact hit = spatial_impact(c);
    resolved += hit.status == ImpactStatus::resolved;
    ASSERT_TRUE(is_finite(hit.p) && is_finite(hit.v)) << i;
    for (int k = 0; k < hit.history.count; ++k) {
      const ImpactPhase& phase = hit.history.phase[k];
      for (const double x : {phase.p_n, phase.E_n, phase.E_f}) ASSERT_TRUE(std::isfinite(x)) << i;
    }
  }
  EXPECT_GT(resolved, 10000);
}

}  // namespace spatial_impact_test
}  // namespace pawl::internal
