#include <algorithm>
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

/// Some programs write keywords in capitals.
bool is_word(std::string_view word, std::string_view keyword) {
  return std::ranges::equal(word, keyword, [](char a, char b) {
    return (a >= 'A' && a <= 'Z' ? static_cast<char>(a - 'A' + 'a') : a) == b;
  });
}

/// Binary files may begin with "solid" as texts do. A zero byte in the header tells, which no text has and
/// every count of less than 2^24 triangles.
bool is_binary(std::string_view bytes) {
  static_assert(kMostTriangles < 1 << 24);
  const std::string_view text = detail::without_byte_order_mark(bytes);
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  const bool says_solid = first != text.npos && is_word(text.substr(first, 5), "solid");
  return !says_solid || bytes.substr(0, kHeader).find('\0') != bytes.npos;
}

void parse_binary(std::string_view bytes, const std::string& name, detail::MeshBuilder& builder) {
  if (bytes.size() < kHeader) {
    throw Error(
        fmt::format("{}: neither text that begins with 'solid' nor a binary STL file, which has {} bytes "
                    "at least: this has {}",
                    name, kHeader, bytes.size()));
  }
  const std::size_t count = number_at<std::uint32_t>(bytes, 80), needed = kHeader + kTriangle * count;
  if (bytes.size() != needed) {
    throw Error(fmt::format(
        "{}: says that it has {} triangles, which take {} bytes, but has {}: {} no STL file", name, count,
        needed, bytes.size(),
        bytes.size() < needed ? "it was cut off, or is" : "what follows belongs to none of them, or it is"));
  }
  if (static_cast<long long>(count) > kMostTriangles) {
    throw Error(fmt::format("{}: {} triangles are more than {}", name, count, kMostTriangles));
  }
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
}

/// The words of a text, wherever its lines end.
class WordReader {
 public:
  WordReader(std::string_view text, const std::string& name) : lines_(text, name) {}

  /// Goes on to the next word; false at the end.
  bool next() {
    if (++at_ < lines_.words().size()) return true;
    at_ = 0;
    return lines_.next();
  }
  bool is(std::string_view keyword) const { return is_word(lines_.words()[at_], keyword); }
  int line() const { return lines_.line(); }
  double next_coordinate() {
    if (!next()) lines_.refuse("a number is missing");
    return lines_.coordinate(at_);
  }
  /// Goes on to the next word, which must be `keyword`; `expected` is how messages call it.
  void expect(std::string_view keyword, std::string_view expected) {
    if (!next()) lines_.refuse(fmt::format("'{}' must follow, but the file ends here", expected));
    if (!is(keyword)) refuse_for(expected);
  }
  [[noreturn]] void refuse_for(std::string_view expected) const {
    lines_.refuse(fmt::format("'{}' must stand here, not {}", expected, quoted(lines_.words()[at_])));
  }
  [[noreturn]] void refuse(const std::string& reason) const { lines_.refuse(reason); }

  /// Passes over a solid's name: the rest of the line, or what stands before the next facet or end in it.
  void skip_name() {
    const auto& words = lines_.words();
    while (at_ + 1 < words.size()) {
      const bool facet =
          is_word(words[at_ + 1], "facet") && at_ + 2 < words.size() && is_word(words[at_ + 2], "normal");
      if (facet || is_word(words[at_ + 1], "endsolid")) return;
      ++at_;
    }
  }
  /// "normal" and its numbers, up to "outer".
  void skip_normal() {
    constexpr int kWords = 4;
    for (int passed = 0; passed <= kWords; ++passed) {
      if (!next()) refuse("'outer loop' must follow, but the file ends here");
      if (is("outer")) return;
    }
    refuse_for("outer loop");
  }

 private:
  LineReader lines_;
  std::size_t at_ = 0;
};

void parse_text(std::string_view text, const std::string& name, detail::MeshBuilder& builder) {
  WordReader words(text, name);
  bool is_whole = false;
  while (words.next()) {
    is_whole = words.is("endsolid");
    if (is_whole || words.is("solid")) {
      words.skip_name();
      continue;
    }
    if (!words.is("facet")) words.refuse_for("facet");
    const int line = words.line();
    words.skip_normal();
    words.expect("loop", "outer loop");
    std::array<Vec3, 3> corner;
    for (Vec3& c : corner) {
      words.expect("vertex", "vertex");
      for (int k = 0; k < 3; ++k) c[k] = words.next_coordinate();
    }
    words.expect("endloop", "endloop");
    words.expect("endfacet", "endfacet");
    builder.add(corner[0], corner[1], corner[2], line);
  }
  if (!is_whole) words.refuse("the file ends without 'endsolid': it was cut off");
}

void parse(std::string_view bytes, const std::string& name, detail::MeshBuilder& builder) {
  is_binary(bytes) ? parse_binary(bytes, name, builder) : parse_text(bytes, name, builder);
}

}  // namespace

TriangleMesh parse_stl(std::string_view bytes, const std::string& name) {
  detail::MeshBuilder builder(name);
  parse(bytes, name, builder);
  return builder.take();
}

std::vector<Vec3> parse_stl_points(std::string_view bytes, const std::string& name) {
  detail::MeshBuilder builder(name);
  parse(bytes, name, builder);
  return builder.take_points();
}

}  // namespace pawl
