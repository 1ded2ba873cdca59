// A mass outside double precision is refused, and the message names the shape that causes it.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include <pawl/model.h>
#include <pawl/scene_file.h>

namespace pawl::internal {
namespace mass_check_test {

using ::testing::AllOf;
using ::testing::HasSubstr;

using Change = std::function<void(SceneBody& ball)>;

/// The message about a body on line 4, from its field on. The reader of files has ranges for all numbers, and
/// scenes built in code have none: `change` is made in code.
std::string refused(const std::string& body, const Change& change, const std::string& others = "") {
  try {
    Scene scene = parse_scene(
        "pawl: 1\nmaterials: {plain: {friction: 0.5}}\nbodies:\n  ball: " + body + "\n" + others, "s.yaml");
    for (SceneBody& each : scene.bodies) change(each);
    compile(scene);
  } catch (const SceneError& error) {
    EXPECT_GE(error.location().line, 4);
    return error.field() + ": " + error.reason();
  }
  return "no error";
}

Change sphere(double radius, double density) {
  return [=](SceneBody& ball) {
    for (SceneShape& shape : ball.shapes) {
      shape.radius = radius;
      shape.density = density;
    }
  };
}

Change scaled_hull(double scale) {
  return [=](SceneBody& ball) {
    for (Vec3& point : ball.shapes[0].points) point *= scale;
  };
}

const std::string kSphere = "{shapes: [{type: sphere, radius: 1, density: 1}]}";
const std::string kTwoSpheres =
    "{shapes: [{type: sphere, radius: 1, density: 1}, {type: sphere, radius: 1, density: 1}]}";
const std::string kHull =
    "{shapes: [{type: hull, points: [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], density: 1}]}";

TEST(MassCheck, RefusesAMassThatOverflowsAndNamesTheShapesDensity) {
  EXPECT_EQ(
      refused(kSphere, sphere(1000, 1e308)),
      "bodies.ball.shapes.0.density: the mass comes out as inf kg, too large for double precision: volume "
      "4.18879e+09 m³ × density 1e+308 kg/m³");
}

TEST(MassCheck, RefusesSizesTooSmallOrTooLargeForAMassAndDoesNotAskForADensity) {
  const auto too_small = AllOf(HasSubstr("bodies.ball.shapes.0: the volume comes out as 0 m³, too small"),
                               HasSubstr("lengths are metres"));
  EXPECT_THAT(refused(kSphere, sphere(1e-200, 1000)), too_small);
  EXPECT_THAT(refused(kHull, scaled_hull(1e-160)), too_small);
  EXPECT_THAT(refused(kSphere, sphere(1e200, 1)),
              HasSubstr("bodies.ball.shapes.0: the volume comes out as inf m³, too large"));
  EXPECT_THAT(refused(kHull, scaled_hull(1e308)),
              HasSubstr("bodies.ball.shapes.0: the volume comes out as no number, on the way too large"));
  EXPECT_THAT(refused("{mass: 1, shapes: [{type: sphere, radius: 1}]}",
                      [](SceneBody& ball) { ball.shapes[0].radius = 1e-200; }),
              HasSubstr("bodies.ball.shapes.0: the volume comes out as 0 m³, too small"));
}

TEST(MassCheck, RefusesAMomentOfInertiaThatVanishesThoughTheMassDoesNot) {
  EXPECT_THAT(refused(kSphere, sphere(1e-70, 1)),
              HasSubstr("bodies.ball.shapes.0: the moment of inertia comes out as 0 kg m², too small"));
}

TEST(MassCheck, RefusesAMassWhoseInverseOverflows) {
  EXPECT_THAT(refused(kSphere, sphere(1, 1e-320)),
              HasSubstr("bodies.ball.shapes.0.density: the mass comes out as 4.18"));
  EXPECT_THAT(refused("{mass: 1, inertia: 1}", [](SceneBody& ball) { ball.mass = 1e-320; }),
              HasSubstr("bodies.ball.mass: the mass comes out as 9.99989e-321 kg, too small"));
  EXPECT_THAT(
      refused("{mass: 1, inertia: 1}", [](SceneBody& ball) { ball.inertia = 1e-320 * *ball.inertia; }),
      HasSubstr("bodies.ball.inertia: the moment of inertia comes out as"));
}

TEST(MassCheck, RefusesSumsThatOverflowThoughEachShapeIsGood) {
  EXPECT_EQ(refused(kSphere, sphere(1, 4e307)), "no error");
  EXPECT_THAT(refused(kTwoSpheres, sphere(1, 4e307)),
              HasSubstr("bodies.ball: the mass comes out as inf kg, too large for double precision"));
  EXPECT_THAT(refused(
                  "{mass: 1, inertia: 1}", [](SceneBody& each) { each.mass = 1e308; },
                  "  lid: {joint: {type: weld, parent: ball}, mass: 1, inertia: 1}\n"),
              HasSubstr("bodies.ball: with what is welded to it, the mass comes out as inf kg, too large"));
}

TEST(MassCheck, RefusesAFixedBodyWithANanCentre) {
  EXPECT_THAT(
      refused("{joint: {type: weld}, shapes: [{type: sphere, radius: 1, density: 1}]}", sphere(1000, 1e308)),
      HasSubstr("bodies.ball.shapes.0.density: the mass comes out as inf kg"));
}

TEST(MassCheck, AcceptsExtremeFiniteValues) {
  EXPECT_EQ(refused(kSphere, sphere(1e-9, 1e-9)), "no error");
  EXPECT_EQ(refused(kSphere, sphere(1e9, 1e30)), "no error");
}

TEST(MassCheck, SaysWhichShapeASurfaceThatCannotBeMadeIs) {
  EXPECT_THAT(
      refused("{joint: {type: weld}, shapes: [{type: half-space}, {type: height-field, heights: [[0, 0], "
              "[0, 0]], spacing: [1, 1]}]}",
              [](SceneBody& ball) { ball.shapes[1].spacing.x = 1e60; }),
      AllOf(HasSubstr("bodies.ball.shapes.1: height field: "), HasSubstr("within 1e+50 m")));
}

}  // namespace mass_check_test
}  // namespace pawl::internal
