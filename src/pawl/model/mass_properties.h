#pragma once
// Mass, centre and inertia of a body from its shapes.

#include <pawl/collision/shapes/mass_properties.h>
#include <pawl/scene.h>

namespace pawl::internal {

/// Of one shape filled with `density` (kg/m³, planar: kg/m²), in its body's frame. Half-spaces and
/// surfaces have none: mass 0.
MassProperties mass_properties(const SceneShape& shape, double density, Dimension dimension);

/// Of a scene body, from what it gives: mass and inertia, mass and shapes, or densities.
MassProperties mass_properties(const SceneBody& body, Dimension dimension);

}  // namespace pawl::internal
