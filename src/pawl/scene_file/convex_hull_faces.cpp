#include <algorithm>

#include <pawl/collision/hull/convex_hull.h>
#include <pawl/scene_file.h>

namespace pawl {

using namespace internal;

std::vector<std::vector<int>> convex_hull_faces(std::span<const Vec3> points, bool planar) {
  const Polytope hull = planar ? polygon_hull(points) : convex_hull(points);
  // Vertices of a hull are points in their given order, so the search goes on behind the last one found.
  auto next = points.begin();
  const auto index_of = [&](const Vec3& vertex) {
    auto found = std::find(next, points.end(), vertex);
    if (found == points.end()) found = std::ranges::find(points, vertex);
    next = found + 1;
    return static_cast<int>(found - points.begin());
  };
  std::vector<std::vector<int>> faces;
  if (planar) {
    std::vector<int>& polygon = faces.emplace_back();
    for (const Vec3& vertex : hull.vertices) polygon.push_back(index_of(vertex));
    return faces;
  }
  std::vector<int> index;
  for (const Vec3& vertex : hull.vertices) index.push_back(index_of(vertex));
  for (const Polytope::Face& face : hull.faces) {
    std::vector<int>& loop = faces.emplace_back();
    for (int i = face.begin; i < face.end; ++i) loop.push_back(index[hull.loops[i]]);
  }
  return faces;
}

}  // namespace pawl
