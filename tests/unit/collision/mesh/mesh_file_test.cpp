#include <pawl/collision/mesh/mesh_file.h>

#include <cctype>
#include <cstdint>
#include <cstring>
#include <limits>

#include <gtest/gtest.h>

#include <pawl/collision/shapes/mass_properties.h>
#include <pawl/collision/shapes/polytope.h>
#include <pawl/error.h>

#include "folder.h"
#include "unit/collision/mesh/meshes.h"

namespace pawl::internal {
namespace mesh_file_test {

const std::string kObjBox =
    "# a box\nmtllib box.mtl\no box\nv -1 -1 -1\nv 1 -1 -1\nv -1 1 -1\nv 1 1 -1\nv -1 -1 1\nv 1 -1 1\nv -1 1 "
    "1\n"
    "v 1 1 1 # the last\nvn 0 0 1\nusemtl grey\ns off\nf 1 5 7 3\nf 2/1 4/2 8/3 6/4\nf 1//1 2//1 6//1 5//1\n"
    "f 3/1/1 7/1/1 8/1/1 4/1/1\nf -8 -6 -5 -7\r\n\tf 5 6 8 7";

std::string binary_stl(const TriangleMesh& mesh, std::string header = "") {
  header.resize(80, ' ');
  const auto append = [&](auto number) {
    char bytes[sizeof number];
    std::memcpy(bytes, &number, sizeof number);
    header.append(bytes, sizeof number);
  };
  append(static_cast<std::uint32_t>(mesh.triangles.size()));
  for (const auto& triangle : mesh.triangles) {
    for (int k = 0; k < 3; ++k) append(0.f);
    for (const int v : triangle) {
      for (int k = 0; k < 3; ++k) append(static_cast<float>(mesh.vertices[v][k]));
    }
    append(std::uint16_t{0});
  }
  return header;
}

std::string text_stl(const TriangleMesh& mesh) {
  std::string text = "solid box\n";
  for (const auto& triangle : mesh.triangles) {
    text += "facet normal 0 0 0\n outer loop\n";
    for (const int v : triangle) {
      text += "  vertex";
      for (int k = 0; k < 3; ++k) text += " " + std::to_string(mesh.vertices[v][k]);
      text += "\n";
    }
    text += " endloop\nendfacet\n";
  }
  return text + "endsolid box\n";
}

TriangleMesh box() {
  return test::mesh_of(make_box({1, 1, 1}, false));
}

template <class Parse>
std::string reason(Parse parse, const std::string& text) {
  try {
    parse(text, "file");
  } catch (const Error& error) {
    return error.what();
  }
  return "none";
}
std::string obj_reason(const std::string& text) {
  return reason(parse_obj, text);
}
std::string stl_reason(const std::string& text) {
  return reason(parse_stl, text);
}

void expect_box(const TriangleMesh& mesh) {
  EXPECT_EQ(mesh.vertices.size(), 8u);
  EXPECT_EQ(mesh.triangles.size(), 12u);
  EXPECT_NO_THROW(check_solid(mesh));
  EXPECT_DOUBLE_EQ(mesh_mass_properties(mesh).mass, 8);
}

TEST(ObjFile, OfABoxGivesABox) {
  const TriangleMesh mesh = parse_obj(kObjBox, "box.obj");
  expect_box(mesh);
  EXPECT_EQ(mesh.lines[0], 15);
  EXPECT_EQ(mesh.lines[11], 20);
}

TEST(ObjFile, WithVerticesGivenAgainForEachFaceIsWelded) {
  std::string text;
  const TriangleMesh mesh = box();
  for (const auto& triangle : mesh.triangles) {
    for (const int v : triangle) {
      text += "v";
      for (int k = 0; k < 3; ++k) text += mesh.vertices[v][k] < 0 ? " -1" : " +1.0e0";
      text += "\n";
    }
    text += "f -3 -2 -1\n";
  }
  expect_box(parse_obj(text, "box.obj"));
}

TEST(ObjFile, WithMinusZeroIsWelded) {
  EXPECT_EQ(parse_obj("v 0 0 0\nv 1 0 0\nv 0 1 0\nv -0 0 -0\nf 1 2 3\nf 4 3 2\n", "x").vertices.size(), 3u);
}

/// An L, and a comb of many teeth; a straight corner in the middle of a side.
TEST(ObjFile, PolygonsThatAreNotConvexAreCutWithoutOverlap) {
  std::string text = "v 0 0 0\nv 2 0 0\nv 2 1 0\nv 1 1 0\nv 1 2 0\nv 0 2 0\nv 0 1 0\nf 1 2 3 4 5 6 7\n";
  double area = 0;
  TriangleMesh mesh = parse_obj(text, "l.obj");
  ASSERT_EQ(mesh.triangles.size(), 5u);
  for (const auto& [a, b, c] : mesh.triangles) {
    const Vec3 n = cross(mesh.vertices[b] - mesh.vertices[a], mesh.vertices[c] - mesh.vertices[a]);
    EXPECT_GT(n.z, 0);
    area += n.z / 2;
  }
  EXPECT_DOUBLE_EQ(area, 3);

  text.clear();
  std::string face = "f";
  const int teeth = 30;
  for (int i = 0; i <= 2 * teeth; ++i) text += "v " + std::to_string(i) + (i % 2 ? " 1 0.5\n" : " 10 5\n");
  text += "v 60 0 0\nv 0 0 0\n";
  for (int i = 2 * teeth + 3; i >= 1; --i) face += " " + std::to_string(i);
  mesh = parse_obj(text + face + "\n", "comb.obj");
  ASSERT_EQ(mesh.triangles.size(), 2u * teeth + 1);
  area = 0;
  for (const auto& [a, b, c] : mesh.triangles) {
    const Vec3 n = cross(mesh.vertices[b] - mesh.vertices[a], mesh.vertices[c] - mesh.vertices[a]);
    EXPECT_GT(n.z, 0);
    area += n.z / 2;
  }
  EXPECT_NEAR(area, 60 * 5.5, 1e-10);
}

TEST(ObjFile, ThatIsWrongIsRefusedWithItsLine) {
  EXPECT_EQ(obj_reason(""), "file: the mesh has no triangles");
  EXPECT_EQ(obj_reason("v 0 0 0\n"), "file: the mesh has no triangles");
  EXPECT_EQ(obj_reason("v 0 0\n"), "file:1: a number is missing");
  EXPECT_EQ(obj_reason("\n\nv 0 zero 0\n"), "file:3: 'zero' must be a finite number");
  EXPECT_EQ(obj_reason("v 0 nan 0\n"), "file:1: 'nan' must be a finite number");
  EXPECT_EQ(obj_reason("v 0 1e999 0\n"), "file:1: '1e999' must be a finite number");
  EXPECT_EQ(obj_reason("v 0 0 0\nf 1 1\n"), "file:2: a face needs at least 3 corners");
  EXPECT_EQ(obj_reason("v 0 0 0\nf 1 1 2\n"), "file:2: corner '2' must name one of the 1 vertices before it");
  EXPECT_EQ(obj_reason("v 0 0 0\nf 1 1 -2\n"),
            "file:2: corner '-2' must name one of the 1 vertices before it");
  EXPECT_EQ(obj_reason("v 0 0 0\nf 1 1 0\n"), "file:2: corner '0' must name one of the 1 vertices before it");
  EXPECT_EQ(obj_reason("v 0 0 0\nf 1 1 x/1\n"),
            "file:2: corner 'x/1' must name one of the 1 vertices before it");
  EXPECT_EQ(obj_reason("v 0 0 0\nf 1 1 99999999999999999999\n"),
            "file:2: corner '99999999999999999999' must name one of the 1 vertices before it");
  EXPECT_EQ(obj_reason("v 0 0 0\nv 1 0 0\nv 2 0 0\nf 1 2 3\n"),
            "file:4: the corners lie on one line: a triangle needs an area");
  EXPECT_EQ(obj_reason("v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 4 3\n"),
            "file:5: the corners enclose no area");
  EXPECT_EQ(obj_reason("v 0 0 0 \\\n"), "file:1: lines that go on in the next one are not read: join them");
  EXPECT_EQ(obj_reason("surf 0 1\n"), "file:1: 'surf' begins no line of an OBJ file that is read here");
  EXPECT_EQ(obj_reason(std::string("\x1b[2J\0", 5)),
            "file:1: '\\x1b[2J\\x00' begins no line of an OBJ file that is read here");
  EXPECT_EQ(obj_reason("v 1e60 0 0\nv 0 0 0\nv 0 1 0\nf 1 2 3"),
            "file:1: coordinate 1e+60 must be a number within 1e+50 m");
  EXPECT_EQ(obj_reason("v 0 0 0\nv 1e308 0 0\nv 1e308 1e308 0\nv 0 1e308 0\nf 1 2 3 4"),
            "file:2: coordinate 1e+308 must be a number within 1e+50 m");
}

TEST(ObjFile, MayBeginWithAByteOrderMark) {
  expect_box(parse_obj("\xef\xbb\xbf" + kObjBox, "box.obj"));
}

TEST(StlFile, TextAndBinaryGiveTheSameBox) {
  const TriangleMesh text = parse_stl(text_stl(box()), "box.stl"),
                     binary = parse_stl(binary_stl(box()), "box.stl");
  expect_box(text);
  expect_box(binary);
  EXPECT_EQ(text.vertices, binary.vertices);
  EXPECT_EQ(text.triangles, binary.triangles);
  EXPECT_EQ(text.lines[1], 9);
}

TEST(StlFile, BinaryThatBeginsWithSolidIsStillBinary) {
  expect_box(parse_stl(binary_stl(box(), "solid box"), "box.stl"));
  std::string with_zeros(80, '\0');
  with_zeros.replace(0, 5, "solid");
  expect_box(parse_stl(binary_stl(box(), with_zeros), "box.stl"));
  // Truncated: still recognised as a binary file.
  EXPECT_EQ(stl_reason(binary_stl(box(), with_zeros).substr(0, 300)),
            "file: says that it has 12 triangles, which take 684 bytes, but has 300: it was cut off, or is "
            "no STL file");
}

TEST(StlFile, AsTextMayBeInCapitalsBeginWithAByteOrderMarkAndStandInOneLine) {
  const std::string text = text_stl(box());
  std::string capitals = text, one_line = text;
  for (char& c : capitals) c = static_cast<char>(std::toupper(c));
  for (char& c : one_line) c = c == '\n' ? ' ' : c;
  expect_box(parse_stl(capitals, "box.stl"));
  expect_box(parse_stl("S" + text.substr(1), "box.stl"));
  expect_box(parse_stl("\xef\xbb\xbf" + text, "box.stl"));
  expect_box(parse_stl(one_line, "box.stl"));
  EXPECT_EQ(parse_stl(one_line + one_line, "box.stl").triangles.size(), 24u);
  expect_box(parse_stl("solid of facets, one facet a side" + text.substr(text.find('\n')), "box.stl"));
}

TEST(StlFile, ThatIsWrongIsRefusedWithItsLocation) {
  const std::string text = text_stl(box()), binary = binary_stl(box());
  EXPECT_EQ(
      stl_reason(""),
      "file: neither text that begins with 'solid' nor a binary STL file, which has 84 bytes at least: this "
      "has 0");
  EXPECT_EQ(stl_reason("solid\nendsolid\n"), "file: the mesh has no triangles");
  EXPECT_EQ(stl_reason(binary.substr(0, 684 - 1)),
            "file: says that it has 12 triangles, which take 684 bytes, but has 683: it was cut off, or is "
            "no STL file");
  EXPECT_EQ(stl_reason(binary + "x"),
            "file: says that it has 12 triangles, which take 684 bytes, but has 685: what follows belongs to "
            "none of "
            "them, or it is no STL file");
  std::string huge = binary;
  huge.replace(80, 4, "\xff\xff\xff\xff");
  EXPECT_EQ(
      stl_reason(huge),
      "file: says that it has 4294967295 triangles, which take 214748364834 bytes, but has 684: it was cut "
      "off, or is no STL file");
  EXPECT_EQ(stl_reason(binary_stl({})), "file: the mesh has no triangles");
  TriangleMesh bad = box();
  bad.vertices[7].x = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(stl_reason(binary_stl(bad)), "file: triangle 2: a coordinate is not finite");
  bad = box();
  bad.triangles[5] = {1, 1, 2};
  EXPECT_EQ(stl_reason(binary_stl(bad)),
            "file: triangle 5: the corners lie on one line: a triangle needs an area");
  EXPECT_EQ(stl_reason(text_stl(bad)), "file:37: the corners lie on one line: a triangle needs an area");
  for (std::size_t size = 6; size < text.find("endsolid"); size += 7) {  // truncated anywhere
    EXPECT_NE(stl_reason(text.substr(0, size)), "none") << size;
  }
  EXPECT_EQ(stl_reason("solid\nfacet normal 0 0 0\nouter loop\nvertex 0 0 0\n"),
            "file:4: 'vertex' must follow, but the file ends here");
  EXPECT_EQ(stl_reason("solid\nfacet normal 0 0 0\nouter loop\nvertex 0 0 0\nendloop\n"),
            "file:5: 'vertex' must stand here, not 'endloop'");
  EXPECT_EQ(stl_reason("solid\nfacet normal 0 0 0\nouter loop\nvertex 0 0 inf\n"),
            "file:4: 'inf' must be a finite number");
  EXPECT_EQ(stl_reason(text.substr(0, text.find("endsolid"))),
            "file:85: the file ends without 'endsolid': it was cut off");
  EXPECT_EQ(stl_reason("solid\nfacets\n"), "file:2: 'facet' must stand here, not 'facets'");
}

TEST(MeshFile, IsReadByItsEndingAndScaled) {
  const test::Folder folder;
  folder.write("box.OBJ", kObjBox);
  folder.write("box.stl", binary_stl(box()));
  folder.write("box.ply", kObjBox);
  const std::string obj = folder / "box.OBJ", stl = folder / "box.stl";
  expect_box(load_mesh(obj));
  expect_box(load_mesh(stl));
  EXPECT_DOUBLE_EQ(mesh_mass_properties(load_mesh(stl, 1e-3)).mass, 8e-9);
  EXPECT_THROW(load_mesh(obj, 0), Error);
  EXPECT_THROW(load_mesh(obj, std::numeric_limits<double>::infinity()), Error);
  EXPECT_THROW(load_mesh(obj, 1e300), Error);
  EXPECT_THROW(load_mesh(folder / "box.ply"), Error);
  EXPECT_THROW(load_mesh(folder / "none.obj"), Error);
}

}  // namespace mesh_file_test
}  // namespace pawl::internal
