#include <pawl/collision/mesh/polyline_crossing.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include <pawl/collision/mesh/surface.h>

namespace pawl::internal {
namespace {

constexpr long long kMaxPairs = 100'000'000;

/// Side of the line from a to b on which c lies: 1 left, -1 right, 0 if rounding could decide.
int side_of(const Vec3& a, const Vec3& b, const Vec3& c) {
  const double p = (b.x - a.x) * (c.y - a.y), q = (b.y - a.y) * (c.x - a.x);
  const double bound = 4 * std::numeric_limits<double>::epsilon() * (std::abs(p) + std::abs(q));
  return p - q > bound ? 1 : p - q < -bound ? -1 : 0;
}

/// True if c, a point on the line through a and b, lies between them.
bool is_between(const Vec3& a, const Vec3& b, const Vec3& c) {
  const Vec3 d = b - a;
  const double at = dot(d, c - a);
  return at > 0 && at < dot(d, d);
}

/// True if the polyline passes through the piece `i` at its vertex `j`, from one side to the other.
bool crosses_at_vertex(std::span<const Vec3> x, int i, int j) {
  if (j == 0 || j + 1 == static_cast<int>(x.size())) return false;
  const Vec3 &a = x[i], &b = x[i + 1];
  return side_of(a, b, x[j]) == 0 && is_between(a, b, x[j]) &&
         side_of(a, b, x[j - 1]) * side_of(a, b, x[j + 1]) < 0;
}

bool cross_each_other(std::span<const Vec3> x, int i, int j) {
  const int c = side_of(x[i], x[i + 1], x[j]), d = side_of(x[i], x[i + 1], x[j + 1]);
  const int a = side_of(x[j], x[j + 1], x[i]), b = side_of(x[j], x[j + 1], x[i + 1]);
  return (a * b < 0 && c * d < 0) || crosses_at_vertex(x, i, j) || crosses_at_vertex(x, j, i);
}

}  // namespace

std::optional<std::pair<int, int>> crossing_pieces(std::span<const Vec3> points) {
  const Surface surface = polyline_surface(points, false);
  long long pairs = 0;
  for (int j = 0; j < static_cast<int>(surface.pieces.size()) && pairs < kMaxPairs; ++j) {
    int first = j;  // the earliest piece that it crosses
    for_each_piece_in(surface, bounding_box(surface, j), [&](int i) {
      ++pairs;
      if (i + 1 < j && i < first && cross_each_other(points, i, j)) first = i;
    });
    if (first < j) return std::pair(j, first);
  }
  return std::nullopt;
}

}  // namespace pawl::internal
