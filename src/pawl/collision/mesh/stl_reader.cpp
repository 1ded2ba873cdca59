#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

#include <fmt/format.h>

#include <pawl/base/parse.h>
#include <pawl/collision/mesh/mesh_file.h>
#include <pawl/error.h>

#include <pawl/collision/mesh/mesh_builder.h>

namespace pawl::internal {
namespace {

// Binary STL: 80 bytes of anything, the number of triangles, and of each: normal, three corners, two bytes.
constexpr std::size_t kHeader = 84, kTriangle = 50;

static_assert(std::endian::native == std::endian::little, "STL stores its numbers as this machine does");

template <class Number>
Number read_at(std::string_view bytes, std::size_t at) {
  Number value;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

/// Some programs write keywords in capitals.
bool equals_ignoring_case(std::string_view word, std::string_view keyword) {
  return std::ranges::equal(word, keyword, [](char a, char b) {
    return (a >= 'A' && a <= 'Z' ? static_cast<char>(a - 'A' + 'a') : a) == b;
  });
}

/// Binary files may begin with "solid" as text files do. They are recognised by a zero byte in the header:
/// text has none, but any count below 2^24 triangles has one.
bool is_binary(std::string_view bytes) {
  static_assert(kMaxTriangles < 1 << 24);
  const std::string_view text = without_byte_order_mark(bytes);
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  const bool starts_with_solid = first != text.npos && equals_ignoring_case(text.substr(first, 5), "solid");
  return !starts_with_solid || bytes.substr(0, kHeader).find('\0') != bytes.npos;
}

void parse_binary(std::string_view bytes, const std::string& name, MeshBuilder& builder) {
  if (bytes.size() < kHeader) {
    throw Error(
        fmt::format("{}: neither text that begins with 'solid' nor a binary STL file, which has {} bytes "
                    "at least: this has {}",
                    name, kHeader, bytes.size()));
  }
  const std::size_t count = read_at<std::uint32_t>(bytes, 80), needed = kHeader + kTriangle * count;
  if (bytes.size() != needed) {
    throw Error(fmt::format(
        "{}: says that it has {} triangles, which take {} bytes, but has {}: {} no STL file", name, count,
        needed, bytes.size(),
        bytes.size() < needed ? "it was cut off, or is" : "what follows belongs to none of them, or it is"));
  }
  if (static_cast<long long>(count) > kMaxTriangles) {
    throw Error(fmt::format("{}: {} triangles are more than {}", name, count, kMaxTriangles));
  }
  builder.reserve(count);
  for (std::size_t t = 0; t < count; ++t) {
    std::array<Vec3, 3> corner;
    for (int k = 0; k < 9; ++k) {
      corner[k / 3][k % 3] = static_cast<double>(read_at<float>(bytes, kHeader + kTriangle * t + 12 + 4 * k));
      if (!std::isfinite(corner[k / 3][k % 3])) {
        throw Error(fmt::format("{}: triangle {}: a coordinate is not finite", name, t));
      }
    }
    builder.add(corner[0], corner[1], corner[2], 0);
  }
}

/// The words of a text, independent of line breaks.
class TokenReader {
 public:
  TokenReader(std::string_view text, const std::string& name) : lines_(text, name) {}

  /// Advances to the next word; false at the end.
  bool next() {
    if (++at_ < lines_.tokens().size()) return true;
    at_ = 0;
    return lines_.next();
  }
  bool is(std::string_view keyword) const { return equals_ignoring_case(lines_.tokens()[at_], keyword); }
  int line() const { return lines_.line(); }
  double next_coordinate() {
    if (!next()) lines_.fail("a number is missing");
    return lines_.coordinate(at_);
  }
  /// Advances to the next word, which must be `keyword`; messages name it `expected`.
  void expect(std::string_view keyword, std::string_view expected) {
    if (!next()) lines_.fail(fmt::format("'{}' must follow, but the file ends here", expected));
    if (!is(keyword)) fail_expecting(expected);
  }
  [[noreturn]] void fail_expecting(std::string_view expected) const {
    lines_.fail(fmt::format("'{}' must stand here, not {}", expected, quote(lines_.tokens()[at_])));
  }
  [[noreturn]] void fail(const std::string& reason) const { lines_.fail(reason); }

  /// Skips the name of a solid: the rest of the line, or the words up to the next facet or end in it.
  void skip_name() {
    const auto& tokens = lines_.tokens();
    while (at_ + 1 < tokens.size()) {
      const bool facet = equals_ignoring_case(tokens[at_ + 1], "facet") && at_ + 2 < tokens.size() &&
                         equals_ignoring_case(tokens[at_ + 2], "normal");
      if (facet || equals_ignoring_case(tokens[at_ + 1], "endsolid")) return;
      ++at_;
    }
  }
  /// Skips "normal" and its numbers, up to "outer".
  void skip_normal() {
    constexpr int kNormalTokens = 4;
    for (int passed = 0; passed <= kNormalTokens; ++passed) {
      if (!next()) fail("'outer loop' must follow, but the file ends here");
      if (is("outer")) return;
    }
    fail_expecting("outer loop");
  }

 private:
  LineReader lines_;
  std::size_t at_ = 0;
};

void parse_text(std::string_view text, const std::string& name, MeshBuilder& builder) {
  TokenReader tokens(text, name);
  bool is_complete = false;
  while (tokens.next()) {
    is_complete = tokens.is("endsolid");
    if (is_complete || tokens.is("solid")) {
      tokens.skip_name();
      continue;
    }
    if (!tokens.is("facet")) tokens.fail_expecting("facet");
    const int line = tokens.line();
    tokens.skip_normal();
    tokens.expect("loop", "outer loop");
    std::array<Vec3, 3> corner;
    for (Vec3& c : corner) {
      tokens.expect("vertex", "vertex");
      for (int k = 0; k < 3; ++k) c[k] = tokens.next_coordinate();
    }
    tokens.expect("endloop", "endloop");
    tokens.expect("endfacet", "endfacet");
    builder.add(corner[0], corner[1], corner[2], line);
  }
  if (!is_complete) tokens.fail("the file ends without 'endsolid': it was cut off");
}

void parse(std::string_view bytes, const std::string& name, MeshBuilder& builder) {
  is_binary(bytes) ? parse_binary(bytes, name, builder) : parse_text(bytes, name, builder);
}

}  // namespace

TriangleMesh parse_stl(std::string_view bytes, const std::string& name) {
  MeshBuilder builder(name);
  parse(bytes, name, builder);
  return builder.finish();
}

std::vector<Vec3> parse_stl_points(std::string_view bytes, const std::string& name) {
  MeshBuilder builder(name);
  parse(bytes, name, builder);
  return builder.finish_points();
}

}  // namespace pawl::internal
