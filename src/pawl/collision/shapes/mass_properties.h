#pragma once
// Mass properties of polytopes.

#include <pawl/collision/shapes/polytope.h>
#include <pawl/geometry.h>

namespace pawl::internal {

/// Of a polytope with faces, of density 1, grown by a rounding radius ≥ 0; planar ones by area.
MassProperties polytope_mass_properties(const Polytope& polytope, double rounding_radius, bool planar);

}  // namespace pawl::internal
