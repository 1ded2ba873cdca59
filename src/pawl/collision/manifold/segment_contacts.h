#pragma once
// Capsules, and cylinders side by side: contacts of straight lines that have a thickness.

#include <pawl/collision/manifold/manifold_builder.h>

namespace pawl::internal {

/// Two segments touch where an end of one meets the side of the other, where two ends meet that are each
/// other's nearest, or where their sides cross. Each of these gaps, of a ball and a capsule, is smooth by
/// itself, and together they carry a rest at every angle, side by side included. X_a and X_b are their
/// places relative to the origin of `points`.
void add_segment_contacts(const PosedConvex& a, const PosedConvex& b, const Pose& X_a, const Pose& X_b,
                          ManifoldBuilder& points);

/// What collide says of two capsules in space that meet in one place, or none, of which a
/// `is_canonical_order`; `mirrored` gives it as that of (b, a). False, with nothing said, where they meet in
/// more.
bool single_capsule_contact(const PosedConvex& a, const PosedConvex& b, double contact_margin, bool mirrored,
                            Manifold& manifold);

/// Two cylinders, or a cylinder and a capsule, whose sides are nearly parallel: the ends of the one that lie
/// beside the other.
void add_parallel_side_contacts(const PosedConvex& a, const PosedConvex& b, const Pose& X_a, const Pose& X_b,
                                ManifoldBuilder& points);

}  // namespace pawl::internal
