// Contact manifolds of round shapes, capsules, half-spaces and planar worlds.

#include <gtest/gtest.h>

#include <algorithm>
#include <numbers>

#include <pawl/collision/distance/signed_distance.h>
#include <pawl/collision/shapes/contact_patch.h>
#include <pawl/geometry.h>
#include <unit/base/worst.h>
#include <unit/collision/shapes/bodies.h>

namespace pawl::internal {
namespace collide_shapes_test {

using testing::ball_hull;
using testing::Body;
using testing::body_of;
using testing::box;
using testing::Random;
using testing::random_pose;
using testing::WorstValue;

constexpr double kPi = std::numbers::pi;

Manifold contacts(const Body& a, const Body& b, double contact_margin, int most = Manifold::kMaxPoints) {
  Manifold manifold;
  collide(a.posed(), b.posed(), contact_margin, most, manifold);
  return manifold;
}
Manifold contacts(const Body& a, const HalfSpace& b, double contact_margin, int most = Manifold::kMaxPoints) {
  Manifold manifold;
  collide(a.posed(), b, contact_margin, most, manifold);
  return manifold;
}

Mat3 turn(const Vec3& rotation) {
  return to_matrix(quat_exp(rotation));
}

double min_gap(const Manifold& manifold) {
  double least = 1e9;
  for (int i = 0; i < manifold.count; ++i) least = std::min(least, manifold.points[i].gap);
  return least;
}

/// Least extent of the polygon of the points from a centre, over all directions in the plane z = 0. It is ≤ 0
/// if the centre is not inside.
double min_support_distance(const Manifold& manifold, const Vec3& center) {
  double least = 1e9;
  for (int k = 0; k < 360; ++k) {
    const double angle = 2 * kPi * k / 360;
    double most = -1e9;
    for (int i = 0; i < manifold.count; ++i) {
      const Vec3 d = manifold.points[i].point_a - center;
      most = std::max(most, d.x * std::cos(angle) + d.y * std::sin(angle));
    }
    least = std::min(least, most);
  }
  return least;
}

Body cylinder(double radius, double half_height, const Pose& X) {
  return body_of(CoreKind::cylinder, {radius, radius, half_height}, X);
}
Body cone(double radius, double half_height, const Pose& X) {
  return body_of(CoreKind::cone, {radius, radius, half_height}, X);
}
Body frustum(double radius, double top_radius, double half_height, const Pose& X) {
  return body_of(CoreKind::frustum, {radius, top_radius, half_height}, X);
}
Body capsule(double half_length, double radius, const Pose& X) {
  return body_of(CoreKind::segment, {0, 0, half_length}, X, radius);
}

const HalfSpace kGround{{0, 0, 1}, 0};
const Mat3 kLying = turn({kPi / 2, 0, 0});

TEST(ManifoldOfHalfSpace, HoldsTheCornersOfABoxWithinTheContactMargin) {
  const Body cube = box({1, 1, 1}, {Mat3::identity(), {0, 0, 1}});
  EXPECT_EQ(contacts(cube, kGround, 0.01).count, 4);
  EXPECT_EQ(contacts(cube, kGround, 3).count, 8);
  EXPECT_EQ(contacts(cube, kGround, -1e-9).count, 0);
  const Manifold three = contacts(cube, kGround, 0.01, 3);
  EXPECT_EQ(three.count, 3);
  const Body tilted = box({1, 1, 1}, {turn({0.02, 0.03, 0}), {0, 0, 1.1}});
  const Manifold two = contacts(tilted, kGround, 1, 2);
  EXPECT_EQ(two.count, 2);
  EXPECT_EQ(min_gap(two), min_gap(contacts(tilted, kGround, 10)));
}

TEST(ManifoldOfHalfSpace, MinimumGapIsTheShapesGapAndWitnessesAreConsistent) {
  Random random(1);
  WorstValue gap("gap over size"), apart("apart over size");
  for (int sample = 0; sample < 5000; ++sample) {
    const double size = random.scale(1e-3, 1e2), rounding_radius = random.below(2) ? 0 : 0.1 * size;
    const Vec3 half{size * random.uniform(0.1, 1), size * random.uniform(0.1, 1),
                    size * random.uniform(0.1, 1)};
    const Vec3 round{half.x, half.x, half.z};
    const Pose X = random_pose(random, size);
    const Body bodies[] = {box(half, X, rounding_radius),
                           capsule(half.z, half.x, X),
                           body_of(CoreKind::point, {}, X, half.x),
                           body_of(CoreKind::ellipsoid, half, X, rounding_radius),
                           body_of(CoreKind::cylinder, round, X, rounding_radius),
                           body_of(CoreKind::cone, round, X, rounding_radius),
                           body_of(CoreKind::frustum, half, X, rounding_radius),
                           body_of(ball_hull(random, 12, size), X, rounding_radius)};
    const HalfSpace ground{random.unit(), random.uniform(-size, size)};
    for (const Body& body : bodies) {
      const Manifold manifold = contacts(body, ground, 10 * size, 1 + random.below(8));
      gap.add((min_gap(manifold) - separation(body.posed(), ground).gap) / size);
      for (int i = 0; i < manifold.count; ++i) {
        const ManifoldPoint& point = manifold.points[i];
        apart.add((dot(ground.normal, point.point_a) - ground.offset - point.gap) / size);
        apart.add((dot(ground.normal, point.point_b) - ground.offset) / size);
      }
    }
  }
  gap.expect_at_most(1e-13);
  apart.expect_at_most(2e-14);
}

TEST(ManifoldOfHalfSpace, CylinderStandsOnItsRimAndLiesOnItsLine) {
  Body standing = cylinder(0.5, 1, {Mat3::identity(), {0.3, 0.2, 1}});
  const Manifold rim = contacts(standing, kGround, 0.01);
  EXPECT_GE(rim.count, 4);
  EXPECT_GT(min_support_distance(rim, standing.X.p), 0.46);
  EXPECT_GE(contacts(standing, kGround, 0.01, 4).count, 4);
  EXPECT_GT(min_support_distance(contacts(standing, kGround, 0.01, 4), standing.X.p), 0.35);
  const Manifold line = contacts(cylinder(0.5, 1, {kLying, {0, 0, 0.5}}), kGround, 0.01);
  ASSERT_EQ(line.count, 2);
  EXPECT_NEAR(std::abs(line.points[0].point_a.y - line.points[1].point_a.y), 2, 1e-15);
  EXPECT_NEAR(line.points[0].gap, 0, 1e-15);
  EXPECT_NEAR(line.points[1].gap, 0, 1e-15);
}

TEST(ManifoldOfHalfSpace, RockingCylinderKeepsItsRimAndItsExactDeepestPoint) {
  for (const double tilt : {1e-9, 1e-6, 1e-3, 0.03}) {
    const Body body = cylinder(0.5, 1, {turn({tilt, 0.3 * tilt, 0}), {0, 0, 1}});
    const Manifold manifold = contacts(body, kGround, 0.1);
    EXPECT_GE(manifold.count, 4);
    EXPECT_GT(min_support_distance(manifold, body.X.p), 0.35);
    EXPECT_NEAR(min_gap(manifold), separation(body.posed(), kGround).gap, 1e-15);
  }
}

TEST(ManifoldOfHalfSpace, ConeStandsOnItsRimAndLiesOnItsLine) {
  const Manifold rim = contacts(cone(0.5, 1, {Mat3::identity(), {0, 0, 1}}), kGround, 0.01);
  EXPECT_GE(rim.count, 4);
  const double slope = std::atan2(0.5, 2);  // of the side relative to the axis
  Body lying = cone(0.5, 1, {turn({0, kPi / 2 + slope, 0}), {0, 0, 1}});
  lying.X.p.z -= separation(lying.posed(), kGround).gap;
  const Manifold line = contacts(lying, kGround, 0.01);
  ASSERT_EQ(line.count, 2);
  EXPECT_NEAR(norm(line.points[0].point_a - line.points[1].point_a), std::sqrt(4.25), 1e-14);
  EXPECT_NEAR(line.points[0].gap, line.points[1].gap, 1e-15);
}

/// On the ground and on a plate that is larger.
template <class Check>
void check_on_ground_and_plate(Body body, Check check) {
  body.X.p.z -= separation(body.posed(), kGround).gap;
  check(contacts(body, kGround, 0.01), body);
  const Body plate = box({5, 4, 0.5}, {Mat3::identity(), {0, 0, -0.5}});
  EXPECT_NEAR(separation(body.posed(), plate.posed()).gap, 0, 2e-15);
  check(contacts(body, plate, 0.01), body);
}

TEST(ManifoldOfFrustum, StandsOnTheRimsOfItsBaseAndItsTop) {
  for (const bool upright : {true, false}) {
    const double radius = upright ? 0.5 : 0.3;
    const Body standing =
        frustum(0.5, 0.3, 1, {upright ? Mat3::identity() : turn({kPi, 0, 0}), {0.3, 0.2, 1}});
    check_on_ground_and_plate(standing, [&](const Manifold& rim, const Body& body) {
      EXPECT_GE(rim.count, 4) << upright;
      EXPECT_GT(min_support_distance(rim, body.X.p), 0.92 * radius) << upright;
      for (int i = 0; i < rim.count; ++i) {
        EXPECT_NEAR(rim.points[i].gap, 0, 2e-15);
        const Vec3 d = rim.points[i].point_a - body.X.p;
        EXPECT_NEAR(std::hypot(d.x, d.y), radius, 1e-15) << upright;
      }
    });
  }
}

TEST(ManifoldOfFrustum, LiesOnTheTwoEndsOfALineOfItsSide) {
  for (const double top_radius : {0.3, 0.5, 0.8}) {
    const double slope = std::atan2(0.5 - top_radius, 2), slant = std::hypot(0.5 - top_radius, 2);
    const Body lying = frustum(0.5, top_radius, 1, {turn({0, kPi / 2 + slope, 0}), {0, 0, 1}});
    check_on_ground_and_plate(lying, [&](const Manifold& line, const Body&) {
      ASSERT_EQ(line.count, 2) << top_radius;
      EXPECT_NEAR(norm(line.points[0].point_a - line.points[1].point_a), slant, 1e-14) << top_radius;
      EXPECT_NEAR(line.points[0].gap, 0, 2e-15);
      EXPECT_NEAR(line.points[1].gap, 0, 2e-15);
    });
  }
}

TEST(ManifoldOfHalfSpace, GapsChangeAsTheirWitnessesMove) {
  Random random(2);
  WorstValue error("error");
  const double t = 1e-6;
  int seen = 0;
  for (int sample = 0; sample < 4000; ++sample) {
    const Pose X = random_pose(random, 1);
    const Body bodies[] = {box({0.5, 0.3, 0.4}, X, 0.1), capsule(0.4, 0.2, X),
                           cylinder(0.5, 0.4, X),        cone(0.5, 0.4, X),
                           frustum(0.5, 0.3, 0.4, X),    body_of(CoreKind::ellipsoid, {0.5, 0.4, 0.3}, X)};
    const Body& body = bodies[sample % 6];
    // Nearly upright, the deepest point of a rim moves around it too fast for finite differences.
    if (std::abs(X.R(2, 2)) > 0.99) continue;
    const Vec3 velocity = random.vec(), spin = random.vec();
    const auto moved = [&](double time) {
      Body other = body;
      other.X.p += time * velocity;
      other.X.R = turn(time * spin) * other.X.R;
      return contacts(other, kGround, 0.2);
    };
    const Manifold manifold = moved(0), before = moved(-t), after = moved(t);
    if (manifold.count != before.count || manifold.count != after.count) continue;
    for (int i = 0; i < manifold.count; ++i) {
      const ManifoldPoint& point = manifold.points[i];
      if (before.points[i].feature != point.feature || after.points[i].feature != point.feature) continue;
      const double rate = dot(point.normal, velocity + cross(spin, point.point_a - body.X.p));
      error.add((after.points[i].gap - before.points[i].gap) / (2 * t) - rate);
      ++seen;
    }
  }
  EXPECT_GT(seen, 3000);
  error.expect_at_most(1e-8);
}

TEST(ManifoldOfCylinders, CapOnALargerFaceHasItsRim) {
  const Body table = box({2, 2, 1}, {Mat3::identity(), {0, 0, -1}});
  for (const double tilt : {0.0, 1e-9, 1e-3, 0.03}) {
    Body body = cylinder(0.5, 1, {turn({tilt, 0.3 * tilt, 0}), {0.3, 0.2, 1.1}});
    body.X.p.z -= separation(body.posed(), table.posed()).gap;
    const Manifold manifold = contacts(body, table, 0.1);
    EXPECT_GE(manifold.count, 4);
    EXPECT_GT(min_support_distance(manifold, body.X.p), 0.35);
    EXPECT_NEAR(min_gap(manifold), 0, 1e-10);
  }
}

/// Points of rims, ends of lines and corners of faces; not where a rim or a line leaves the face.
TEST(ManifoldOfCylinders, GapsOnABoxChangeAsTheirWitnessesMove) {
  Random random(4);
  WorstValue error("error");
  const double t = 1e-6;
  const auto is_vertex_or_face = [](std::uint64_t id) {
    const auto kind = [](std::uint64_t feature) { return feature >> 29; };
    return kind(id) == kind(vertex_id(0)) || kind(id) == kind(face_id(0));
  };
  int seen = 0;
  for (int sample = 0; sample < 2000; ++sample) {
    const bool lying = sample % 2 == 0;
    const Mat3 tilt = turn(random.uniform(0, 0.02) * random.unit());
    const Mat3 spin_about_z = turn({0, 0, random.uniform(-3, 3)});
    Body body = cylinder(0.5, 0.5, {tilt * spin_about_z, {random.uniform(-1, 1), 0.2, 0.5}});
    if (lying) body.X.R = body.X.R * kLying;
    const Body table = box({1, 0.4, 1}, {Mat3::identity(), {0, 0, -1}});
    const Vec3 velocity = random.vec(), spin = random.vec();
    const auto moved = [&](double time) {
      Body other = body;
      other.X.p += time * velocity;
      other.X.R = turn(time * spin) * other.X.R;
      return contacts(other, table, 0.1);
    };
    const Manifold manifold = moved(0), before = moved(-t), after = moved(t);
    if (manifold.count != before.count || manifold.count != after.count) continue;
    for (int i = 0; i < manifold.count; ++i) {
      const ManifoldPoint& point = manifold.points[i];
      if (before.points[i].feature != point.feature || after.points[i].feature != point.feature) continue;
      if (point.feature >> 32 == curve_id(0xffff) || !is_vertex_or_face(point.feature & 0xFFFFFFFF)) continue;
      const double rate = dot(point.normal, velocity + cross(spin, point.point_a - body.X.p));
      error.add((after.points[i].gap - before.points[i].gap) / (2 * t) - rate);
      ++seen;
    }
  }
  EXPECT_GT(seen, 2000);
  error.expect_at_most(1e-8);
}

TEST(ManifoldOfCylinders, CapLargerThanTheFaceHasTheFacesCorners) {
  const Body post = box({0.2, 0.2, 1}, {Mat3::identity(), {0, 0, -1}});
  const Body body = cylinder(0.5, 0.1, {Mat3::identity(), {0.01, 0.02, 0.1}});
  const Manifold manifold = contacts(body, post, 0.01);
  ASSERT_EQ(manifold.count, 4);
  for (int i = 0; i < 4; ++i) {
    EXPECT_NEAR(std::abs(manifold.points[i].point_b.x), 0.2, 1e-12);
    EXPECT_NEAR(std::abs(manifold.points[i].point_b.y), 0.2, 1e-12);
  }
}

TEST(ManifoldOfCylinders, CapHalfOverAnEdgeRestsOnBothSidesOfIt) {
  const Body table = box({2, 2, 1}, {Mat3::identity(), {2.1, 0, -1}});  // begins at x = 0.1
  const Body body = cylinder(0.5, 1, {Mat3::identity(), {0, 0, 1}});
  const Manifold manifold = contacts(body, table, 0.01);
  EXPECT_GE(manifold.count, 4);
  double low = 1e9, high = -1e9;
  for (int i = 0; i < manifold.count; ++i) {
    EXPECT_GE(manifold.points[i].point_a.x, 0.1 - 1e-9);
    if (manifold.points[i].point_a.x < 0.1 + 1e-9) {
      low = std::min(low, manifold.points[i].point_a.y);
      high = std::max(high, manifold.points[i].point_a.y);
    }
  }
  EXPECT_NEAR(high, std::sqrt(0.24), 1e-9);
  EXPECT_NEAR(low, -std::sqrt(0.24), 1e-9);
}

/// A box that stands on an edge, tilted by less than 8° and by more, half over the cap of a cylinder.
TEST(ManifoldOfCylinders, EdgeOnACapHasItsCornerAndItsPlaceOnTheRim) {
  for (const double tilt : {0.002, 0.08, 0.5}) {
    const Body below = cylinder(0.5, 1, {turn({0, 0, 0.3}), {0, 0, -1}});
    const Mat3 R = turn({0, tilt, 0});
    // The lower edge runs along y from 0.1 to 1.1 at x = 0.
    const Vec3 middle = R * Vec3{0.5, 0, -0.5};
    const Body body = box({0.5, 0.5, 0.5}, {R, Vec3{0, 0.6, 0} - middle});
    const Manifold manifold = contacts(body, below, 1e-6);
    ASSERT_EQ(manifold.count, 2) << tilt;
    double low = 1e9, high = -1e9;
    for (int i = 0; i < 2; ++i) {
      EXPECT_NEAR(manifold.points[i].gap, 0, 1e-12);
      EXPECT_NEAR(manifold.points[i].normal.z, 1, 1e-12);
      low = std::min(low, manifold.points[i].point_a.y);
      high = std::max(high, manifold.points[i].point_a.y);
    }
    EXPECT_NEAR(low, 0.1, 1e-9);
    EXPECT_NEAR(high, 0.5, 1e-9);
  }
}

/// A cap beyond all edges of the box below it, tilted about y: it touches the edge at −x along a chord.
TEST(ManifoldOfCylinders, TiltedCapHasBothEndsOfTheChordThatTouchesAmongFour) {
  const Body table = box({0.375, 0.375, 1}, {Mat3::identity(), {0, 0, -1}});
  for (const double tilt : {1e-4, 1e-5}) {
    Body body = cylinder(0.5, 0.5, {turn({0, -tilt, 0}), {0, 0, 0.6}});
    body.X.p.z -= separation(body.posed(), table.posed()).gap;
    const Manifold manifold = contacts(body, table, 0.01, 4);
    ASSERT_EQ(manifold.count, 4);
    double low = 1e9, high = -1e9;
    for (int i = 0; i < 4; ++i) {
      if (std::abs(manifold.points[i].gap) > 1e-9) continue;
      low = std::min(low, manifold.points[i].point_a.y);
      high = std::max(high, manifold.points[i].point_a.y);
    }
    EXPECT_NEAR(high, std::sqrt(0.25 - 0.375 * 0.375), tilt);
    EXPECT_NEAR(low, -high, 1e-9);
  }
}

TEST(ManifoldOfCylinders, LyingOnAFaceHasTwo) {
  const Body table = box({2, 2, 1}, {Mat3::identity(), {0, 0, -1}});
  const Manifold line = contacts(cylinder(0.5, 1, {kLying, {0, 0.3, 0.5}}), table, 0.01);
  ASSERT_EQ(line.count, 2);
  EXPECT_NEAR(std::abs(line.points[0].point_a.y - line.points[1].point_a.y), 2, 1e-12);
  const Manifold beyond = contacts(cylinder(0.5, 1, {kLying, {0, 1.5, 0.5}}), table, 0.01);
  ASSERT_EQ(beyond.count, 2);  // up to the end of the table
  EXPECT_NEAR(std::abs(beyond.points[0].point_a.y - beyond.points[1].point_a.y), 1.5, 1e-9);
  Body lying = cone(0.5, 1, {turn({0, kPi / 2 + std::atan2(0.5, 2), 0}), {0, 0, 1}});
  lying.X.p.z -= separation(lying.posed(), table.posed()).gap;
  EXPECT_EQ(contacts(lying, table, 0.01).count, 2);
}

TEST(ManifoldOfCylinders, CapOnACapHasThreeOrMoreWellSpread) {
  for (const double offset : {0.0, 0.2, 0.6}) {
    for (const double spin : {0.0, 0.2, kPi / 8}) {
      const Body below = cylinder(0.5, 1, {});
      const Body body = cylinder(0.5, 1, {turn({0, 0, spin}), {offset, 0, 2}});
      const Manifold manifold = contacts(body, below, 0.01);
      EXPECT_GE(manifold.count, 3);
      // Half the width of the intersection of the two discs.
      const double width = 0.5 - 0.5 * offset;
      EXPECT_GT(min_support_distance(manifold, {0.5 * offset, 0, 1}), 0.8 * width) << offset << " " << spin;
      EXPECT_NEAR(min_gap(manifold), 0, 1e-12);
    }
  }
}

TEST(ManifoldOfCylinders, SideBySideHasTwoAndCrossingOne) {
  const Body below = cylinder(0.5, 1, {kLying, {}});
  EXPECT_EQ(contacts(cylinder(0.5, 1, {kLying, {0, 0.4, 1}}), below, 0.01).count, 2);
  EXPECT_EQ(contacts(cylinder(0.5, 1, {turn({0, kPi / 2, 0}), {0, 0, 1}}), below, 0.01).count, 1);
  EXPECT_EQ(contacts(capsule(1, 0.5, {kLying, {0, 0.4, 1}}), below, 0.01).count, 2);
}

TEST(ManifoldOfCapsules, SideBySideHasBothEndsOfTheOverlap) {
  for (const double tilt : {0.0, 1e-12, 1e-6, 1e-3}) {
    const Body b = capsule(1, 0.25, {});
    const Body a = capsule(0.5, 0.25, {turn({tilt, 0, 0}), {0.5, 0, 0.2}});
    const Manifold manifold = contacts(a, b, 0.1);
    ASSERT_GE(manifold.count, 2);
    std::vector<double> heights;
    for (int i = 0; i < manifold.count; ++i) heights.push_back(manifold.points[i].point_a.z);
    EXPECT_NEAR(*std::ranges::max_element(heights), 0.7, 1e-3);
    EXPECT_NEAR(*std::ranges::min_element(heights), -0.3, 1e-3);
    EXPECT_NEAR(min_gap(manifold), separation(a.posed(), b.posed()).gap, 1e-15);
  }
}

TEST(ManifoldOfCapsules, CrossingOrInLineHaveOne) {
  const Body b = capsule(1, 0.25, {});
  EXPECT_EQ(contacts(capsule(1, 0.25, {turn({kPi / 2, 0, 0}), {0.5, 0.1, 0.2}}), b, 0.01).count, 1);
  EXPECT_EQ(contacts(capsule(1, 0.25, {Mat3::identity(), {0, 0, 2.5}}), b, 0.01).count, 1);
}

TEST(ManifoldOfCapsules, AtASmallAngleHaveTheCrossingAndBothEnds) {
  const Body b = capsule(1, 0.25, {}), a = capsule(1, 0.25, {turn({0.02, 0, 0}), {0.5, 0, 0}});
  EXPECT_EQ(contacts(a, b, 0.01, 8).count, 5);  // the crossing of the sides, and all ends
  const Manifold manifold = contacts(a, b, 0.01, 4);
  ASSERT_EQ(manifold.count, 3);
  EXPECT_NEAR(min_gap(manifold), 0, 1e-15);
  std::vector<double> heights;
  for (int i = 0; i < manifold.count; ++i) heights.push_back(manifold.points[i].point_a.z);
  EXPECT_NEAR(*std::ranges::max_element(heights), 1, 1e-3);
  EXPECT_NEAR(*std::ranges::min_element(heights), -1, 1e-3);
}

TEST(ManifoldOfCapsules, LyingOnABoxHasTwo) {
  const Body table = box({2, 2, 1}, {Mat3::identity(), {0, 0, -1}});
  for (const double tilt : {0.0, 1e-12, 1e-3}) {
    const Body a = capsule(0.5, 0.25, {turn({kPi / 2 + tilt, 0, 0}), {0.1, 0.2, 0.25}});
    const Manifold manifold = contacts(a, table, 0.01);
    ASSERT_EQ(manifold.count, 2);
    EXPECT_NEAR(std::abs(manifold.points[0].point_a.y - manifold.points[1].point_a.y), 1, 1e-6);
    EXPECT_EQ(manifold.points[0].normal, (Vec3{0, 0, 1}));
  }
}

TEST(ManifoldInThePlane, BoxOnABoxHasTwoAndOnACornerOne) {
  const auto flat_box = [](double x, double y, const Pose& X) {
    return body_of(CoreKind::box, {x, y, 0}, X, 0, true);
  };
  const Body table = flat_box(2, 1, {Mat3::identity(), {0, -1, 0}});
  const Manifold two = contacts(flat_box(0.5, 0.5, {Mat3::identity(), {0.3, 0.5, 0}}), table, 0.01);
  ASSERT_EQ(two.count, 2);
  EXPECT_EQ(two.points[0].normal, (Vec3{0, 1, 0}));
  EXPECT_NEAR(std::abs(two.points[0].point_a.x - two.points[1].point_a.x), 1, 1e-15);
  const Manifold over = contacts(flat_box(0.5, 0.5, {Mat3::identity(), {1.9, 0.5, 0}}), table, 0.01);
  ASSERT_EQ(over.count, 2);  // up to the end of the table
  EXPECT_NEAR(std::max(over.points[0].point_a.x, over.points[1].point_a.x), 2, 1e-15);
  const double diagonal = std::sqrt(0.5);
  EXPECT_EQ(contacts(flat_box(0.5, 0.5, {turn({0, 0, kPi / 4}), {0.3, diagonal, 0}}), table, 0.01).count, 1);
}

TEST(ManifoldInThePlane, MinimumGapIsThePairsSignedGapAndNormalsAreInThePlane) {
  Random random(3);
  WorstValue error("error over size"), out_of_plane("z");
  for (int sample = 0; sample < 6000; ++sample) {
    const double size = random.scale(1e-3, 1e2);
    const auto body = [&]() {
      const Pose X = random_pose(random, size, true);
      const Vec3 half{size * random.uniform(0.1, 1), size * random.uniform(0.1, 1), 0};
      switch (random.below(4)) {
        case 0:
          return body_of(CoreKind::box, half, X, random.below(2) * 0.1 * size, true);
        case 1:
          return body_of(CoreKind::segment, {half.x, 0, 0}, X, half.y, true);
        case 2:
          return body_of(CoreKind::point, {}, X, half.x, true);
        default:
          return body_of(polygon_hull(std::vector<Vec3>{{0, 0, 0}, {size, 0, 0}, half, {0, size, 0}}), X, 0,
                         true);
      }
    };
    const Body a = body(), b = body();
    const Manifold manifold = contacts(a, b, 10 * size, 1 + random.below(4));
    error.add((min_gap(manifold) - separation(a.posed(), b.posed()).gap) / size);
    for (int i = 0; i < manifold.count; ++i) out_of_plane.add(manifold.points[i].normal.z);
  }
  error.expect_at_most(1e-12);
  out_of_plane.expect_at_most(0);
}

}  // namespace collide_shapes_test
}  // namespace pawl::internal
