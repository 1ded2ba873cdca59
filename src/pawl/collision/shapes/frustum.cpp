// Frustums (truncated cones) about z: the base of radius half.x at z = -half.z, the top of radius half.y at
// z = half.z.

#include <algorithm>
#include <cmath>
#include <numbers>

#include <pawl/collision/shapes/aabb.h>
#include <pawl/collision/shapes/contact_feature.h>
#include <pawl/collision/shapes/contact_patch.h>
#include <pawl/collision/shapes/core_ops.h>
#include <pawl/collision/shapes/revolution.h>

namespace pawl {

using namespace internal;

Convex Convex::frustum(double radius, double top_radius, double half_height, double rounding_radius) {
  return {CoreKind::frustum, false, rounding_radius, {radius, top_radius, half_height}, nullptr};
}

}  // namespace pawl

namespace pawl::internal {

namespace {

/// Piece 0 is the rim of the base, piece 1 the rim of the top.
Rim rim(const Convex& shape, int piece) {
  return piece == 1 ? Rim{shape.half.y, shape.half.z} : Rim{shape.half.x, -shape.half.z};
}

double length_across(const Vec3& v) {
  return std::sqrt(v.x * v.x + v.y * v.y);
}

/// Radius of the base minus radius of the top, m.
double taper(const Convex& shape) {
  return shape.half.x - shape.half.y;
}

/// Length of the side from rim to rim, m.
double slant(const Convex& shape) {
  const double t = taper(shape), h = shape.half.z;
  return std::sqrt(t * t + 4 * h * h);
}

/// The support function of the top minus that of the base.
double top_over_base(const Convex& shape, const Vec3& d) {
  return 2 * shape.half.z * d.z - taper(shape) * length_across(d);
}

Vec3 farthest_of_rim(const Convex& shape, int piece, const Vec3& d) {
  return circle_support(rim(shape, piece), d);
}

Support farthest(const Convex& shape, const Vec3& d, int) {
  const int piece = top_over_base(shape, d) > 0 ? 1 : 0;
  return {farthest_of_rim(shape, piece, d), piece};
}

Mat3 derivative(const Convex& shape, int piece, const Vec3& n) {
  return circle_support_derivative(rim(shape, piece).radius, n);
}

Vec3 farthest_near(const Convex& shape, const Vec3& d, const Vec3& target, double rounding) {
  const Rim nearest = rim(shape, top_over_base(shape, d) > 0 ? 1 : 0);
  if (nearest.radius * length_across(d) > rounding) return circle_support(nearest, d);
  const double out = std::max(length_across(target) / nearest.radius, 1.0);
  return {target.x / out, target.y / out, nearest.height};
}

double core_radius_of(const Convex& shape) {
  return std::hypot(std::max(shape.half.x, shape.half.y), shape.half.z);
}

/// Radius of a ball that touches the wider cap and the side, or both caps.
double inner_radius_of(const Convex& shape) {
  const double wide = std::max(shape.half.x, shape.half.y), h = shape.half.z;
  return std::min(h, 2 * h * wide / (slant(shape) + std::abs(taper(shape))));
}

double inscribed_radius_at(const Convex& shape, const Vec3& x) {
  const auto [base, top, h] = shape.half;
  const double inside_side = ((h - x.z) * base + (h + x.z) * top - 2 * h * length_across(x)) / slant(shape);
  return std::min(h - std::abs(x.z), inside_side);
}

Aabb aabb(const Convex& shape, const Mat3& R) {
  const Vec3 axis = column(R, 2), top = shape.half.z * axis;
  return merge(aabb_about(-top, disc_half_extents(axis, shape.half.x)),
               aabb_about(top, disc_half_extents(axis, shape.half.y)));
}

MassProperties mass_properties_of(const Convex& shape) {
  constexpr double kRight = std::numbers::pi / 2;
  const auto [base, top, h] = shape.half;
  const double slope = std::atan2(taper(shape), 2 * h);  // elevation of the side's normal
  const ProfileArc arcs[] = {{base, -h, -kRight, slope}, {top, h, slope, kRight}};
  return solid_of_revolution(arcs, shape.rounding_radius);
}

CoreFeature side(const Convex& shape, const Vec3& outward, const Vec3& witness) {
  return slanted_side(rim(shape, 0), rim(shape, 1), outward, witness);
}

CoreFeature exposed(const Convex& shape, const Vec3& outward, const Vec3& witness) {
  if (length_across(outward) <= kTilt) return CoreFeature::face();
  const double over_base = top_over_base(shape, outward);
  if (std::abs(over_base) <= kTilt * slant(shape)) return side(shape, outward, witness);
  return CoreFeature::curve(over_base > 0 ? 1 : 0);
}

/// The cap (0 base, 1 top) if it is better aligned with the direction than the side is, else -1.
int facing_cap(const Convex& shape, const Vec3& d) {
  const double along_side = (2 * shape.half.z * length_across(d) + taper(shape) * d.z) / slant(shape);
  return along_side > std::abs(d.z) ? -1 : d.z > 0 ? 1 : 0;
}

void patch_towards(const Convex& shape, const Pose& X, const Vec3& d, Patch& patch) {
  const int cap = facing_cap(shape, d);
  cap < 0 ? set_side_patch(rim(shape, 0), rim(shape, 1), X, d, patch)
          : set_cap_patch(rim(shape, cap), X, cap, patch);
}

std::optional<FlatFace> cap_towards(const Convex& shape, const Vec3& x) {
  return x.z > 0 ? cap_face(rim(shape, 1), 1) : cap_face(rim(shape, 0), -1);
}

}  // namespace

extern const CoreOps kFrustumOps{
    .kind = CoreKind::frustum,
    .name = "frustum",
    .support = farthest,
    .support_of_piece = farthest_of_rim,
    .support_derivative = derivative,
    .support_near = farthest_near,
    .core_radius = core_radius_of,
    .inner_radius = inner_radius_of,
    .inscribed_radius = inscribed_radius_at,
    .core_aabb = aabb,
    .mass_properties = mass_properties_of,
    .exposed_feature = exposed,
    .side_feature = side,
    .facing_face = facing_cap,
    .facing_patch = patch_towards,
    .rim = rim,
    .face_towards = cap_towards,
    .distance_inside_face = distance_inside_cap,
    .visit_face_normals = visit_cap_normals,
};

}  // namespace pawl::internal
