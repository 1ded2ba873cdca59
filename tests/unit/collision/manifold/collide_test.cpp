#include <gtest/gtest.h>

#include <algorithm>
#include <numbers>

#include <pawl/collision/distance/separating_axes.h>
#include <pawl/collision/distance/signed_distance.h>
#include <pawl/collision/shapes/contact_patch.h>
#include <pawl/collision/shapes/polytope.h>
#include <pawl/geometry.h>
#include <unit/base/worst.h>
#include <unit/collision/shapes/bodies.h>
#include <unit/record/allocation_count.h>

namespace pawl::internal {
namespace collide_test {

using testing::ball_hull;
using testing::Body;
using testing::body_of;
using testing::box;
using testing::cube_rotations;
using testing::Random;
using testing::random_pose;
using testing::WorstValue;

constexpr double kFar = 1e9;

Manifold contacts(const Body& a, const Body& b, double contact_margin,
                  int max_points = Manifold::kMaxPoints) {
  Manifold manifold;
  collide(a.posed(), b.posed(), contact_margin, max_points, manifold);
  return manifold;
}

double min_gap(const Manifold& manifold) {
  double least = kFar;
  for (int i = 0; i < manifold.count; ++i) least = std::min(least, manifold.points[i].gap);
  return least;
}

/// Twice the area of the convex polygon of the points, as seen along z.
double area(const Manifold& manifold) {
  std::vector<Vec3> points;
  for (int i = 0; i < manifold.count; ++i) {
    points.push_back({manifold.points[i].point_a.x, manifold.points[i].point_a.y, 0});
  }
  if (points.size() < 3) return 0;
  const Polytope hull = polygon_hull(points);
  double sum = 0;
  for (std::size_t i = 1; i + 1 < hull.vertices.size(); ++i) {
    sum += cross(hull.vertices[i] - hull.vertices[0], hull.vertices[i + 1] - hull.vertices[0]).z;
  }
  return sum;
}

Mat3 turn(const Vec3& rotation) {
  return to_matrix(quat_exp(rotation));
}

/// Moves a down along z until the least gap is zero within rounding.
void lower_to_touching(Body& a, const Body& b) {
  for (int round = 0; round < 50; ++round) {
    const ManifoldPoint deepest = contacts(a, b, kFar, 1).points[0];
    a.X.p.z -= deepest.gap / std::max(deepest.normal.z, 0.5);
  }
}

void expect_mirrored(const Manifold& ab, const Manifold& ba) {
  ASSERT_EQ(ab.count, ba.count);
  for (int i = 0; i < ab.count; ++i) {
    const std::uint64_t feature = (ab.points[i].feature << 32) | (ab.points[i].feature >> 32);
    const auto end = ba.points.begin() + ba.count;
    const auto same =
        std::find_if(ba.points.begin(), end, [&](const auto& p) { return p.feature == feature; });
    ASSERT_NE(same, end);
    EXPECT_EQ(ab.points[i].gap, same->gap);
    EXPECT_EQ(ab.points[i].normal, -same->normal);
    EXPECT_EQ(ab.points[i].point_a, same->point_b);
    EXPECT_EQ(ab.points[i].point_b, same->point_a);
  }
}

TEST(Manifold, CubeOnACubeHasItsFourCornersInEveryOrientation) {
  for (const double size : {1e-3, 1.0, 1e2}) {
    for (const double gap : {-1e-3, -1e-16, 0.0, 1e-16, 1e-3}) {
      for (const Mat3& R : cube_rotations()) {
        const Body a = box({size, size, size}, {R, {0, 0, size * (2 + gap)}}),
                   b = box({size, size, size}, {});
        const Manifold manifold = contacts(a, b, 0.01 * size);
        ASSERT_EQ(manifold.count, 4);
        EXPECT_NEAR(area(manifold), 8 * size * size, 1e-12 * size * size);
        for (int i = 0; i < 4; ++i) {
          EXPECT_NEAR(manifold.points[i].gap, size * gap, 1e-15 * size);
          EXPECT_EQ(manifold.points[i].normal, (Vec3{0, 0, 1}));
        }
        expect_mirrored(manifold, contacts(b, a, 0.01 * size));
      }
    }
  }
}

TEST(Manifold, CubeOnACubeKeepsItsFeaturesUnderRoundingOfItsPose) {
  Random random(1);
  const Body b = box({1, 1, 1}, {});
  const Manifold exact = contacts(box({1, 1, 1}, {Mat3::identity(), {0, 0, 2}}), b, 0.01);
  for (int sample = 0; sample < 1000; ++sample) {
    const Vec3 noise = random.scale(1e-18, 1e-13) * random.unit();
    const Mat3 R = turn(random.scale(1e-18, 1e-13) * random.unit());
    const Manifold manifold = contacts(box({1, 1, 1}, {R, Vec3{0, 0, 2} + noise}), b, 0.01);
    ASSERT_EQ(manifold.count, 4);
    for (int i = 0; i < 4; ++i) EXPECT_EQ(manifold.points[i].feature, exact.points[i].feature);
  }
}

TEST(Manifold, FaceOnAnEdgeHasTwoOnAVertexOneAndEdgesThatCrossOne) {
  const double pi = std::numbers::pi;
  const Body table = box({2, 2, 1}, {Mat3::identity(), {0, 0, -1}});
  const Mat3 on_edge = turn({pi / 4, 0, 0});
  const Mat3 on_vertex = turn(std::acos(1 / std::sqrt(3)) * normalized(Vec3{1, -1, 0}));
  for (const double gap : {-1e-3, 0.0, 1e-3}) {
    const Manifold edge =
        contacts(box({0.5, 0.5, 0.5}, {on_edge, {0, 0, std::sqrt(0.5) + gap}}), table, 0.01);
    ASSERT_EQ(edge.count, 2);
    EXPECT_NEAR(std::abs(edge.points[0].point_a.x - edge.points[1].point_a.x), 1, 1e-15);
    EXPECT_NEAR(edge.points[0].gap, gap, 1e-15);
    const Manifold vertex =
        contacts(box({0.5, 0.5, 0.5}, {on_vertex, {0, 0, std::sqrt(0.75) + gap}}), table, 0.01);
    ASSERT_EQ(vertex.count, 1);
    EXPECT_NEAR(vertex.points[0].gap, gap, 1e-15);
    const Body below = box({0.5, 0.5, 0.5}, {turn({0, pi / 4, 0}), {}});
    const Manifold across =
        contacts(box({0.5, 0.5, 0.5}, {on_edge, {0.1, 0.2, std::sqrt(2) + gap}}), below, 0.01);
    ASSERT_EQ(across.count, 1);
    EXPECT_NEAR(across.points[0].gap, gap, 1e-15);
    EXPECT_NEAR(norm(across.points[0].normal - Vec3{0, 0, 1}), 0, 1e-15);
  }
}

TEST(Manifold, TiltedCubeKeepsAllCornersOfItsFace) {
  Random random(2);
  const Body b = box({1, 1, 1}, {});
  for (int sample = 0; sample < 3000; ++sample) {
    const Mat3 R =
        turn(random.scale(1e-9, 0.06) * normalized(Vec3{random.uniform(-1, 1), random.uniform(-1, 1), 0}));
    const double spin = random.uniform(-3, 3);
    Body a = box({0.5, 0.5, 0.5}, {R * turn({0, 0, spin}), {random.uniform(-0.2, 0.2), 0.1, 2}});
    lower_to_touching(a, b);
    const Manifold manifold = contacts(a, b, 0.1);
    ASSERT_EQ(manifold.count, 4);
    EXPECT_NEAR(min_gap(manifold), 0, 1e-15);
    // Equal cubes, rotated about the vertical: eight corners, some deeper than the plane of the face.
    Body c = box({1, 1, 1}, {R * turn({0, 0, 0.7}), {0.01, 0.02, 3}});
    lower_to_touching(c, b);
    const Manifold eight = contacts(c, b, 0.3);
    EXPECT_GE(eight.count, 7);
    EXPECT_NEAR(min_gap(eight), 0, 1e-13);
    EXPECT_GT(area(eight), 0.9 * 6.6);
  }
}

TEST(Manifold, RotatedSquareOnASquareHasEightPointsReducedToTheWidestFour) {
  const Body b = box({1, 1, 1}, {});
  const Body a = box({1, 1, 1}, {turn({0, 0, std::numbers::pi / 4}), {0, 0, 2}});
  EXPECT_EQ(contacts(a, b, 0.01).count, 8);
  const Manifold four = contacts(a, b, 0.01, 4);
  ASSERT_EQ(four.count, 4);
  EXPECT_NEAR(area(four) / area(contacts(a, b, 0.01)), std::sqrt(0.5), 1e-9);  // a square in an octagon
}

/// A prism with many sides.
Body prism(int sides, double radius, const Pose& X) {
  std::vector<Vec3> points;
  for (int i = 0; i < sides; ++i) {
    const double angle = 2 * std::numbers::pi * i / sides;
    for (const double z : {-1.0, 1.0})
      points.push_back({radius * std::cos(angle), radius * std::sin(angle), z});
  }
  return body_of(convex_hull(points), X);
}

TEST(Manifold, ManyCornersAreReducedToTheWidestAndTheDeepest) {
  const Body table = box({3, 3, 1}, {});
  for (const int sides : {12, 64, 200}) {
    const Manifold eight = contacts(prism(sides, 1, {Mat3::identity(), {0, 0, 2}}), table, 0.01);
    EXPECT_EQ(eight.count, 8);
    // No eight corners of a regular 12-gon span more; with many sides it is an octagon, 5.657.
    EXPECT_GT(area(eight), 4 * std::sin(std::numbers::pi / 3) + 2 - 1e-12) << sides;
    const Manifold four = contacts(prism(sides, 1, {Mat3::identity(), {0, 0, 2}}), table, 0.01, 4);
    EXPECT_EQ(four.count, 4);
    EXPECT_GT(area(four), 0.99 * 4);  // the square in the circle
    const Body tilted = prism(sides, 1, {turn({0.003, 0.002, 0}), {0, 0, 2}});
    EXPECT_EQ(min_gap(contacts(tilted, table, 0.1, 3)), min_gap(contacts(tilted, table, 0.1, 8)));
    EXPECT_NEAR(min_gap(contacts(tilted, table, 0.1, 3)), separation(tilted.posed(), table.posed()).gap,
                1e-13);
    // Both have many corners, and their sides cross.
    const Body other = prism(sides, 1, {turn({0, 0, 0.01}), {0.3, 0, 2}});
    const Manifold both = contacts(other, prism(sides, 1, {}), 0.01);
    EXPECT_EQ(both.count, 8);
    EXPECT_NEAR(min_gap(both), 0, 1e-14);
  }
}

TEST(Manifold, OfASpikeOnAFaceIsItsTipAboveAndBelow) {
  // The downward face closest to horizontal is not at the tip.
  const Body spike = body_of(convex_hull(std::vector<Vec3>{{0, 0, -1},
                                                           {0.1, 0, 0},
                                                           {-0.1, 0, 0},
                                                           {0, 0.1, 0},
                                                           {0, -0.1, 0},
                                                           {1, 0, 0.5},
                                                           {-1, 0, 0.5},
                                                           {0, 1, 0.5},
                                                           {0, -1, 0.5}}),
                             {});
  const Body table = box({2, 2, 1}, {Mat3::identity(), {0, 0, -2}});
  std::uint64_t feature = 0;
  for (const double height : {-1e-3, 0.0, 1e-3}) {
    Body raised = spike;
    raised.X.p.z = height;
    const Manifold manifold = contacts(raised, table, 0.01);
    ASSERT_EQ(manifold.count, 1);
    EXPECT_NEAR(manifold.points[0].gap, height, 1e-15);
    if (height > -1e-3) {
      EXPECT_EQ(manifold.points[0].feature, feature);
    }
    feature = manifold.points[0].feature;
  }
}

// ---- every pair of shapes -------------------------------------------------------------------------------

Body random_body(Random& random, int kind, double size, const Pose& X) {
  const double rounding_radius = random.below(2) == 0 ? 0 : size * random.uniform(0.05, 0.3);
  const auto length = [&] { return size * random.uniform(0.2, 1); };
  switch (kind) {
    case 0:
      return box({length(), length(), length()}, X, rounding_radius);
    case 1:
      return body_of(ball_hull(random, 6 + random.below(20), size), X, rounding_radius);
    case 2:
      return body_of(CoreKind::segment, {0, 0, length()}, X, 0.2 * size);
    case 3:
      return body_of(CoreKind::point, {}, X, length());
    case 4:
      return body_of(make_triangle(random.vec(size), random.vec(size), random.vec(size)), X, rounding_radius);
    case 5: {
      const double r = length();
      return body_of(CoreKind::cylinder, {r, r, length()}, X, rounding_radius);
    }
    case 6: {
      const double r = length();
      return body_of(CoreKind::cone, {r, r, length()}, X, rounding_radius);
    }
    default:
      return body_of(CoreKind::ellipsoid, {length(), length(), length()}, X, rounding_radius);
  }
}
constexpr int kKinds = 8;

/// Close to each other; half of them with parallel or nearly parallel axes.
std::pair<Body, Body> random_pair(Random& random, int kind_a, int kind_b, double size) {
  Body a = random_body(random, kind_a, size, random_pose(random, size));
  Body b = random_body(random, kind_b, size, random_pose(random, size));
  const std::vector<Mat3> rotations = cube_rotations();
  if (random.below(2) == 0) {
    const double tilt = random.below(2) == 0 ? 0 : random.scale(1e-9, 0.1);
    b.X.R = a.X.R * rotations[random.below(24)] * turn(tilt * random.unit());
  }
  return {a, b};
}

/// For overlapping polytopes, from all their axes.
double signed_gap(const Body& a, const Body& b) {
  if (core_polytope(a.shape) && core_polytope(b.shape)) {
    const SeparatingAxis axis = find_separating_axis(a.posed(), b.posed()).best;
    if (axis.kind != AxisKind::none && axis.value <= 0)
      return axis.value - a.shape.rounding_radius - b.shape.rounding_radius;
  }
  return separation(a.posed(), b.posed()).gap;
}

TEST(Manifold, MinimumGapIsThePairsSignedGap) {
  Random random(3);
  for (int kind_a = 0; kind_a < kKinds; ++kind_a) {
    for (int kind_b = 0; kind_b <= kind_a; ++kind_b) {
      WorstValue error("error over size, " + std::to_string(kind_a) + " and " + std::to_string(kind_b));
      for (int sample = 0; sample < 300; ++sample) {
        const double size = random.scale(1e-3, 1e2);
        const auto [a, b] = random_pair(random, kind_a, kind_b, size);
        const Manifold manifold = contacts(a, b, kFar, 1 + random.below(8));
        error.add((min_gap(manifold) - signed_gap(a, b)) / size);
      }
      error.expect_at_most(kind_a >= 5 ? 1e-9 : 1e-12);
    }
  }
}

TEST(Manifold, WitnessPointsDifferByTheGapAlongUnitNormals) {
  Random random(4);
  WorstValue apart("apart"), unit("unit");
  for (int sample = 0; sample < 5000; ++sample) {
    const auto [a, b] = random_pair(random, random.below(kKinds), random.below(kKinds), 1);
    const Manifold manifold = contacts(a, b, 0.5);
    for (int i = 0; i < manifold.count; ++i) {
      const ManifoldPoint& point = manifold.points[i];
      apart.add(point.point_a - point.point_b - point.gap * point.normal);
      unit.add(norm(point.normal) - 1);
      EXPECT_LE(point.gap, 0.5);
      if (i > 0) {
        EXPECT_LT(manifold.points[i - 1].feature, point.feature);
      }
    }
  }
  apart.expect_at_most(1e-14);
  unit.expect_at_most(1e-14);
}

TEST(Manifold, AllocatesNothingOnceWarm) {
  Random random(9);
  std::vector<std::pair<Body, Body>> pairs;
  for (int sample = 0; sample < 500; ++sample) {
    pairs.push_back(random_pair(random, random.below(kKinds), random.below(kKinds), 1));
  }
  const auto all = [&] {
    for (const auto& [a, b] : pairs) contacts(a, b, 0.5);
  };
  all();
  const long before = allocation_count();
  all();
  EXPECT_EQ(allocation_count() - before, 0);
}

TEST(Manifold, IsBitwiseSymmetricWhenTheShapesAreSwapped) {
  Random random(5);
  for (int sample = 0; sample < 5000; ++sample) {
    const auto [a, b] = random_pair(random, random.below(kKinds), random.below(kKinds), 1);
    expect_mirrored(contacts(a, b, 0.5, 4), contacts(b, a, 0.5, 4));
  }
}

TEST(Manifold, IsTheSameAKilometreOutAndAtEverySize) {
  Random random(6);
  WorstValue point_error("points, 1 km out"), gap_error("gap over size");
  for (int sample = 0; sample < 3000; ++sample) {
    const int kind_a = random.below(5), kind_b = random.below(5);
    auto [a, b] = random_pair(random, kind_a, kind_b, 1);
    for (Body* body : {&a, &b}) {  // positions that remain exact at a kilometre
      for (int i = 0; i < 3; ++i) body->X.p[i] = std::ldexp(std::round(std::ldexp(body->X.p[i], 30)), -30);
    }
    const Manifold near = contacts(a, b, 0.5);
    const Vec3 out{1024, -2048, 512};
    a.X.p += out;
    b.X.p += out;
    const Manifold far = contacts(a, b, 0.5);
    ASSERT_EQ(near.count, far.count);
    for (int i = 0; i < near.count; ++i) {
      EXPECT_EQ(near.points[i].feature, far.points[i].feature);
      gap_error.add(near.points[i].gap - far.points[i].gap);
      point_error.add(near.points[i].point_a + out - far.points[i].point_a);
    }
  }
  gap_error.expect_at_most(1e-12);
  point_error.expect_at_most(1e-12);
}

/// Each gap is a function of the poses: its rate over a small motion is the normal times the relative
/// velocity of its points.
TEST(Manifold, GapsOfPolytopesChangeAsTheirWitnessesMove) {
  Random random(7);
  WorstValue error("error");
  const double t = 1e-6;
  int seen = 0;
  for (int sample = 0; sample < 20'000; ++sample) {
    const auto pair = random_pair(random, random.below(5), random.below(5), 1);
    const auto &a = pair.first, &b = pair.second;
    const Manifold manifold = contacts(a, b, 0.1);
    const Vec3 velocity = random.vec(), spin = random.vec();
    const auto moved = [&](double time) {
      Body body = a;
      body.X.p += time * velocity;
      body.X.R = turn(time * spin) * body.X.R;
      return body;
    };
    const Manifold before = contacts(moved(-t), b, 0.1), after = contacts(moved(t), b, 0.1);
    for (int i = 0; i < manifold.count; ++i) {
      const ManifoldPoint& point = manifold.points[i];
      if (point.feature >> 32 == curve_id(0xffff)) continue;  // closest points without features of their own
      const auto find = [&](const Manifold& other) {
        const auto end = other.points.begin() + other.count;
        return std::find_if(other.points.begin(), end,
                            [&](const auto& p) { return p.feature == point.feature; });
      };
      const auto x = find(before), y = find(after);
      if (x == before.points.begin() + before.count || y == after.points.begin() + after.count) continue;
      const double rate = dot(point.normal, velocity + cross(spin, point.point_a - a.X.p));
      error.add((y->gap - x->gap) / (2 * t) - rate);
      ++seen;
    }
  }
  EXPECT_GT(seen, 10'000);
  error.expect_at_most(1e-7);
}

TEST(Manifold, MinimumGapIsContinuousThroughContact) {
  Random random(8);
  for (int path = 0; path < 400; ++path) {
    auto [a, b] = random_pair(random, random.below(kKinds), random.below(kKinds), 1);
    const Vec3 velocity = random.unit(), spin = random.vec();
    a.X.p = b.X.p - 2 * velocity;
    const double step = 0.01;
    double last = 0;
    for (int i = 0; i < 400; ++i) {
      const double gap = min_gap(contacts(a, b, kFar, 4));
      // No point of a moves faster than 1 + |spin| times its distance from the origin, which is less than 2.
      if (i > 0) {
        EXPECT_LE(std::abs(gap - last), step * (1 + 2 * norm(spin)));
      }
      last = gap;
      a.X.p += step * velocity;
      a.X.R = turn(step * spin) * a.X.R;
    }
  }
}

}  // namespace collide_test
}  // namespace pawl::internal
