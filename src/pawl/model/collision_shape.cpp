#include <pawl/model/collision_shape.h>

#include <cassert>

#include <pawl/collision/shapes/convex_hull.h>

namespace pawl::internal {

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
    case ShapeKind::ellipsoid:
      return Convex::ellipsoid(shape.size, rounding_radius, planar);
    case ShapeKind::hull:
      return Convex::hull(planar ? polygon_hull(shape.points) : convex_hull(shape.points), rounding_radius,
                          planar);
    case ShapeKind::half_space:
    case ShapeKind::mesh:
    case ShapeKind::height_field:
      break;
  }
  assert(!"a fixed surface is no convex solid");
  return {};
}

}  // namespace pawl::internal
