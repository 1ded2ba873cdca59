// Cones about z: the base of radius half.x at z = -half.z, the apex at z = half.z.

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

Convex Convex::cone(double radius, double half_height, double rounding_radius) {
  return {CoreKind::cone, false, rounding_radius, {radius, radius, half_height}, nullptr};
}

}  // namespace pawl

namespace pawl::internal {

namespace {

constexpr double kPi = std::numbers::pi;

/// Piece 0 is the rim of the base, piece 1 the apex.
Rim rim(const Convex& shape, int piece) {
  return piece == 1 ? Rim{0, shape.half.z} : Rim{shape.half.x, -shape.half.z};
}

Vec3 farthest_of_piece(const Convex& shape, int piece, const Vec3& d) {
  return piece == 1 ? Vec3{0, 0, shape.half.z} : circle_support(rim(shape, 0), d);
}

Support farthest(const Convex& shape, const Vec3& d, int) {
  const bool apex = 2 * shape.half.z * d.z > shape.half.x * std::sqrt(d.x * d.x + d.y * d.y);
  const int piece = apex ? 1 : 0;
  return {farthest_of_piece(shape, piece, d), piece};
}

Mat3 derivative(const Convex& shape, int piece, const Vec3& n) {
  return piece == 0 ? circle_support_derivative(shape.half.x, n) : Mat3{};
}

double slant(const Convex& shape) {
  const double radius = shape.half.x, h = shape.half.z;
  return std::sqrt(radius * radius + 4 * h * h);
}

double inscribed_radius_at(const Convex& shape, const Vec3& x) {
  const double radius = shape.half.x, h = shape.half.z, across = std::sqrt(x.x * x.x + x.y * x.y);
  return std::min(x.z + h, ((h - x.z) * radius - 2 * h * across) / slant(shape));
}

/// Radius of the inscribed circle of the axial section, a triangle with base 2r and height 2h.
double inner_radius_of(const Convex& shape) {
  const double r = shape.half.x, h = shape.half.z;
  return 2 * r * h / (r + std::hypot(r, 2 * h));
}

Aabb aabb(const Convex& shape, const Mat3& R) {
  const Vec3 axis = column(R, 2), apex = shape.half.z * axis;
  return merge(aabb_about(-apex, disc_half_extents(axis, shape.half.x)), {apex, apex});
}

/// The centre of mass lies a quarter of the height above the base.
MassProperties mass_properties_of(const Convex& shape) {
  const double r = shape.half.x, half_height = shape.half.z;
  if (shape.rounding_radius != 0) {
    const double slope = std::atan2(r, 2 * half_height);  // elevation of the side's normal
    const ProfileArc arcs[] = {{r, -half_height, -kPi / 2, slope}, {0, half_height, slope, kPi / 2}};
    return solid_of_revolution(arcs, shape.rounding_radius);
  }
  const double r2 = r * r, h = 2 * half_height;
  MassProperties solid =
      symmetric_mass_properties(kPi * r2 * h / 3, {3 * r2 / 20, 3 * r2 / 20, 3 * h * h / 80}, false);
  solid.center.z = -half_height / 2;
  return solid;
}

CoreFeature side(const Convex& shape, const Vec3& outward, const Vec3& witness) {
  return slanted_side(rim(shape, 0), rim(shape, 1), outward, witness);
}

CoreFeature exposed(const Convex& shape, const Vec3& outward, const Vec3& witness) {
  const double across = std::sqrt(outward.x * outward.x + outward.y * outward.y);
  if (across <= kTilt && outward.z < 0) return CoreFeature::face();
  const double over_apex = 2 * shape.half.z * outward.z - shape.half.x * across;
  if (std::abs(over_apex) <= kTilt * slant(shape)) return side(shape, outward, witness);
  return over_apex > 0 ? CoreFeature::vertex() : CoreFeature::curve(0);
}

/// 0 if the base is better aligned with the direction than the side is, else -1.
int facing_cap(const Convex& shape, const Vec3& d) {
  const double radius = shape.half.x, h = shape.half.z, across = std::sqrt(d.x * d.x + d.y * d.y);
  return (2 * h * across + radius * d.z) / slant(shape) > -d.z ? -1 : 0;
}

void patch_towards(const Convex& shape, const Pose& X, const Vec3& d, Patch& patch) {
  facing_cap(shape, d) < 0 ? set_side_patch(rim(shape, 0), rim(shape, 1), X, d, patch)
                           : set_cap_patch(rim(shape, 0), X, 0, patch);
}

std::optional<FlatFace> base(const Convex& shape, const Vec3&) {
  return cap_face(rim(shape, 0), -1);
}

}  // namespace

extern const CoreOps kConeOps{
    .kind = CoreKind::cone,
    .name = "cone",
    .support = farthest,
    .support_of_piece = farthest_of_piece,
    .support_derivative = derivative,
    .core_radius =
        [](const Convex& shape) {
          return std::sqrt(shape.half.x * shape.half.x + shape.half.z * shape.half.z);
        },
    .inner_radius = inner_radius_of,
    .inscribed_radius = inscribed_radius_at,
    .core_aabb = aabb,
    .mass_properties = mass_properties_of,
    .exposed_feature = exposed,
    .side_feature = side,
    .facing_face = facing_cap,
    .facing_patch = patch_towards,
    .rim = rim,
    .face_towards = base,
    .distance_inside_face = distance_inside_cap,
    .visit_face_normals = visit_cap_normals,
};

}  // namespace pawl::internal
