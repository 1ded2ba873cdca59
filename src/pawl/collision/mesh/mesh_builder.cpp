#include <pawl/collision/mesh/mesh_builder.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include <fmt/format.h>

#include <pawl/base/parse.h>
#include <pawl/collision/mesh/mesh_file.h>
#include <pawl/error.h>

namespace pawl::internal {

bool LineReader::next() {
  constexpr std::string_view kSpace = " \t\r\v\f";
  tokens_.clear();
  while (tokens_.empty() && !rest_.empty()) {
    ++line_;
    const std::size_t end = std::min(rest_.find('\n'), rest_.size());
    std::string_view text = rest_.substr(0, end);
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    text = text.substr(0, text.find('#'));
    for (std::size_t at = text.find_first_not_of(kSpace); at < text.size();) {
      const std::size_t stop = std::min(text.find_first_of(kSpace, at), text.size());
      tokens_.push_back(text.substr(at, stop - at));
      at = text.find_first_not_of(kSpace, stop);
    }
  }
  return !tokens_.empty();
}

double LineReader::number(std::size_t i) const {
  if (i >= tokens_.size()) fail("a number is missing");
  double value = 0;
  if (parse_number(tokens_[i], value) != std::errc() || !std::isfinite(value)) {
    fail(fmt::format("{} must be a finite number", quote(tokens_[i])));
  }
  return value;
}

double LineReader::coordinate(std::size_t i) const {
  const double value = number(i);
  if (std::abs(value) > kMaxCoordinate) {
    fail(fmt::format("coordinate {} must be a number within {} m", value, kMaxCoordinate));
  }
  return value;
}

void LineReader::fail(const std::string& reason) const {
  throw Error(fmt::format("{}:{}: {}", name_, std::max(line_, 1), reason));
}

std::size_t MeshBuilder::Hash::operator()(const Vec3& v) const {
  std::uint64_t hash = 0;
  for (int k = 0; k < 3; ++k) {  // the odd constant and the shift mix every bit into the low ones
    hash = (hash ^ std::bit_cast<std::uint64_t>(v[k])) * 0x9e3779b97f4a7c15ull;
    hash ^= hash >> 32;
  }
  return hash;
}

int MeshBuilder::weld(const Vec3& v) {
  const Vec3 key = v + Vec3{};  // -0 becomes 0
  const auto [it, is_new] = index_of_.try_emplace(key, static_cast<int>(mesh_.vertices.size()));
  if (is_new) mesh_.vertices.push_back(key);
  return it->second;
}

void MeshBuilder::reserve(std::size_t triangles) {
  mesh_.triangles.reserve(triangles);
  mesh_.vertices.reserve(triangles / 2 + 3);  // a closed mesh has about half as many vertices as triangles
  index_of_.reserve(triangles / 2 + 3);
}

void MeshBuilder::add(const Vec3& a, const Vec3& b, const Vec3& c, int line) {
  if (static_cast<long long>(mesh_.triangles.size()) == kMaxTriangles) {
    throw Error(fmt::format("{}: the mesh has more than {} triangles", mesh_.name, kMaxTriangles));
  }
  // In this order, which determines the indices of the vertices.
  const int first = weld(a), second = weld(b);
  mesh_.triangles.push_back({first, second, weld(c)});
  if (line > 0) mesh_.lines.push_back(line);
}

void MeshBuilder::add_point(const Vec3& point) {
  if (static_cast<long long>(mesh_.vertices.size()) == kMaxTriangles) {
    throw Error(fmt::format("{}: the file has more than {} points", mesh_.name, kMaxTriangles));
  }
  weld(point);
}

TriangleMesh MeshBuilder::finish() {
  check_triangles(mesh_);
  return std::move(mesh_);
}

}  // namespace pawl::internal
