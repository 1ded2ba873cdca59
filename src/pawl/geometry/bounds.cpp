#include <pawl/geometry/bounds.h>

#include <algorithm>
#include <cmath>

#include <pawl/geometry/support.h>

namespace pawl {
namespace {

/// How far a disc square to the unit vector `axis` reaches along each axis of the world.
Vec3 disc_reach(const Vec3& axis, double radius) {
  const auto along = [&](double a) { return radius * std::sqrt(std::max(0.0, 1 - a * a)); };
  return {along(axis.x), along(axis.y), along(axis.z)};
}

Vec3 absolute(const Vec3& v) {
  return {std::abs(v.x), std::abs(v.y), std::abs(v.z)};
}

/// Of the core, with the shape's origin at zero.
Box core_box(const Convex& shape, const Mat3& R) {
  const Vec3 axis{R(0, 2), R(1, 2), R(2, 2)};
  const auto about = [](const Vec3& center, const Vec3& reach) {
    return Box{center - reach, center + reach};
  };
  switch (shape.core) {
    case CoreKind::point:
      return {};
    case CoreKind::segment:
      return about({}, absolute(R * shape.half));
    case CoreKind::box: {
      const auto reach = [&](const Vec3& row) { return dot(absolute(row), shape.half); };
      return about({}, {reach(R.row[0]), reach(R.row[1]), reach(R.row[2])});
    }
    case CoreKind::ellipsoid: {
      const auto reach = [&](const Vec3& row) {
        return norm(Vec3{row.x * shape.half.x, row.y * shape.half.y, row.z * shape.half.z});
      };
      return about({}, {reach(R.row[0]), reach(R.row[1]), reach(R.row[2])});
    }
    case CoreKind::cylinder:
      return about({}, absolute(shape.half.z * axis) + disc_reach(axis, shape.half.x));
    case CoreKind::cone: {
      const Vec3 apex = shape.half.z * axis;
      return united(about(-apex, disc_reach(axis, shape.half.x)), {apex, apex});
    }
    case CoreKind::polytope: {
      const Vec3 first = R * shape.polytope->vertices[0];
      Box box{first, first};
      for (const Vec3& vertex : shape.polytope->vertices) {
        const Vec3 x = R * vertex;
        box = united(box, {x, x});
      }
      return box;
    }
  }
  return {};
}

}  // namespace

Box bounding_box(const PlacedConvex& placed) {
  const Box core = core_box(placed.shape, placed.X_WS.R);
  const double r = placed.shape.margin;
  const Vec3 margin = placed.shape.planar ? Vec3{r, r, 0} : Vec3{r, r, r};
  return {placed.X_WS.p + core.low - margin, placed.X_WS.p + core.high + margin};
}

double bounding_radius(const Convex& shape) {
  if (shape.core != CoreKind::polytope) return shape.margin + core_radius(shape);
  double farthest = 0;
  for (const Vec3& vertex : shape.polytope->vertices) farthest = std::max(farthest, norm(vertex));
  return shape.margin + farthest;
}

double inner_radius(const Convex& shape) {
  const auto [x, y, z] = shape.half;
  switch (shape.core) {
    case CoreKind::point:
    case CoreKind::segment:
      return shape.margin;
    case CoreKind::box:
    case CoreKind::ellipsoid:
      return shape.margin + (shape.planar ? std::min(x, y) : std::min({x, y, z}));
    case CoreKind::cylinder:
      return shape.margin + std::min(x, z);
    case CoreKind::cone:  // the inscribed circle of its section, base 2r, height 2z
      return shape.margin + 2 * x * z / (x + std::hypot(x, 2 * z));
    case CoreKind::polytope:
      return shape.margin + shape.polytope->inner_radius;
  }
  return 0;
}

}  // namespace pawl
