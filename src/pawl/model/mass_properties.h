#pragma once
// Mass, centre and inertia of a body from its shapes.

#include <pawl/scene/scene.h>

namespace pawl {

struct MassProperties {
  double mass = 0;  // kg
  Vec3 center;      // m
  Mat3 inertia;     // about the centre, kg m²
};

/// Of one shape filled with `density` (kg/m³, planar: kg/m²), in its body's frame. A half-space has none:
/// mass 0.
MassProperties mass_properties(const SceneShape& shape, double density, Dimension dimension);

/// Of two bodies taken as one.
MassProperties operator+(const MassProperties& a, const MassProperties& b);

/// Of a scene body, from what it gives: mass and inertia, mass and shapes, or densities.
MassProperties mass_properties(const SceneBody& body, Dimension dimension);

}  // namespace pawl
