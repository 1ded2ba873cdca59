#include <pawl/model/collision_shape.h>

#include <algorithm>
#include <cassert>

#include <pawl/collision/shapes/polytope.h>
#include <pawl/error.h>

namespace pawl::internal {
namespace {

/// The polytope of a hull shape from the points that its faces use, in their order.
Polytope make_hull(const SceneShape& shape, bool planar) {
  if (shape.faces.empty()) {
    throw Error(
        "a hull has no faces: set SceneShape::faces, for instance by convex_hull_faces() of "
        "pawl/scene_file.h");
  }
  if (planar) {
    std::vector<Vec3> polygon;
    for (const int i : shape.faces[0]) polygon.push_back(shape.points.at(i));
    return make_polygon(polygon);
  }
  std::vector<int> used;
  for (const std::vector<int>& face : shape.faces) used.insert(used.end(), face.begin(), face.end());
  std::ranges::sort(used);
  used.erase(std::unique(used.begin(), used.end()), used.end());
  std::vector<Vec3> vertices;
  for (const int i : used) vertices.push_back(shape.points.at(i));
  std::vector<std::vector<int>> loops = shape.faces;
  for (std::vector<int>& loop : loops) {
    for (int& i : loop) i = static_cast<int>(std::ranges::lower_bound(used, i) - used.begin());
  }
  return make_polytope(std::move(vertices), loops);
}

}  // namespace

Convex make_collision_shape(const SceneShape& shape, Dimension dimension) {
  const bool planar = dimension == Dimension::planar;
  const double rounding_radius = shape.rounding_radius;
  switch (shape.kind) {
    case ShapeKind::sphere:
      return Convex::sphere(shape.radius, planar);
    case ShapeKind::capsule:
      return Convex::capsule(shape.radius, 0.5 * shape.length, planar);
    case ShapeKind::box:
      return Convex::box(0.5 * shape.size, rounding_radius, planar);
    case ShapeKind::cylinder:
      return Convex::cylinder(shape.radius, 0.5 * shape.height, rounding_radius);
    case ShapeKind::cone:
      return Convex::cone(shape.radius, 0.5 * shape.height, rounding_radius);
    case ShapeKind::frustum:
      return Convex::frustum(shape.radius, shape.top_radius, 0.5 * shape.height, rounding_radius);
    case ShapeKind::ellipsoid:
      return Convex::ellipsoid(shape.size, rounding_radius, planar);
    case ShapeKind::hull:
      return Convex::hull(make_hull(shape, planar), rounding_radius, planar);
    case ShapeKind::half_space:
    case ShapeKind::mesh:
    case ShapeKind::height_field:
      break;
  }
  assert(!"a fixed surface is no convex solid");
  return {};
}

}  // namespace pawl::internal
