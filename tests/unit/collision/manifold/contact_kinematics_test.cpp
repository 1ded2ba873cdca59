// Rates of contact points against central differences of the contact points.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

#include <pawl/collision/distance/signed_distance.h>
#include <pawl/collision/shapes/contact_feature.h>
#include <pawl/geometry.h>
#include <unit/base/worst.h>
#include <unit/collision/shapes/random_convex.h>
#include <unit/record/allocation_count.h>

namespace pawl::internal {
namespace contact_kinematics_test {

using namespace testing;

constexpr double kStep = 1e-4;  // s, of a difference: shapes move by about their size in 1 s

struct Moving {
  const Convex& shape;
  Pose X;
  Vec3 velocity;  // of its origin, m/s
  Vec3 spin;      // rad/s

  Pose at(double time) const { return {to_matrix(quat_exp(time * spin)) * X.R, X.p + time * velocity}; }
  ShapeMotion motion(const Vec3& point) const { return {velocity + cross(spin, point - X.p), spin}; }
};

Moving random_moving(Random& random, const Convex& shape, const Pose& X, double size) {
  Moving moving{shape, X, random.vec(size), random.vec()};
  if (shape.planar) moving.velocity.z = moving.spin.x = moving.spin.y = 0;
  return moving;
}

/// One contact point at times -2t, -t, 0, t and 2t.
using Samples = std::array<ManifoldPoint, 5>;

template <class Value>
Value difference(const Samples& samples, Value ManifoldPoint::*what) {
  const auto central = [&](int offset) {
    return (samples[2 + offset].*what - samples[2 - offset].*what) * (1 / (2 * offset * kStep));
  };
  return (4.0 / 3) * central(1) - (1.0 / 3) * central(2);  // the error is of fourth order
}

/// True if finite differences are meaningful: the point has no jump or kink, and its third derivative is not
/// too large. At a kink, second differences do not decrease as the square of the step.
bool is_smooth(const Samples& samples, double size) {
  const auto rough = [&](auto what, double unit) {
    const auto at = [&](int k) { return samples[2 + k].*what; };
    const auto third = at(2) - 2.0 * at(1) + 2.0 * at(-1) - at(-2);
    const auto fourth = at(2) - 4.0 * at(1) + 6.0 * at(0) - 4.0 * at(-1) + at(-2);
    return std::max(norm(third), 1e2 * norm(fourth)) > 1e-4 * kStep * unit;
  };
  return !rough(&ManifoldPoint::normal, 1) && !rough(&ManifoldPoint::point_a, size) &&
         !rough(&ManifoldPoint::point_b, size);
}

struct Errors {
  WorstValue gap{"gap over speed"}, normal{"normal"}, points{"points over size"};
  int compared = 0, rough = 0, none = 0;
};

void compare(const Samples& samples, const std::optional<ContactKinematics>& rates, const ShapeMotion& a,
             const ShapeMotion& b, double size, Errors& errors) {
  if (!is_smooth(samples, size)) {
    ++errors.rough;
    return;
  }
  if (!rates) {
    ++errors.none;
    return;
  }
  ++errors.compared;
  const ContactTimeDerivative time_derivative = rates->time_derivative(a, b);
  EXPECT_EQ(time_derivative.gap, dot(samples[2].normal, a.velocity - b.velocity));
  const double large = 1 + norm(time_derivative.normal) + norm(time_derivative.point_b) / size;
  errors.gap.add((difference(samples, &ManifoldPoint::gap) - time_derivative.gap) / (size * large));
  errors.normal.add((difference(samples, &ManifoldPoint::normal) - time_derivative.normal) * (1 / large));
  errors.points.add((difference(samples, &ManifoldPoint::point_a) - time_derivative.point_a) *
                    (1 / (size * large)));
  errors.points.add((difference(samples, &ManifoldPoint::point_b) - time_derivative.point_b) *
                    (1 / (size * large)));
}

/// The points that `find(time)` returns at all five times, by feature.
template <class Find, class Compare>
void for_each_sampled_point(Find find, Compare compare) {
  std::array<Manifold, 5> sets;
  for (int k = 0; k < 5; ++k) find((k - 2) * kStep, sets[k]);
  for (int i = 0; i < sets[2].count; ++i) {
    Samples samples;
    bool whole = true;
    for (int k = 0; k < 5; ++k) {
      const auto end = sets[k].points.begin() + sets[k].count;
      const auto same = std::find_if(sets[k].points.begin(), end, [&](const ManifoldPoint& point) {
        return point.feature == sets[2].points[i].feature;
      });
      whole = whole && same != end;
      if (whole) samples[k] = *same;
    }
    if (whole) compare(samples);
  }
}

void compare_pair(const Moving& a, const Moving& b, double size, Errors& errors) {
  const PosedConvex at_a{a.shape, a.X}, at_b{b.shape, b.X};
  for_each_sampled_point(
      [&](double time, Manifold& manifold) {
        collide({a.shape, a.at(time)}, {b.shape, b.at(time)}, size, Manifold::kMaxPoints, manifold);
      },
      [&](const Samples& samples) {
        compare(samples, contact_kinematics(at_a, at_b, samples[2]), a.motion(samples[2].point_a),
                b.motion(samples[2].point_b), size, errors);
      });
}

void compare_all(CoreKind kind_a, CoreKind kind_b, bool planar, Errors& errors) {
  Random random(100 + static_cast<unsigned>(kind_a) * 10 + static_cast<unsigned>(kind_b));
  for (int sample = 0; sample < testing::poses_per_pair(20 * kPoseKinds); ++sample) {
    const double size = random.scale(1e-3, 1e2);
    Convex a, b;
    a = random_convex(random, kind_a, planar, size, 4);
    b = random_convex(random, kind_b, planar, size * random.scale(0.2, 1), 4);
    Pose X_a, X_b;
    random_poses(random, static_cast<PoseKind>(sample % kPoseKinds), a, b, X_a, X_b);
    const double both = size_of(a) + size_of(b);
    compare_pair(random_moving(random, a, X_a, both), random_moving(random, b, X_b, both), both, errors);
  }
}

/// Against the ground z ≤ 0 (planar: y ≤ 0), which rotates and moves too.
void compare_on_ground(CoreKind kind, bool planar, Errors& errors) {
  Random random(200 + static_cast<unsigned>(kind));
  for (int sample = 0; sample < testing::poses_per_pair(200); ++sample) {
    const double size = random.scale(1e-3, 1e2);
    Convex a;
    a = random_convex(random, kind, planar, size, 4);
    const bool level = sample % 2 == 0;
    const Pose X_a{level ? testing::quarter_turn(random, planar) : testing::random_turn(random, planar),
                   random.vec(size)};
    const Moving body = random_moving(random, a, planar ? Pose{X_a.R, {X_a.p.x, X_a.p.y, 0}} : X_a, size);
    const Convex none = Convex::sphere(0, planar);
    const Moving ground = random_moving(random, none, {}, size);
    const auto half_space = [&](double time) {
      const Pose X = ground.at(time);
      const Vec3 normal = X.R * (planar ? Vec3{0, 1, 0} : Vec3{0, 0, 1});
      return HalfSpace{normal, dot(normal, X.p)};
    };
    for_each_sampled_point(
        [&](double time, Manifold& manifold) {
          collide({a, body.at(time)}, half_space(time), 10 * size, Manifold::kMaxPoints, manifold);
        },
        [&](const Samples& samples) {
          compare(samples, contact_kinematics({a, body.X}, half_space(0), samples[2]),
                  body.motion(samples[2].point_a), ground.motion(samples[2].point_b), size, errors);
        });
  }
}

/// `separation` gives witness points of curved cores to about 1e-8 of the size, which limits their rates.
void expect_same(const Errors& errors, bool curved) {
  EXPECT_GT(errors.compared, 50);
  errors.gap.expect_at_most(curved ? 1e-7 : 1e-9);
  errors.normal.expect_at_most(curved ? 1e-5 : 1e-7);
  errors.points.expect_at_most(curved ? 1e-5 : 1e-7);
}

template <class Cores>
void expect_all_pairs_hold(const Cores& cores, bool planar) {
  for (const CoreKind kind_a : cores) {
    for (const CoreKind kind_b : cores) {
      SCOPED_TRACE(name_of(kind_a) + " and " + name_of(kind_b));
      Errors errors;
      compare_all(kind_a, kind_b, planar, errors);
      const bool rim = std::max(kind_a, kind_b) >= CoreKind::cylinder;
      // A rim that leaves a face is the only point without rates.
      EXPECT_LT(errors.none, rim ? errors.compared : 1);
      expect_same(errors, std::max(kind_a, kind_b) >= CoreKind::ellipsoid);
    }
  }
}

template <class Cores>
void expect_all_hold_on_ground(const Cores& cores, bool planar) {
  for (const CoreKind kind : cores) {
    SCOPED_TRACE(name_of(kind));
    Errors errors;
    compare_on_ground(kind, planar, errors);
    EXPECT_EQ(errors.none, 0);
    expect_same(errors, false);
  }
}

TEST(ContactKinematics, MatchFiniteDifferencesForAllPairsInSpace) {
  expect_all_pairs_hold(kSpatialCores, false);
}

TEST(ContactKinematics, MatchFiniteDifferencesForAllPairsInThePlane) {
  expect_all_pairs_hold(kPlanarCores, true);
}

TEST(ContactKinematics, MatchFiniteDifferencesOnAMovingHalfSpace) {
  expect_all_hold_on_ground(kSpatialCores, false);
  expect_all_hold_on_ground(kPlanarCores, true);
}

Convex ball(double radius) {
  return Convex::sphere(radius);
}

TEST(ContactKinematics, CurvatureOfBallsIsOneOverTheirRadiiAndTheGap) {
  const Convex small = ball(0.2), large = ball(0.5);
  for (const double gap : {-0.1, 0.0, 0.3}) {
    const PosedConvex a{small, {Mat3::identity(), (0.7 + gap) * normalized(Vec3{1, 2, -2})}}, b{large, {}};
    const auto rates = contact_kinematics(a, b, separation(a, b));
    ASSERT_TRUE(rates);
    for (const double k : rates->principal_curvatures()) EXPECT_NEAR(k, 1 / (0.7 + gap), 1e-14);
  }
}

TEST(ContactKinematics, CurvatureOfAnEllipsoidOnItsTipIsThatOfItsTwoEllipses) {
  const Convex egg = Convex::ellipsoid({0.2, 0.3, 0.4}), point = ball(0);
  const double gap = 0.1;
  const PosedConvex a{point, {Mat3::identity(), {0, 0, 0.4 + gap}}}, b{egg, {}};
  const auto rates = contact_kinematics(a, b, separation(a, b));
  ASSERT_TRUE(rates);
  const auto k = rates->principal_curvatures();
  EXPECT_NEAR(k[0], 1 / (0.2 * 0.2 / 0.4 + gap), 1e-13);
  EXPECT_NEAR(k[1], 1 / (0.3 * 0.3 / 0.4 + gap), 1e-13);
}

TEST(ContactKinematics, RollingBallMatchesMontanasEquations) {
  // Pure rolling about x at angular velocity w: the point moves over both surfaces at w/(κ_a + κ_b).
  const double r = 0.2, R = 0.5, w = 3;
  const Convex small = ball(r), large = ball(R);
  const PosedConvex a{small, {Mat3::identity(), {0, 0, r + R}}}, b{large, {}};
  const auto rates = contact_kinematics(a, b, separation(a, b));
  ASSERT_TRUE(rates);
  const ContactTimeDerivative time_derivative = rates->time_derivative({{}, {w, 0, 0}}, {});
  const double speed = w / (1 / r + 1 / R);
  EXPECT_NEAR(norm(time_derivative.point_b - Vec3{0, -speed, 0}), 0, 1e-15);
  EXPECT_NEAR(norm(time_derivative.normal - Vec3{0, -speed / R, 0}), 0, 1e-15);
}

TEST(ContactKinematics, MirrorWhenTheShapesAreSwapped) {
  WorstValue error("error over size");
  Random random(5);
  for (int sample = 0; sample < 2000; ++sample) {
    const double size = random.scale(1e-3, 1e2);
    Convex a, b;
    a = random_convex(random, kSpatialCores[random.below(kSpatialCores.size())], false, size, 4);
    b = random_convex(random, kSpatialCores[random.below(kSpatialCores.size())], false, size, 4);
    Pose X_a, X_b;
    random_poses(random, PoseKind::near, a, b, X_a, X_b);
    const Moving body_a = random_moving(random, a, X_a, size), body_b = random_moving(random, b, X_b, size);
    const PosedConvex at_a{a, X_a}, at_b{b, X_b};
    const Separation there = separation(at_a, at_b), back = separation(at_b, at_a);
    const auto rates = contact_kinematics(at_a, at_b, there), mirrored = contact_kinematics(at_b, at_a, back);
    ASSERT_EQ(rates.has_value(), mirrored.has_value());
    if (!rates) continue;
    const ShapeMotion move_a = body_a.motion(there.point_a), move_b = body_b.motion(there.point_b);
    const ContactTimeDerivative one = rates->time_derivative(move_a, move_b),
                                other = mirrored->time_derivative(move_b, move_a);
    const double large = 1 + norm(one.normal) + norm(one.point_b) / size;
    error.add((one.normal + other.normal) * (1 / large));
    error.add((one.point_a - other.point_b) * (1 / (size * large)));
    error.add((one.point_b - other.point_a) * (1 / (size * large)));
  }
  error.expect_at_most(1e-11);
}

TEST(ContactKinematics, AreNoneWhereTheNormalOrThePointIsNotDeterminedAndAllocateNothing) {
  const Convex small = ball(0.2), large = ball(0.5);
  const PosedConvex a{small, {}}, b{large, {}};
  EXPECT_FALSE(contact_kinematics(a, b, separation(a, b)));  // concentric

  const Convex log = Convex::cylinder(0.1, 1);
  const PosedConvex lower{log, {}}, upper{log, {Mat3::identity(), {0.3, 0, 0.2}}};
  EXPECT_FALSE(contact_kinematics(upper, lower, separation(upper, lower)));  // parallel

  const Convex box = Convex::box({1, 1, 1});
  const PosedConvex below{box, {}}, above{box, {Mat3::identity(), {0.2, 0.3, 2}}};
  EXPECT_FALSE(contact_kinematics(above, below, separation(above, below)));  // face on face
  Manifold manifold;
  collide(above, below, 0, 4, manifold);
  ASSERT_EQ(manifold.count, 4);
  const long before = allocation_count();
  for (int i = 0; i < manifold.count; ++i) {
    EXPECT_TRUE(contact_kinematics(above, below, manifold.points[i])) << i;  // but each corner has rates
  }
  EXPECT_EQ(allocation_count(), before);
}

}  // namespace contact_kinematics_test
}  // namespace pawl::internal
