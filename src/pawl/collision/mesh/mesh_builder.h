#pragma once
// Helpers shared by the mesh readers; internal to this folder.

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <pawl/collision/mesh/mesh.h>

namespace pawl::internal {

/// Editors on Windows put a byte order mark before UTF-8 text.
inline std::string_view without_byte_order_mark(std::string_view text) {
  constexpr std::string_view kMark = "\xef\xbb\xbf";
  return text.starts_with(kMark) ? text.substr(kMark.size()) : text;
}

/// Splits a text into lines and words; errors name the line.
class LineReader {
 public:
  LineReader(std::string_view text, const std::string& name)
      : rest_(without_byte_order_mark(text)), name_(name) {}

  /// Advances to the next line that has words; false at the end.
  bool next();
  int line() const { return line_; }
  const std::vector<std::string_view>& tokens() const { return tokens_; }
  /// Word `i` as a finite number.
  double number(std::size_t i) const;
  /// Word `i` as a coordinate, at most kMaxCoordinate in magnitude.
  double coordinate(std::size_t i) const;
  [[noreturn]] void fail(const std::string& reason) const;

 private:
  std::string_view rest_;
  const std::string& name_;
  int line_ = 0;
  std::vector<std::string_view> tokens_;
};

/// Collects triangles by the coordinates of their corners; equal corners become one vertex.
class MeshBuilder {
 public:
  explicit MeshBuilder(const std::string& name) { mesh_.name = name; }

  void reserve(std::size_t triangles);
  /// `line` is 0 for files without lines.
  void add(const Vec3& a, const Vec3& b, const Vec3& c, int line);
  void add_point(const Vec3& point);
  /// Checks and returns the mesh.
  TriangleMesh finish();
  /// The points alone, without the check of the triangles.
  std::vector<Vec3> finish_points() { return std::move(mesh_.vertices); }

 private:
  struct Hash {
    std::size_t operator()(const Vec3& v) const;
  };
  int weld(const Vec3& v);

  TriangleMesh mesh_;
  std::unordered_map<Vec3, int, Hash> index_of_;
};

}  // namespace pawl::internal
