#pragma once
// Contacts of capsules, and of cylinders side by side.

#include <pawl/collision/manifold/manifold_builder.h>

namespace pawl::internal {

/// Two segments have contacts where an end meets the other's side, where two ends are closest to each other,
/// and where their sides cross. Each gap is smooth by itself. Together they support a resting contact at any
/// angle, also side by side. X_a and X_b are poses relative to the origin of `points`.
void add_segment_contacts(const PosedConvex& a, const PosedConvex& b, const Pose& X_a, const Pose& X_b,
                          ManifoldBuilder& points);

/// The result of collide for two capsules in space in canonical order (`is_canonical_order`) that have at
/// most one contact; `mirrored` gives that of (b, a). Returns false and leaves `manifold` unchanged if they
/// have more.
bool single_capsule_contact(const PosedConvex& a, const PosedConvex& b, double contact_margin, bool mirrored,
                            Manifold& manifold);

/// Two cylinders, or a cylinder and a capsule, with nearly parallel sides: contacts of the ends of each that
/// lie beside the other.
void add_parallel_side_contacts(const PosedConvex& a, const PosedConvex& b, const Pose& X_a, const Pose& X_b,
                                ManifoldBuilder& points);

}  // namespace pawl::internal
