#pragma once
// Mass, centre and inertia of solids of density 1: in space by volume, in planar worlds by area.

#include <pawl/collision/shapes/convex.h>

namespace pawl {

struct MassProperties {
  double mass = 0;  // kg
  Vec3 center;      // m
  Mat3 inertia;     // about the centre, kg m²; planar: J · 1, of which only J about z ever acts
};

/// Of two bodies taken as one.
MassProperties operator+(const MassProperties& a, const MassProperties& b);

/// In the shape's frame, rounding radius included. Throws Error for an ellipsoid with a rounding radius,
/// unless it is a ball: there is no closed form.
MassProperties mass_properties(const Convex& shape);

/// A planar inertia J turns about z only; the other entries never act, and J there keeps the matrix regular.
inline Mat3 planar_inertia(double J) {
  return J * Mat3::identity();
}

/// Of a solid with three planes of symmetry: ∫ x² = mass · mean_square.x and so on.
MassProperties symmetric_mass_properties(double mass, const Vec3& mean_square, bool planar);

}  // namespace pawl
