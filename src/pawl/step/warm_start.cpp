#include <pawl/step/warm_start.h>

#include <algorithm>

namespace pawl::internal {

void WarmStart::clear() {
  contacts_.clear();
  first_.clear();
  total_.clear();
  first_basis_.clear();
  total_basis_.clear();
}

void WarmStart::store(double h, std::span<const Contact> contacts, std::span<const char> included,
                      const RowImpulses& p1, const RowImpulses& p) {
  contacts_.clear();
  for (std::size_t c = 0; c < contacts.size(); ++c) {
    if (included[c] != kIncluded) continue;
    OfContact& memory = contacts_.emplace_back();
    memory.id = contacts[c].id;
    memory.point = contacts[c].point_a;
    for (int r = 0; r < kContactRows; ++r) {
      memory.first[r] = p1.contact[c][r] / h;
      memory.total[r] = p.contact[c][r] / h;
    }
    memory.first_basis = p1.contact_basis[c];
    memory.total_basis = p.contact_basis[c];
  }
  std::ranges::sort(contacts_, {}, &OfContact::id);
  first_ = p1.block;
  total_ = p.block;
  first_basis_ = p1.block_basis;
  total_basis_ = p.block_basis;
  for (auto* values : {&first_, &total_}) {
    for (BlockValues& block : *values) {
      for (double& x : block) x /= h;
    }
  }
}

void WarmStart::recall(double h, std::span<const StepContact> contacts, std::size_t blocks, RowImpulses& p1,
                       RowImpulses& p) const {
  p1.assign(contacts.size(), blocks);
  p.assign(contacts.size(), blocks);
  for (std::size_t c = 0; c < contacts.size(); ++c) {
    const OfContact* found = find(contacts[c].contact);
    if (found == nullptr) continue;
    // The impulse of a place belongs to one contact: to the one that has kept its id.
    if (found->id != contacts[c].contact.id &&
        std::ranges::binary_search(contacts, found->id, {},
                                   [](const StepContact& each) { return each.contact.id; }))
      continue;
    for (int r = 0; r < kContactRows; ++r) {
      p1.contact[c][r] = h * found->first[r];
      p.contact[c][r] = h * found->total[r];
    }
    p1.contact_basis[c] = found->first_basis;
    p.contact_basis[c] = found->total_basis;
  }
  if (first_.size() != blocks) return;
  for (std::size_t b = 0; b < blocks; ++b) {
    for (int r = 0; r < 3; ++r) {
      p1.block[b][r] = h * first_[b][r];
      p.block[b][r] = h * total_[b][r];
    }
    p1.block_basis[b] = first_basis_[b];
    p.block_basis[b] = total_basis_[b];
  }
}

const WarmStart::OfContact* WarmStart::find_id(const ContactId& id) const {
  const auto found = std::ranges::lower_bound(contacts_, id, {}, &OfContact::id);
  return found != contacts_.end() && found->id == id ? &*found : nullptr;
}

const WarmStart::OfContact* WarmStart::find(const Contact& contact) const {
  if (const OfContact* found = find_id(contact.id)) return found;
  const ContactId first{contact.id.shape_a, contact.id.shape_b, 0};
  const OfContact* nearest = nullptr;
  double distance = same_place_;
  for (auto each = std::ranges::lower_bound(contacts_, first, {}, &OfContact::id);
       each != contacts_.end() && each->id.shape_a == first.shape_a && each->id.shape_b == first.shape_b;
       ++each) {
    const double d = norm(each->point - contact.point_a);
    if (!(d < distance)) continue;
    nearest = &*each;
    distance = d;
  }
  return nearest;
}

bool WarmStart::transfer(History& history) {
  history.transfer(contacts_, [&](OfContact& contact) {
    history.transfer(contact.id);
    history.transfer(contact.point);
    history.transfer(contact.first);
    history.transfer(contact.total);
    history.transfer(contact.first_basis);
    history.transfer(contact.total_basis);
  });
  history.transfer(first_);
  history.transfer(total_);
  history.transfer(first_basis_);
  history.transfer(total_basis_);
  const std::size_t blocks = first_.size();
  return total_.size() == blocks && first_basis_.size() == blocks && total_basis_.size() == blocks;
}

}  // namespace pawl::internal
