#include <pawl/collision/hull/convex_hull.h>

#include <algorithm>
#include <numbers>
#include <random>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include <pawl/error.h>

namespace pawl::internal {
namespace convex_hull_test {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

std::vector<Vec3> cube_corners() {
  std::vector<Vec3> points;
  for (int v = 0; v < 8; ++v) points.push_back({v & 1 ? 1. : -1., v & 2 ? 1. : -1., v & 4 ? 1. : -1.});
  return points;
}

std::vector<Vec3> moved(std::vector<Vec3> points, double scale, const Vec3& turn, const Vec3& shift) {
  const Mat3 R = to_matrix(quat_exp(turn));
  for (Vec3& p : points) p = scale * (R * p) + shift;
  return points;
}

Vec3 random_vec(std::mt19937& random) {
  std::uniform_real_distribution<double> in(-1, 1);
  const double x = in(random), y = in(random);
  return {x, y, in(random)};
}

/// The largest error of a hull, in units of the rounding of the coordinates. Errors are points outside the
/// hull, vertices off their face, and corners of a face that are not convex.
double misfit(const Polytope& hull, const std::vector<Vec3>& points) {
  double unit = 0;
  for (const Vec3& p : points) unit = std::max({unit, std::abs(p.x), std::abs(p.y), std::abs(p.z)});
  unit *= kEpsilon;
  double worst = 0;
  for (const Polytope::Face& face : hull.faces) {
    if (!(std::abs(norm(face.normal) - 1) < 1e-14)) return HUGE_VAL;
    for (const Vec3& p : points) worst = std::max(worst, dot(face.normal, p) - face.offset);
    const int n = face.end - face.begin;
    for (int i = 0; i < n; ++i) {
      const auto corner = [&](int k) { return hull.vertices[hull.loops[face.begin + (i + k) % n]]; };
      worst = std::max(worst, std::abs(dot(face.normal, corner(0)) - face.offset));
      const Vec3 chord = corner(2) - corner(0);
      worst = std::max(worst, -dot(face.normal, cross(corner(1) - corner(0), chord)) / norm(chord));
    }
  }
  return worst / unit;
}

std::string reason(const std::vector<Vec3>& points) {
  try {
    convex_hull(points);
  } catch (const Error& error) {
    return error.what();
  }
  return "none";
}

std::string polygon_reason(const std::vector<Vec3>& points) {
  try {
    polygon_hull(points);
  } catch (const Error& error) {
    return error.what();
  }
  return "none";
}

TEST(Hull, OfACubeHasSixQuadsWhereverItLiesAndHoweverLarge) {
  std::mt19937 random(1);
  for (const double scale : {1e-3, 1.0, 100.0, 1e-150, 1e150}) {
    for (const double distance : {0.0, 1.0, 1e3, 1e6}) {
      for (int i = 0; i < 20; ++i) {
        const auto points = moved(cube_corners(), scale, i == 0 ? Vec3{} : 3 * random_vec(random),
                                  scale * distance * random_vec(random));
        const Polytope hull = convex_hull(points);
        ASSERT_EQ(hull.vertices, points) << scale << " " << distance;
        ASSERT_EQ(hull.faces.size(), 6u) << scale << " " << distance;
        ASSERT_EQ(hull.edges.size(), 12u);
        for (const auto& face : hull.faces) ASSERT_EQ(face.end - face.begin, 4);
        EXPECT_LE(misfit(hull, points), 16) << scale << " " << distance;
      }
    }
  }
}

TEST(Hull, IsThatOfMakeBox) {
  const Polytope box = make_box({1, 2, 3}, false);
  const Polytope hull = convex_hull(box.vertices);
  EXPECT_EQ(hull.vertices, box.vertices);
  for (const auto& face : box.faces) {
    EXPECT_TRUE(std::ranges::any_of(hull.faces, [&](const auto& other) {
      return other.normal == face.normal && other.offset == face.offset;
    }));
  }
  EXPECT_EQ(hull.neighbours, box.neighbours);
  EXPECT_EQ(hull.inner_radius, 1);
}

TEST(Hull, DropsDuplicatesAndPointsOnEdgesOnFacesAndInside) {
  std::vector<Vec3> points;
  for (int copy = 0; copy < 2; ++copy) {
    for (int x = 0; x <= 4; ++x) {
      for (int y = 0; y <= 4; ++y) {
        for (int z = 0; z <= 4; ++z) points.push_back({x * 0.1, y * 0.1, z * 0.1});
      }
    }
  }
  for (const Vec3& turn : {Vec3{}, Vec3{0.3, 0.5, -0.7}}) {
    const auto placed = moved(points, 0.01, turn, {3, 4, 5});
    const Polytope hull = convex_hull(placed);
    EXPECT_EQ(hull.vertices.size(), 8u);
    EXPECT_EQ(hull.faces.size(), 6u);
    EXPECT_LE(misfit(hull, placed), 16);
  }
}

/// Every plane through three points that has all others on one side.
std::vector<std::vector<int>> triangles_by_brute_force(const std::vector<Vec3>& points) {
  std::vector<std::vector<int>> found;
  const int n = static_cast<int>(points.size());
  for (int i = 0; i < n; ++i) {
    for (int j = i + 1; j < n; ++j) {
      for (int k = j + 1; k < n; ++k) {
        const Vec3 normal = cross(points[j] - points[i], points[k] - points[i]);
        int above = 0, below = 0;
        for (int l = 0; l < n; ++l) {
          if (l == i || l == j || l == k) continue;
          (dot(normal, points[l] - points[i]) > 0 ? above : below)++;
        }
        if (above == 0) found.push_back({i, j, k});
        if (below == 0) found.push_back({i, k, j});
      }
    }
  }
  std::ranges::sort(found);
  return found;
}

TEST(Hull, OfRandomPointsIsThatOfBruteForce) {
  std::mt19937 random(2);
  for (int round = 0; round < 200; ++round) {
    std::vector<Vec3> points;
    const int n = 4 + round % 20;
    for (int i = 0; i < n; ++i) points.push_back(random_vec(random));
    const Polytope hull = convex_hull(points);
    std::vector<int> number;  // index of each vertex among the points
    for (const Vec3& v : hull.vertices) {
      number.push_back(static_cast<int>(std::ranges::find(points, v) - points.begin()));
    }
    ASSERT_TRUE(std::ranges::is_sorted(number));
    std::vector<std::vector<int>> loops;
    for (const auto& face : hull.faces) {
      loops.emplace_back();
      for (int i = face.begin; i < face.end; ++i) loops.back().push_back(number[hull.loops[i]]);
    }
    std::ranges::sort(loops);
    EXPECT_EQ(loops, triangles_by_brute_force(points)) << round;
  }
}

/// Prisms, double cones and spheres made of circles: many points in one plane, on one line and at one pole.
TEST(Hull, HoldsOnManyCoplanarPoints) {
  std::mt19937 random(3);
  for (const int n : {3, 4, 5, 6, 17, 90}) {
    std::vector<Vec3> prism, sphere;
    for (int i = 0; i < n; ++i) {
      const double angle = 2 * std::numbers::pi * i / n;
      for (const double z : {-1., 0., 1.}) prism.push_back({std::cos(angle), std::sin(angle), z});
      for (int k = 0; k <= 12; ++k) {
        const double polar = std::numbers::pi * k / 12;
        sphere.push_back(
            {std::cos(angle) * std::sin(polar), std::sin(angle) * std::sin(polar), std::cos(polar)});
      }
    }
    for (int i = 0; i < 20; ++i) {
      const Vec3 turn = i == 0 ? Vec3{} : 3 * random_vec(random);
      const Vec3 shift = i % 2 == 0 ? Vec3{} : 100 * random_vec(random);
      const auto placed_prism = moved(prism, 0.1, turn, shift);
      const Polytope hull = convex_hull(placed_prism);
      EXPECT_EQ(hull.vertices.size(), 2u * n);
      EXPECT_EQ(hull.faces.size(), 2u + n);
      EXPECT_LE(misfit(hull, placed_prism), 32) << n << " " << i;
      const auto placed_sphere = moved(sphere, 0.1, turn, shift);
      const Polytope ball = convex_hull(placed_sphere);
      EXPECT_EQ(ball.vertices.size(), 2u + 11u * n);
      EXPECT_EQ(ball.faces.size(), 12u * n);
      EXPECT_LE(misfit(ball, placed_sphere), 32) << n << " " << i;
    }
  }
}

TEST(Hull, HoldsOfThinPlatesAndNeedles) {
  std::mt19937 random(4);
  for (const Vec3& half :
       {Vec3{100, 100, 1e-3}, Vec3{100, 1e-3, 1e-3}, Vec3{1, 1, 1e-9}, Vec3{1, 1e-6, 1e-9}}) {
    for (int i = 0; i < 20; ++i) {
      auto points = cube_corners();
      for (Vec3& p : points) p = {p.x * half.x, p.y * half.y, p.z * half.z};
      points = moved(points, 1, i == 0 ? Vec3{} : 3 * random_vec(random), {});
      const Polytope hull = convex_hull(points);
      EXPECT_EQ(hull.vertices, points) << half.z;
      EXPECT_EQ(hull.faces.size(), 6u) << half.z;
      EXPECT_LE(misfit(hull, points), 16) << half.z;
    }
  }
}

/// Points around the corners of a cube at all distances down to the last digit. The smallest faces have no
/// reliable normal and must not appear.
TEST(Hull, OfCrowdedPointsIsConvexToOneInABillion) {
  std::mt19937 random(8);
  for (int round = 0; round < 1000; ++round) {
    const double noise = std::pow(10., -17 + 0.01 * round);
    std::vector<Vec3> points;
    for (int i = 0; i < 64; ++i) points.push_back(cube_corners()[i % 8] + noise * random_vec(random));
    points = moved(points, 0.5, 3 * random_vec(random), {});
    const Polytope hull = convex_hull(points);
    ASSERT_LE(misfit(hull, points) * kEpsilon, 1e-9) << noise;
    ASSERT_GE(hull.faces.size(), 6u);
  }
}

TEST(Hull, IsTheSameFromManyThreads) {
  std::mt19937 random(5);
  std::vector<Vec3> points;
  for (int i = 0; i < 2000; ++i) points.push_back(normalized(random_vec(random)));
  const Polytope expected = convex_hull(points);
  std::vector<int> same(4, 0);
  {
    std::vector<std::jthread> threads;
    for (int& ok : same) {
      threads.emplace_back([&] {
        for (int i = 0; i < 5; ++i) ok += convex_hull(points).loops == expected.loops;
      });
    }
  }
  EXPECT_EQ(same, std::vector<int>(4, 5));
}

TEST(Hull, RefusesPointsThatSpanNoVolumeAndSaysWhy) {
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(reason({}), "hull: needs at least 4 points, not 0");
  EXPECT_EQ(reason({{}, {1, 0, 0}, {0, 1, 0}}), "hull: needs at least 4 points, not 3");
  EXPECT_EQ(reason(std::vector<Vec3>(5, {1, 2, 3})), "hull: all points coincide");
  EXPECT_EQ(reason({{}, {1, 2, 3}, {2, 4, 6}, {3, 6, 9}}), "hull: all points lie on one line");
  EXPECT_EQ(reason({{}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}, {0.5, 0.5, 0}}),
            "hull: all points lie in one plane");
  EXPECT_EQ(reason({{}, {1, 0, 0}, {0, 1, 0}, {0, 0, std::nan("")}}), "hull: point 3 is not finite");
  EXPECT_EQ(reason({{}, {HUGE_VAL, 0, 0}, {0, 1, 0}, {0, 0, 1}}), "hull: point 1 is not finite");
  EXPECT_EQ(reason({{1e9, 0, 0}, {1e9, 1e-9, 0}, {1e9, 0, 1e-9}, {1e9, 1e-9, 1e-9}, {1e9 + 1e-7, 0, 0}}),
            "hull: all points coincide, to rounding");
  const std::string far = reason({{1e9, 0, 0}, {1e9 + 1, 0, 0}, {1e9, 1, 0}, {1e9, 0, 1}});
  EXPECT_NE(far.find("it is 1 m large and 1e+09 m away from the origin, too far"), std::string::npos) << far;
  std::mt19937 random(6);
  for (int round = 0; round < 100; ++round) {
    std::vector<Vec3> flat, line;
    for (int i = 0; i < 10; ++i) {
      flat.push_back(random_vec(random));
      flat.back().z = 0;
      line.push_back({random_vec(random).x, 0, 0});
    }
    const Vec3 turn = random_vec(random), shift = random_vec(random);
    EXPECT_EQ(reason(moved(flat, 0.01, turn, shift)), "hull: all points lie in one plane");
    EXPECT_EQ(reason(moved(line, 0.01, turn, shift)), "hull: all points lie on one line");
  }
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

TEST(PolygonHull, KeepsTheCornersOfAConvexPolygonAsGiven) {
  std::vector<Vec3> corners;
  for (int i = 0; i < 100; ++i) {
    corners.push_back({5 + 1e-3 * std::cos(i * 0.0628), 7 + 1e-3 * std::sin(i * 0.0628), 0});
  }
  std::rotate(corners.begin(), corners.begin() + 30, corners.end());
  const Polytope hull = polygon_hull(corners);
  EXPECT_EQ(hull.vertices, corners);
  EXPECT_EQ(hull.faces.size(), 100u);
  EXPECT_TRUE(hull.edges.empty());
}

TEST(PolygonHull, DropsInnerPointsDuplicatesAndPointsOnSides) {
  std::mt19937 random(7);
  for (int round = 0; round < 100; ++round) {
    std::vector<Vec3> points;
    for (int i = 0; i < 50; ++i) points.push_back({double(i % 5), double(i / 5 % 5), 0});
    points = moved(points, 0.01, {0, 0, round == 0 ? 0 : random_vec(random).x}, {random_vec(random).x, 2, 0});
    std::ranges::shuffle(points, random);
    const Polytope hull = polygon_hull(points);
    ASSERT_EQ(hull.vertices.size(), 4u) << round;
    for (const auto& face : hull.faces) {
      for (const Vec3& p : points) EXPECT_LE(dot(face.normal, p) - face.offset, 8 * kEpsilon);
    }
  }
}

TEST(PolygonHull, RefusesPointsThatSpanNoAreaAndSaysWhy) {
  EXPECT_EQ(polygon_reason({{}, {1, 0, 0}}), "hull: needs at least 3 points, not 2");
  EXPECT_EQ(polygon_reason({{}, {0.1, 0.3, 0}, {0.2, 0.6, 0}, {0.3, 0.9, 0}}),
            "hull: all points lie on one line");
  EXPECT_EQ(polygon_reason({{}, {}, {}}), "hull: all points coincide");
  EXPECT_EQ(polygon_reason({{}, {1, 0, 0}, {0, 1, 1e-9}}), "hull: the points of a polygon must have z = 0");
  EXPECT_EQ(polygon_reason({{}, {1, 0, 0}, {0, std::nan(""), 0}}), "hull: point 2 is not finite");
}

}  // namespace convex_hull_test
}  // namespace pawl::internal
