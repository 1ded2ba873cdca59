#pragma once
// Mass properties of polytopes with a rounding radius.

#include <pawl/collision/shapes/mass_properties.h>
#include <pawl/collision/shapes/polytope.h>

namespace pawl::internal {

/// Mass properties of a polytope grown by a rounding radius ≥ 0. The polytope must have faces; it may be
/// flat.
MassProperties polytope_mass_properties(const Polytope& polytope, double rounding_radius, bool planar);

}  // namespace pawl::internal
