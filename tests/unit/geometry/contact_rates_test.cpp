// Rates of contact points against central differences of the contact points themselves.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

#include <pawl/geometry/contact_feature.h>
#include <pawl/geometry/contact_rates.h>
#include <unit/base/worst.h>
#include <unit/geometry/random_convex.h>
#include <unit/record/allocation_count.h>

namespace pawl {
namespace {

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

/// Places of one feature at times -2t, -t, 0, t and 2t.
using Course = std::array<ContactPoint, 5>;

template <class Value>
Value difference(const Course& course, Value ContactPoint::*what) {
  const auto central = [&](int reach) {
    return (course[2 + reach].*what - course[2 - reach].*what) * (1 / (2 * reach * kStep));
  };
  return (4.0 / 3) * central(1) - (1.0 / 3) * central(2);  // its own error is of fourth order
}

/// Whether differences say anything: the point neither jumps nor turns a corner (then the second differences
/// do not grow as the square of the step), and its third derivative is not too large.
bool is_smooth(const Course& course, double size) {
  const auto rough = [&](auto what, double unit) {
    const auto at = [&](int k) { return course[2 + k].*what; };
    const auto third = at(2) - 2.0 * at(1) + 2.0 * at(-1) - at(-2);
    const auto fourth = at(2) - 4.0 * at(1) + 6.0 * at(0) - 4.0 * at(-1) + at(-2);
    return std::max(norm(third), 1e2 * norm(fourth)) > 1e-4 * kStep * unit;
  };
  return !rough(&ContactPoint::normal, 1) && !rough(&ContactPoint::point_a, size) &&
         !rough(&ContactPoint::point_b, size);
}

struct Errors {
  Worst gap{"gap over speed"}, normal{"normal"}, points{"points over size"};
  int compared = 0, rough = 0, none = 0;
};

void compare(const Course& course, const std::optional<ContactRates>& rates, const ShapeMotion& a,
             const ShapeMotion& b, double size, Errors& errors) {
  if (!is_smooth(course, size)) {
    ++errors.rough;
    return;
  }
  if (!rates) {
    ++errors.none;
    return;
  }
  ++errors.compared;
  const ContactChange change = rates->change(a, b);
  EXPECT_EQ(change.gap, dot(course[2].normal, a.velocity - b.velocity));
  const double large = 1 + norm(change.normal) + norm(change.point_b) / size;
  errors.gap.add((difference(course, &ContactPoint::gap) - change.gap) / (size * large));
  errors.normal.add((difference(course, &ContactPoint::normal) - change.normal) * (1 / large));
  errors.points.add((difference(course, &ContactPoint::point_a) - change.point_a) * (1 / (size * large)));
  errors.points.add((difference(course, &ContactPoint::point_b) - change.point_b) * (1 / (size * large)));
}

/// The points that `find(time)` has at all five times, by their features.
template <class Find, class Compare>
void for_each_course(Find find, Compare compare) {
  std::array<ContactSet, 5> sets;
  for (int k = 0; k < 5; ++k) find((k - 2) * kStep, sets[k]);
  for (int i = 0; i < sets[2].count; ++i) {
    Course course;
    bool whole = true;
    for (int k = 0; k < 5; ++k) {
      const auto end = sets[k].points.begin() + sets[k].count;
      const auto same = std::find_if(sets[k].points.begin(), end, [&](const ContactPoint& point) {
        return point.feature == sets[2].points[i].feature;
      });
      whole = whole && same != end;
      if (whole) course[k] = *same;
    }
    if (whole) compare(course);
  }
}

void compare_pair(const Moving& a, const Moving& b, double size, Errors& errors) {
  const PlacedConvex at_a{a.shape, a.X}, at_b{b.shape, b.X};
  for_each_course(
      [&](double time, ContactSet& set) {
        contact_set({a.shape, a.at(time)}, {b.shape, b.at(time)}, size, ContactSet::kMost, set);
      },
      [&](const Course& course) {
        compare(course, contact_rates(at_a, at_b, course[2]), a.motion(course[2].point_a),
                b.motion(course[2].point_b), size, errors);
      });
}

void compare_all(CoreKind kind_a, CoreKind kind_b, bool planar, Errors& errors) {
  Random random(100 + static_cast<unsigned>(kind_a) * 10 + static_cast<unsigned>(kind_b));
  for (int sample = 0; sample < testing::poses_a_pair(20 * kPoseKinds); ++sample) {
    const double size = random.scale(1e-3, 1e2);
    OwnedConvex a, b;
    make_random(random, kind_a, planar, size, 4, a);
    make_random(random, kind_b, planar, size * random.scale(0.2, 1), 4, b);
    Pose X_a, X_b;
    random_poses(random, static_cast<PoseKind>(sample % kPoseKinds), a.convex, b.convex, X_a, X_b);
    const double both = size_of(a.convex) + size_of(b.convex);
    compare_pair(random_moving(random, a.convex, X_a, both), random_moving(random, b.convex, X_b, both), both,
                 errors);
  }
}

/// Against the ground z ≤ 0 (planar: y ≤ 0), which turns and moves too.
void compare_on_ground(CoreKind kind, bool planar, Errors& errors) {
  Random random(200 + static_cast<unsigned>(kind));
  for (int sample = 0; sample < testing::poses_a_pair(200); ++sample) {
    const double size = random.scale(1e-3, 1e2);
    OwnedConvex a;
    make_random(random, kind, planar, size, 4, a);
    const bool level = sample % 2 == 0;
    const Pose X_a{level ? testing::quarter_turn(random, planar) : testing::random_turn(random, planar),
                   random.vec(size)};
    const Moving body =
        random_moving(random, a.convex, planar ? Pose{X_a.R, {X_a.p.x, X_a.p.y, 0}} : X_a, size);
    const Convex none{CoreKind::point, planar, 0, {}, nullptr};
    const Moving ground = random_moving(random, none, {}, size);
    const auto half_space = [&](double time) {
      const Pose X = ground.at(time);
      const Vec3 normal = X.R * (planar ? Vec3{0, 1, 0} : Vec3{0, 0, 1});
      return HalfSpace{normal, dot(normal, X.p)};
    };
    for_each_course(
        [&](double time, ContactSet& set) {
          contact_set({a.convex, body.at(time)}, half_space(time), 10 * size, ContactSet::kMost, set);
        },
        [&](const Course& course) {
          compare(course, contact_rates({a.convex, body.X}, half_space(0), course[2]),
                  body.motion(course[2].point_a), ground.motion(course[2].point_b), size, errors);
        });
  }
}

/// `separation` gives witnesses of curved cores to about 1e-8 of the size, and so their rates.
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
      // A rim that leaves a face is the one point without rates.
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

TEST(ContactRates, AreThoseOfDifferencesForAllPairsInSpace) {
  expect_all_pairs_hold(kSpatialCores, false);
}

TEST(ContactRates, AreThoseOfDifferencesForAllPairsInThePlane) {
  expect_all_pairs_hold(kPlanarCores, true);
}

TEST(ContactRates, AreThoseOfDifferencesOnAHalfSpaceThatMoves) {
  expect_all_hold_on_ground(kSpatialCores, false);
  expect_all_hold_on_ground(kPlanarCores, true);
}

Convex ball(double radius) {
  return {CoreKind::point, false, radius, {}, nullptr};
}

TEST(ContactRates, CurvatureOfBallsIsOneOverTheirRadiiAndTheGap) {
  const Convex small = ball(0.2), large = ball(0.5);
  for (const double gap : {-0.1, 0.0, 0.3}) {
    const PlacedConvex a{small, {Mat3::identity(), (0.7 + gap) * normalized(Vec3{1, 2, -2})}}, b{large, {}};
    const auto rates = contact_rates(a, b, separation(a, b));
    ASSERT_TRUE(rates);
    for (const double k : rates->principal_curvatures()) EXPECT_NEAR(k, 1 / (0.7 + gap), 1e-14);
  }
}

TEST(ContactRates, CurvatureOfAnEllipsoidOnItsTipIsThatOfItsTwoEllipses) {
  const Convex egg{CoreKind::ellipsoid, false, 0, {0.2, 0.3, 0.4}, nullptr}, point = ball(0);
  const double gap = 0.1;
  const PlacedConvex a{point, {Mat3::identity(), {0, 0, 0.4 + gap}}}, b{egg, {}};
  const auto rates = contact_rates(a, b, separation(a, b));
  ASSERT_TRUE(rates);
  const auto k = rates->principal_curvatures();
  EXPECT_NEAR(k[0], 1 / (0.2 * 0.2 / 0.4 + gap), 1e-13);
  EXPECT_NEAR(k[1], 1 / (0.3 * 0.3 / 0.4 + gap), 1e-13);
}

TEST(ContactRates, ABallThatRollsOnABallTurnsTheNormalAsMontanaSays) {
  // Pure rolling about x at angular velocity w: the point moves over both at w/(κ_a + κ_b).
  const double r = 0.2, R = 0.5, w = 3;
  const Convex small = ball(r), large = ball(R);
  const PlacedConvex a{small, {Mat3::identity(), {0, 0, r + R}}}, b{large, {}};
  const auto rates = contact_rates(a, b, separation(a, b));
  ASSERT_TRUE(rates);
  const ContactChange change = rates->change({{}, {w, 0, 0}}, {});
  const double speed = w / (1 / r + 1 / R);
  EXPECT_NEAR(norm(change.point_b - Vec3{0, -speed, 0}), 0, 1e-15);
  EXPECT_NEAR(norm(change.normal - Vec3{0, -speed / R, 0}), 0, 1e-15);
}

TEST(ContactRates, MirrorWhenTheShapesAreSwapped) {
  Worst error("error over size");
  Random random(5);
  for (int sample = 0; sample < 2000; ++sample) {
    const double size = random.scale(1e-3, 1e2);
    OwnedConvex a, b;
    make_random(random, kSpatialCores[random.below(7)], false, size, 4, a);
    make_random(random, kSpatialCores[random.below(7)], false, size, 4, b);
    Pose X_a, X_b;
    random_poses(random, PoseKind::near, a.convex, b.convex, X_a, X_b);
    const Moving body_a = random_moving(random, a.convex, X_a, size),
                 body_b = random_moving(random, b.convex, X_b, size);
    const PlacedConvex at_a{a.convex, X_a}, at_b{b.convex, X_b};
    const Separation there = separation(at_a, at_b), back = separation(at_b, at_a);
    const auto rates = contact_rates(at_a, at_b, there), mirrored = contact_rates(at_b, at_a, back);
    ASSERT_EQ(rates.has_value(), mirrored.has_value());
    if (!rates) continue;
    const ShapeMotion move_a = body_a.motion(there.point_a), move_b = body_b.motion(there.point_b);
    const ContactChange one = rates->change(move_a, move_b), other = mirrored->change(move_b, move_a);
    const double large = 1 + norm(one.normal) + norm(one.point_b) / size;
    error.add((one.normal + other.normal) * (1 / large));
    error.add((one.point_a - other.point_b) * (1 / (size * large)));
    error.add((one.point_b - other.point_a) * (1 / (size * large)));
  }
  error.expect_at_most(1e-11);
}

TEST(ContactRates, AreNoneWhereTheNormalOrThePointIsNotDeterminedAndAllocateNothing) {
  const Convex small = ball(0.2), large = ball(0.5);
  const PlacedConvex a{small, {}}, b{large, {}};
  EXPECT_FALSE(contact_rates(a, b, separation(a, b)));  // concentric

  const Convex log{CoreKind::cylinder, false, 0, {0.1, 0.1, 1}, nullptr};
  const PlacedConvex lower{log, {}}, upper{log, {Mat3::identity(), {0.3, 0, 0.2}}};
  EXPECT_FALSE(contact_rates(upper, lower, separation(upper, lower)));  // parallel

  const Polytope corners = make_box({1, 1, 1}, false);
  const Convex box{CoreKind::box, false, 0, {1, 1, 1}, &corners};
  const PlacedConvex below{box, {}}, above{box, {Mat3::identity(), {0.2, 0.3, 2}}};
  EXPECT_FALSE(contact_rates(above, below, separation(above, below)));  // face on face
  ContactSet set;
  contact_set(above, below, 0, 4, set);
  ASSERT_EQ(set.count, 4);
  const long before = allocation_count();
  for (int i = 0; i < set.count; ++i) {
    EXPECT_TRUE(contact_rates(above, below, set.points[i])) << i;  // but each corner has its own
  }
  EXPECT_EQ(allocation_count(), before);
}

}  // namespace
}  // namespace pawl
