#pragma once
// Mass, centre of mass and inertia of a body from its shapes.

#include <pawl/collision/shapes/mass_properties.h>
#include <pawl/scene.h>

namespace pawl::internal {

/// The mass properties of one shape of the given density (kg/m³, planar: kg/m²), in its body's frame.
/// Half-spaces and surfaces have mass 0.
MassProperties mass_properties(const SceneShape& shape, double density, Dimension dimension);

/// The mass properties of a scene body, from its mass and inertia, its mass and shapes, or its densities.
MassProperties mass_properties(const SceneBody& body, Dimension dimension);

}  // namespace pawl::internal
