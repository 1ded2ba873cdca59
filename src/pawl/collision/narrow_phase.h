#pragma once
// The narrow phase: contacts and gap of one pair of shapes.

#include <optional>
#include <span>
#include <vector>

#include <pawl/collision/broad_phase/aabb_tree.h>
#include <pawl/collision/contact.h>
#include <pawl/geometry.h>
#include <pawl/model/kinematics.h>

namespace pawl::internal {

/// True if two shapes may collide. Their bodies must be movable relative to each other: not the same body,
/// not both fixed, not welded together. They must not be joined directly, and their collision groups must
/// match.
bool should_collide(const Model& model, int shape, int other);

/// The order in which a contact names two shapes: b is the fixed shape, if there is one, else the later in
/// the model.
ShapePair ordered_pair(const Model& model, int shape, int other);

/// The half-space of a shape, in the world frame.
HalfSpace half_space_of(const Shape& shape, const Pose& X_WB);

/// Appends the contacts of a pair with gap ≤ contact_margin, including the one of least gap, ordered by
/// feature. At most `max_points` (1 … 8); on surfaces at most as many per normal.
void pair_contacts(const Model& model, const ShapePair& pair, const Pose& X_WA, const Pose& X_WB,
                   double contact_margin, int max_points, std::vector<Contact>& contacts);

/// The same contacts in a nearby configuration. The features of a contact may no longer meet, for example at
/// corners of a tilted face. Then a's point moves with a, and b's point and the normal move with b.
/// `max_points` must be the value the contacts were found with.
void follow_contacts(const Model& model, const Kinematics& kinematics, const Kinematics& kinematics_next,
                     int max_points, std::span<const Contact> contacts, std::vector<Contact>& followed);

/// The same contacts in a nearby configuration, as places of contact rather than as features. Where the
/// features of a contact no longer meet, the nearest other contact of its pair takes its place, if that is no
/// farther away than the bodies have moved; its id then differs. Otherwise as follow_contacts().
void track_contacts(const Model& model, const Kinematics& kinematics, const Kinematics& kinematics_next,
                    int max_points, std::span<const Contact> contacts, std::vector<Contact>& tracked);

/// The derivative of a contact of this configuration by the motion of its bodies. Empty on surfaces and where
/// it does not exist.
std::optional<ContactKinematics> contact_kinematics(const Model& model, const Kinematics& kinematics,
                                                    const Contact& contact);

/// The signed gap of a pair.
double pair_gap(const Model& model, const ShapePair& pair, const Pose& X_WA, const Pose& X_WB);

}  // namespace pawl::internal
