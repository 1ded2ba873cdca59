// separation() of polytopes against the hull of all differences of their vertices, by Qhull: an independent
// method. PAWL_POSES sets the number of poses per pair.

#include <gtest/gtest.h>

#include <limits>

#include <pawl/collision/shapes/polytope.h>
#include <pawl/error.h>
#include <unit/base/worst.h>
#include <unit/collision/shapes/random_convex.h>

namespace pawl::internal {
namespace minkowski_test {

using testing::PoseKind;
using testing::Random;
using testing::size_of;
using testing::WorstValue;

double distance_to_segment(const Vec3& from, const Vec3& to) {
  const Vec3 along = to - from;
  const double t = std::clamp(-dot(from, along) / dot(along, along), 0.0, 1.0);
  return norm(from + t * along);
}

/// Signed distance of the origin from a polytope, negative inside, over every face and every side of every
/// face. Within `rounding` of the boundary it counts as on the boundary, since the face below it is then
/// uncertain.
double signed_distance(const Polytope& hull, double rounding) {
  double outermost = -std::numeric_limits<double>::infinity(),
         nearest = std::numeric_limits<double>::infinity();
  for (const Polytope::Face& face : hull.faces) {
    outermost = std::max(outermost, -face.offset);
    bool over = -face.offset > 0;
    for (int i = face.begin; i < face.end; ++i) {
      const Vec3& p = hull.vertices[hull.loops[i]];
      const Vec3& q = hull.vertices[hull.loops[i + 1 < face.end ? i + 1 : face.begin]];
      nearest = std::min(nearest, distance_to_segment(p, q));
      if (face.end - face.begin > 2) over &= dot(cross(face.normal, q - p), -p) >= 0;
    }
    if (over && face.end - face.begin > 2) nearest = std::min(nearest, -face.offset);
  }
  return outermost <= rounding ? outermost : nearest;
}

std::vector<Vec3> differences(const PosedConvex& a, const PosedConvex& b) {
  const Vec3 offset = a.X_WS.p - b.X_WS.p;
  std::vector<Vec3> points;
  for (const Vec3& v : a.shape.polytope->vertices) {
    for (const Vec3& w : b.shape.polytope->vertices) points.push_back(offset + (a.X_WS.R * v - b.X_WS.R * w));
  }
  return points;
}

struct PairOfCores {
  CoreKind a, b;
  bool planar;
};
class MinkowskiDifference : public ::testing::TestWithParam<PairOfCores> {};
INSTANTIATE_TEST_SUITE_P(EveryPair, MinkowskiDifference,
                         ::testing::Values(PairOfCores{CoreKind::box, CoreKind::box, false},
                                           PairOfCores{CoreKind::box, CoreKind::polytope, false},
                                           PairOfCores{CoreKind::polytope, CoreKind::polytope, false},
                                           PairOfCores{CoreKind::segment, CoreKind::box, false},
                                           PairOfCores{CoreKind::segment, CoreKind::polytope, false},
                                           PairOfCores{CoreKind::box, CoreKind::box, true},
                                           PairOfCores{CoreKind::box, CoreKind::polytope, true},
                                           PairOfCores{CoreKind::polytope, CoreKind::polytope, true},
                                           PairOfCores{CoreKind::segment, CoreKind::polytope, true}),
                         [](const auto& pair) {
                           return testing::name_of(pair.param.a) + "_" + testing::name_of(pair.param.b) +
                                  (pair.param.planar ? "_planar" : "");
                         });

TEST_P(MinkowskiDifference, IsAsFarFromTheOriginAsTheShapesAreApart) {
  const auto [kind_a, kind_b, planar] = GetParam();
  const int poses = testing::poses_per_pair(400);
  WorstValue error("error");
  Convex shape_a, shape_b;
  int compared = 0;
  for (int i = 0; i < poses; ++i) {
    Random random(static_cast<unsigned>(i));
    const double size = random.scale(1e-3, 1e2);
    shape_a = random_convex(random, kind_a, planar, size, 10);
    shape_b = random_convex(random, kind_b, planar, size * random.scale(0.1, 1), 10);
    Pose X_a, X_b;
    random_poses(random, static_cast<PoseKind>(i % testing::kPoseKinds), shape_a, shape_b, X_a, X_b);
    const PosedConvex a{shape_a, X_a}, b{shape_b, X_b};
    const std::vector<Vec3> points = differences(a, b);
    Polytope hull;
    try {
      hull = planar ? polygon_hull(points) : convex_hull(points);
    } catch (const Error&) {
      continue;  // flat within rounding
    }
    ++compared;
    // A face merged by Qhull lies within a few roundings of the differences, which are as large as the
    // distance between the shapes.
    const double scale = std::max({size_of(a.shape), size_of(b.shape), norm(X_a.p - X_b.p)});
    const double expected =
        signed_distance(hull, 1e-14 * scale) - a.shape.rounding_radius - b.shape.rounding_radius;
    const double off = std::abs(separation(a, b).gap - expected) / scale;
    if (off > 1e-12) std::cout << "pose " << i << ": off by " << off << " of the size\n";
    error.add(off);
  }
  EXPECT_GE(compared, poses * 9 / 10);
  error.expect_at_most(1e-12);
}

}  // namespace minkowski_test
}  // namespace pawl::internal
