#include <pawl/collision/mesh/triangulate.h>

#include <algorithm>
#include <limits>

#include <pawl/base/numeric_util.h>

namespace pawl::internal {
namespace {

constexpr std::size_t kMaxCorners = 1000;  // of a polygon that is not convex: ear clipping takes O(n³)

using Points = std::vector<Vec3>;

/// Twice the area of a triangle as seen along n; 0 if it is within rounding.
double signed_area(const Points& p, const Vec3& n, int a, int b, int c) {
  const Vec3 ab = p[b] - p[a], ac = p[c] - p[a];
  const double area = dot(n, cross(ab, ac));
  return std::abs(area) <= 8 * kEpsilon * norm(ab) * norm(ac) ? 0 : area;
}

bool is_ear(const Points& p, const Vec3& n, const std::vector<int>& remaining, std::size_t i) {
  const std::size_t count = remaining.size();
  const int a = remaining[(i + count - 1) % count], b = remaining[i], c = remaining[(i + 1) % count];
  if (!(signed_area(p, n, a, b, c) > 0)) return false;
  return std::ranges::none_of(remaining, [&](int q) {  // no other corner inside or on the new side
    if (q == a || q == b || q == c || p[q] == p[a] || p[q] == p[c]) return false;
    return signed_area(p, n, a, b, q) >= 0 && signed_area(p, n, b, c, q) >= 0 &&
           signed_area(p, n, c, a, q) >= 0;
  });
}

}  // namespace

const char* triangulate(const Points& polygon, std::vector<std::array<int, 3>>& triangles) {
  const int n = static_cast<int>(polygon.size());
  Vec3 normal;
  for (int i = 1; i + 1 < n; ++i) normal += cross(polygon[i] - polygon[0], polygon[i + 1] - polygon[0]);
  if (n == 3) {
    triangles.push_back({0, 1, 2});
    return nullptr;
  }
  if (!(norm(normal) > 0)) return "the corners enclose no area";
  normal = normalized(normal);
  bool is_fan = true, is_convex = true;
  for (int i = 1; i + 1 < n && is_fan; ++i) is_fan = signed_area(polygon, normal, 0, i, i + 1) > 0;
  for (int i = 0; i < n && is_convex; ++i)
    is_convex = signed_area(polygon, normal, i, (i + 1) % n, (i + 2) % n) >= 0;
  if (is_fan && is_convex) {
    for (int i = 1; i + 1 < n; ++i) triangles.push_back({0, i, i + 1});
    return nullptr;
  }
  if (polygon.size() > kMaxCorners) return "a polygon that is not convex may have 1000 corners at most";
  std::vector<int> remaining(polygon.size());
  for (int i = 0; i < n; ++i) remaining[i] = i;
  while (remaining.size() > 3) {
    std::size_t i = 0;
    while (i < remaining.size() && !is_ear(polygon, normal, remaining, i)) ++i;
    if (i == remaining.size()) return "the polygon crosses or touches itself, or has corners on one line";
    triangles.push_back({remaining[(i + remaining.size() - 1) % remaining.size()], remaining[i],
                         remaining[(i + 1) % remaining.size()]});
    remaining.erase(remaining.begin() + static_cast<std::ptrdiff_t>(i));
  }
  triangles.push_back({remaining[0], remaining[1], remaining[2]});
  return nullptr;
}

}  // namespace pawl::internal
