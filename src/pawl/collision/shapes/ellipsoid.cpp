// Ellipsoids, and ellipses of planar worlds: Σ (x_i/half_i)² ≤ 1.

#include <algorithm>
#include <numbers>

#include <pawl/collision/shapes/aabb.h>
#include <pawl/collision/shapes/contact_feature.h>
#include <pawl/collision/shapes/core_ops.h>
#include <pawl/collision/shapes/mass_properties.h>
#include <pawl/error.h>

namespace pawl {

using namespace internal;

Convex Convex::ellipsoid(const Vec3& semi_axes, double rounding_radius, bool planar) {
  return {CoreKind::ellipsoid, planar, rounding_radius, semi_axes, nullptr};
}

}  // namespace pawl

namespace pawl::internal {

namespace {

constexpr double kPi = std::numbers::pi;

Vec3 farthest_point(const Convex& shape, int, const Vec3& d) {
  const Vec3& half = shape.half;
  const Vec3 scaled{half.x * d.x, half.y * d.y, half.z * d.z};
  const double length = norm(scaled);
  if (length == 0) return {};  // perpendicular to a planar ellipse: all points tie
  return Vec3{half.x * scaled.x, half.y * scaled.y, half.z * scaled.z} / length;
}

/// With E = diag(half²): h = sqrt(nᵀEn), ∇h = En/h = p, ∇²h = (E - p pᵀ)/h.
Mat3 derivative(const Convex& shape, int, const Vec3& n) {
  const Vec3& half = shape.half;
  const Vec3 p = farthest_point(shape, 0, n);
  const double h = dot(p, n);
  if (h <= 0) return {};
  return (1 / h) * (Mat3::diagonal({half.x * half.x, half.y * half.y, half.z * half.z}) - outer(p, p));
}

double min_semi_axis(const Convex& shape) {
  const auto [x, y, z] = shape.half;
  return shape.planar ? std::min(x, y) : std::min({x, y, z});
}

double largest_semi_axis(const Convex& shape) {
  return std::max({shape.half.x, shape.half.y, shape.half.z});
}

/// The minimum radius of curvature.
double rolling_radius_of(const Convex& shape) {
  const double least = min_semi_axis(shape);
  return least * least / largest_semi_axis(shape);
}

Aabb aabb(const Convex& shape, const Mat3& R) {
  const auto half_extent = [&](const Vec3& row) {
    return norm(Vec3{row.x * shape.half.x, row.y * shape.half.y, row.z * shape.half.z});
  };
  return aabb_about({}, {half_extent(R.row[0]), half_extent(R.row[1]), half_extent(R.row[2])});
}

MassProperties mass_properties_of(const Convex& shape) {
  const double rounding_radius = shape.rounding_radius;
  const bool is_ball = shape.half.x == shape.half.y && (shape.planar || shape.half.x == shape.half.z);
  if (rounding_radius > 0 && !is_ball) {
    throw Error(
        "an ellipsoid with a margin has no mass in closed form: leave out the margin, or give mass and "
        "inertia");
  }
  const Vec3 half = shape.half + rounding_radius * Vec3{1, 1, 1};
  const Vec3 squares{half.x * half.x, half.y * half.y, half.z * half.z};
  if (shape.planar) return symmetric_mass_properties(kPi * half.x * half.y, squares / 4, true);
  return symmetric_mass_properties(4.0 / 3.0 * kPi * half.x * half.y * half.z, squares / 5, false);
}

}  // namespace

extern const CoreOps kEllipsoidOps{
    .kind = CoreKind::ellipsoid,
    .name = "ellipsoid",
    .support =
        [](const Convex& shape, const Vec3& d, int) {
          return Support{farthest_point(shape, 0, d), 0};
        },
    .support_of_piece = farthest_point,
    .support_derivative = derivative,
    .core_radius = largest_semi_axis,
    .inner_radius = min_semi_axis,
    .rolling_radius = rolling_radius_of,
    .core_aabb = aabb,
    .mass_properties = mass_properties_of,
    .exposed_feature = [](const Convex&, const Vec3&, const Vec3&) { return CoreFeature::curve(0); },
};

}  // namespace pawl::internal
