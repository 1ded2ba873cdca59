#pragma once
// Curvature: how the normal and the points of a contact move as its two shapes move.

#include <array>
#include <optional>

#include <pawl/collision/distance/separation.h>
#include <pawl/collision/manifold/manifold.h>
#include <pawl/collision/shapes/convex.h>

namespace pawl {

/// The motion of one shape, told at its witness point.
struct ShapeMotion {
  Vec3 velocity;  // of the material point there, m/s
  Vec3 spin;      // rad/s
};

/// Rates of a ManifoldPoint, per second.
struct ContactTimeDerivative {
  double gap = 0;
  Vec3 normal;
  Vec3 point_a, point_b;  // of the witnesses, which wander over the surfaces
};

/// The derivative of a ManifoldPoint by the motion of its shapes. With n the normal, w = (spin of a - of b) ×
/// n and c the velocity along the surface of a's point against b, the normal turns against b by
/// dn_dw w + dn_dc c, and b's point moves over b by dx_dw w + dx_dc c.
/// `dn_dc` is the Hessian of the gap by translations of a.
struct ContactKinematics {
  double gap = 0;  // m
  Vec3 normal;     // unit
  Mat3 dn_dw;      // 1
  Mat3 dn_dc;      // 1/m
  Mat3 dx_dw;      // m
  Mat3 dx_dc;      // 1

  ContactTimeDerivative time_derivative(const ShapeMotion& a, const ShapeMotion& b) const;
  /// Of the gap by translations, the larger first, 1/m: 1/(sum of both radii and the gap) along each
  /// principal direction. In the plane the second is 0.
  std::array<double, 2> principal_curvatures() const;
};

/// Of a point that collide gave for these shapes. None where the derivative does not exist (cores that
/// meet in a point, parallel lines and faces that name no vertex), or where the point is not that of two
/// features: a rim that leaves a face, cylinders side by side, polytopes of more than 2¹⁴ vertices.
std::optional<ContactKinematics> contact_kinematics(const PosedConvex& a, const PosedConvex& b,
                                                    const ManifoldPoint& point);
std::optional<ContactKinematics> contact_kinematics(const PosedConvex& a, const HalfSpace& b,
                                                    const ManifoldPoint& point);
/// Of what separation gave for these shapes.
std::optional<ContactKinematics> contact_kinematics(const PosedConvex& a, const PosedConvex& b,
                                                    const Separation& nearest);
std::optional<ContactKinematics> contact_kinematics(const PosedConvex& a, const HalfSpace& b,
                                                    const Separation& nearest);

}  // namespace pawl
