#pragma once
// All contacts of a placement: broad phase, then pair by pair.

#include <span>
#include <vector>

#include <pawl/collision/broad_phase/broad_phase.h>
#include <pawl/collision/sweep.h>

namespace pawl::internal {

/// What is asked of ContactFinder::find.
struct ContactQuery {
  const Kinematics& kinematics;
  /// Where the bodies come from, or null. Pairs that move far against each other are then followed on their
  /// way: what they would pass through is a contact.
  const Kinematics* start = nullptr;
  double contact_margin = 0;  // m: contacts with gaps up to this
  /// Sorted; these too, whatever their gap, while their features meet, and what else their pairs have nearby.
  std::span<const ContactId> keep = {};
};

/// Keeps the trees of the broad phase and its memory from call to call; the answers do not depend on what was
/// asked before.
class ContactFinder {
 public:
  /// The model must outlive it. A pair of solids has at most `contact_points` (1 … 8) contacts, on a surface
  /// as many of each normal.
  explicit ContactFinder(const Model& model, int contact_points = kDefaultContactPoints);
  /// Contacts sorted by id.
  void find(const ContactQuery& query, std::vector<Contact>& contacts);
  /// Whether shapes get so deep into each other, on the way of the last find(), that they may pass through
  /// each other. `found` is what that gave. Pairs that it followed are followed again; those that move less
  /// than they are thick never have a gap below (gap at the start + gap at the end - way)/2; and of two whose
  /// boxes do not meet, one at the end and one all its way, the former moves by half its thickness at the
  /// most.
  bool passes_through(std::span<const Contact> found) const;
  /// The least gap of all pairs, +∞ where there are none. `found` is what find() gave here with a reach of 0
  /// or more.
  double min_gap(const Kinematics& kinematics, std::span<const Contact> found);

 private:
  void update_aabbs(const Kinematics& kinematics, const Kinematics* start);
  void gather_pairs(const ContactQuery& query);
  void add_contacts(const ContactQuery& query, const ShapePair& pair, std::vector<Contact>& contacts);

  const Model& model_;
  int contact_points_;
  BroadPhase broad_phase_;
  std::vector<int> half_spaces_;      // shapes
  std::vector<Aabb> boxes_;           // [shapes]
  std::vector<int> near_;             // shapes near a half-space
  std::vector<ShapePair> pairs_;      // to be looked at, sorted
  std::vector<BodyMotion> motions_;   // [bodies], where the query has a start
  std::vector<ShapePair> ccd_pairs_;  // pairs of the last query that move far, sorted
};

}  // namespace pawl::internal
