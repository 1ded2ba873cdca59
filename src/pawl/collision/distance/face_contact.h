#pragma once
// Contacts of curved cores that are proven to be the best ones without a search.

#include <optional>

#include <pawl/collision/distance/separating_direction.h>

namespace pawl::internal {

/// The face over which a point lies the highest; none: all of the shape is round.
std::optional<FlatFace> face_towards(const Convex& shape, const Vec3& x);

/// The optimum where a flat face of one core meets the farthest point of the other, if this is proven to be
/// the best of all; none: it may yet be.
std::optional<SeparatingDirection> optimum_on_a_face(const CorePair& pair);

/// Whether no direction separates cores that overlap by less, seen from how far the two points lie within the
/// other core; false: one may yet.
bool is_proven_optimal(const CorePair& pair, const SeparatingDirection& optimum);

}  // namespace pawl::internal
