#pragma once
// Helpers for mass properties of density 1: by volume in space, by area in planar worlds.

#include <pawl/geometry.h>

namespace pawl::internal {

/// A planar inertia J acts about z only; J on the whole diagonal keeps the matrix regular.
inline Mat3 planar_inertia(double J) {
  return J * Mat3::identity();
}

/// Of a solid with three planes of symmetry: ∫ x² = mass · mean_square.x and so on.
MassProperties symmetric_mass_properties(double mass, const Vec3& mean_square, bool planar);

}  // namespace pawl::internal
