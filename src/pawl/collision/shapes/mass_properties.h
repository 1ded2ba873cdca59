#pragma once
// Helpers for mass properties at density 1: per volume in space, per area in planar worlds.

#include <pawl/geometry.h>

namespace pawl::internal {

/// A planar inertia J acts about z only; J on the whole diagonal keeps the matrix non-singular.
inline Mat3 planar_inertia(double J) {
  return J * Mat3::identity();
}

/// Mass properties of a solid with three planes of symmetry: ∫ x² = mass · mean_square.x, same for y and z.
MassProperties symmetric_mass_properties(double mass, const Vec3& mean_square, bool planar);

}  // namespace pawl::internal
