#pragma once
// Gap functions in closed form, and the search for all contacts of a placement.

#include <span>
#include <vector>

#include <pawl/collision/contact.h>
#include <pawl/model/kinematics.h>

namespace pawl {

/// Shapes that may touch: every two whose bodies can move against each other (not one body, not both fixed,
/// not held together by welds) and are not joined to each other directly.
struct ShapePair {
  int a = 0, b = 0;  // b is the fixed one, if one is
};
std::vector<ShapePair> candidate_pairs(const Model& model);

/// All contacts of one pair of shapes, whatever their gap; most pairs have one. Appends to `contacts`.
void gap(const Model& model, const Kinematics& placed, const ShapePair& pair, std::vector<Contact>& contacts);

/// The contacts that touch or overlap (gap ≤ 0), and those of `keep` (sorted) whatever their gap, sorted by
/// id. Returns the least gap of all pairs, +∞ where there are none.
double find_contacts(const Model& model, const Kinematics& placed, std::span<const ShapePair> pairs,
                     std::span<const ContactId> keep, std::vector<Contact>& contacts);

}  // namespace pawl
