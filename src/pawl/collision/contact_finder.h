#pragma once
// Finds all contacts of a configuration: broad phase, then narrow phase.

#include <span>
#include <vector>

#include <pawl/collision/broad_phase/broad_phase.h>
#include <pawl/collision/sweep.h>

namespace pawl::internal {

/// Input of ContactFinder::find.
struct ContactQuery {
  const Kinematics& kinematics;
  /// Poses at the start of the motion, or null. If given, pairs with a large relative displacement are swept,
  /// and the contacts they would pass through are reported.
  const Kinematics* start = nullptr;
  double contact_margin = 0;  // m: contacts with gap ≤ this
  /// Sorted. Contacts to report at any gap while their features meet, with the other nearby contacts of their
  /// pairs.
  std::span<const ContactId> keep = {};
  /// Swept pairs that touch at the end of the motion, on the side from which they came, are reported there.
  /// Otherwise, and for all other swept pairs, the contacts at the first impact are extrapolated.
  bool exact_end = false;
};

/// Keeps the trees and the memory of the broad phase between calls. Results do not depend on earlier queries.
class ContactFinder {
 public:
  /// The model must outlive it. A pair of solids has at most `contact_points` (1 … 8) contacts; on a surface,
  /// each normal has at most as many.
  explicit ContactFinder(const Model& model, int contact_points = kDefaultContactPoints);
  /// Contacts are sorted by id.
  void find(const ContactQuery& query, std::vector<Contact>& contacts);
  /// True if shapes may pass through each other during the motion of the last find(), whose result is
  /// `found`.
  /// - Swept pairs are checked again along their motion.
  /// - Other pairs move by less than their thickness, and at all times gap ≥ (gap at start + gap at end -
  ///   displacement)/2. Only their deep contacts are checked.
  /// - A pair may be missing because a swept box does not overlap a box at the end of the motion. The shape
  ///   of the latter box moves by at most half its thickness.
  bool passes_through(std::span<const Contact> found) const;
  /// True if the last find() extrapolated contacts.
  bool extrapolated() const { return extrapolated_; }
  /// The least gap of all pairs, +∞ if there are none. `found` is the result of find() for this
  /// configuration, with a contact margin ≥ 0.
  double min_gap(const Kinematics& kinematics, std::span<const Contact> found);

 private:
  void update_aabbs(const Kinematics& kinematics, const Kinematics* start);
  void gather_pairs(const ContactQuery& query);
  void add_contacts(const ContactQuery& query, const ShapePair& pair, std::vector<Contact>& contacts);
  bool touches_at_end(const ContactQuery& query, const ShapePair& pair, std::span<const Contact> swept);

  const Model& model_;
  int contact_points_;
  BroadPhase broad_phase_;
  std::vector<int> half_spaces_;      // shape indices
  std::vector<Aabb> boxes_;           // [shapes]
  std::vector<int> near_;             // shapes near a half-space
  std::vector<ShapePair> pairs_;      // pairs for the narrow phase, sorted
  std::vector<BodyMotion> motions_;   // [bodies], set if the query has a start
  std::vector<ShapePair> ccd_pairs_;  // swept pairs of the last query, sorted
  std::vector<Contact> end_contacts_;
  bool extrapolated_ = false;
};

}  // namespace pawl::internal
