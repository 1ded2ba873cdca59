// Own OBJ reader: tinyobjloader reads words that are not numbers as 0, ignores unknown lines, and reports no
// line numbers once a file is read.

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include <pawl/base/parse.h>
#include <pawl/collision/mesh/mesh_file.h>

#include <pawl/collision/mesh/mesh_builder.h>
#include <pawl/collision/mesh/triangulate.h>

namespace pawl::internal {
namespace {

constexpr std::array kIgnoredKeywords = {
    "vt", "vn",    "vp",  "g",      "o",      "s",        "mg",       "usemtl",     "mtllib",   "l",
    "p",  "bevel", "lod", "usemap", "maplib", "c_interp", "d_interp", "shadow_obj", "trace_obj"};

/// Vertex index, from 0, of a corner "7", "7/1", "7//2", "7/1/2" or "-1".
std::size_t vertex_of(const LineReader& reader, std::string_view corner, std::size_t vertex_count) {
  const std::string_view number = corner.substr(0, corner.find('/'));
  long long n = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), n);
  const long long count = static_cast<long long>(vertex_count);
  if (end != number.data() + number.size() || error != std::errc() || n == 0 || n > count || n < -count) {
    reader.fail(fmt::format("corner {} must name one of the {} vertices before it", quote(corner), count));
  }
  return static_cast<std::size_t>(n > 0 ? n - 1 : count + n);
}

/// Calls `vertex(point)` and `face()` in the order of the file.
template <class OnVertex, class OnFace>
void read_lines(LineReader& reader, OnVertex vertex, OnFace face) {
  while (reader.next()) {
    const auto& tokens = reader.tokens();
    if (tokens.back().ends_with('\\'))
      reader.fail("lines that go on in the next one are not read: join them");
    if (tokens[0] == "v") {
      const double x = reader.coordinate(1), y = reader.coordinate(2);
      vertex(Vec3{x, y, reader.coordinate(3)});
    } else if (tokens[0] == "f") {
      face();
    } else if (std::ranges::find(kIgnoredKeywords, tokens[0]) == kIgnoredKeywords.end()) {
      reader.fail(fmt::format("{} begins no line of an OBJ file that is read here", quote(tokens[0])));
    }
  }
}

}  // namespace

TriangleMesh parse_obj(std::string_view text, const std::string& name) {
  LineReader reader(text, name);
  MeshBuilder builder(name);
  std::vector<Vec3> vertices, polygon;
  std::vector<std::array<int, 3>> triangles;
  const auto add_face = [&] {
    const auto& tokens = reader.tokens();
    if (tokens.size() < 4) reader.fail("a face needs at least 3 corners");
    polygon.clear();
    for (std::size_t i = 1; i < tokens.size(); ++i) {
      polygon.push_back(vertices[vertex_of(reader, tokens[i], vertices.size())]);
    }
    triangles.clear();
    if (const char* reason = triangulate(polygon, triangles)) reader.fail(reason);
    for (const auto& [a, b, c] : triangles) builder.add(polygon[a], polygon[b], polygon[c], reader.line());
  };
  read_lines(
      reader, [&](const Vec3& vertex) { vertices.push_back(vertex); }, add_face);
  return builder.finish();
}

std::vector<Vec3> parse_obj_points(std::string_view text, const std::string& name) {
  LineReader reader(text, name);
  MeshBuilder builder(name);
  read_lines(
      reader, [&](const Vec3& vertex) { builder.add_point(vertex); }, [] {});
  return builder.finish_points();
}

}  // namespace pawl::internal
