#include <pawl/collision/shapes/mass_properties.h>

#include <cmath>
#include <numbers>

#include <pawl/error.h>

#include <pawl/collision/shapes/moments.h>
#include <pawl/collision/shapes/revolution.h>

namespace pawl {

using namespace internal;

namespace {

constexpr double kPi = std::numbers::pi;

/// A planar inertia J turns about z only; the other entries never act, and J there keeps the matrix regular.
Mat3 planar_inertia(double J) {
  return J * Mat3::identity();
}

/// Of a shape that its three planes of symmetry cut alike: ∫ x² = mass · spread.x and so on.
MassProperties symmetric_mass_properties(double mass, const Vec3& mean_square, bool planar) {
  const auto [x, y, z] = mass * mean_square;
  return {mass, {}, planar ? planar_inertia(x + y) : Mat3::diagonal({y + z, x + z, x + y})};
}

Vec3 squares(const Vec3& a) {
  return {a.x * a.x, a.y * a.y, a.z * a.z};
}

MassProperties box_mass_properties(const Vec3& half, bool planar) {
  return symmetric_mass_properties(planar ? 4 * half.x * half.y : 8 * half.x * half.y * half.z,
                                   squares(half) / 3, planar);
}

MassProperties ellipsoid_mass_properties(const Vec3& half, bool planar) {
  if (planar) return symmetric_mass_properties(kPi * half.x * half.y, squares(half) / 4, true);
  return symmetric_mass_properties(4.0 / 3.0 * kPi * half.x * half.y * half.z, squares(half) / 5, false);
}

MassProperties cylinder_mass_properties(double radius, double half_height) {
  const double r2 = radius * radius;
  return symmetric_mass_properties(2 * kPi * r2 * half_height,
                                   {r2 / 4, r2 / 4, half_height * half_height / 3}, false);
}

/// Its centre is a quarter of its height over the base.
MassProperties cone_mass_properties(double radius, double half_height) {
  const double r2 = radius * radius, h = 2 * half_height;
  MassProperties solid =
      symmetric_mass_properties(kPi * r2 * h / 3, {3 * r2 / 20, 3 * r2 / 20, 3 * h * h / 80}, false);
  solid.center.z = -half_height / 2;
  return solid;
}

MassProperties capsule_mass_properties(double r, double half, bool planar) {
  const double length = 2 * half;
  if (planar) {  // a rectangle and a disc cut in two; 4r/3π: a half disc's centre
    const double m_box = length * 2 * r;
    const double m_disc = kPi * r * r;
    const double c = 4 * r / (3 * kPi);
    const double J_disc = m_disc * (0.5 * r * r - c * c + (half + c) * (half + c));
    return {m_box + m_disc, {}, planar_inertia(m_box * (length * length + 4 * r * r) / 12 + J_disc)};
  }
  // A cylinder along z and a ball cut in two; 3r/8: a half ball's centre.
  const double m_cyl = kPi * r * r * length;
  const double m_ball = 4.0 / 3.0 * kPi * r * r * r;
  const double c = 0.375 * r;
  const double along = m_cyl * 0.5 * r * r + m_ball * 0.4 * r * r;
  const double across = m_cyl * (0.25 * r * r + length * length / 12) +
                        m_ball * (0.4 * r * r - c * c + (half + c) * (half + c));
  return {m_cyl + m_ball, {}, Mat3::diagonal({across, across, along})};
}

/// Inertia about another point: + m (|d|² 1 - d dᵀ).
Mat3 parallel_axis(const Mat3& inertia, double mass, const Vec3& d) {
  return inertia + mass * (dot(d, d) * Mat3::identity() - outer(d, d));
}

}  // namespace

MassProperties operator+(const MassProperties& a, const MassProperties& b) {
  const double mass = a.mass + b.mass;
  if (!(mass > 0)) return {};
  const Vec3 center = (a.mass * a.center + b.mass * b.center) / mass;
  return {mass, center,
          parallel_axis(a.inertia, a.mass, a.center - center) +
              parallel_axis(b.inertia, b.mass, b.center - center)};
}

MassProperties mass_properties(const Convex& shape) {
  const auto& [core, planar, rounding_radius, half, polytope] = shape;
  switch (core) {
    case CoreKind::point:
      return ellipsoid_mass_properties({rounding_radius, rounding_radius, rounding_radius}, planar);
    case CoreKind::segment:
      return capsule_mass_properties(rounding_radius, planar ? half.x : half.z, planar);
    case CoreKind::box:
      return rounding_radius == 0 ? box_mass_properties(half, planar)
                                  : polytope_mass_properties(make_box(half, planar), rounding_radius, planar);
    case CoreKind::polytope:
      return polytope_mass_properties(*polytope, rounding_radius, planar);
    case CoreKind::ellipsoid:
      if (rounding_radius > 0 && (half.x != half.y || (!planar && half.x != half.z))) {
        throw Error(
            "an ellipsoid with a margin has no mass in closed form: leave out the margin, or give mass and "
            "inertia");
      }
      return ellipsoid_mass_properties(half + rounding_radius * Vec3{1, 1, 1}, planar);
    case CoreKind::cylinder:
      return rounding_radius == 0 ? cylinder_mass_properties(half.x, half.z)
                                  : rounded_cylinder(half.x, half.z, rounding_radius);
    case CoreKind::cone:
      return rounding_radius == 0 ? cone_mass_properties(half.x, half.z)
                                  : rounded_cone(half.x, half.z, rounding_radius);
  }
  return {};
}

}  // namespace pawl
