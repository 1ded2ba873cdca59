#pragma once
// Mass, centre and inertia of polytopes with rounded edges.

#include <pawl/collision/shapes/mass_properties.h>
#include <pawl/collision/shapes/polytope.h>

namespace pawl::internal {

/// Of a polytope that has faces, flat or not, grown on all sides by a rounding radius, which may be 0.
MassProperties polytope_mass_properties(const Polytope& polytope, double rounding_radius, bool planar);

}  // namespace pawl::internal
