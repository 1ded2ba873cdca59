#pragma once
// Continuous collision detection for a pair of shapes between two configurations.

#include <vector>

#include <pawl/collision/narrow_phase.h>
#include <pawl/collision/shapes/aabb.h>

namespace pawl::internal {

/// The motion of a body between two poses, at constant velocity and angular velocity.
struct BodyMotion {
  Pose from;
  Vec3 translation;  // of the centre of mass, m
  Vec3 rotation;     // axis times angle, rad

  Pose at(double fraction) const;
};
BodyMotion motion_between(const Pose& from, const Pose& to);

/// True if points of the shape may move farther than half its thickness (the inner radius).
bool exceeds_half_thickness(const Shape& shape, const BodyMotion& motion);

/// Encloses the shape during the whole motion, given its boxes at start and end. A point at radius r that
/// turns by `angle` deviates from the chord by at most r angle²/8.
Aabb swept_aabb(const Aabb& start, const Aabb& end, const Shape& shape, const BodyMotion& motion);

/// True if the relative displacement exceeds the thickness of both shapes together. Such a pair may pass
/// through, or end beyond the other's middle, where the direction of least penetration is wrong.
bool needs_ccd(const Model& model, const ShapePair& pair, const BodyMotion& a, const BodyMotion& b);

/// True if the penetration exceeds half the thickness of both shapes. False for half-spaces, which have no
/// far side.
bool is_deep(const Model& model, const Contact& contact);

/// True if the penetration grows by about half the thickness of both shapes during the motion, so that they
/// may pass through each other. The gap along a fixed normal is a lower bound of the gap of solids,
/// overlapping or not, so no such pair is missed.
bool penetrates_deeply(const Model& model, const ShapePair& pair, const BodyMotion& a, const BodyMotion& b);

/// Conservative advancement: the first fraction of the motion, at least `from`, at which the gap is small
/// relative to the thickness of the shapes. Returns 2 if they stay apart. The gap along a fixed normal is a
/// lower bound of the gap of solids, so no step is too long. Against a surface the whole displacement counts
/// as approach.
double time_of_impact(const Model& model, const ShapePair& pair, const BodyMotion& a, const BodyMotion& b,
                      double from = 0);

/// The contacts at the first impact that closes, extrapolated to the end of the motion. Each gap changes at
/// its rate at impact. The points translate with the centres of the bodies without rotation, so that lever
/// arms stay those at impact. Returns false and appends nothing if the shapes stay apart.
bool swept_contacts(const Model& model, const ShapePair& pair, const BodyMotion& a, const BodyMotion& b,
                    int max_points, std::vector<Contact>& contacts);

}  // namespace pawl::internal
