#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include <pawl/collision/distance/separating_axes.h>
#include <pawl/collision/shapes/polytope.h>
#include <unit/base/worst.h>
#include <unit/collision/shapes/bodies.h>

namespace pawl::internal {
namespace separating_axes_test {

using testing::ball_hull;
using testing::Body;
using testing::body_of;
using testing::box;
using testing::cube_rotations;
using testing::Random;
using testing::random_pose;
using testing::WorstValue;

/// Vertices in world axes relative to the origin of a, which is exact.
std::vector<Vec3> corners(const Body& body, const Vec3& origin) {
  std::vector<Vec3> points;
  for (const Vec3& v : core_polytope(body.shape)->vertices) {
    points.push_back(body.X.R * v + (body.X.p - origin));
  }
  return points;
}

double separation_along(const Body& a, const Body& b, const Vec3& n) {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (const Vec3& v : corners(a, a.X.p)) low = std::min(low, dot(n, v));
  for (const Vec3& v : corners(b, a.X.p)) high = std::max(high, dot(n, v));
  return low - high;
}

/// All faces of both and all pairs of edges, evaluated over all vertices.
double brute_force(const Body& a, const Body& b) {
  double best = -std::numeric_limits<double>::infinity();
  const auto look_along = [&](const Vec3& n) { best = std::max(best, separation_along(a, b, n)); };
  for (const Polytope::Face& face : core_polytope(a.shape)->faces) look_along(-(a.X.R * face.normal));
  for (const Polytope::Face& face : core_polytope(b.shape)->faces) look_along(b.X.R * face.normal);
  const auto along = [](const Body& body, const Polytope::Edge& edge) {
    return normalized(body.X.R * (body.polytope().vertices[edge.to] - body.polytope().vertices[edge.from]));
  };
  for (const Polytope::Edge& edge_a : core_polytope(a.shape)->edges) {
    for (const Polytope::Edge& edge_b : core_polytope(b.shape)->edges) {
      const Vec3 turn = cross(along(a, edge_a), along(b, edge_b));
      if (norm(turn) < 1e-6) continue;
      look_along(normalized(turn));
      look_along(-normalized(turn));
    }
  }
  return best;
}

/// For overlapping shapes the value is exact. For others only its sign is tested, since edges that never meet
/// may happen to have a normal with a larger separation.
double error_of(const Body& a, const Body& b, double value) {
  const double truth = brute_force(a, b);
  if (truth <= 0) return value - truth;
  return std::max({0.0, value - truth, -value});
}

double size_of(const Body& a, const Body& b) {
  return core_polytope(a.shape)->outer_radius + core_polytope(b.shape)->outer_radius;
}

Body random_body(Random& random, int kind, double size, const Pose& X) {
  switch (kind) {
    case 0:
      return box({size * random.scale(0.05, 1), size * random.scale(0.05, 1), size}, X);
    case 1:
      return body_of(ball_hull(random, 4 + random.below(30), size), X);
    case 2:
      return body_of(make_triangle(random.vec(size), random.vec(size), random.vec(size)), X);
    case 3:
      return body_of(CoreKind::segment, {0, 0, size}, X);
    case 4:
      return box({size, size, size}, X);
    default:
      return body_of(CoreKind::point, {}, X);
  }
}

Body random_planar(Random& random, int kind, double size, const Pose& X) {
  switch (kind) {
    case 0:
      return body_of(CoreKind::box, {size, size * random.scale(0.05, 1), 0}, X, 0, true);
    case 1: {
      std::vector<Vec3> points;
      for (int i = 0; i < 8; ++i)
        points.push_back({random.uniform(-size, size), random.uniform(-size, size), 0});
      return body_of(polygon_hull(points), X, 0, true);
    }
    default:
      return body_of(CoreKind::segment, {size, 0, 0}, X, 0, true);
  }
}

TEST(SeparatingAxes, FindTheLargestOfAllAxesForEveryTwoKindsOfPolytopes) {
  Random random(1);
  WorstValue error("error over size");
  for (int sample = 0; sample < 6000; ++sample) {
    const double size = random.scale(1e-3, 1e2), other = size * random.scale(0.1, 10);
    const int kind_a = random.below(6), kind_b = random.below(5);
    if (kind_a == 5 && kind_b == 3) continue;  // a point and a segment have no axis
    const Body a = random_body(random, kind_a, size, random_pose(random, size + other));
    const Body b = random_body(random, kind_b, other, random_pose(random, size + other));
    error.add(error_of(a, b, find_separating_axis(a.posed(), b.posed()).best.value) / size_of(a, b));
  }
  error.expect_at_most(1e-13);
}

TEST(SeparatingAxes, FindTheLargestOfAllSidesInThePlane) {
  Random random(2);
  WorstValue error("error over size"), out_of_plane("z of the normal");
  for (int sample = 0; sample < 4000; ++sample) {
    const double size = random.scale(1e-3, 1e2), other = size * random.scale(0.1, 10);
    const Body a = random_planar(random, random.below(3), size, random_pose(random, size + other, true));
    const Body b = random_planar(random, random.below(3), other, random_pose(random, size + other, true));
    const SeparatingAxis axis = find_separating_axis(a.posed(), b.posed()).best;
    error.add((axis.value - brute_force(a, b)) / size_of(a, b));
    out_of_plane.add(axis.normal.z);
  }
  error.expect_at_most(1e-13);
  out_of_plane.expect_at_most(0);
}

/// Rotations of the cube plus a small tilt, so that faces and edges are parallel or nearly so.
TEST(SeparatingAxes, AreExactThroughEveryAngleNearToParallel) {
  Random random(3);
  WorstValue error("error over size");
  const std::vector<Mat3> rotations = cube_rotations();
  for (int sample = 0; sample < 20'000; ++sample) {
    const Mat3 tilt = to_matrix(quat_exp(random.scale(1e-18, 1e-1) * random.unit()));
    const Vec3 half = random.below(2) == 0 ? Vec3{1, 1, 1} : Vec3{1, 0.5, 0.25};
    Body a = box({1, 1, 1}, {tilt * rotations[random.below(24)], random.vec(2)});
    Body b = box(half, {rotations[random.below(24)], {}});
    const bool as_hulls = random.below(2) == 0;
    if (as_hulls) a = body_of(make_box({1, 1, 1}, false), a.X), b = body_of(make_box(half, false), b.X);
    const double found = find_separating_axis(a.posed(), b.posed()).best.value;
    const double truth = brute_force(a, b);
    // The oracle leaves out nearly parallel edges; between them the exact value is larger by at most the
    // angle.
    error.add(truth > 0 ? std::max(0.0, -found) : std::max({0.0, truth - found, found - truth - 1e-6}));
    error.add(found - separation_along(a, b, find_separating_axis(a.posed(), b.posed()).best.normal));
  }
  error.expect_at_most(1e-13);
}

TEST(SeparatingAxes, OfBoxesAreThoseOfTheirPolytopes) {
  Random random(4);
  WorstValue error("difference over size");
  for (int sample = 0; sample < 5000; ++sample) {
    const Vec3 ha{random.scale(0.01, 1), random.scale(0.01, 1), 1}, hb{random.scale(0.01, 1), 1, 1};
    const Body a = box(ha, random_pose(random, 2)), b = box(hb, random_pose(random, 2));
    const Body a_hull = body_of(make_box(ha, false), a.X), b_hull = body_of(make_box(hb, false), b.X);
    const SatResult closed = find_separating_axis(a.posed(), b.posed());
    const SatResult general = find_separating_axis(a_hull.posed(), b_hull.posed());
    error.add(closed.best.value - general.best.value);
    error.add(closed.face.value - general.face.value);
    ASSERT_EQ(closed.best.kind, general.best.kind);
    EXPECT_EQ(std::minmax(closed.best.a, closed.best.a_to), std::minmax(general.best.a, general.best.a_to));
    EXPECT_EQ(std::minmax(closed.best.b, closed.best.b_to), std::minmax(general.best.b, general.best.b_to));
  }
  error.expect_at_most(1e-14);
}

TEST(SeparatingAxes, NameTheFeaturesThatMeetAlongTheNormal) {
  Random random(5);
  WorstValue error("error over size");
  for (int sample = 0; sample < 5000; ++sample) {
    const Body a = random_body(random, random.below(2), 1, random_pose(random, 1.5));
    const Body b = random_body(random, random.below(2), 1, random_pose(random, 1.5));
    const SeparatingAxis axis = find_separating_axis(a.posed(), b.posed()).best;
    const auto vertex = [&](const Body& body, int v) {
      return body.X.R * body.polytope().vertices[v] + (body.X.p - a.X.p);
    };
    const auto on_face = [&](const Body& body, int f) {
      return vertex(body, body.polytope().loops[body.polytope().faces[f].begin]);
    };
    const Vec3 of_a = axis.kind == AxisKind::face_a ? on_face(a, axis.a) : vertex(a, axis.a);
    const Vec3 of_b = axis.kind == AxisKind::face_b ? on_face(b, axis.b) : vertex(b, axis.b);
    error.add(dot(axis.normal, of_a - of_b) - axis.value);
    error.add(norm(axis.normal) - 1);
    if (axis.kind != AxisKind::edges) continue;
    error.add(dot(axis.normal, vertex(a, axis.a_to) - vertex(b, axis.b_to)) - axis.value);
  }
  error.expect_at_most(2e-14);
}

TEST(SeparatingAxes, MirrorToTheLastBitWhenTheShapesAreSwapped) {
  Random random(6);
  const std::vector<Mat3> rotations = cube_rotations();
  for (int sample = 0; sample < 4000; ++sample) {
    const Body a = random_body(random, 4, 1, {rotations[random.below(24)], random.vec(2)});
    const Body b = random_body(random, random.below(5), 1, random_pose(random, 1));
    const SeparatingAxis ab = find_separating_axis(a.posed(), b.posed()).best;
    const SeparatingAxis ba = find_separating_axis(b.posed(), a.posed()).best;
    EXPECT_EQ(ab.value, ba.value);
    EXPECT_EQ(ab.normal, -ba.normal);
    EXPECT_EQ(ab.a, ba.b);
    EXPECT_EQ(ab.b_to, ba.a_to);
  }
}

TEST(SeparatingAxes, AreTheSameAKilometreOut) {
  Random random(7);
  const Vec3 far{1024, -2048, 512};
  for (int sample = 0; sample < 1000; ++sample) {
    Body a = random_body(random, random.below(5), 1, random_pose(random, 1));
    Body b = random_body(random, random.below(2), 1, random_pose(random, 1));
    for (Body* body : {&a, &b}) {  // positions that remain exact at a kilometre
      for (int i = 0; i < 3; ++i) body->X.p[i] = std::ldexp(std::round(std::ldexp(body->X.p[i], 30)), -30);
    }
    const SeparatingAxis near = find_separating_axis(a.posed(), b.posed()).best;
    a.X.p += far;
    b.X.p += far;
    const SeparatingAxis out = find_separating_axis(a.posed(), b.posed()).best;
    EXPECT_EQ(near.value, out.value);
    EXPECT_EQ(near.normal, out.normal);
  }
}

TEST(SeparatingAxes, PreferFacesInRestingContactWithGapsOfRounding) {
  for (const double gap : {-1e-17, 0.0, 1e-17, 1e-16, -1e-16}) {
    for (const Mat3& R : cube_rotations()) {
      const Body a = box({0.5, 0.5, 0.5}, {R, {0.3, 0.2, 1 + gap}}), b = box({0.5, 0.5, 0.5}, {});
      const SeparatingAxis axis = find_separating_axis(a.posed(), b.posed()).best;
      EXPECT_NE(axis.kind, AxisKind::edges);
      EXPECT_EQ(axis.normal, (Vec3{0, 0, 1}));
    }
  }
}

TEST(SeparatingAxes, OfShapesWithoutAnyArePerpendicularToThem) {
  const Body rod = body_of(CoreKind::segment, {0, 0, 1}, {}), same = rod;
  Body beside = rod;
  beside.X.p = {0.5, 0, 0.3};
  EXPECT_EQ(find_separating_axis(rod.posed(), same.posed()).best.value, 0);
  EXPECT_NEAR(find_separating_axis(rod.posed(), same.posed()).best.normal.z, 0, 1e-16);
  EXPECT_EQ(find_separating_axis(beside.posed(), rod.posed()).best.value, 0.5);
  EXPECT_EQ(find_separating_axis(beside.posed(), rod.posed()).best.normal, (Vec3{1, 0, 0}));
  const Body point = body_of(CoreKind::point, {}, {});
  EXPECT_EQ(norm(find_separating_axis(point.posed(), point.posed()).best.normal), 1);
}

}  // namespace separating_axes_test
}  // namespace pawl::internal
