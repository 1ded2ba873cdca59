#pragma once
// Common parts of cores of revolution: circles about z, caps, straight sides.

#include <cmath>
#include <optional>
#include <span>

#include <pawl/collision/shapes/contact_feature.h>
#include <pawl/collision/shapes/core_ops.h>
#include <pawl/collision/shapes/mass_properties.h>

namespace pawl::internal {

/// The support point of a circle. Along its axis all points tie.
inline Vec3 circle_support(const Rim& rim, const Vec3& d) {
  const double across = std::sqrt(d.x * d.x + d.y * d.y);
  if (across == 0) return {rim.radius, 0, rim.height};
  return {rim.radius * (d.x / across), rim.radius * (d.y / across), rim.height};
}
/// The derivative of circle_support with respect to the direction, at a unit vector.
inline Mat3 circle_support_derivative(double radius, const Vec3& n) {
  const double across = std::sqrt(n.x * n.x + n.y * n.y);
  if (across == 0) return {};
  const Vec3 tangent{-n.y / across, n.x / across, 0};
  return (radius / across) * outer(tangent, tangent);
}

/// Half extents of the AABB of a disc with the unit axis `axis`.
Vec3 disc_half_extents(const Vec3& axis, double radius);

/// The cap bounded by a rim; `up` is 1 for the upper cap, -1 for the lower.
inline FlatFace cap_face(const Rim& rim, double up) {
  return {{0, 0, up}, {0, 0, rim.height}, -1, nullptr, rim.radius};
}
/// See CoreOps::distance_inside_face.
double distance_inside_cap(const Convex& shape, const FlatFace& face, const Vec3& x);
/// See CoreOps::visit_face_normals; visits the axis with both signs.
void visit_cap_normals(const Convex& shape, const Mat3& R, double sign, VectorVisitor visit);

/// The straight line through `witness` on the side between two rims of different radii. A circle of radius ρ
/// on a slanted surface has the normal curvature across/ρ (Meusnier). Here `across` is the length of the
/// normal's component in the circle's plane.
CoreFeature slanted_side(const Rim& below, const Rim& above, const Vec3& outward, const Vec3& witness);

/// Part of a profile: an arc about (r, z). Angles are measured from the radial direction towards +z.
struct ProfileArc {
  double r, z, from, to;  // m, m, rad, rad
};

/// Mass properties of the solid whose profile consists of arcs of radius `rounding_radius`, from bottom to
/// top, joined by straight lines. Computed by quadrature, exact to rounding.
MassProperties solid_of_revolution(std::span<const ProfileArc> arcs, double rounding_radius);

}  // namespace pawl::internal
