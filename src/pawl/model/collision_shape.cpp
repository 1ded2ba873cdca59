#include <pawl/model/collision_shape.h>

#include <cassert>
#include <utility>

#include <pawl/collision/shapes/hull.h>

namespace pawl::internal {

CollisionShape make_collision_shape(const SceneShape& shape, Dimension dimension) {
  assert(!is_static_only(shape.kind));
  const bool planar = dimension == Dimension::planar;
  CollisionShape solid;
  Convex& convex = solid.convex;
  convex.planar = planar;
  convex.rounding_radius = shape.rounding_radius;
  const auto set_core = [&](CoreKind core, const Vec3& half) {
    convex.core = core;
    convex.half = half;
  };
  const auto set_polytope = [&](Polytope polytope) {
    solid.polytope = std::make_shared<const Polytope>(std::move(polytope));
    convex.polytope = solid.polytope.get();
  };
  const double half_length = 0.5 * shape.length;
  switch (shape.kind) {
    case ShapeKind::sphere:
      convex.rounding_radius = shape.radius;
      break;
    case ShapeKind::capsule:
      convex.rounding_radius = shape.radius;
      if (shape.length == 0) break;
      set_core(CoreKind::segment, planar ? Vec3{half_length, 0, 0} : Vec3{0, 0, half_length});
      set_polytope(make_segment(half_length, planar));
      break;
    case ShapeKind::box:
      set_core(CoreKind::box, 0.5 * shape.size);
      set_polytope(make_box(convex.half, planar));
      break;
    case ShapeKind::cylinder:
      set_core(CoreKind::cylinder, {shape.radius, shape.radius, 0.5 * shape.height});
      break;
    case ShapeKind::cone:
      set_core(CoreKind::cone, {shape.radius, shape.radius, 0.5 * shape.height});
      break;
    case ShapeKind::ellipsoid:
      set_core(CoreKind::ellipsoid, shape.size);
      break;
    case ShapeKind::hull:
      convex.core = CoreKind::polytope;
      set_polytope(planar ? polygon_hull(shape.points) : convex_hull(shape.points));
      break;
    case ShapeKind::half_space:
    case ShapeKind::mesh:
    case ShapeKind::height_field:
      break;
  }
  return solid;
}

}  // namespace pawl::internal
