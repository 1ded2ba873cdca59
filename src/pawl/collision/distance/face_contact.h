#pragma once
// Face contacts of cores that are proven optimal without a search over directions.

#include <optional>

#include <pawl/collision/distance/separating_direction.h>

namespace pawl::internal {

/// The face with the largest signed height of x above its plane; nullopt if the shape has no flat face.
std::optional<FlatFace> face_towards(const Convex& shape, const Vec3& x);

/// The separating direction along the normal of a flat face of one core, with the other core's support point.
/// Returns nullopt where optimality is not proven; the direction may still be optimal.
std::optional<SeparatingDirection> optimum_on_a_face(const CorePair& pair);

/// True if no direction gives overlapping cores a smaller penetration depth. The test uses the depth of each
/// witness point within the other core. It is sufficient only: false proves nothing.
bool is_proven_optimal(const CorePair& pair, const SeparatingDirection& optimum);

}  // namespace pawl::internal
