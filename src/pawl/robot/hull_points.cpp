#include <pawl/robot/hull_points.h>

#include <pawl/scene_file.h>

namespace pawl::internal {

HullPoints hull_of(std::span<const Vec3> points) {
  HullPoints hull;
  hull.faces = convex_hull_faces(points);
  std::vector<int> index(points.size(), -1);
  for (const std::vector<int>& face : hull.faces) {
    for (const int i : face) index[static_cast<std::size_t>(i)] = 0;
  }
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (index[i] < 0) continue;
    index[i] = static_cast<int>(hull.points.size());
    hull.points.push_back(points[i]);
  }
  for (std::vector<int>& face : hull.faces) {
    for (int& i : face) i = index[static_cast<std::size_t>(i)];
  }
  return hull;
}

}  // namespace pawl::internal
