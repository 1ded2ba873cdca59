// Cylinders about z: radius half.x, height 2 half.z.

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

Convex Convex::cylinder(double radius, double half_height, double rounding_radius) {
  return {CoreKind::cylinder, false, rounding_radius, {radius, radius, half_height}, nullptr};
}

}  // namespace pawl

namespace pawl::internal {

namespace {

constexpr double kPi = std::numbers::pi;

/// Piece 0 is the lower rim, piece 1 the upper rim.
Rim rim(const Convex& shape, int piece) {
  return {shape.half.x, piece == 1 ? shape.half.z : -shape.half.z};
}

Vec3 farthest_of_rim(const Convex& shape, int piece, const Vec3& d) {
  return circle_support(rim(shape, piece), d);
}

Support farthest(const Convex& shape, const Vec3& d, int) {
  const int piece = d.z > 0 ? 1 : 0;
  return {farthest_of_rim(shape, piece, d), piece};
}

Mat3 derivative(const Convex& shape, int, const Vec3& n) {
  return circle_support_derivative(shape.half.x, n);
}

Vec3 farthest_near(const Convex& shape, const Vec3& d, const Vec3& target, double rounding) {
  const double radius = shape.half.x, h = shape.half.z, across = std::sqrt(d.x * d.x + d.y * d.y);
  const double z = h * std::abs(d.z) <= rounding ? std::clamp(target.z, -h, h) : d.z > 0 ? h : -h;
  if (radius * across > rounding) return {radius * (d.x / across), radius * (d.y / across), z};
  const double out = std::max(std::sqrt(target.x * target.x + target.y * target.y) / radius, 1.0);
  return {target.x / out, target.y / out, z};
}

double inscribed_radius_at(const Convex& shape, const Vec3& x) {
  return std::min(shape.half.x - std::sqrt(x.x * x.x + x.y * x.y), shape.half.z - std::abs(x.z));
}

Aabb aabb(const Convex& shape, const Mat3& R) {
  const Vec3 axis = column(R, 2);
  return aabb_about({}, absolute(shape.half.z * axis) + disc_half_extents(axis, shape.half.x));
}

MassProperties mass_properties_of(const Convex& shape) {
  const double r = shape.half.x, h = shape.half.z;
  if (shape.rounding_radius != 0) {
    const ProfileArc arcs[] = {{r, -h, -kPi / 2, 0}, {r, h, 0, kPi / 2}};
    return solid_of_revolution(arcs, shape.rounding_radius);
  }
  const double r2 = r * r;
  return symmetric_mass_properties(2 * kPi * r2 * h, {r2 / 4, r2 / 4, h * h / 3}, false);
}

CoreFeature side(const Convex& shape, const Vec3&, const Vec3&) {
  return CoreFeature::line({0, 0, 1}, shape.half.x);
}

CoreFeature exposed(const Convex& shape, const Vec3& outward, const Vec3& witness) {
  if (std::abs(outward.z) <= kTilt) return side(shape, outward, witness);
  if (outward.x * outward.x + outward.y * outward.y <= kTilt * kTilt) return CoreFeature::face();
  return CoreFeature::curve(outward.z > 0 ? 1 : 0);
}

/// The cap better aligned with the direction than the side is (0 lower, 1 upper), else -1.
int facing_cap(const Convex&, const Vec3& d) {
  const double across = std::sqrt(d.x * d.x + d.y * d.y);
  return std::abs(d.z) < across ? -1 : d.z > 0 ? 1 : 0;
}

void patch_towards(const Convex& shape, const Pose& X, const Vec3& d, Patch& patch) {
  const int cap = facing_cap(shape, d);
  cap < 0 ? set_side_patch(rim(shape, 0), rim(shape, 1), X, d, patch)
          : set_cap_patch(rim(shape, cap), X, cap, patch);
}

std::optional<FlatFace> cap_towards(const Convex& shape, const Vec3& x) {
  return cap_face(rim(shape, x.z > 0 ? 1 : 0), x.z > 0 ? 1 : -1);
}

}  // namespace

extern const CoreOps kCylinderOps{
    .kind = CoreKind::cylinder,
    .name = "cylinder",
    .support = farthest,
    .support_of_piece = farthest_of_rim,
    .support_derivative = derivative,
    .support_near = farthest_near,
    .core_radius =
        [](const Convex& shape) {
          return std::sqrt(shape.half.x * shape.half.x + shape.half.z * shape.half.z);
        },
    .inner_radius = [](const Convex& shape) { return std::min(shape.half.x, shape.half.z); },
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
    .line_axes_begin = 2,
    .line_axes_end = 3,
};

}  // namespace pawl::internal
