#pragma once
// The impulses of the last step, by which the next one starts.

#include <span>
#include <vector>

#include <pawl/step/history.h>
#include <pawl/step/velocity_stage.h>

namespace pawl::internal {

class WarmStart {
 public:
  struct OfContact {
    ContactId id;
    Vec3 point;                  // world, at the end of the step
    ContactValues first, total;  // per second of the step: p₁/h and p/h
    ContactBasis first_basis, total_basis;
  };

  /// Contacts of a pair closer than `same_place` (m) are one, whatever their ids: features may change from
  /// step to step where a face lies on a face.
  explicit WarmStart(double same_place) : same_place_(same_place) {}

  void clear();
  bool empty() const { return contacts_.empty() && first_.empty(); }
  /// Stores the impulses of a step of length h: of contacts that are `included`, and of all blocks.
  void store(double h, std::span<const Contact> contacts, std::span<const char> included,
             const RowImpulses& p1, const RowImpulses& p);
  /// Writes the impulses for a step of length h with these contacts, sorted by id; 0 where nothing is known.
  void recall(double h, std::span<const StepContact> contacts, std::size_t blocks, RowImpulses& p1,
              RowImpulses& p) const;
  /// Null if the contact was not in the step.
  const OfContact* find(const Contact& contact) const;
  /// Packs or unpacks. Returns false if what it has read is not consistent.
  bool transfer(History& history);

 private:
  const OfContact* find_id(const ContactId& id) const;

  double same_place_;
  std::vector<OfContact> contacts_;         // sorted by id
  std::vector<BlockValues> first_, total_;  // [blocks] per second; empty at the start
  std::vector<ContactBasis> first_basis_, total_basis_;
};

}  // namespace pawl::internal
