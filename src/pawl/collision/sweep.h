#pragma once
// What a pair meets on the way from one placement to another.

#include <vector>

#include <pawl/collision/narrow_phase.h>
#include <pawl/geometry/box.h>

namespace pawl {

/// A body on its way from one pose to another, at constant velocity and spin.
struct BodyMotion {
  Pose from;
  Vec3 moved;   // of the centre of mass, m
  Vec3 turned;  // axis times angle, rad

  Pose at(double share) const;
};
BodyMotion motion_between(const Pose& from, const Pose& to);

/// Whether a shape moves farther than it is thick.
bool outruns_itself(const Shape& shape, const BodyMotion& motion);

/// Holds the shape all the way from its box at the start to that at the end. A point that turns by an angle
/// at radius r strays from the straight way by r angle²/8 at most.
Box swept_box(const Box& start, const Box& end, const Shape& shape, const BodyMotion& motion);

/// Whether a pair moves so far against each other that it may pass through, or end beyond the other's middle,
/// where the least way out is the wrong one.
bool moves_far(const Model& model, const ShapePair& pair, const BodyMotion& a, const BodyMotion& b);

/// Conservative advancement: the first share of the way at which the gap is small against the shapes'
/// thickness, or 2 where they keep apart. The gap along a fixed normal is a lower bound of that of solids, so
/// that no step goes too far; against a surface no part of the way counts as sideways.
double first_touch(const Model& model, const ShapePair& pair, const BodyMotion& a, const BodyMotion& b);

/// The contacts at the first touch, carried on to the end of the way: the gap goes on at the rate it has
/// there. False, and nothing appended, where they keep apart.
bool swept_contacts(const Model& model, const ShapePair& pair, const BodyMotion& a, const BodyMotion& b,
                    std::vector<Contact>& contacts);

}  // namespace pawl
