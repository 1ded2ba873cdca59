#include <pawl/collision/manifold/surface_contacts.h>

#include <algorithm>
#include <array>
#include <map>
#include <numbers>
#include <string>

#include <gtest/gtest.h>

#include <pawl/collision/distance/signed_distance.h>
#include <pawl/collision/shapes/bounds.h>
#include <pawl/collision/shapes/support.h>
#include <unit/base/worst.h>
#include <unit/collision/shapes/bodies.h>
#include <unit/collision/shapes/random_convex.h>
#include <unit/record/allocation_count.h>

namespace pawl::internal {
namespace surface_contacts_test {

using testing::Body;
using testing::body_of;
using testing::Random;
using testing::WorstValue;

constexpr double kPi = std::numbers::pi;

/// n × n squares of side 1 about the origin with given heights, each split into two triangles.
template <class Height>
TriangleMesh sheet(int n, Height height) {
  TriangleMesh mesh;
  for (int i = 0; i <= n; ++i) {
    for (int j = 0; j <= n; ++j) {
      const double x = j - 0.5 * n, y = i - 0.5 * n;
      mesh.vertices.push_back({x, y, height(x, y)});
      if (i == n || j == n) continue;
      const int v = i * (n + 1) + j;
      mesh.triangles.push_back({v, v + 1, v + n + 2});
      mesh.triangles.push_back({v, v + n + 2, v + n + 1});
    }
  }
  return mesh;
}

double flat(double, double) {
  return 0;
}

enum class Ground { mesh, height_field };
constexpr int kSquares = 12;

Surface flat_ground(Ground kind, double scale = 1) {
  if (kind == Ground::mesh) {
    TriangleMesh mesh = sheet(kSquares, flat);
    for (Vec3& vertex : mesh.vertices) vertex *= scale;
    return make_surface(mesh);
  }
  const std::vector<double> heights((kSquares + 1) * (kSquares + 1), 0.0);
  return height_field(heights, kSquares + 1, kSquares + 1, scale, scale);
}
/// Places the centre of the ground at the origin.
Pose pose_of(Ground kind, double scale = 1) {
  const double half = 0.5 * kSquares * scale;
  return kind == Ground::mesh ? Pose{} : Pose{Mat3::identity(), {-half, -half, 0}};
}

/// Solids that stand or lie on z = 0, with their lowest points at height 0.
struct Solid {
  std::string name;
  Body body;
  int points;         // in the manifold
  double min_extent;  // min distance between two of them, m per size
};
std::vector<Solid> solids(double scale) {
  const double s = scale;
  const Mat3 lying = to_matrix(quat_exp({0, kPi / 2, 0}));
  const auto at = [&](double height) { return Pose{Mat3::identity(), {0, 0, height * s}}; };
  return {
      {"box", body_of(CoreKind::box, {0.8 * s, 0.6 * s, 0.4 * s}, at(0.4)), 4, 1.9},
      {"ball", body_of(CoreKind::point, {}, at(0.7), 0.7 * s), 1, -1},
      {"lying capsule", body_of(CoreKind::segment, {0, 0, 0.9 * s}, {lying, {0, 0, 0.3 * s}}, 0.3 * s), 2,
       1.75},
      {"standing capsule", body_of(CoreKind::segment, {0, 0, 0.9 * s}, at(1.2), 0.3 * s), 1, -1},
      {"standing cylinder", body_of(CoreKind::cylinder, {0.6 * s, 0.6 * s, 0.5 * s}, at(0.5)), 4, 1},
      {"lying cylinder", body_of(CoreKind::cylinder, {0.6 * s, 0.6 * s, 0.5 * s}, {lying, {0, 0, 0.6 * s}}),
       2, 0.98},
      {"standing frustum", body_of(CoreKind::frustum, {0.6 * s, 0.3 * s, 0.5 * s}, at(0.5)), 4, 1},
      {"ellipsoid", body_of(CoreKind::ellipsoid, {0.5 * s, 0.8 * s, 0.4 * s}, at(0.4)), 1, -1},
  };
}

std::vector<ManifoldPoint> contacts(const Body& body, const Surface& surface, const Pose& X,
                                    double contact_margin) {
  std::vector<ManifoldPoint> points;
  surface_contacts(body.posed(), surface, X, contact_margin, points);
  return points;
}

Body placed_at(Body body, double x, double y, double depth, double turn) {
  body.X.R = to_matrix(quat_exp({0, 0, turn})) * body.X.R;
  body.X.p += Vec3{x, y, -depth};
  return body;
}

double min_gap(const std::vector<ManifoldPoint>& points) {
  double least = 1e300;
  for (const ManifoldPoint& point : points) least = std::min(least, point.gap);
  return least;
}

class OnGround : public ::testing::TestWithParam<Ground> {};
INSTANTIATE_TEST_SUITE_P(Kinds, OnGround, ::testing::Values(Ground::mesh, Ground::height_field),
                         [](const auto& kind) {
                           return kind.param == Ground::mesh ? "Mesh" : "HeightField";
                         });

/// Solids slide over flat ground of many triangles, at 500 positions each. Some are exactly on edges and
/// corners, some extend over the rim. Gaps are from -1e-9 to 1e-9 of the size.
TEST_P(OnGround, HasNoInnerEdgesForSolidsThatSlide) {
  for (const double scale : {1e-3, 1.0, 100.0}) {
    const Surface surface = flat_ground(GetParam(), scale);
    const Pose X = pose_of(GetParam(), scale);
    for (const Solid& solid : solids(scale)) {
      Random random(1);
      WorstValue gap("gap over size, " + solid.name), nearest("surface_gap over size, " + solid.name);
      for (int sample = 0; sample < 500; ++sample) {
        double x = random.uniform(-5.9, 5.9), y = random.uniform(-5.9, 5.9), turn = random.uniform(-kPi, kPi);
        if (sample % 5 == 0) x = std::trunc(x);
        if (sample % 7 == 0) y = std::trunc(y);
        if (sample % 3 == 0) turn = 0.25 * kPi * std::round(turn / (0.25 * kPi));
        const double depth = sample % 11 == 0 ? 0 : random.uniform(-1e-9, 1e-9) * scale;
        const Body body = placed_at(solid.body, x * scale, y * scale, depth, turn);
        const auto points = contacts(body, surface, X, 1e-8 * scale);
        ASSERT_FALSE(points.empty()) << solid.name << " sample " << sample;
        for (const ManifoldPoint& point : points) {
          ASSERT_EQ(point.normal, (Vec3{0, 0, 1})) << solid.name << " sample " << sample;
        }
        gap.add((min_gap(points) + depth) / scale);
        nearest.add((surface_gap(body.posed(), surface, X) + depth) / scale);
      }
      gap.expect_at_most(1e-14);      // coordinates are up to 8 sizes, rounded some ten times
      nearest.expect_at_most(1e-13);  // iterative, with this tolerance
    }
  }
}

/// The centre of mass lies inside the polygon of the points, or over their line or point.
TEST_P(OnGround, ManifoldsSupportRestingSolids) {
  const Surface surface = flat_ground(GetParam());
  for (const Solid& solid : solids(1)) {
    Random random(2);
    for (int sample = 0; sample < 300; ++sample) {
      const Body body = placed_at(solid.body, random.uniform(-3, 3), random.uniform(-3, 3), 1e-6,
                                  random.uniform(-kPi, kPi));
      const auto points = contacts(body, surface, pose_of(GetParam()), 0);
      ASSERT_GE(static_cast<int>(points.size()), solid.points) << solid.name << " sample " << sample;
      ASSERT_LE(points.size(), 4U) << solid.name << " sample " << sample;
      EXPECT_TRUE(std::ranges::is_sorted(points, std::ranges::less_equal{}, &ManifoldPoint::feature));
      double widest = 0;
      for (int k = 0; k < 16; ++k) {  // no direction has all points on one side of the centre
        const Vec3 d{std::cos(0.3 + k * kPi / 8), std::sin(0.3 + k * kPi / 8), 0};
        double max_along = -1e9, least = 1e9;
        for (const ManifoldPoint& point : points) {
          const double along = dot(d, point.point_a - body.X.p);
          max_along = std::max(max_along, along);
          least = std::min(least, along);
        }
        EXPECT_GE(max_along, -1e-6) << solid.name << " sample " << sample;
        widest = std::max(widest, max_along - least);
      }
      EXPECT_GT(widest, solid.min_extent) << solid.name << " sample " << sample;
    }
  }
}

TEST_P(OnGround, HasNoContactsBeyondTheMarginOrFromBehind) {
  const Surface surface = flat_ground(GetParam());
  const Pose X = pose_of(GetParam());
  for (const Solid& solid : solids(1)) {
    EXPECT_TRUE(contacts(placed_at(solid.body, 0.3, 0.2, -0.11, 0), surface, X, 0.1).empty()) << solid.name;
    EXPECT_FALSE(contacts(placed_at(solid.body, 0.3, 0.2, -0.09, 0), surface, X, 0.1).empty()) << solid.name;
    EXPECT_NEAR(surface_gap(placed_at(solid.body, 0.3, 0.2, -25, 0).posed(), surface, X), 25, 1e-13);
    EXPECT_TRUE(contacts(placed_at(solid.body, 0.3, 0.2, 5, 0), surface, X, 0.1).empty()) << "from behind";
  }
}

/// Normals at a ridge y = 0 of two slopes at 45°, at an open edge x = ±6, and in a valley.
double ridge(double, double y) {
  return -std::abs(y);
}
double valley(double, double y) {
  return std::abs(y);
}

TEST(SurfaceContacts, ARidgeHasEveryNormalBetweenItsSlopes) {
  Random random(3);
  const Surface surface = make_surface(sheet(kSquares, ridge));
  WorstValue error("error");
  for (int sample = 0; sample < 500; ++sample) {
    const double angle = random.uniform(-0.24, 0.24) * kPi, gap = random.uniform(-1e-3, 1e-3);
    const Vec3 out{0, std::sin(angle), std::cos(angle)};
    const Vec3 foot{random.below(3) == 0 ? 1.0 : random.uniform(-3, 3), 0, 0};
    const Body ball = body_of(CoreKind::point, {}, {Mat3::identity(), foot + (0.5 + gap) * out}, 0.5);
    const auto points = contacts(ball, surface, {}, 0.01);
    ASSERT_EQ(points.size(), 1U) << "sample " << sample;
    error.add(points[0].normal - out);
    error.add(points[0].gap - gap);
    error.add(points[0].point_b - foot);
  }
  error.expect_at_most(2e-15);
}

TEST(SurfaceContacts, AnOpenEdgeHasNormalsFromUpToOutwards) {
  Random random(4);
  const Surface surface = make_surface(sheet(kSquares, flat));
  WorstValue error("error");
  for (int sample = 0; sample < 500; ++sample) {
    const double angle = random.uniform(0.01, 0.49) * kPi, gap = random.uniform(-1e-3, 1e-3);
    const Vec3 out{std::sin(angle), 0, std::cos(angle)};
    const Vec3 foot{6, random.below(3) == 0 ? 1.0 : random.uniform(-3, 3), 0};
    const Body ball = body_of(CoreKind::point, {}, {Mat3::identity(), foot + (0.5 + gap) * out}, 0.5);
    const auto points = contacts(ball, surface, {}, 0.01);
    ASSERT_EQ(points.size(), 1U) << "sample " << sample;
    error.add(points[0].normal - out);
    error.add(points[0].gap - gap);
  }
  error.expect_at_most(2e-15);
}

TEST(SurfaceContacts, AValleyHoldsABallByItsTwoSlopes) {
  Random random(5);
  const Surface surface = make_surface(sheet(kSquares, valley));
  const double r = 0.5;
  WorstValue error("error");
  for (int sample = 0; sample < 500; ++sample) {
    const double gap = random.uniform(-1e-3, 1e-3);
    const Vec3 center{random.below(3) == 0 ? 1.0 : random.uniform(-3, 3), 0, (r + gap) * std::sqrt(2.0)};
    const Body ball = body_of(CoreKind::point, {}, {Mat3::identity(), center}, r);
    auto points = contacts(ball, surface, {}, 0.01);
    ASSERT_EQ(points.size(), 2U) << "sample " << sample;
    std::ranges::sort(points, {}, [](const ManifoldPoint& point) { return point.normal.y; });
    error.add(points[0].normal - normalized(Vec3{0, -1, 1}));
    error.add(points[1].normal - normalized(Vec3{0, 1, 1}));
    for (const ManifoldPoint& point : points) error.add(point.gap - gap);
  }
  error.expect_at_most(2e-15);
}

/// The ridge of a roof supports a box along a line.
TEST(SurfaceContacts, ABoxOnARidgeIsCarriedAlongIt) {
  const Surface surface = make_surface(sheet(kSquares, ridge));
  const Body box = body_of(CoreKind::box, {0.8, 0.6, 0.4}, {Mat3::identity(), {0.3, 0, 0.4 - 1e-6}});
  const auto points = contacts(box, surface, {}, 0);
  ASSERT_GE(points.size(), 2U);
  double left = 1e9, right = -1e9;
  for (const ManifoldPoint& point : points) {
    EXPECT_EQ(point.normal, (Vec3{0, 0, 1}));
    EXPECT_NEAR(point.gap, -1e-6, 1e-12);
    left = std::min(left, point.point_b.x);
    right = std::max(right, point.point_b.x);
  }
  EXPECT_NEAR(left, -0.5, 1e-6);
  EXPECT_NEAR(right, 1.1, 1e-6);
}

/// A box whose faces are squares × squares cells of two triangles each; in the plane a polyline.
Surface surface_of_box(const Vec3& half, bool planar, int squares = 1) {
  if (planar) {
    const std::array corners{Vec3{-half.x, half.y, 0}, Vec3{half.x, half.y, 0}, Vec3{half.x, -half.y, 0},
                             Vec3{-half.x, -half.y, 0}};
    return polyline_surface(corners, true);
  }
  TriangleMesh mesh;
  std::map<std::array<int, 3>, int> numbers;  // of vertices, by their position in the grid
  for (int face = 0; face < 6; ++face) {
    const int axis = face / 2, along = (axis + 1) % 3, across = (axis + 2) % 3;
    const auto vertex = [&](int i, int j) {
      std::array<int, 3> place{};
      place[axis] = face % 2 * squares, place[along] = i, place[across] = j;
      const auto [entry, is_new] = numbers.try_emplace(place, static_cast<int>(numbers.size()));
      const auto at = [&](int k) { return half[k] * (2.0 * place[k] / squares - 1); };
      if (is_new) mesh.vertices.push_back({at(0), at(1), at(2)});
      return entry->second;
    };
    const auto add = [&](int a, int b, int c) {
      mesh.triangles.push_back(face % 2 == 1 ? std::array{a, b, c} : std::array{a, c, b});
    };
    for (int i = 0; i < squares; ++i) {
      for (int j = 0; j < squares; ++j) {
        add(vertex(i, j), vertex(i + 1, j), vertex(i + 1, j + 1));
        add(vertex(i, j), vertex(i + 1, j + 1), vertex(i, j + 1));
      }
    }
  }
  return make_surface(mesh);
}

class AgainstABox : public ::testing::TestWithParam<std::pair<CoreKind, bool>> {};
INSTANTIATE_TEST_SUITE_P(
    Kinds, AgainstABox,
    ::testing::Values(std::pair{CoreKind::point, false}, std::pair{CoreKind::segment, false},
                      std::pair{CoreKind::box, false}, std::pair{CoreKind::polytope, false},
                      std::pair{CoreKind::ellipsoid, false}, std::pair{CoreKind::cylinder, false},
                      std::pair{CoreKind::cone, false}, std::pair{CoreKind::frustum, false},
                      std::pair{CoreKind::point, true}, std::pair{CoreKind::segment, true},
                      std::pair{CoreKind::box, true}, std::pair{CoreKind::polytope, true},
                      std::pair{CoreKind::ellipsoid, true}),
    [](const auto& kind) {
      return testing::name_of(kind.param.first) + (kind.param.second ? "InThePlane" : "");
    });

/// Apart, touching, and overlapping by up to 8 % of the smaller radius, at faces, edges and corners.
TEST_P(AgainstABox, ASurfaceHasTheGapOfTheSolidThatItBounds) {
  const auto [kind, planar] = GetParam();
  const Vec3 half{0.5, 0.4, planar ? 0 : 0.3};
  const Convex box = Convex::box(half, 0, planar);
  const Surface coarse = surface_of_box(half, planar), fine = surface_of_box(half, planar, 8);
  WorstValue error("gap, m");
  int compared = 0;
  for (int i = 0; i < testing::poses_per_pair(1000); ++i) {
    Random random(static_cast<unsigned>(i));
    Convex a;
    a = testing::random_convex(random, kind, planar, random.uniform(0.2, 1), 5);
    if (kind == CoreKind::segment && a.rounding_radius == 0) a.rounding_radius = 0.05;  // a line is no solid
    using enum testing::PoseKind;
    constexpr std::array kKinds{near, touching, shallow, aligned, tilted};
    Pose X_a, X_b;
    testing::random_poses(random, kKinds[static_cast<std::size_t>(i) % kKinds.size()], a, box, X_a, X_b);
    const double gap = separation({a, X_a}, {box, X_b}).gap, radius = bounding_radius(a);
    const Vec3 center = inverse(X_b) * (X_a * core_center(a));
    const bool within = std::abs(center.x) <= half.x && std::abs(center.y) <= half.y &&
                        (planar || std::abs(center.z) <= half.z);
    if (within || gap < -0.08 * std::min(radius, 0.3) || gap > 0.5 * radius) continue;
    std::vector<ManifoldPoint> points;
    surface_contacts({a, X_a}, i % 2 == 0 ? coarse : fine, X_b, radius, points);
    ASSERT_FALSE(points.empty()) << "pose " << i;
    error.add(min_gap(points) - gap);
    ++compared;
  }
  EXPECT_GT(compared, testing::poses_per_pair(1000) / 2);
  error.expect_at_most(1e-9);  // penetrations within 1e-9 of the radius count as equal
}

/// The plank extends over an edge, so it is deep behind the plane of the side below.
TEST(SurfaceContacts, APlankOverAnEdgeIsCarriedByTheTopAlone) {
  const Surface surface = surface_of_box({0.5, 0.5, 0.5}, false);
  for (const double height : {1e-3, 1e-9, 1e-10, 1e-12, 0.0, -1e-12, -1e-10, -1e-9, -1e-6, -1e-3}) {
    const Body plank = testing::box({0.5, 0.1, 0.05}, {Mat3::identity(), {0.7, 0, 0.55 + height}});
    for (const double contact_margin : {0.0, 0.1}) {
      const auto points = contacts(plank, surface, {}, contact_margin);
      EXPECT_EQ(points.empty(), contact_margin == 0 && height > 0) << height;
      for (const ManifoldPoint& point : points) {
        EXPECT_EQ(point.normal, (Vec3{0, 0, 1})) << height;
        EXPECT_NEAR(point.gap, height, 1e-15) << height;
      }
    }
  }
}

/// Surface and solid are rotated and translated together: the contacts stay the same.
TEST(SurfaceContacts, TurnWithTheSurface) {
  Random random(6);
  const Surface surface =
      make_surface(sheet(6, [](double x, double y) { return 0.3 * std::sin(x) + 0.2 * std::cos(2 * y); }));
  WorstValue error("error");
  std::size_t seen = 0;
  for (int sample = 0; sample < 200; ++sample) {
    Body body = solids(1)[sample % 7].body;
    body.X = {to_matrix(random.rotation()), {random.uniform(-2, 2), random.uniform(-2, 2), 0.9}};
    const auto here = contacts(body, surface, {}, 0.05);
    const Pose X{to_matrix(random.rotation()), random.vec(10)};
    body.X = X * body.X;
    const auto there = contacts(body, surface, X, 0.05);
    ASSERT_EQ(here.size(), there.size()) << "sample " << sample;
    for (std::size_t i = 0; i < here.size(); ++i) {
      EXPECT_EQ(here[i].feature, there[i].feature);
      error.add(here[i].gap - there[i].gap);
      error.add(there[i].point_a - there[i].point_b - there[i].gap * there[i].normal);
      ++seen;
    }
  }
  EXPECT_GT(seen, 100U);
  error.expect_at_most(1e-11);
}

TEST(SurfaceContacts, AllocateNothingOnceWarm) {
  const Surface surface = flat_ground(Ground::mesh);
  const std::vector<Solid> all = solids(1);
  std::vector<ManifoldPoint> points;
  const auto go = [&] {
    for (const Solid& solid : all) {
      points.clear();
      surface_contacts(solid.body.posed(), surface, {}, 0.1, points);
      surface_gap(placed_at(solid.body, 0, 0, -0.5, 0).posed(), surface, {});
    }
  };
  go();
  const long before = allocation_count();
  go();
  EXPECT_EQ(allocation_count(), before);
}

/// Ground of a planar world, from left to right.
Surface ground_line(double scale) {
  std::vector<Vec3> line;
  for (int i = 0; i <= kSquares; ++i) line.push_back({(i - 0.5 * kSquares) * scale, 0, 0});
  return polyline_surface(line, false);
}

std::vector<Solid> planar_solids(double s) {
  const Mat3 upright = to_matrix(quat_exp({0, 0, kPi / 2}));
  return {
      {"box", body_of(CoreKind::box, {0.8 * s, 0.4 * s, 0}, {Mat3::identity(), {0, 0.4 * s, 0}}, 0, true), 2,
       0},
      {"disc", body_of(CoreKind::point, {}, {Mat3::identity(), {0, 0.7 * s, 0}}, 0.7 * s, true), 1, 0},
      {"capsule",
       body_of(CoreKind::segment, {0.9 * s, 0, 0}, {Mat3::identity(), {0, 0.3 * s, 0}}, 0.3 * s, true), 2, 0},
      {"upright capsule",
       body_of(CoreKind::segment, {0.9 * s, 0, 0}, {upright, {0, 1.2 * s, 0}}, 0.3 * s, true), 1, 0},
      {"ellipse",
       body_of(CoreKind::ellipsoid, {0.5 * s, 0.4 * s, 0}, {Mat3::identity(), {0, 0.4 * s, 0}}, 0, true), 1,
       0},
  };
}

TEST(SurfaceContactsInThePlane, SlidingSolidsHaveNoContactsAtInnerPoints) {
  for (const double scale : {1e-3, 1.0, 100.0}) {
    const Surface surface = ground_line(scale);
    for (const Solid& solid : planar_solids(scale)) {
      Random random(7);
      WorstValue gap("gap over size, " + solid.name), nearest("surface_gap over size, " + solid.name);
      for (int sample = 0; sample < 500; ++sample) {
        const double x = sample % 5 == 0 ? std::trunc(random.uniform(-5.9, 5.9)) : random.uniform(-5.9, 5.9);
        const double depth = sample % 11 == 0 ? 0 : random.uniform(-1e-9, 1e-9) * scale;
        Body body = solid.body;
        body.X.p += Vec3{x * scale, -depth, 0};
        const auto points = contacts(body, surface, {}, 1e-8 * scale);
        ASSERT_FALSE(points.empty()) << solid.name << " sample " << sample;
        ASSERT_LE(points.size(), 4U) << solid.name << " sample " << sample;
        for (const ManifoldPoint& point : points) {
          ASSERT_EQ(point.normal, (Vec3{0, 1, 0})) << solid.name << " sample " << sample;
        }
        gap.add((min_gap(points) + depth) / scale);
        nearest.add((surface_gap(body.posed(), surface, {}) + depth) / scale);
      }
      gap.expect_at_most(1e-14);      // coordinates are up to 8 sizes, rounded some ten times
      nearest.expect_at_most(1e-13);  // iterative, with this tolerance
    }
  }
}

TEST(SurfaceContactsInThePlane, RidgesOpenEndsAndValleysHaveTheirNormals) {
  Random random(8);
  const std::vector<Vec3> roof{{-3, -3, 0}, {0, 0, 0}, {3, -3, 0}}, pit{{-3, 3, 0}, {0, 0, 0}, {3, 3, 0}},
      line{{-3, 0, 0}, {0, 0, 0}};
  const Surface ridge_line = polyline_surface(roof, false), valley_line = polyline_surface(pit, false),
                open_line = polyline_surface(line, false);
  WorstValue error("error");
  for (int sample = 0; sample < 500; ++sample) {
    const double gap = random.uniform(-1e-3, 1e-3);
    const auto disc = [&](const Vec3& center) {
      return body_of(CoreKind::point, {}, {Mat3::identity(), center}, 0.5, true);
    };
    const auto expect_one = [&](const Surface& surface, double angle) {
      const Vec3 out{std::sin(angle), std::cos(angle), 0};
      const auto points = contacts(disc((0.5 + gap) * out), surface, {}, 0.01);
      ASSERT_EQ(points.size(), 1U) << "sample " << sample;
      error.add(points[0].normal - out);
      error.add(points[0].gap - gap);
    };
    expect_one(ridge_line, random.uniform(-0.24, 0.24) * kPi);
    expect_one(open_line, random.uniform(0.01, 0.49) * kPi);
    const auto two = contacts(disc({0, (0.5 + gap) * std::sqrt(2.0), 0}), valley_line, {}, 0.01);
    ASSERT_EQ(two.size(), 2U);
    for (const ManifoldPoint& point : two) {
      error.add(std::abs(point.normal.x) - std::sqrt(0.5));
      error.add(point.normal.y - std::sqrt(0.5));
      error.add(point.gap - gap);
    }
    EXPECT_LT(two[0].normal.x * two[1].normal.x, 0);
  }
  error.expect_at_most(2e-15);
}

}  // namespace surface_contacts_test
}  // namespace pawl::internal
