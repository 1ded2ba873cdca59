#include <pawl/model/collision_shape.h>

#include <numbers>

#include <gtest/gtest.h>

#include <pawl/collision/shapes/polytope.h>
#include <pawl/model/mass_properties.h>
#include <pawl/scene_file.h>

namespace pawl::internal {
namespace collision_shape_test {

constexpr double kPi = std::numbers::pi;

SceneShape shape_of(ShapeKind kind) {
  SceneShape shape;
  shape.kind = kind;
  shape.radius = 0.3;
  shape.length = 0.8;
  shape.height = 0.5;
  shape.size = {0.2, 0.4, 0.6};
  shape.points = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  shape.faces = convex_hull_faces(shape.points);
  return shape;
}
SceneShape planar_shape_of(ShapeKind kind) {
  SceneShape shape = shape_of(kind);
  shape.size.z = 0;
  shape.points = {{0, 0, 0}, {2, 0, 0}, {2, 1, 0}, {0, 1, 0}};
  shape.faces = convex_hull_faces(shape.points, true);
  return shape;
}

TEST(MakeCollisionShape, MakesBallsPointsWithARoundingRadius) {
  for (const Dimension dimension : {Dimension::spatial, Dimension::planar}) {
    const Convex ball = make_collision_shape(shape_of(ShapeKind::sphere), dimension);
    EXPECT_EQ(ball.core, CoreKind::point);
    EXPECT_EQ(ball.rounding_radius, 0.3);
    EXPECT_EQ(ball.planar, dimension == Dimension::planar);
    SceneShape short_capsule = shape_of(ShapeKind::capsule);
    short_capsule.length = 0;
    EXPECT_EQ(make_collision_shape(short_capsule, dimension).core, CoreKind::point);
  }
}

TEST(MakeCollisionShape, LaysCapsulesAlongZAndInThePlaneAlongX) {
  const Convex spatial = make_collision_shape(shape_of(ShapeKind::capsule), Dimension::spatial);
  EXPECT_EQ(spatial.core, CoreKind::segment);
  EXPECT_EQ(spatial.half, (Vec3{0, 0, 0.4}));
  EXPECT_EQ(spatial.rounding_radius, 0.3);
  const Convex planar = make_collision_shape(shape_of(ShapeKind::capsule), Dimension::planar);
  EXPECT_EQ(planar.half, (Vec3{0.4, 0, 0}));
  for (const Convex& solid : {spatial, planar}) {
    ASSERT_EQ(solid.polytope->vertices.size(), 2U);
    EXPECT_EQ(norm(solid.polytope->vertices[1] - solid.polytope->vertices[0]), 0.8);
    EXPECT_NEAR(std::abs(dot(solid.polytope->vertices[1], solid.half)), 0.16, 1e-15);
  }
}

TEST(MakeCollisionShape, HalvesTheSidesOfBoxesAndTheHeightsOfCylindersAndCones) {
  const Convex box = make_collision_shape(shape_of(ShapeKind::box), Dimension::spatial);
  EXPECT_EQ(box.core, CoreKind::box);
  EXPECT_EQ(box.half, (Vec3{0.1, 0.2, 0.3}));
  EXPECT_EQ(box.polytope->vertices.size(), 8U);
  const Convex flat = make_collision_shape(planar_shape_of(ShapeKind::box), Dimension::planar);
  EXPECT_EQ(flat.half, (Vec3{0.1, 0.2, 0}));
  EXPECT_EQ(flat.polytope->vertices.size(), 4U);
  for (const auto& [kind, core] :
       {std::pair(ShapeKind::cylinder, CoreKind::cylinder), std::pair(ShapeKind::cone, CoreKind::cone)}) {
    const Convex round = make_collision_shape(shape_of(kind), Dimension::spatial);
    EXPECT_EQ(round.core, core);
    EXPECT_EQ(round.half, (Vec3{0.3, 0.3, 0.25}));
    EXPECT_EQ(round.polytope, nullptr);
  }
}

TEST(MakeCollisionShape, GivesFrustumsTheirTwoRadii) {
  SceneShape shape = shape_of(ShapeKind::frustum);
  shape.top_radius = 0.15;
  const Convex frustum = make_collision_shape(shape, Dimension::spatial);
  EXPECT_EQ(frustum.core, CoreKind::frustum);
  EXPECT_EQ(frustum.half, (Vec3{shape.radius, 0.15, shape.height / 2}));
}

TEST(MakeCollisionShape, TakesEllipsoidsAndHullsAsTheyAre) {
  const Convex ellipsoid = make_collision_shape(shape_of(ShapeKind::ellipsoid), Dimension::spatial);
  EXPECT_EQ(ellipsoid.core, CoreKind::ellipsoid);
  EXPECT_EQ(ellipsoid.half, (Vec3{0.2, 0.4, 0.6}));
  const Convex hull = make_collision_shape(shape_of(ShapeKind::hull), Dimension::spatial);
  EXPECT_EQ(hull.core, CoreKind::polytope);
  EXPECT_EQ(hull.polytope->vertices.size(), 4U);
  EXPECT_EQ(hull.polytope->faces.size(), 4U);
  const Convex polygon = make_collision_shape(planar_shape_of(ShapeKind::hull), Dimension::planar);
  EXPECT_TRUE(polygon.planar);
  EXPECT_EQ(polygon.polytope->vertices.size(), 4U);
}

TEST(MakeCollisionShape, GrowsByTheRoundingRadius) {
  for (const ShapeKind kind :
       {ShapeKind::box, ShapeKind::cylinder, ShapeKind::cone, ShapeKind::ellipsoid, ShapeKind::hull}) {
    SceneShape shape = shape_of(kind);
    shape.rounding_radius = 0.07;
    EXPECT_EQ(make_collision_shape(shape, Dimension::spatial).rounding_radius, 0.07);
  }
}

double mass_of(const SceneShape& shape, Dimension dimension) {
  const MassProperties one = mass_properties(shape, 1, dimension);
  const MassProperties dense = mass_properties(shape, 7, dimension);
  EXPECT_DOUBLE_EQ(dense.mass, 7 * one.mass);
  EXPECT_DOUBLE_EQ(dense.inertia(2, 2), 7 * one.inertia(2, 2));
  return one.mass;
}

TEST(MassProperties, OfEveryShapeAreItsDensityTimesItsVolume) {
  const auto mass = [](ShapeKind kind) { return mass_of(shape_of(kind), Dimension::spatial); };
  const double r = 0.3;
  EXPECT_DOUBLE_EQ(mass(ShapeKind::sphere), 4 * kPi / 3 * r * r * r);
  EXPECT_DOUBLE_EQ(mass(ShapeKind::capsule), kPi * r * r * (0.8 + 4 * r / 3));
  EXPECT_DOUBLE_EQ(mass(ShapeKind::box), 0.2 * 0.4 * 0.6);
  EXPECT_DOUBLE_EQ(mass(ShapeKind::cylinder), kPi * r * r * 0.5);
  EXPECT_DOUBLE_EQ(mass(ShapeKind::cone), kPi * r * r * 0.5 / 3);
  EXPECT_DOUBLE_EQ(mass(ShapeKind::ellipsoid), 4 * kPi / 3 * 0.2 * 0.4 * 0.6);
  EXPECT_DOUBLE_EQ(mass(ShapeKind::hull), 1.0 / 6);
  SceneShape rounded = shape_of(ShapeKind::box);  // Steiner: V + A r + M r² + 4/3 π r³
  rounded.rounding_radius = 0.1;
  const double area = 2 * (0.2 * 0.4 + 0.4 * 0.6 + 0.6 * 0.2);
  EXPECT_DOUBLE_EQ(mass_of(rounded, Dimension::spatial),
                   0.048 + 0.1 * area + kPi * 0.01 * (0.2 + 0.4 + 0.6) + 4 * kPi / 3 * 1e-3);
  for (const ShapeKind kind : {ShapeKind::half_space, ShapeKind::mesh, ShapeKind::height_field}) {
    EXPECT_EQ(mass(kind), 0);
  }
}

TEST(MassProperties, OfEveryPlanarShapeAreItsDensityTimesItsArea) {
  const auto mass = [](ShapeKind kind) { return mass_of(planar_shape_of(kind), Dimension::planar); };
  const double r = 0.3;
  EXPECT_DOUBLE_EQ(mass(ShapeKind::sphere), kPi * r * r);
  EXPECT_DOUBLE_EQ(mass(ShapeKind::capsule), kPi * r * r + 2 * r * 0.8);
  EXPECT_DOUBLE_EQ(mass(ShapeKind::box), 0.2 * 0.4);
  EXPECT_DOUBLE_EQ(mass(ShapeKind::ellipsoid), kPi * 0.2 * 0.4);
  EXPECT_DOUBLE_EQ(mass(ShapeKind::hull), 2);
}

TEST(MassProperties, OfAConeAndAHullStandAtTheirCentres) {
  SceneShape cone = shape_of(ShapeKind::cone);
  cone.position = {1, 2, 3};
  EXPECT_LE(norm(mass_properties(cone, 2, Dimension::spatial).center - Vec3{1, 2, 3 - 0.125}), 1e-15);
  const MassProperties hull = mass_properties(shape_of(ShapeKind::hull), 2, Dimension::spatial);
  EXPECT_LE(norm(hull.center - Vec3{0.25, 0.25, 0.25}), 1e-15);
}

}  // namespace collision_shape_test
}  // namespace pawl::internal
