#pragma once
// Masses that doubles do not hold. Internal to model/.

#include <pawl/model/mass_properties.h>

namespace pawl::internal {

/// Throws SceneError where what a body weighs by itself is no use: for one that moves, unless mass and
/// moments of inertia are positive and they and their inverses finite; for one that does not, unless all is
/// finite. Names the shape it comes from. A body that says nothing of its mass passes.
void check_own_mass(const Scene& scene, const SceneBody& body, const MassProperties& own, bool moves);

/// The same for a body that moves, with all that welds hold to it.
void check_rigid_mass(const Scene& scene, const SceneBody& body, const MassProperties& whole);

}  // namespace pawl::internal
