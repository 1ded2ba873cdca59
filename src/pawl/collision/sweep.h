#pragma once
// What a pair meets on the way from one placement to another.

#include <vector>

#include <pawl/collision/narrow_phase.h>
#include <pawl/collision/shapes/aabb.h>

namespace pawl::internal {

/// A body on its way from one pose to another, at constant velocity and spin.
struct BodyMotion {
  Pose from;
  Vec3 translation;  // of the centre of mass, m
  Vec3 rotation;     // axis times angle, rad

  Pose at(double fraction) const;
};
BodyMotion motion_between(const Pose& from, const Pose& to);

/// Whether a shape moves farther than half of what it is thick.
bool exceeds_half_thickness(const Shape& shape, const BodyMotion& motion);

/// Holds the shape all the way from its box at the start to that at the end. A point that turns by an angle
/// at radius r strays from the straight way by r angle²/8 at most.
Aabb swept_aabb(const Aabb& start, const Aabb& end, const Shape& shape, const BodyMotion& motion);

/// Whether a pair moves so far against each other that it may pass through, or end beyond the other's middle,
/// where the least way out is the wrong one.
bool needs_ccd(const Model& model, const ShapePair& pair, const BodyMotion& a, const BodyMotion& b);

/// Whether a contact is deeper than half of what its shapes are thick. Not of half-spaces, which have no
/// other side.
bool is_deep(const Model& model, const Contact& contact);

/// Whether shapes get deeper into each other on their way, by about half of what they are thick: then they
/// may pass through each other. The gap along a fixed normal bounds that of solids from below, overlapping or
/// not, so that none is overlooked.
bool penetrates_deeply(const Model& model, const ShapePair& pair, const BodyMotion& a, const BodyMotion& b);

/// Conservative advancement: the first share of the way, no less than `from`, at which the gap is small
/// against the shapes' thickness, or 2 where they keep apart. The gap along a fixed normal is a lower bound
/// of that of solids, so that no step goes too far; against a surface no part of the way counts as sideways.
double time_of_impact(const Model& model, const ShapePair& pair, const BodyMotion& a, const BodyMotion& b,
                      double from = 0);

/// The contacts at the first touch that closes, carried on to the end of the way: the gap goes on at the rate
/// it has there, and the points go with the bodies' centres without turning, so that the arms of impulses
/// stay those of the touch. False, and nothing appended, where they keep apart.
bool swept_contacts(const Model& model, const ShapePair& pair, const BodyMotion& a, const BodyMotion& b,
                    int max_points, std::vector<Contact>& contacts);

}  // namespace pawl::internal
