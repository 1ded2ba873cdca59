#pragma once
// The bodies that a step's reason is about.

#include <span>

#include <pawl/assemble/assemble.h>
#include <pawl/model/constraint_rows.h>

namespace pawl::internal {

/// 0, the world, twice if none is known; the same body twice if it is about one body alone.
struct NamedBodies {
  int a = 0, b = 0;
  bool known() const { return a != 0 || b != 0; }
};

/// Of the first contact or joint of an island.
NamedBodies bodies_of(const Model& model, const Island& island, std::span<const Contact> contacts,
                      std::span<const ConstraintBlock> blocks);
/// Of the contact with the smallest gap.
NamedBodies deepest_pair(std::span<const Contact> contacts);
/// Of the joint with the largest error.
NamedBodies worst_joint(const Model& model, std::span<const ConstraintBlock> blocks);
/// The body whose kinetic energy changed most, or is no number.
NamedBodies most_changed_body(const Model& model, const Kinematics& before, const Kinematics& after);
/// The first body of the tree whose velocities differ most, m/s or rad/s, or are no numbers.
NamedBodies most_changed_tree(const Model& model, std::span<const double> before,
                              std::span<const double> after);

}  // namespace pawl::internal
