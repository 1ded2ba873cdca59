#include <pawl/collision/shapes/bounds.h>

#include <algorithm>
#include <cmath>

#include <pawl/collision/shapes/support.h>

namespace pawl::internal {
namespace {

/// How far a disc square to the unit vector `axis` reaches along each axis of the world.
Vec3 disc_half_extents(const Vec3& axis, double radius) {
  const auto along = [&](double a) { return radius * std::sqrt(std::max(0.0, 1 - a * a)); };
  return {along(axis.x), along(axis.y), along(axis.z)};
}

Vec3 absolute(const Vec3& v) {
  return {std::abs(v.x), std::abs(v.y), std::abs(v.z)};
}

/// Of the core, with the shape's origin at zero.
Aabb core_aabb(const Convex& shape, const Mat3& R) {
  const Vec3 axis{R(0, 2), R(1, 2), R(2, 2)};
  const auto about = [](const Vec3& center, const Vec3& half_extent) {
    return Aabb{center - half_extent, center + half_extent};
  };
  switch (shape.core) {
    case CoreKind::point:
      return {};
    case CoreKind::segment:
      return about({}, absolute(R * shape.half));
    case CoreKind::box: {
      const auto half_extent = [&](const Vec3& row) { return dot(absolute(row), shape.half); };
      return about({}, {half_extent(R.row[0]), half_extent(R.row[1]), half_extent(R.row[2])});
    }
    case CoreKind::ellipsoid: {
      const auto half_extent = [&](const Vec3& row) {
        return norm(Vec3{row.x * shape.half.x, row.y * shape.half.y, row.z * shape.half.z});
      };
      return about({}, {half_extent(R.row[0]), half_extent(R.row[1]), half_extent(R.row[2])});
    }
    case CoreKind::cylinder:
      return about({}, absolute(shape.half.z * axis) + disc_half_extents(axis, shape.half.x));
    case CoreKind::cone: {
      const Vec3 apex = shape.half.z * axis;
      return merge(about(-apex, disc_half_extents(axis, shape.half.x)), {apex, apex});
    }
    case CoreKind::polytope: {
      const Vec3 first = R * shape.polytope->vertices[0];
      Aabb box{first, first};
      for (const Vec3& vertex : shape.polytope->vertices) {
        const Vec3 x = R * vertex;
        box = merge(box, {x, x});
      }
      return box;
    }
  }
  return {};
}

}  // namespace

Aabb bounding_box(const PosedConvex& posed) {
  const Aabb core = core_aabb(posed.shape, posed.X_WS.R);
  const double r = posed.shape.rounding_radius;
  const Vec3 rounding_radius = posed.shape.planar ? Vec3{r, r, 0} : Vec3{r, r, r};
  return {posed.X_WS.p + core.low - rounding_radius, posed.X_WS.p + core.high + rounding_radius};
}

double bounding_radius(const Convex& shape) {
  if (shape.core != CoreKind::polytope) return shape.rounding_radius + core_radius(shape);
  double farthest = 0;
  for (const Vec3& vertex : shape.polytope->vertices) farthest = std::max(farthest, norm(vertex));
  return shape.rounding_radius + farthest;
}

double inner_radius(const Convex& shape) {
  const auto [x, y, z] = shape.half;
  switch (shape.core) {
    case CoreKind::point:
    case CoreKind::segment:
      return shape.rounding_radius;
    case CoreKind::box:
    case CoreKind::ellipsoid:
      return shape.rounding_radius + (shape.planar ? std::min(x, y) : std::min({x, y, z}));
    case CoreKind::cylinder:
      return shape.rounding_radius + std::min(x, z);
    case CoreKind::cone:  // the inscribed circle of its section, base 2r, height 2z
      return shape.rounding_radius + 2 * x * z / (x + std::hypot(x, 2 * z));
    case CoreKind::polytope:
      return shape.rounding_radius + shape.polytope->inner_radius;
  }
  return 0;
}

}  // namespace pawl::internal
