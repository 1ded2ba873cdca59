// Shapes of a scene: each kind as read, and the error message of each refused value.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "folder.h"
#include "scene_text.h"

#include <pawl/scene_file.h>

namespace pawl::internal {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using testing::kHeavy;
using testing::message_of;
using testing::planar_scene_with_rod;
using testing::read_ball;
using testing::read_rod;
using testing::scene_with_ball;
using ::testing::UnorderedElementsAre;

/// A shape of a moving body, and of a static body.
SceneShape moving(const std::string& shape) {
  return read_ball("{" + kHeavy + ", shapes: [" + shape + "]}").shapes.at(0);
}
SceneShape fixed(const std::string& shape) {
  return read_ball("{joint: {type: weld}, shapes: [" + shape + "]}").shapes.at(0);
}
SceneShape planar(const std::string& shape) {
  return read_rod("{" + kHeavy + ", shapes: [" + shape + "]}").shapes.at(0);
}
SceneShape planar_fixed(const std::string& shape) {
  return read_rod("{joint: {type: weld}, shapes: [" + shape + "]}").shapes.at(0);
}
/// The message, from the field on.
std::string complaint(const std::string& text) {
  const auto field = text.find("shapes.0");
  return field == std::string::npos ? text : text.substr(field + 8);
}
std::string refused(const std::string& shape) {
  return complaint(message_of(scene_with_ball("{joint: {type: weld}, shapes: [" + shape + "]}")));
}
std::string refused_moving(const std::string& shape) {
  return complaint(message_of(scene_with_ball("{" + kHeavy + ", shapes: [" + shape + "]}")));
}
std::string refused_planar(const std::string& shape) {
  return complaint(message_of(planar_scene_with_rod("{joint: {type: weld}, shapes: [" + shape + "]}")));
}

/// A tetrahedron with the origin and the unit points of the axes as vertices.
constexpr const char* kTetrahedron =
    "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";

std::string scene_in(const test::Folder& folder, const std::string& shape) {
  folder.write("s.yaml", scene_with_ball("{joint: {type: weld}, shapes: [" + shape + "]}"));
  return folder / "s.yaml";
}
SceneShape fixed_in(const test::Folder& folder, const std::string& shape) {
  return load_scene(scene_in(folder, shape)).bodies.at(0).shapes.at(0);
}
std::string refused_in(const test::Folder& folder, const std::string& shape) {
  try {
    load_scene(scene_in(folder, shape));
  } catch (const SceneError& error) {
    return complaint(error.what());
  }
  return "no error";
}

TEST(SceneShapes, ReadBoxesWithTheirMargins) {
  const SceneShape shape = moving("{type: box, size: [1, 2, 3], margin: 0.1}");
  EXPECT_EQ(shape.kind, ShapeKind::box);
  EXPECT_EQ(shape.size, (Vec3{1, 2, 3}));
  EXPECT_EQ(shape.rounding_radius, 0.1);
  EXPECT_EQ(moving("{type: box, size: [1, 2, 3]}").rounding_radius, 0);
  const SceneShape flat = planar("{type: box, size: [1, 2]}");
  EXPECT_EQ(flat.kind, ShapeKind::box);
  EXPECT_EQ(flat.size, (Vec3{1, 2, 0}));
}

TEST(SceneShapes, RefuseBoxesWithoutGoodSides) {
  EXPECT_THAT(refused("{type: box}"), HasSubstr(".size: missing: its sides are needed (m)"));
  EXPECT_THAT(refused("{type: box, size: [1, 2]}"), HasSubstr(".size"));
  EXPECT_THAT(refused_planar("{type: box, size: [1, 2, 3]}"), HasSubstr(".size"));
  EXPECT_EQ(refused("{type: box, size: [1, 0, 3]}"),
            ".size.1: 0 is not an element of a size: it must be a finite number > 0 (m)");
  EXPECT_EQ(refused("{type: box, size: [1, 1, -3]}"),
            ".size.2: -3 is not an element of a size: it must be a finite number > 0 (m)");
  EXPECT_EQ(refused("{type: box, size: [1, 1, 1], margin: -1}"),
            ".margin: -1 is not a margin: it must be a finite number >= 0 (m)");
}

TEST(SceneShapes, ReadCylindersAndCones) {
  for (const auto& [word, kind] :
       {std::pair("cylinder", ShapeKind::cylinder), std::pair("cone", ShapeKind::cone)}) {
    const std::string type = "{type: " + std::string(word);
    const SceneShape shape = moving(type + ", radius: 1, height: 2, margin: 0.5}");
    EXPECT_EQ(shape.kind, kind);
    EXPECT_EQ(shape.radius, 1);
    EXPECT_EQ(shape.height, 2);
    EXPECT_EQ(shape.rounding_radius, 0.5);
    EXPECT_THAT(refused(type + ", radius: 1}"), HasSubstr(".height: missing: a height"));
    EXPECT_THAT(refused(type + ", height: 1}"), HasSubstr(".radius: missing: a radius"));
    EXPECT_EQ(refused(type + ", radius: 1, height: 0}"),
              ".height: 0 is not a height: it must be a finite number > 0 (m)");
    EXPECT_EQ(refused(type + ", radius: -1, height: 1}"),
              ".radius: -1 is not a radius: it must be a finite number > 0 (m)");
    EXPECT_THAT(refused_planar(type + ", radius: 1, height: 1}"),
                HasSubstr("is not a shape type of a planar world"));
  }
}

TEST(SceneShapes, ReadFrustums) {
  const SceneShape shape = moving("{type: frustum, radius: 1, top_radius: 0.5, height: 2, margin: 0.25}");
  EXPECT_EQ(shape.kind, ShapeKind::frustum);
  EXPECT_EQ(shape.radius, 1);
  EXPECT_EQ(shape.top_radius, 0.5);
  EXPECT_EQ(shape.height, 2);
  EXPECT_EQ(shape.rounding_radius, 0.25);
  EXPECT_THAT(refused("{type: frustum, radius: 1, height: 1}"), HasSubstr(".top_radius: missing: a radius"));
  EXPECT_EQ(refused("{type: frustum, radius: 1, top_radius: 0, height: 1}"),
            ".top_radius: 0 is not a radius: it must be a finite number > 0 (m)");
  EXPECT_THAT(refused_planar("{type: frustum, radius: 1, top_radius: 1, height: 1}"),
              HasSubstr("is not a shape type of a planar world"));
}

TEST(SceneShapes, ReadEllipsoidsAndEllipses) {
  const SceneShape shape = moving("{type: ellipsoid, semi_axes: [1, 2, 3]}");
  EXPECT_EQ(shape.kind, ShapeKind::ellipsoid);
  EXPECT_EQ(shape.size, (Vec3{1, 2, 3}));
  const SceneShape flat = planar("{type: ellipse, semi_axes: [1, 2]}");
  EXPECT_EQ(flat.kind, ShapeKind::ellipsoid);
  EXPECT_EQ(flat.size, (Vec3{1, 2, 0}));
  EXPECT_THAT(refused("{type: ellipsoid}"), HasSubstr(".semi_axes: missing: its semi-axes are needed (m)"));
  EXPECT_EQ(refused("{type: ellipsoid, semi_axes: [1, 2, 0]}"),
            ".semi_axes.2: 0 is not an element of a list of semi-axes: it must be a finite number > 0 (m)");
}

TEST(SceneShapes, ReadHullsOfPointsAndPolygons) {
  const SceneShape shape = moving("{type: hull, points: [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]}");
  EXPECT_EQ(shape.kind, ShapeKind::hull);
  EXPECT_THAT(shape.points, ElementsAre(Vec3{}, Vec3{1, 0, 0}, Vec3{0, 1, 0}, Vec3{0, 0, 1}));
  const SceneShape flat = planar("{type: polygon, points: [[0, 0], [1, 0], [0, 1]]}");
  EXPECT_EQ(flat.kind, ShapeKind::hull);
  EXPECT_THAT(flat.points, ElementsAre(Vec3{}, Vec3{1, 0, 0}, Vec3{0, 1, 0}));
}

TEST(SceneShapes, RefuseDegenerateHulls) {
  EXPECT_EQ(refused("{type: hull}"), ".points: missing: a hull needs its 'points', or a 'file' (OBJ or STL)");
  EXPECT_EQ(refused("{type: hull, points: [[0, 0, 0], [1, 0, 0], [0, 1, 0]]}"),
            ".points: 3 points are too few: it takes 4");
  EXPECT_EQ(refused("{type: hull, file: a.obj, points: [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]}"),
            ".file: the points are written already: keep one of the two");
  EXPECT_THAT(refused("{type: hull, points: [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]]}"),
              HasSubstr(".points: "));
  EXPECT_EQ(refused_planar("{type: polygon, points: [[0, 0], [1, 0]]}"),
            ".points: 2 points are too few: it takes 3");
  EXPECT_THAT(refused_planar("{type: polygon, points: [[0, 0], [1, 1], [2, 2]]}"), HasSubstr(".points: "));
  EXPECT_THAT(refused_planar("{type: polygon, points: [[0, 0], [1, 1], [2, x]]}"), HasSubstr(".points.2"));
  EXPECT_THAT(refused_planar("{type: polygon}"), HasSubstr(".points: missing: the corners are needed"));
}

TEST(SceneShapes, ReadMeshesAndHullsFromFilesBesideTheScene) {
  const test::Folder folder;
  folder.write("t.obj", kTetrahedron);
  const SceneShape mesh = fixed_in(folder, "{type: mesh, file: t.obj, scale: 2}");
  EXPECT_EQ(mesh.kind, ShapeKind::mesh);
  EXPECT_EQ(mesh.mesh.triangles.size(), 4U);
  EXPECT_THAT(mesh.mesh.vertices, UnorderedElementsAre(Vec3{}, Vec3{2, 0, 0}, Vec3{0, 2, 0}, Vec3{0, 0, 2}));
  const SceneShape hull = fixed_in(folder, "{type: hull, file: t.obj}");
  EXPECT_EQ(hull.kind, ShapeKind::hull);
  EXPECT_EQ(hull.points.size(), 4U);
}

TEST(SceneShapes, RefuseFilesThatAreNoMeshes) {
  const test::Folder folder;
  folder.write("empty.obj", "");
  folder.write("t.obj", kTetrahedron);
  folder.write("bad.obj", "v 0 0\n");
  EXPECT_EQ(refused("{type: mesh}"),
            ".file: missing: the path of an OBJ or STL file is needed, seen from the scene's folder");
  EXPECT_THAT(refused_in(folder, "{type: mesh, file: none.obj}"), HasSubstr("none.obj"));
  EXPECT_THAT(refused_in(folder, "{type: mesh, file: empty.obj}"), HasSubstr(".file: "));
  EXPECT_THAT(refused_in(folder, "{type: mesh, file: bad.obj}"), HasSubstr("bad.obj:1"));
  folder.write("twisted.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1 2 4\n");
  EXPECT_THAT(refused_in(folder, "{type: mesh, file: twisted.obj}"),
              AllOf(HasSubstr(".file: "), HasSubstr("twisted.obj:5"), HasSubstr("turn one of them round")));
  EXPECT_EQ(refused_in(folder, "{type: mesh, file: t.obj, scale: 0}"),
            ".scale: 0 is not a scale: it must be a finite number > 0");
}

TEST(SceneShapes, ReadHullsFromFilesThatHaveGoodPointsThoughNoGoodTriangles) {
  const test::Folder folder;
  const std::string corners = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nv 1 0 0\n";
  folder.write("points.obj", corners);
  folder.write("bad_faces.obj", corners + "f 1 2 2\nf 1 2 3 9\n");
  folder.write("flat.stl",
               "solid\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 2 0 0\nendloop\n"
               "endfacet\nfacet normal 0 0 1\nouter loop\nvertex 0 1 0\nvertex 0 0 1\nvertex 0 0 1\nendloop\n"
               "endfacet\nendsolid\n");
  const std::vector<Vec3> tetrahedron{{}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  EXPECT_EQ(fixed_in(folder, "{type: hull, file: points.obj}").points, tetrahedron);
  EXPECT_EQ(fixed_in(folder, "{type: hull, file: bad_faces.obj}").points, tetrahedron);
  EXPECT_EQ(fixed_in(folder, "{type: hull, file: points.obj, scale: 2}").points.at(1), (Vec3{2, 0, 0}));
  EXPECT_EQ(fixed_in(folder, "{type: hull, file: flat.stl}").points.size(), 5u);
  folder.write("few.obj", "v 0 0 0\n");
  EXPECT_THAT(refused_in(folder, "{type: hull, file: few.obj}"),
              AllOf(HasSubstr(".file: "), HasSubstr("few.obj: hull: needs at least 4 points, not 1")));
  folder.write("word.obj", "v 0 zero 0\n");
  EXPECT_THAT(refused_in(folder, "{type: hull, file: word.obj}"),
              HasSubstr("word.obj:1: 'zero' must be a finite number"));
}

TEST(SceneShapes, ScaleThePointsOfAHullAsThoseOfAFile) {
  const SceneShape shape =
      moving("{type: hull, points: [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], scale: 2}");
  EXPECT_THAT(shape.points, ElementsAre(Vec3{}, Vec3{2, 0, 0}, Vec3{0, 2, 0}, Vec3{0, 0, 2}));
}

TEST(SceneShapes, RefuseClosedMeshesThatAreInsideOutOrFlatAndTakeOpenOnes) {
  const test::Folder folder;
  const std::string corners = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n";
  folder.write("inverted.obj", corners + "f 1 2 3\nf 1 4 2\nf 1 3 4\nf 2 4 3\n");
  folder.write("flat.obj", corners + "f 1 2 3\nf 1 3 2\n");
  folder.write("open.obj", corners + "f 1 2 3\n");
  EXPECT_THAT(refused_in(folder, "{type: mesh, file: inverted.obj}"),
              AllOf(HasSubstr(".file: "), HasSubstr("inverted.obj: the triangles face inwards (volume "),
                    HasSubstr("turn each of them round")));
  EXPECT_THAT(refused_in(folder, "{type: mesh, file: flat.obj}"),
              AllOf(HasSubstr(".file: "), HasSubstr("flat.obj: the mesh is closed but flat"),
                    HasSubstr("leave out the triangles of one side")));
  EXPECT_EQ(refused_in(folder, "{type: mesh, file: open.obj}"), "no error");
}

TEST(SceneShapes, ReadHeightFields) {
  const SceneShape shape =
      fixed("{type: height-field, heights: [[0, 1, 2], [3, 4, -5]], spacing: [0.5, 0.25]}");
  EXPECT_EQ(shape.kind, ShapeKind::height_field);
  EXPECT_THAT(shape.heights, ElementsAre(0, 1, 2, 3, 4, -5));
  EXPECT_EQ(shape.columns, 3);
  EXPECT_EQ(shape.spacing, (Vec3{0.5, 0.25, 0}));
}

TEST(SceneShapes, RefuseInvalidHeightFields) {
  const std::string spacing = ", spacing: [1, 1]}";
  EXPECT_THAT(refused("{type: height-field" + spacing),
              HasSubstr(".heights: missing: a list of rows is needed"));
  EXPECT_THAT(refused("{type: height-field, heights: [[0, 1]]" + spacing),
              EndsWith(".heights: it takes two rows or more"));
  EXPECT_THAT(refused("{type: height-field, heights: [[0], [1]]" + spacing),
              EndsWith(".heights.0: a row takes two heights or more"));
  EXPECT_EQ(refused("{type: height-field, heights: [[0, 1], [0, 1, 2]]" + spacing),
            ".heights.1: 3 heights, where the first row has 2: all rows must be of one length");
  EXPECT_THAT(refused("{type: height-field, heights: [[0, 1], [0, high]]" + spacing),
              HasSubstr(".heights.1.1: 'high' is not a height"));
  EXPECT_EQ(refused("{type: height-field, heights: [[0, 1], [1e60, 1]]" + spacing),
            ".heights.1.0: 1e60 is not a height: it must be a number from -1e+09 to 1e+09 (m)");
  EXPECT_THAT(refused("{type: height-field, heights: [[0, 1], [0, 1]]}"),
              HasSubstr(".spacing: missing: [dx, dy] from height to height is needed (m)"));
  EXPECT_EQ(refused("{type: height-field, heights: [[0, 1], [0, 1]], spacing: [1, 0]}"),
            ".spacing.1: 0 is not an element of a spacing: it must be a finite number > 0 (m)");
}

TEST(SceneShapes, ReadPolylinesOfPlanarWorlds) {
  const SceneShape shape = planar_fixed("{type: polyline, points: [[0, 0], [1, 0], [2, 1]]}");
  EXPECT_EQ(shape.kind, ShapeKind::mesh);
  EXPECT_THAT(shape.points, ElementsAre(Vec3{}, Vec3{1, 0, 0}, Vec3{2, 1, 0}));
  EXPECT_EQ(refused_planar("{type: polyline, points: [[0, 0]]}"),
            ".points: 1 points are too few: it takes 2");
  EXPECT_EQ(refused_planar("{type: polyline, points: [[0, 0], [1, 1], [1, 1]]}"),
            ".points: polyline: points 1 and 2 are the same");
  EXPECT_THAT(refused_planar("{type: polyline}"), HasSubstr(".points: missing: the corners are needed"));
}

TEST(SceneShapes, RefusePolylinesThatCrossThemselvesAndNameThePieces) {
  EXPECT_EQ(refused_planar("{type: polyline, points: [[0, 0], [4, 0], [4, 2], [2, -1]]}"),
            ".points: the piece from point 2 to 3 crosses that from 0 to 1: a surface must not cross itself");
  EXPECT_THAT(refused_planar("{type: polyline, points: [[0, 0], [4, 0], [4, 2], [2, 0], [1, -1]]}"),
              HasSubstr("crosses that from 0 to 1"));  // through a vertex that lies on the segment
  // A closed bowl in reverse orientation, and a polyline that touches itself without crossing.
  EXPECT_EQ(refused_planar("{type: polyline, points: [[0, 0], [4, 0], [4, 4], [0, 4], [0, 0]]}"), "no error");
  EXPECT_EQ(refused_planar("{type: polyline, points: [[0, 0], [4, 0], [4, 2], [2, 0], [1, 1]]}"), "no error");
}

TEST(SceneShapes, ReadGroups) {
  const SceneShape shape = moving("{type: sphere, radius: 1, group: 31, collides_with: [0, 4]}");
  EXPECT_EQ(shape.group, 1u << 31);
  EXPECT_EQ(shape.collides_with, 17u);
  EXPECT_EQ(moving("{type: sphere, radius: 1, collides_with: []}").collides_with, 0u);
  const SceneShape plain = moving("{type: sphere, radius: 1}");
  EXPECT_EQ(plain.group, 1u);
  EXPECT_EQ(plain.collides_with, 0xffffffffu);
  EXPECT_THAT(refused("{type: sphere, radius: 1, group: 32}"), HasSubstr(".group: 32 is not a group"));
  EXPECT_THAT(refused("{type: sphere, radius: 1, group: -1}"), HasSubstr(".group: -1 is not a group"));
  EXPECT_THAT(refused("{type: sphere, radius: 1, collides_with: [1, 2.5]}"),
              HasSubstr(".collides_with.1: 2.5 is not a group"));
}

TEST(SceneShapes, RefuseSurfacesOnMovingBodies) {
  EXPECT_EQ(refused_moving("{type: height-field, heights: [[0, 1], [0, 1]], spacing: [1, 1]}"),
            ": it is a surface and no solid: only a body welded to the world can have it");
  EXPECT_EQ(refused_moving("{type: half-space}"),
            ": it is infinitely heavy: only a body welded to the world can have it");
  EXPECT_EQ(refused("{type: half-space}"), "no error");
}

TEST(SceneShapes, KnowWhichKeysAShapeHas) {
  EXPECT_THAT(refused("{type: sphere, radius: 1, margin: 1}"),
              HasSubstr(".margin: means nothing for the shape type 'sphere'"));
  EXPECT_THAT(refused("{type: half-space, margin: 1}"),
              HasSubstr(".margin: means nothing for the shape type 'half-space'"));
  EXPECT_THAT(refused("{type: height-field, heights: [[0, 1], [0, 1]], spacing: [1, 1], density: 1}"),
              HasSubstr(".density: means nothing for the shape type 'height-field'"));
  EXPECT_THAT(refused("{type: box, size: [1, 1, 1], radius: 1}"),
              HasSubstr(".radius: means nothing for the shape type 'box'"));
}

}  // namespace
}  // namespace pawl::internal
