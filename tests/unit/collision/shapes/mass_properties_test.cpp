#include <pawl/collision/shapes/polytope_mass_properties.h>

#include <random>

#include <gtest/gtest.h>

#include <pawl/collision/hull/convex_hull.h>
#include <pawl/error.h>

#include "unit/collision/mesh/meshes.h"
#include "unit/collision/shapes/convex_of.h"

namespace pawl::internal {
namespace mass_properties_test {

using test::ball_mesh;
using test::mesh_of;

constexpr double kPi = std::numbers::pi;

/// The largest difference, each in its own unit; all sizes are about 1.
double difference(const MassProperties& a, const MassProperties& b) {
  double worst = std::max(std::abs(a.mass - b.mass), norm(a.center - b.center));
  for (int i = 0; i < 3; ++i) worst = std::max(worst, norm(a.inertia.row[i] - b.inertia.row[i]));
  return worst;
}

MassProperties mix(double s, const MassProperties& a, double t, const MassProperties& b) {
  return {s * a.mass + t * b.mass, s * a.center + t * b.center, s * a.inertia + t * b.inertia};
}

/// Richardson extrapolation of values at n and 2n whose error is c/n² + O(1/n⁴).
MassProperties extrapolated(const MassProperties& coarse, const MassProperties& fine) {
  return mix(4.0 / 3, fine, -1.0 / 3, coarse);
}

Vec3 random_vec(std::mt19937& random) {
  std::uniform_real_distribution<double> in(-1, 1);
  const double x = in(random), y = in(random);
  return {x, y, in(random)};
}

Polytope random_hull(std::mt19937& random) {
  std::vector<Vec3> points;
  for (int i = 0; i < 8; ++i) points.push_back(random_vec(random));
  return convex_hull(points);
}

MassProperties unit_density(CoreKind core, const Vec3& half, double rounding_radius, bool planar = false) {
  return mass_properties(testing::convex_of(core, half, rounding_radius, planar));
}

TEST(ShapeMassProperties, OfATetrahedronIsTheKnownOne) {  // ∫ x² = 1/60, ∫ xy = 1/120 about the right corner
  const MassProperties solid =
      polytope_mass_properties(convex_hull(std::vector<Vec3>{{}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}), 0, false);
  const double square = 1.0 / 60 - 1.0 / 96, mixed = 1.0 / 120 - 1.0 / 96;
  Mat3 inertia = Mat3::diagonal({2 * square, 2 * square, 2 * square});
  for (int i = 0; i < 3; ++i) inertia(i, (i + 1) % 3) = inertia((i + 1) % 3, i) = -mixed;
  EXPECT_LT(difference(solid, {1.0 / 6, {0.25, 0.25, 0.25}, inertia}), 1e-16);
}

TEST(ShapeMassProperties, OfABoxIsTheSameByFormulaByFacesAndByMesh) {
  const Vec3 half{0.5, 0.7, 1.1};
  const MassProperties box = unit_density(CoreKind::box, half, 0);
  EXPECT_DOUBLE_EQ(box.mass, 8 * 0.5 * 0.7 * 1.1);
  EXPECT_DOUBLE_EQ(box.inertia(0, 0), box.mass * (0.7 * 0.7 + 1.1 * 1.1) / 3);
  EXPECT_LT(difference(box, polytope_mass_properties(make_box(half, false), 0, false)), 4e-15);
  EXPECT_LT(difference(box, mesh_mass_properties(mesh_of(make_box(half, false)))), 4e-15);
  const MassProperties flat = unit_density(CoreKind::box, {0.5, 0.7, 0}, 0, true);
  EXPECT_DOUBLE_EQ(flat.mass, 4 * 0.5 * 0.7);
  EXPECT_DOUBLE_EQ(flat.inertia(2, 2), flat.mass * (0.5 * 0.5 + 0.7 * 0.7) / 3);
  EXPECT_LT(difference(flat, polytope_mass_properties(make_box({0.5, 0.7, 0}, true), 0, true)), 1e-15);
}

TEST(ShapeMassProperties, OfAMeshKeepsItsDigitsAKilometreAway) {
  TriangleMesh mesh = mesh_of(make_box({0.5, 0.5, 0.5}, false));
  const Vec3 away{1000, -2000, 3000};
  for (Vec3& v : mesh.vertices) v += away;
  const MassProperties box = unit_density(CoreKind::box, {0.5, 0.5, 0.5}, 0);
  EXPECT_LT(difference(mesh_mass_properties(mesh), {box.mass, away, box.inertia}), 4e-15);
  for (Vec3& v : mesh.vertices) v = 1e-3 * (v - away) + away;  // 1 mm: its coordinates keep 12 digits
  const MassProperties small = mesh_mass_properties(mesh);
  EXPECT_NEAR(small.mass / 1e-9, 1, 1e-8);
  EXPECT_NEAR(small.inertia(0, 0) / 1e-15, 1.0 / 6, 1e-8);
}

TEST(ShapeMassProperties, OfAMeshOfABallConvergesAtOrderTwo) {
  const MassProperties ball = unit_density(CoreKind::point, {}, 1);
  EXPECT_DOUBLE_EQ(ball.mass, 4 * kPi / 3);
  EXPECT_DOUBLE_EQ(ball.inertia(1, 1), 0.4 * ball.mass);
  const double e16 = difference(mesh_mass_properties(ball_mesh(16)), ball),
               e32 = difference(mesh_mass_properties(ball_mesh(32)), ball);
  EXPECT_NEAR(e16 / e32, 4, 0.02);
  EXPECT_LT(difference(extrapolated(mesh_mass_properties(ball_mesh(32)), mesh_mass_properties(ball_mesh(64))),
                       ball),
            1e-6);
}

TEST(ShapeMassProperties, OfAnEllipsoidIsThatOfItsMesh) {
  const Vec3 half{0.5, 1, 1.5};
  const auto mesh = [&](int n) {
    TriangleMesh ball = ball_mesh(n);
    for (Vec3& v : ball.vertices) v = {half.x * v.x, half.y * v.y, half.z * v.z};
    return mesh_mass_properties(ball);
  };
  EXPECT_LT(difference(extrapolated(mesh(32), mesh(64)), unit_density(CoreKind::ellipsoid, half, 0)), 2e-6);
}

/// A rounded box by slices, with Simpson's rule in z. A rounded rectangle (sides 2a, 2b, radius s) has the
/// area 4ab + 4(a+b)s + πs². Its ∫ x² is the sum over its strips and four quarter discs.
TEST(ShapeMassProperties, OfARoundedBoxIsThatOfItsSlices) {
  const double a = 0.3, b = 0.5, c = 0.8, r = 0.25;
  const auto slice_area = [&](double s) { return 4 * a * b + 4 * (a + b) * s + kPi * s * s; };
  const auto slice_xx = [&](double half_x, double half_y, double s) {
    const double x3 = half_x * half_x * half_x;
    const double wide = half_x + s;
    const double inner = 2 * x3 / 3 * 2 * (half_y + s);                    // |x| ≤ half_x
    const double strips = 2 * (wide * wide * wide - x3) / 3 * 2 * half_y;  // |y| ≤ half_y, beyond that
    const double quarters =
        kPi * s * s * half_x * half_x + 2 * half_x * 4 * s * s * s / 3 + kPi * s * s * s * s / 4;
    return inner + strips + quarters;
  };
  double V = 2 * c * slice_area(r), xx = 2 * c * slice_xx(a, b, r), yy = 2 * c * slice_xx(b, a, r);
  double zz = 2 * c * c * c / 3 * slice_area(r);
  const int n = 2000;
  for (int i = 0; i <= n; ++i) {  // z = c + r sin t: smooth at the top
    const double t = kPi / 2 * i / n, s = r * std::cos(t), z = c + r * std::sin(t);
    const double w = 2 * (i == 0 || i == n ? 1 : i % 2 ? 4 : 2) * kPi / 2 / n / 3 * s;
    V += w * slice_area(s);
    xx += w * slice_xx(a, b, s);
    yy += w * slice_xx(b, a, s);
    zz += w * z * z * slice_area(s);
  }
  const MassProperties solid = unit_density(CoreKind::box, {a, b, c}, r);
  EXPECT_NEAR(solid.mass, V, 1e-13);
  EXPECT_LT(difference(solid, {V, {}, Mat3::diagonal({yy + zz, xx + zz, xx + yy})}), 1e-13);
}

/// The hull of balls around the vertices, approximated from inside by polytopes with more and more vertices.
TEST(ShapeMassProperties, OfARoundedPolytopeIsApproachedByHulls) {
  std::mt19937 random(1);
  for (int round = 0; round < 3; ++round) {
    const Polytope core = random_hull(random);
    const double r = 0.1 + 0.3 * round;
    const auto hull = [&](int n) {
      std::vector<Vec3> points;
      for (const Vec3& v : core.vertices) {
        for (const Vec3& u : ball_mesh(n).vertices) points.push_back(v + r * u);
      }
      return polytope_mass_properties(convex_hull(points), 0, false);
    };
    const MassProperties solid = polytope_mass_properties(core, r, false), coarse = hull(8), fine = hull(32);
    EXPECT_LT(difference(fine, solid), difference(coarse, solid) / 8) << round;
    EXPECT_LT(difference(fine, solid), 1e-2) << round;
    EXPECT_LT(fine.mass, solid.mass) << round;
  }
}

struct Cut {
  Polytope below, above, section;  // the section as two faces back to back
};

Cut cut(const Polytope& polytope, const Vec3& normal, double offset) {
  std::vector<Vec3> below, above, between;
  for (const Vec3& v : polytope.vertices) (dot(normal, v) < offset ? below : above).push_back(v);
  for (const auto& edge : polytope.edges) {
    const Vec3 &a = polytope.vertices[edge.from], &b = polytope.vertices[edge.to];
    const double t = (offset - dot(normal, a)) / dot(normal, b - a);
    if (t > 0 && t < 1) between.push_back(a + t * (b - a));
  }
  below.insert(below.end(), between.begin(), between.end());
  above.insert(above.end(), between.begin(), between.end());
  Cut result{convex_hull(below), convex_hull(above), {}};
  for (const auto& face : result.below.faces) {
    if (dot(face.normal, normal) < 1 - 1e-9) continue;
    std::vector<int> loop, back;
    std::vector<Vec3> corners;
    for (int i = face.begin; i < face.end; ++i) {
      loop.push_back(i - face.begin);
      back.insert(back.begin(), i - face.begin);
      corners.push_back(result.below.vertices[result.below.loops[i]]);
    }
    result.section = make_polytope(corners, {loop, back});
  }
  return result;
}

/// The rounded halves add up to the rounded whole plus the rounded section, exactly, since the moments are
/// additive. This holds only with the correct angles, arcs and cones.
TEST(ShapeMassProperties, OfRoundedHalvesAddUpToTheWholeAndTheSection) {
  std::mt19937 random(5);
  for (int round = 0; round < 200; ++round) {
    const Polytope core = round % 2 ? random_hull(random) : make_box({0.3, 0.5, 0.8}, false);
    const Vec3 normal = normalized(random_vec(random));
    const Cut parts = cut(core, normal, dot(normal, core.center) + 0.05 * random_vec(random).x);
    ASSERT_GE(parts.section.vertices.size(), 3u);
    for (const double r : {0.0, 0.1, 1.0}) {
      const auto grown = [&](const Polytope& p) { return polytope_mass_properties(p, r, false); };
      const MassProperties halves = grown(parts.below) + grown(parts.above);
      const MassProperties whole = grown(core) + grown(parts.section);
      EXPECT_LT(difference(halves, whole) / whole.mass, 3e-14) << round << " " << r;
    }
  }
}

/// Rounding twice equals rounding once: the hull of a tiny core does not matter. A box of half 0 is a point.
TEST(ShapeMassProperties, OfTinyCoresGrowsToABall) {
  std::mt19937 random(2);
  Polytope core = random_hull(random);
  std::vector<Vec3> points;
  for (const Vec3& v : core.vertices) points.push_back(1e-9 * v);
  EXPECT_LT(difference(polytope_mass_properties(convex_hull(points), 1, false),
                       unit_density(CoreKind::point, {}, 1)),
            2e-8);
  EXPECT_LT(difference(polytope_mass_properties(make_triangle({}, {1e-9, 0, 0}, {0, 1e-9, 0}), 1, false),
                       unit_density(CoreKind::point, {}, 1)),
            2e-8);
}

TEST(ShapeMassProperties, OfARoundedBoxAsThinAsALineIsACapsule) {
  const MassProperties capsule = unit_density(CoreKind::segment, {0, 0, 0.8}, 0.5);
  EXPECT_LT(difference(unit_density(CoreKind::box, {1e-9, 1e-9, 0.8}, 0.5), capsule), 2e-8);
  const MassProperties flat = unit_density(CoreKind::segment, {0.8, 0, 0}, 0.5, true);
  EXPECT_LT(difference(unit_density(CoreKind::box, {0.8, 1e-9, 0}, 0.5, true), flat), 2e-8);
}

Polytope prism(int n, double radius, double top_radius, double half) {
  std::vector<Vec3> points;
  for (int i = 0; i < n; ++i) {
    const double x = std::cos(2 * kPi * i / n), y = std::sin(2 * kPi * i / n);
    points.push_back({radius * x, radius * y, -half});
    if (top_radius > 0) points.push_back({top_radius * x, top_radius * y, half});
  }
  if (top_radius == 0) points.push_back({0, 0, half});
  return convex_hull(points);
}

TEST(ShapeMassProperties, OfCylindersConesAndFrustumsIsTheLimitOfPrisms) {
  struct Solid {
    CoreKind kind;
    double radius, top_radius;
  };
  for (const Solid& shape : {Solid{CoreKind::cylinder, 0.6, 0.6}, Solid{CoreKind::cone, 0.6, 0},
                             Solid{CoreKind::frustum, 0.6, 0.25}, Solid{CoreKind::frustum, 0.25, 0.6}}) {
    const double radius = shape.radius, top_radius = shape.top_radius;
    for (const double rounding_radius : {0.0, 0.2}) {
      const MassProperties solid = unit_density(shape.kind, {radius, top_radius, 0.5}, rounding_radius);
      const auto prism_of = [&](int n) {
        return polytope_mass_properties(prism(n, radius, top_radius, 0.5), rounding_radius, false);
      };
      const MassProperties coarse = prism_of(64), fine = prism_of(128);
      EXPECT_NEAR(difference(coarse, solid) / difference(fine, solid), 4, 0.01)
          << radius << " " << top_radius << " " << rounding_radius;
      EXPECT_LT(difference(extrapolated(coarse, fine), solid), 1e-6)
          << radius << " " << top_radius << " " << rounding_radius;
    }
  }
}

/// With heights from the apex: the cone of height a less its top of height b.
TEST(ShapeMassProperties, OfAFrustumIsACylinderOrTheDifferenceOfTwoCones) {
  const double r = 0.6, top = 0.2, h = 0.5, a = 2 * h * r / (r - top), b = a - 2 * h;
  const MassProperties whole = mass_properties(Convex::cone(r, a / 2));
  const MassProperties cut = mass_properties(Convex::cone(top, b / 2));
  const MassProperties frustum = mass_properties(Convex::frustum(r, top, h));
  EXPECT_NEAR(frustum.mass, whole.mass - cut.mass, 1e-15);
  const double z_whole = whole.center.z + a / 2 - h, z_cut = cut.center.z + b / 2 + h;
  EXPECT_NEAR(frustum.center.z, (whole.mass * z_whole - cut.mass * z_cut) / frustum.mass, 1e-15);
  EXPECT_NEAR(frustum.inertia(2, 2), whole.inertia(2, 2) - cut.inertia(2, 2), 1e-15);
  const double dw = z_whole - frustum.center.z, dc = z_cut - frustum.center.z;
  EXPECT_NEAR(frustum.inertia(0, 0),
              whole.inertia(0, 0) + whole.mass * dw * dw - cut.inertia(0, 0) - cut.mass * dc * dc, 1e-15);
  EXPECT_LT(difference(mass_properties(Convex::frustum(r, r, h)), mass_properties(Convex::cylinder(r, h))),
            1e-15);
}

TEST(ShapeMassProperties, OfARoundedPolygonIsTheLimitOfPolygons) {
  std::mt19937 random(3);
  for (int round = 0; round < 10; ++round) {
    std::vector<Vec3> points;
    for (int i = 0; i < 7; ++i) points.push_back({random_vec(random).x + 5, random_vec(random).y, 0});
    const Polytope core = polygon_hull(points);
    const double r = 0.1 * round;
    const auto hull = [&](int n) {
      std::vector<Vec3> grown;
      for (const Vec3& v : core.vertices) {
        for (int i = 0; i < n; ++i) {
          grown.push_back(v + r * Vec3{std::cos(2 * kPi * i / n), std::sin(2 * kPi * i / n), 0});
        }
      }
      return polytope_mass_properties(polygon_hull(grown), 0, true);
    };
    const MassProperties solid = polytope_mass_properties(core, r, true);
    EXPECT_LT(difference(hull(4000), solid), 1e-5) << round;
    EXPECT_EQ(solid.center.z, 0);
  }
}

TEST(ShapeMassProperties, OfADiscAndAnEllipseAreTheKnownOnes) {
  EXPECT_DOUBLE_EQ(unit_density(CoreKind::point, {}, 2, true).mass, 4 * kPi);
  EXPECT_DOUBLE_EQ(unit_density(CoreKind::point, {}, 2, true).inertia(2, 2), 8 * kPi);
  EXPECT_DOUBLE_EQ(unit_density(CoreKind::ellipsoid, {2, 3, 0}, 0, true).mass, 6 * kPi);
  EXPECT_DOUBLE_EQ(unit_density(CoreKind::ellipsoid, {2, 3, 0}, 0, true).inertia(2, 2), 6 * kPi * 13 / 4);
}

TEST(ShapeMassProperties, GrowsWithTheThirdAndFifthPowerOfItsSize) {
  std::mt19937 random(4);
  const Polytope core = random_hull(random);
  const MassProperties solid = polytope_mass_properties(core, 0.2, false);
  for (const double scale : {0x1p-10, 0x1p7, 0x1p-60, 0x1p60}) {
    std::vector<Vec3> points;
    for (const Vec3& v : core.vertices) points.push_back(scale * v);
    const MassProperties scaled = polytope_mass_properties(convex_hull(points), 0.2 * scale, false);
    EXPECT_NEAR(scaled.mass / std::pow(scale, 3), solid.mass, 1e-15 * solid.mass);
    EXPECT_NEAR(scaled.inertia(0, 1) / std::pow(scale, 5), solid.inertia(0, 1), 1e-14);
  }
}

TEST(ShapeMassProperties, OfAnEllipsoidWithAMarginIsRefusedUnlessItIsABall) {
  EXPECT_THROW(unit_density(CoreKind::ellipsoid, {1, 1, 2}, 0.1), Error);
  EXPECT_EQ(unit_density(CoreKind::ellipsoid, {1, 1, 1}, 0.5).mass,
            unit_density(CoreKind::point, {}, 1.5).mass);
}

}  // namespace mass_properties_test
}  // namespace pawl::internal
