// A mass outside double precision is refused, and the message names the shape that causes it.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <pawl/model.h>
#include <pawl/scene_file.h>

namespace pawl::internal {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

/// The message about a body on line 4, from its field on.
std::string refused(const std::string& body, const std::string& others = "") {
  try {
    compile(parse_scene(
        "pawl: 1\nmaterials: {plain: {friction: 0.5}}\nbodies:\n  ball: " + body + "\n" + others, "s.yaml"));
  } catch (const SceneError& error) {
    EXPECT_GE(error.location().line, 4);
    return error.field() + ": " + error.reason();
  }
  return "no error";
}

TEST(MassCheck, RefusesAMassThatOverflowsAndNamesTheShapesDensity) {
  EXPECT_EQ(
      refused("{shapes: [{type: sphere, radius: 1000, density: 1e308}]}"),
      "bodies.ball.shapes.0.density: the mass comes out as inf kg, too large for double precision: volume "
      "4.18879e+09 m³ × density 1e+308 kg/m³");
}

TEST(MassCheck, RefusesSizesTooSmallOrTooLargeForAMassAndDoesNotAskForADensity) {
  for (const char* shape :
       {"{type: sphere, radius: 1e-200, density: 1000}",
        "{type: hull, points: [[0, 0, 0], [1e-160, 0, 0], [0, 1e-160, 0], [0, 0, 1e-160]], "
        "density: 1}"}) {
    EXPECT_THAT(refused("{shapes: [" + std::string(shape) + "]}"),
                AllOf(HasSubstr("bodies.ball.shapes.0: the volume comes out as 0 m³, too small"),
                      HasSubstr("lengths are metres")))
        << shape;
  }
  EXPECT_THAT(refused("{shapes: [{type: sphere, radius: 1e200, density: 1}]}"),
              HasSubstr("bodies.ball.shapes.0: the volume comes out as inf m³, too large"));
  EXPECT_THAT(
      refused("{shapes: [{type: hull, points: [[0, 0, 0], [1e308, 0, 0], [0, 1e308, 0], [0, 0, 1e308]], "
              "density: 1}]}"),
      HasSubstr("bodies.ball.shapes.0: the volume comes out as no number, on the way too large"));
  EXPECT_THAT(refused("{mass: 1, shapes: [{type: sphere, radius: 1e-200}]}"),
              HasSubstr("bodies.ball.shapes.0: the volume comes out as 0 m³, too small"));
}

TEST(MassCheck, RefusesAMomentOfInertiaThatVanishesThoughTheMassDoesNot) {
  EXPECT_THAT(refused("{shapes: [{type: sphere, radius: 1e-70, density: 1}]}"),
              HasSubstr("bodies.ball.shapes.0: the moment of inertia comes out as 0 kg m², too small"));
}

TEST(MassCheck, RefusesAMassWhoseInverseOverflows) {
  EXPECT_THAT(refused("{shapes: [{type: sphere, radius: 1, density: 1e-320}]}"),
              HasSubstr("bodies.ball.shapes.0.density: the mass comes out as 4.18"));
  EXPECT_THAT(refused("{mass: 1e-320, inertia: 1}"),
              HasSubstr("bodies.ball.mass: the mass comes out as 9.99989e-321 kg, too small"));
  EXPECT_THAT(refused("{mass: 1, inertia: 1e-320}"),
              HasSubstr("bodies.ball.inertia: the moment of inertia comes out as"));
}

TEST(MassCheck, RefusesSumsThatOverflowThoughEachShapeIsGood) {
  const std::string half = "{type: sphere, radius: 1, density: 4e307}";
  EXPECT_EQ(refused("{shapes: [" + half + "]}"), "no error");
  EXPECT_THAT(refused("{shapes: [" + half + ", " + half + "]}"),
              HasSubstr("bodies.ball: the mass comes out as inf kg, too large for double precision"));
  EXPECT_THAT(refused("{mass: 1e308, inertia: 1}",
                      "  lid: {joint: {type: weld, parent: ball}, mass: 1e308, inertia: 1}\n"),
              HasSubstr("bodies.ball: with what is welded to it, the mass comes out as inf kg, too large"));
}

TEST(MassCheck, RefusesAFixedBodyWithANanCentre) {
  EXPECT_THAT(refused("{joint: {type: weld}, shapes: [{type: sphere, radius: 1000, density: 1e308}]}"),
              HasSubstr("bodies.ball.shapes.0.density: the mass comes out as inf kg"));
}

TEST(MassCheck, AcceptsExtremeFiniteValues) {
  EXPECT_EQ(refused("{shapes: [{type: sphere, radius: 1e-9, density: 1e-9}]}"), "no error");
  EXPECT_EQ(refused("{shapes: [{type: sphere, radius: 1e9, density: 1e30}]}"), "no error");
}

TEST(MassCheck, SaysWhichShapeASurfaceThatCannotBeMadeIs) {
  EXPECT_THAT(
      refused("{joint: {type: weld}, shapes: [{type: half-space}, {type: height-field, heights: [[0, 0], "
              "[0, 0]], spacing: [1e60, 1]}]}"),
      AllOf(HasSubstr("bodies.ball.shapes.1: height field: "), HasSubstr("within 1e+50 m")));
}

}  // namespace
}  // namespace pawl::internal
