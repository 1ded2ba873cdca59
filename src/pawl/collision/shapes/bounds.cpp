#include <pawl/collision/shapes/bounds.h>

#include <pawl/collision/shapes/core_ops.h>

namespace pawl::internal {

Aabb bounding_box(const PosedConvex& posed) {
  const Aabb core = core_ops(posed.shape).core_aabb(posed.shape, posed.X_WS.R);
  const double r = posed.shape.rounding_radius;
  const Vec3 rounding_radius = posed.shape.planar ? Vec3{r, r, 0} : Vec3{r, r, r};
  return {posed.X_WS.p + core.low - rounding_radius, posed.X_WS.p + core.high + rounding_radius};
}

double bounding_radius(const Convex& shape) {
  const CoreOps& ops = core_ops(shape);
  return shape.rounding_radius + (ops.bounding_radius ? ops.bounding_radius : ops.core_radius)(shape);
}

double inner_radius(const Convex& shape) {
  return shape.rounding_radius + core_ops(shape).inner_radius(shape);
}

}  // namespace pawl::internal
