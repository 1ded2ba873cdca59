#pragma once
// What cores of revolution share: circles about z, caps, straight sides. Internal to collision/.

#include <cmath>
#include <optional>
#include <span>

#include <pawl/collision/shapes/contact_feature.h>
#include <pawl/collision/shapes/core_ops.h>
#include <pawl/collision/shapes/mass_properties.h>

namespace pawl::internal {

/// The farthest point of a circle. Along its axis all points are as far.
inline Vec3 circle_support(const Rim& rim, const Vec3& d) {
  const double across = std::sqrt(d.x * d.x + d.y * d.y);
  if (across == 0) return {rim.radius, 0, rim.height};
  return {rim.radius * (d.x / across), rim.radius * (d.y / across), rim.height};
}
/// Its derivative by the direction, at a unit vector.
inline Mat3 circle_support_derivative(double radius, const Vec3& n) {
  const double across = std::sqrt(n.x * n.x + n.y * n.y);
  if (across == 0) return {};
  const Vec3 tangent{-n.y / across, n.x / across, 0};
  return (radius / across) * outer(tangent, tangent);
}

/// Half the bounding box of a disc whose axis is the unit vector `axis`.
Vec3 disc_half_extents(const Vec3& axis, double radius);

/// The cap within a rim; `up`: 1 for the cap above, -1 for the one below.
inline FlatFace cap_face(const Rim& rim, double up) {
  return {{0, 0, up}, {0, 0, rim.height}, -1, nullptr, rim.radius};
}
/// As CoreOps::distance_inside_face.
double distance_inside_cap(const Convex& shape, const FlatFace& face, const Vec3& x);
/// As CoreOps::visit_face_normals: the axis both ways.
void visit_cap_normals(const Convex& shape, const Mat3& R, double sign, VectorVisitor visit);

/// The straight line through `witness` on the side between two rims of different radii. A circle of radius ρ
/// on a slanted surface has the normal curvature |across|/ρ (Meusnier), with `across` the part of the normal
/// in the circle's plane.
CoreFeature slanted_side(const Rim& below, const Rim& above, const Vec3& outward, const Vec3& witness);

/// Part of a profile: an arc around (r, z), angles from the radial direction up.
struct ProfileArc {
  double r, z, from, to;  // m, m, rad, rad
};

/// The solid whose profile is made of arcs of radius `rounding_radius`, from bottom to top, and of the
/// straight lines that join them. By quadrature, to rounding.
MassProperties solid_of_revolution(std::span<const ProfileArc> arcs, double rounding_radius);

}  // namespace pawl::internal
