#pragma once
// Refuses masses outside double precision. Internal to model/.

#include <pawl/model/mass_properties.h>

namespace pawl::internal {

/// Throws SceneError if the mass properties of a body are unusable, and names the shape that causes it. A
/// moving body needs positive mass and moments of inertia which are finite, as are their inverses; a static
/// body needs finite values. A body without mass data passes.
void check_own_mass(const Scene& scene, const SceneBody& body, const MassProperties& own, bool moves);

/// The same for a moving body together with all bodies welded to it.
void check_rigid_mass(const Scene& scene, const SceneBody& body, const MassProperties& whole);

}  // namespace pawl::internal
