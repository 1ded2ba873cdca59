#pragma once
// Capsules, and cylinders side by side: contacts of straight lines that have a thickness.

#include <pawl/geometry/contact_points.h>

namespace pawl {

/// Two segments touch where an end of one meets the side of the other, where two ends meet that are each
/// other's nearest, or where their sides cross. Each of these gaps, of a ball and a capsule, is smooth by
/// itself, and together they carry a rest at every angle, side by side included. X_a and X_b are their
/// places relative to the origin of `points`.
void add_segment_contacts(const PlacedConvex& a, const PlacedConvex& b, const Pose& X_a, const Pose& X_b,
                          ContactPoints& points);

/// What contact_set says of two capsules in space that meet in one place, or none, of which a `comes_first`;
/// `mirrored` gives it as that of (b, a). False, with nothing said, where they meet in more.
bool contact_of_capsules(const PlacedConvex& a, const PlacedConvex& b, double reach, bool mirrored,
                         ContactSet& set);

/// Two cylinders, or a cylinder and a capsule, whose sides are nearly parallel: the ends of the one that lie
/// beside the other.
void add_lines_side_by_side(const PlacedConvex& a, const PlacedConvex& b, const Pose& X_a, const Pose& X_b,
                            ContactPoints& points);

}  // namespace pawl
