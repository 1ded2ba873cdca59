#include <pawl/collision/mesh/mesh.h>

#include <limits>
#include <string>

#include <gtest/gtest.h>

#include <pawl/collision/shapes/polytope.h>
#include <pawl/error.h>

#include "unit/collision/mesh/meshes.h"

namespace pawl::internal {
namespace mesh_test {

TriangleMesh box() {
  return test::mesh_of(make_box({1, 1, 1}, false));
}

std::string reason(const TriangleMesh& mesh) {
  try {
    check_solid(mesh);
  } catch (const Error& error) {
    return error.what();
  }
  return "none";
}

TEST(Mesh, OfABoxIsASolidAtAnySizeAndPlace) {
  for (const double size : {1e-3, 1.0, 100.0, 1e-40, 1e40}) {
    TriangleMesh mesh = box();
    for (Vec3& v : mesh.vertices) v *= size;
    EXPECT_EQ(reason(mesh), "none") << size;
    for (Vec3& v : mesh.vertices) v += size * Vec3{1e6, 0, 0};
    EXPECT_EQ(reason(mesh), "none") << size;
  }
}

TEST(Mesh, ThatIsNoSolidIsToldWhy) {
  EXPECT_EQ(reason({}), "mesh: the mesh has no triangles");

  TriangleMesh open = box();
  open.triangles.pop_back();
  EXPECT_EQ(reason(open),
            "mesh: triangle 0: the side from (-1, -1, 1) to (-1, 1, 1) belongs to no other triangle: the "
            "mesh is open");

  TriangleMesh inverted = box();
  for (auto& [a, b, c] : inverted.triangles) std::swap(b, c);
  EXPECT_EQ(reason(inverted), "mesh: the triangles face inwards (volume -8 m³): turn each of them round");

  TriangleMesh one_turned = box();
  std::swap(one_turned.triangles[4][0], one_turned.triangles[4][1]);
  EXPECT_NE(reason(one_turned).find("faces the other way"), std::string::npos) << reason(one_turned);

  TriangleMesh twice = box();
  twice.triangles.push_back(twice.triangles[0]);
  EXPECT_NE(reason(twice).find("is shared by 3 triangles"), std::string::npos) << reason(twice);

  const TriangleMesh flat{{{}, {1, 0, 0}, {0, 1, 0}}, {{0, 1, 2}, {0, 2, 1}}};
  EXPECT_EQ(reason(flat),
            "mesh: the mesh is closed but flat, and holds no volume: give it a thickness, or leave out the "
            "triangles of one side");

  TriangleMesh index = box();
  index.triangles[3][1] = 8;
  EXPECT_EQ(reason(index), "mesh: triangle 3: vertex 8 does not exist: there are 8");
  index.triangles[3][1] = -1;
  EXPECT_EQ(reason(index), "mesh: triangle 3: vertex -1 does not exist: there are 8");

  TriangleMesh not_finite = box();
  not_finite.vertices[0].y = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(reason(not_finite), "mesh: triangle 0: coordinate nan must be a number within 1e+50 m");

  TriangleMesh line = box();
  line.triangles[2] = {1, 1, 3};
  line.lines.assign(line.triangles.size(), 77);
  line.name = "file.obj";
  EXPECT_EQ(reason(line), "file.obj:77: the corners lie on one line: a triangle needs an area");
}

TEST(Mesh, ThatIsOpenEnclosesNothingAndIsASurfaceWhicheverWayItFaces) {
  TriangleMesh mesh = box();
  EXPECT_DOUBLE_EQ(enclosed_volume(mesh).value(), 8);
  EXPECT_NO_THROW(check_surface(mesh));
  for (auto& [a, b, c] : mesh.triangles) std::swap(b, c);
  EXPECT_DOUBLE_EQ(enclosed_volume(mesh).value(), -8);
  EXPECT_THROW(check_surface(mesh), Error);
  mesh.triangles.pop_back();
  EXPECT_FALSE(enclosed_volume(mesh));
  EXPECT_NO_THROW(check_surface(mesh));
}

TEST(Mesh, TrianglesOnALineAreFoundFarAwayAndThinOnesAreTaken) {
  const auto with_height = [](double height, double away) {
    return TriangleMesh{{{away, 0, 0}, {away + 1, 0, 0}, {away + 0.5, height, 0}}, {{0, 1, 2}}};
  };
  EXPECT_NO_THROW(check_triangles(with_height(1e-12, 0)));
  EXPECT_THROW(check_triangles(with_height(1e-16, 0)), Error);
  EXPECT_NO_THROW(check_triangles(with_height(1e-6, 1e6)));
  EXPECT_THROW(check_triangles(with_height(1e-10, 1e6)), Error);
}

}  // namespace mesh_test
}  // namespace pawl::internal
