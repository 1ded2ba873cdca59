// Boxes, and rectangles of planar worlds: |x_i| ≤ half_i.

#include <algorithm>
#include <cmath>

#include <pawl/collision/shapes/aabb.h>
#include <pawl/collision/shapes/box_support.h>
#include <pawl/collision/shapes/contact_feature.h>
#include <pawl/collision/shapes/core_ops.h>
#include <pawl/collision/shapes/polytope_mass_properties.h>
#include <pawl/collision/shapes/polytope_patch.h>

namespace pawl {

using namespace internal;

Convex Convex::box(const Vec3& half, double rounding_radius, bool planar) {
  return {CoreKind::box, planar, rounding_radius, half,
          std::make_shared<const Polytope>(make_box(half, planar))};
}

}  // namespace pawl

namespace pawl::internal {

namespace {

/// Bit i of the index is set if coordinate i (x, y, z) is positive.
Vec3 corner(const Vec3& half, int bits) {
  return {bits & 1 ? half.x : -half.x, bits & 2 ? half.y : -half.y, bits & 4 ? half.z : -half.z};
}

Support farthest(const Convex& shape, const Vec3& d, int) {
  const int bits = (d.x > 0 ? 1 : 0) | (d.y > 0 ? 2 : 0) | (d.z > 0 ? 4 : 0);
  return {corner(shape.half, bits), bits};
}

double inner_radius_of(const Convex& shape) {
  const auto [x, y, z] = shape.half;
  return shape.planar ? std::min(x, y) : std::min({x, y, z});
}

double inscribed_radius_at(const Convex& shape, const Vec3& x) {
  const Vec3& half = shape.half;
  const double across = std::min(half.x - std::abs(x.x), half.y - std::abs(x.y));
  return shape.planar ? across : std::min(across, half.z - std::abs(x.z));
}

Aabb aabb(const Convex& shape, const Mat3& R) {
  const auto half_extent = [&](const Vec3& row) { return dot(absolute(row), shape.half); };
  return aabb_about({}, {half_extent(R.row[0]), half_extent(R.row[1]), half_extent(R.row[2])});
}

MassProperties mass_properties_of(const Convex& shape) {
  const auto& [x, y, z] = shape.half;
  if (shape.rounding_radius != 0)
    return polytope_mass_properties(*shape.polytope, shape.rounding_radius, shape.planar);
  return symmetric_mass_properties(shape.planar ? 4 * x * y : 8 * x * y * z, Vec3{x * x, y * y, z * z} / 3,
                                   shape.planar);
}

CoreFeature exposed(const Convex&, const Vec3& outward, const Vec3&) {
  int ways = 0;
  Vec3 along;
  for (int i = 0; i < 3; ++i) {
    if (std::abs(outward[i]) > kTilt) continue;
    ++ways;
    along = {};
    along[i] = 1;
  }
  return CoreFeature::flat(ways, along);
}

std::optional<FlatFace> highest_face(const Convex& shape, const Vec3& x) {
  int axis = 0;
  for (int i = 1; i < 3; ++i) {
    if (std::abs(x[i]) - shape.half[i] > std::abs(x[axis]) - shape.half[axis]) axis = i;
  }
  FlatFace face;
  face.normal[axis] = x[axis] > 0 ? 1 : -1;
  face.center[axis] = face.normal[axis] * shape.half[axis];
  face.axis = axis;
  face.of = &shape.polytope->faces[2 * axis + (x[axis] > 0 ? 1 : 0)];
  return face;
}

double distance_inside(const Convex& shape, const FlatFace& face, const Vec3& x) {
  const int i = (face.axis + 1) % 3, j = (face.axis + 2) % 3;
  return std::min(shape.half[i] - std::abs(x[i]), shape.half[j] - std::abs(x[j]));
}

void visit_normals(const Convex& shape, const Mat3& R, double, VectorVisitor visit) {
  for (int axis = 0; axis < (shape.planar ? 2 : 3); ++axis) {
    visit(column(R, axis));
    visit(-column(R, axis));
  }
}

}  // namespace

extern const CoreOps kBoxOps{
    .kind = CoreKind::box,
    .name = "box",
    .support = farthest,
    .support_of_piece = [](const Convex& shape, int piece, const Vec3&) { return corner(shape.half, piece); },
    .support_near = box_support_near,
    .core_radius = [](const Convex& shape) { return shape.polytope->outer_radius; },
    .inner_radius = inner_radius_of,
    .inscribed_radius = inscribed_radius_at,
    .core_aabb = aabb,
    .mass_properties = mass_properties_of,
    .exposed_feature = exposed,
    .edge_direction = polytope_edge_direction,
    .facing_face = polytope_facing_face,
    .facing_patch = polytope_facing_patch,
    .face_towards = highest_face,
    .distance_inside_face = distance_inside,
    .visit_face_normals = visit_normals,
    .line_axes_begin = 0,
    .line_axes_end = 3,
};

}  // namespace pawl::internal
