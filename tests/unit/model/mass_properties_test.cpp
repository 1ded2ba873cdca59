#include <gtest/gtest.h>

#include <algorithm>
#include <numbers>

#include <pawl/model/mass_properties.h>
#include <unit/base/random.h>
#include <unit/base/worst.h>

namespace pawl::internal {
namespace mass_properties_test {

using testing::Random;
using testing::WorstValue;

constexpr double kPi = std::numbers::pi;

SceneShape ball(double radius, const Vec3& position = {}) {
  SceneShape shape;
  shape.radius = radius;
  shape.position = position;
  return shape;
}
SceneShape capsule(double radius, double length, const Vec3& position = {}, const Quat& orientation = {}) {
  SceneShape shape = ball(radius, position);
  shape.kind = ShapeKind::capsule;
  shape.length = length;
  shape.orientation = orientation;
  return shape;
}

/// The distance of a capsule's surface from its axis (z) at height z.
double outline(double radius, double length, double z) {
  const double past = std::max(0.0, std::abs(z) - 0.5 * length);
  return std::sqrt(std::max(0.0, radius * radius - past * past));
}

/// A capsule of density 1 along z, by the midpoint rule over rings (spatial) or squares (planar).
MassProperties capsule_by_midpoints(double radius, double length, Dimension dimension) {
  constexpr int kSlices = 4000, kParts = 200;
  const double end = 0.5 * length + radius, dz = 2 * end / kSlices;
  MassProperties sum;
  double along = 0, across = 0, planar = 0;
  for (int i = 0; i < kSlices; ++i) {
    const double z = -end + (i + 0.5) * dz, edge = outline(radius, length, z), dx = edge / kParts;
    for (int j = 0; j < kParts; ++j) {
      const double x = (j + 0.5) * dx;
      const double part = (dimension == Dimension::planar ? 2 : 2 * kPi * x) * dx * dz;
      sum.mass += part;
      along += part * x * x;
      across += part * (0.5 * x * x + z * z);
      planar += part * (x * x + z * z);
    }
  }
  sum.inertia =
      dimension == Dimension::planar ? planar * Mat3::identity() : Mat3::diagonal({across, across, along});
  return sum;
}

TEST(MassProperties, OfCapsulesAndBallsAreWhatQuadratureGives) {
  for (const Dimension dimension : {Dimension::spatial, Dimension::planar}) {
    WorstValue error("relative error, " + std::string(to_string(dimension)));
    for (const double length : {0.0, 0.3, 1.0, 20.0}) {
      const double radius = 0.4;
      const MassProperties exact = mass_properties(capsule(radius, length), 1, dimension);
      const MassProperties summed = capsule_by_midpoints(radius, length, dimension);
      error.add(exact.mass / summed.mass - 1);
      for (int i = 0; i < 3; ++i) error.add(exact.inertia(i, i) / summed.inertia(i, i) - 1);
    }
    error.expect_at_most(5e-5);
  }
}

TEST(MassProperties, OfBallsAndDiscsAreTheClosedForms) {
  const double r = 0.3, density = 7;
  const MassProperties sphere = mass_properties(ball(r), density, Dimension::spatial);
  const double m = density * 4 / 3 * kPi * r * r * r;
  EXPECT_DOUBLE_EQ(sphere.mass, m);
  for (int i = 0; i < 3; ++i) EXPECT_DOUBLE_EQ(sphere.inertia(i, i), 0.4 * m * r * r);

  const MassProperties disc = mass_properties(ball(r), density, Dimension::planar);
  EXPECT_DOUBLE_EQ(disc.mass, density * kPi * r * r);
  EXPECT_DOUBLE_EQ(disc.inertia(2, 2), 0.5 * disc.mass * r * r);
}

TEST(MassProperties, OfACapsuleWithoutLengthAreThoseOfTheBall) {
  for (const Dimension dimension : {Dimension::spatial, Dimension::planar}) {
    const MassProperties a = mass_properties(capsule(0.3, 0), 2, dimension);
    const MassProperties b = mass_properties(ball(0.3), 2, dimension);
    EXPECT_DOUBLE_EQ(a.mass, b.mass);
    for (int i = 0; i < 3; ++i) EXPECT_DOUBLE_EQ(a.inertia(i, i), b.inertia(i, i));
  }
}

TEST(MassProperties, OfAThinCapsuleAreThoseOfARod) {
  const double length = 2;
  for (const Dimension dimension : {Dimension::spatial, Dimension::planar}) {
    const MassProperties rod = mass_properties(capsule(1e-6, length), 1, dimension);
    EXPECT_NEAR(rod.inertia(0, 0) / (rod.mass * length * length / 12), 1, 1e-5);
  }
}

TEST(MassProperties, RotateWithTheShape) {
  const Quat x_to_z = quat_exp({0, kPi / 2, 0});  // rotates the capsule's z axis to x
  const MassProperties p = mass_properties(capsule(0.1, 2, {1, 2, 3}, x_to_z), 1, Dimension::spatial);
  const MassProperties upright = mass_properties(capsule(0.1, 2), 1, Dimension::spatial);
  EXPECT_EQ(p.center, (Vec3{1, 2, 3}));
  EXPECT_NEAR(p.inertia(0, 0), upright.inertia(2, 2), 1e-15);
  EXPECT_NEAR(p.inertia(2, 2), upright.inertia(0, 0), 1e-15);
}

TEST(MassProperties, OfAWholeAreTheSumsOfMomentsOfItsParts) {
  Random random(1);
  WorstValue error("error");
  for (int sample = 0; sample < 100; ++sample) {
    SceneBody body;
    double mass = 0;
    Vec3 moment;
    Mat3 about_origin;
    for (int i = 0; i < 3; ++i) {
      SceneShape shape =
          capsule(random.uniform(0.1, 1), random.uniform(0, 1), random.vec(), random.rotation());
      shape.density = random.uniform(0.5, 2);
      body.shapes.push_back(shape);
      const MassProperties part = mass_properties(shape, *shape.density, Dimension::spatial);
      const Vec3& c = part.center;
      mass += part.mass;
      moment += part.mass * c;
      about_origin = about_origin + part.inertia + part.mass * (dot(c, c) * Mat3::identity() - outer(c, c));
    }
    const MassProperties whole = mass_properties(body, Dimension::spatial);
    const Vec3& c = whole.center;
    error.add(whole.mass - mass);
    error.add(whole.mass * c - moment);
    error.add(whole.inertia + whole.mass * (dot(c, c) * Mat3::identity() - outer(c, c)) - about_origin);
  }
  error.expect_at_most(2e-13);
}

TEST(MassProperties, ScaleTheInertiaOfTheShapesToTheMass) {
  SceneBody body;
  body.shapes = {ball(0.1, {1, 0, 0}), ball(0.2, {-1, 0, 0})};
  for (SceneShape& shape : body.shapes) shape.density = 500;
  const MassProperties dense = mass_properties(body, Dimension::spatial);
  for (SceneShape& shape : body.shapes) shape.density.reset();
  body.mass = 3;
  const MassProperties given = mass_properties(body, Dimension::spatial);
  EXPECT_EQ(given.mass, 3);
  EXPECT_LE(norm(given.center - dense.center), 1e-15);
  for (int i = 0; i < 3; ++i) {
    EXPECT_DOUBLE_EQ(given.inertia(i, i) / given.mass, dense.inertia(i, i) / dense.mass);
  }
}

TEST(MassProperties, AreTakenAsWrittenWhereMassAndInertiaAreBothGiven) {
  SceneBody body;
  body.mass = 2;
  body.center_of_mass = {1, 2, 3};
  body.inertia = Mat3::diagonal({4, 5, 6});
  body.shapes = {ball(10)};
  const MassProperties p = mass_properties(body, Dimension::spatial);
  EXPECT_EQ(p.mass, 2);
  EXPECT_EQ(p.center, (Vec3{1, 2, 3}));
  EXPECT_EQ(p.inertia, Mat3::diagonal({4, 5, 6}));
}

TEST(MassProperties, OfHalfSpacesAndOfNothingAreNone) {
  SceneShape plane;
  plane.kind = ShapeKind::half_space;
  EXPECT_EQ(mass_properties(plane, 1, Dimension::spatial).mass, 0);
  const SceneBody empty;
  const MassProperties none = mass_properties(empty, Dimension::spatial);
  EXPECT_EQ(none.mass, 0);
  EXPECT_EQ(none.center, Vec3{});
  EXPECT_EQ(none.inertia, Mat3{});
}

}  // namespace mass_properties_test
}  // namespace pawl::internal
