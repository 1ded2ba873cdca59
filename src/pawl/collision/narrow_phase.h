#pragma once
// The contacts of one pair of shapes.

#include <optional>
#include <span>
#include <vector>

#include <pawl/collision/broad_phase/aabb_tree.h>
#include <pawl/collision/contact.h>
#include <pawl/geometry.h>
#include <pawl/model/kinematics.h>

namespace pawl::internal {

/// Shapes may touch if their bodies can move against each other (not one body, not both fixed, not held
/// together by welds), are not joined to each other directly, and their groups want it.
bool should_collide(const Model& model, int shape, int other);

/// Two shapes as a contact names them: b is the fixed one, if one is, and otherwise the later in the model.
ShapePair ordered_pair(const Model& model, int shape, int other);

/// A half-space's shape in the world.
HalfSpace half_space_of(const Shape& shape, const Pose& X_WB);

/// Appends the contacts of a pair with gap ≤ reach, the least gap among them, ordered by feature: at most
/// `max_points` (1 … 8), on surfaces as many of each normal.
void pair_contacts(const Model& model, const ShapePair& pair, const Pose& X_WA, const Pose& X_WB,
                   double contact_margin, int max_points, std::vector<Contact>& contacts);

/// The same contacts in another placement nearby. Where features no longer meet, as the corners of a tilted
/// face, a's point goes with a, and b's point and the normal go with b. `max_points` is what they were found
/// with.
void follow_contacts(const Model& model, const Kinematics& kinematics, const Kinematics& kinematics_next,
                     int max_points, std::span<const Contact> contacts, std::vector<Contact>& followed);

/// How a contact of this placement moves with its bodies; none on surfaces, and where geometry knows none.
std::optional<ContactKinematics> contact_kinematics(const Model& model, const Kinematics& kinematics,
                                                    const Contact& contact);

/// The signed gap of a pair.
double pair_gap(const Model& model, const ShapePair& pair, const Pose& X_WA, const Pose& X_WB);

}  // namespace pawl::internal
