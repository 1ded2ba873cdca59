#pragma once
// Convex shapes by the kind of their core.

#include <pawl/collision/shapes/polytope.h>
#include <pawl/geometry.h>

namespace pawl::internal::testing {

/// `half` as in Convex; any kind but a polytope.
inline Convex convex_of(CoreKind core, const Vec3& half, double rounding_radius = 0, bool planar = false) {
  switch (core) {
    case CoreKind::point:
      return Convex::sphere(rounding_radius, planar);
    case CoreKind::segment:
      return Convex::capsule(rounding_radius, planar ? half.x : half.z, planar);
    case CoreKind::box:
      return Convex::box(half, rounding_radius, planar);
    case CoreKind::ellipsoid:
      return Convex::ellipsoid(half, rounding_radius, planar);
    case CoreKind::cylinder:
      return Convex::cylinder(half.x, half.z, rounding_radius);
    case CoreKind::cone:
      return Convex::cone(half.x, half.z, rounding_radius);
    case CoreKind::frustum:
      return Convex::frustum(half.x, half.y, half.z, rounding_radius);
    case CoreKind::polytope:
      break;
  }
  return {};
}

}  // namespace pawl::internal::testing
