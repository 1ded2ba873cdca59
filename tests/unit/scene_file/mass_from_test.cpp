// mass_from: mass, centre of mass and inertia of a body from a closed mesh.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "folder.h"
#include "scene_text.h"

#include <pawl/scene_file.h>

namespace pawl::internal {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::message_of;
using testing::planar_scene_with_rod;
using testing::scene_with_ball;

/// An L-shaped prism of three squares of side 1000, with its inner corner at (1000, 1000), from z = 0 to
/// `height`.
std::string l_shape(const std::string& height) {
  std::string text;
  for (const std::string& z : {std::string("0"), height}) {
    for (const char* corner : {"0 0", "2000 0", "2000 1000", "1000 1000", "1000 2000", "0 2000"}) {
      text += "v " + std::string(corner) + " " + z + "\n";
    }
  }
  return text +
         "f 6 5 4 3 2 1\nf 7 8 9 10 11 12\nf 1 2 8 7\nf 2 3 9 8\nf 3 4 10 9\nf 4 5 11 10\nf 5 6 12 11\n"
         "f 6 1 7 12\n";
}

constexpr double kDensity = 7800, kHeight = 3;

/// Two cuboids, 2 × 1 × h and 1 × 1 × h, about their common centre of mass.
struct ClosedForm {
  double mass = 0;
  Vec3 center;
  Mat3 inertia;
};
ClosedForm l_in_closed_form() {
  struct Cuboid {
    Vec3 center, size;
  };
  const Cuboid cuboids[] = {{{1, 0.5, kHeight / 2}, {2, 1, kHeight}},
                            {{0.5, 1.5, kHeight / 2}, {1, 1, kHeight}}};
  ClosedForm l;
  for (const auto& [c, s] : cuboids) {
    const double m = kDensity * s.x * s.y * s.z;
    l.mass += m;
    l.center += m * c;
  }
  l.center = l.center / l.mass;
  for (const auto& [c, s] : cuboids) {
    const double m = kDensity * s.x * s.y * s.z;
    const Vec3 d = c - l.center;
    l.inertia =
        l.inertia +
        Mat3::diagonal(m / 12 * Vec3{s.y * s.y + s.z * s.z, s.x * s.x + s.z * s.z, s.x * s.x + s.y * s.y}) +
        m * (dot(d, d) * Mat3::identity() - outer(d, d));
  }
  return l;
}

class MassFrom : public ::testing::Test {
 protected:
  MassFrom() { folder.write("l.obj", l_shape("3000")); }

  std::string scene(const std::string& body) const {
    folder.write("s.yaml", scene_with_ball(body));
    return folder / "s.yaml";
  }
  SceneBody read(const std::string& body) const { return load_scene(scene(body)).bodies.at(0); }
  std::string refused(const std::string& body) const {
    try {
      load_scene(scene(body));
    } catch (const SceneError& error) {
      return error.field() + ": " + error.reason();
    }
    return "no error";
  }

  test::Folder folder;
};

void expect_near(const SceneBody& body, double mass, const Vec3& center, const Mat3& inertia) {
  EXPECT_NEAR(body.mass.value(), mass, 1e-12 * mass);
  EXPECT_LE(norm(body.center_of_mass - center), 1e-12 * norm(center));
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      EXPECT_NEAR(body.inertia.value()(i, j), inertia(i, j), 1e-12 * trace(inertia)) << i << " " << j;
    }
  }
}

TEST_F(MassFrom, AnLShapedMeshIsTheClosedForm) {
  const ClosedForm l = l_in_closed_form();
  const std::string shape = "shapes: [{type: sphere, radius: 1}]";
  expect_near(read("{mass_from: {file: l.obj, scale: 0.001, density: 7800}, " + shape + "}"), l.mass,
              l.center, l.inertia);
  expect_near(read("{mass_from: {file: l.obj, scale: 0.001, mass: 2}}"), 2, l.center,
              (2 / l.mass) * l.inertia);
}

TEST_F(MassFrom, PoseOfTheMeshTransformsCentreAndInertia) {
  const ClosedForm l = l_in_closed_form();
  const Mat3 R = to_matrix(quat_exp({0.3, 0, 0}));
  expect_near(read("{mass_from: {file: l.obj, scale: 0.001, density: 7800, position: [1, 2, 3], orientation: "
                   "{rpy: [0.3, 0, 0]}}}"),
              l.mass, Vec3{1, 2, 3} + R * l.center, R * l.inertia * transpose(R));
}

TEST_F(MassFrom, NothingElseMaySayWhatTheBodyWeighs) {
  const std::string from = "mass_from: {file: l.obj, density: 1}";
  for (const char* other : {"mass: 1", "inertia: 1", "center_of_mass: [0, 0, 0]"}) {
    EXPECT_THAT(
        refused("{" + from + ", " + other + "}"),
        AllOf(HasSubstr("come from 'mass_from', written on line 4"), HasSubstr("keep one of the two")));
  }
  EXPECT_THAT(refused("{" + from + ", shapes: [{type: sphere, radius: 1, density: 1}]}"),
              HasSubstr("shapes.0.density: the body's mass is written on line 4: keep one of the two"));
}

TEST_F(MassFrom, TheAmountIsADensityOrAMass) {
  EXPECT_THAT(refused("{mass_from: {file: l.obj}}"), HasSubstr("mass_from.density: missing: "));
  EXPECT_THAT(refused("{mass_from: {file: l.obj, density: 1, mass: 1}}"),
              HasSubstr("mass_from.mass: the density is written already: keep one of the two"));
  EXPECT_THAT(refused("{mass_from: {file: l.obj, density: 0}}"), HasSubstr("0 is not a density"));
  EXPECT_THAT(refused("{mass_from: {density: 1}}"), HasSubstr("mass_from.file: missing: "));
}

TEST_F(MassFrom, AMeshThatBoundsNoSolidIsRefusedWithTheReason) {
  const std::string corners = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n";
  folder.write("inverted.obj", corners + "f 1 2 3\nf 1 4 2\nf 1 3 4\nf 2 4 3\n");
  folder.write("flat.obj", corners + "f 1 2 3\nf 1 3 2\n");
  folder.write("open.obj", corners + "f 1 3 2\nf 1 2 4\nf 1 4 3\n");
  const auto refused_file = [&](const std::string& file) {
    return refused("{mass_from: {file: " + file + ", density: 1}}");
  };
  EXPECT_THAT(refused_file("inverted.obj"),
              AllOf(HasSubstr("bodies.ball.mass_from.file: "), HasSubstr("face inwards")));
  EXPECT_THAT(refused_file("flat.obj"), HasSubstr("closed but flat"));
  EXPECT_THAT(refused_file("open.obj"), HasSubstr("the mesh is open"));
  EXPECT_THAT(refused_file("none.obj"), HasSubstr("none.obj"));
}

TEST_F(MassFrom, PlanarWorldsHaveNone) {
  EXPECT_THAT(message_of(planar_scene_with_rod("{mass_from: {file: l.obj, density: 1}}")),
              HasSubstr("bodies.rod.mass_from: belongs to spatial worlds"));
}

}  // namespace
}  // namespace pawl::internal
