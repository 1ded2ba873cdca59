#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

#include <fmt/format.h>

#include <pawl/base/error.h>
#include <pawl/base/words.h>
#include <pawl/geometry/mesh_file.h>

#include "mesh_builder.h"

namespace pawl {
namespace {

using detail::LineReader;

// Binary STL: 80 bytes of anything, the number of triangles, and of each: normal, three corners, two bytes.
constexpr std::size_t kHeader = 84, kTriangle = 50;

static_assert(std::endian::native == std::endian::little, "STL stores its numbers as this machine does");

template <class Number>
Number number_at(std::string_view bytes, std::size_t at) {
  Number value;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

/// Binary files may begin with "solid" as texts do. A zero byte in the header tells, which no text has and
/// every count of less than 2^24 triangles.
bool is_binary(std::string_view bytes) {
  static_assert(kMostTriangles < 1 << 24);
  const std::size_t first = bytes.find_first_not_of(" \t\r\n");
  const bool says_solid = first != bytes.npos && bytes.substr(first).starts_with("solid");
  return !says_solid || bytes.substr(0, kHeader).find('\0') != bytes.npos;
}

TriangleMesh parse_binary(std::string_view bytes, const std::string& name) {
  if (bytes.size() < kHeader) {
    throw Error(
        fmt::format("{}: neither text that begins with 'solid' nor a binary STL file, which has {} bytes "
                    "at least: this has {}",
                    name, kHeader, bytes.size()));
  }
  const std::size_t count = number_at<std::uint32_t>(bytes, 80), held = (bytes.size() - kHeader) / kTriangle;
  if (bytes.size() != kHeader + kTriangle * count) {
    throw Error(
        fmt::format("{}: says that it has {} triangles, but its {} bytes hold {}: it was cut off, or is no "
                    "STL file",
                    name, count, bytes.size(), held));
  }
  if (static_cast<long long>(count) > kMostTriangles) {
    throw Error(fmt::format("{}: {} triangles are more than {}", name, count, kMostTriangles));
  }
  detail::MeshBuilder builder(name);
  builder.reserve(count);
  for (std::size_t t = 0; t < count; ++t) {
    std::array<Vec3, 3> corner;
    for (int k = 0; k < 9; ++k) {
      corner[k / 3][k % 3] =
          static_cast<double>(number_at<float>(bytes, kHeader + kTriangle * t + 12 + 4 * k));
      if (!std::isfinite(corner[k / 3][k % 3])) {
        throw Error(fmt::format("{}: triangle {}: a coordinate is not finite", name, t));
      }
    }
    builder.add(corner[0], corner[1], corner[2], 0);
  }
  return builder.take();
}

/// The next line must begin with these words.
void expect(LineReader& reader, std::initializer_list<std::string_view> wanted) {
  const std::string text = fmt::format("{}", fmt::join(wanted, " "));
  if (!reader.next()) reader.refuse(fmt::format("'{}' must follow, but the file ends here", text));
  std::size_t i = 0;
  for (const std::string_view word : wanted) {
    if (i >= reader.words().size() || reader.words()[i++] != word) {
      reader.refuse(fmt::format("'{}' must stand here, not {}", text, quoted(reader.words()[0])));
    }
  }
}

TriangleMesh parse_text(std::string_view text, const std::string& name) {
  LineReader reader(text, name);
  detail::MeshBuilder builder(name);
  bool is_whole = false;
  while (reader.next()) {
    is_whole = reader.words()[0] == "endsolid";
    if (is_whole || reader.words()[0] == "solid") continue;
    if (reader.words()[0] != "facet") {
      reader.refuse(fmt::format("'facet' must stand here, not {}", quoted(reader.words()[0])));
    }
    const int line = reader.line();
    expect(reader, {"outer", "loop"});
    std::array<Vec3, 3> corner;
    for (Vec3& c : corner) {
      expect(reader, {"vertex"});
      for (int k = 0; k < 3; ++k) c[k] = reader.number(k + 1);
    }
    expect(reader, {"endloop"});
    expect(reader, {"endfacet"});
    builder.add(corner[0], corner[1], corner[2], line);
  }
  if (!is_whole) reader.refuse("the file ends without 'endsolid': it was cut off");
  return builder.take();
}

}  // namespace

TriangleMesh parse_stl(std::string_view bytes, const std::string& name) {
  return is_binary(bytes) ? parse_binary(bytes, name) : parse_text(bytes, name);
}

}  // namespace pawl
