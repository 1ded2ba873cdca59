#include <pawl/collision/contact_finder.h>

#include <algorithm>
#include <cassert>
#include <limits>

#include <pawl/base/numeric_util.h>
#include <pawl/base/tolerances.h>
#include <pawl/collision/manifold/surface_contacts.h>
#include <pawl/collision/shapes/bounds.h>

namespace pawl::internal {
namespace {

// Contact margin of a pair with a contact to keep, as a fraction of the bounding radius of its first shape.
constexpr double kKeptMargin = tolerances::kRough;
constexpr double kSameSide = 0.5;  // cosine of the angle of two normals

ShapeRole role_of(const Model& model, const Shape& shape) {
  if (shape.kind == ShapeKind::half_space) return ShapeRole::excluded;
  return model.bodies[shape.body].tree < 0 ? ShapeRole::fixed : ShapeRole::moving;
}

Aabb box_of(const Model& model, const Shape& shape, const Pose& X_WB) {
  const Pose X_WS = X_WB * shape.X_BS;
  return shape.surface >= 0 ? bounding_box(*model.surfaces[shape.surface], X_WS)
                            : bounding_box({shape.solid, X_WS});
}

ShapePair pair_of(const ContactId& id) {
  return {id.shape_a, id.shape_b};
}

template <class Predicate>
void erase_from(std::vector<Contact>& contacts, std::size_t first, Predicate&& should_erase) {
  const auto begin = contacts.begin() + static_cast<std::ptrdiff_t>(first);
  contacts.erase(std::remove_if(begin, contacts.end(), should_erase), contacts.end());
}

}  // namespace

ContactFinder::ContactFinder(const Model& model, int contact_points)
    : model_(model), contact_points_(contact_points), boxes_(model.shapes.size()) {
  std::vector<ShapeRole> roles;
  for (int s = 0; s < static_cast<int>(model.shapes.size()); ++s) {
    roles.push_back(role_of(model, model.shapes[s]));
    if (roles.back() == ShapeRole::excluded) half_spaces_.push_back(s);
  }
  broad_phase_.reset(roles, [&model](int a, int b) { return should_collide(model, a, b); });
}

void ContactFinder::find(const ContactQuery& query, std::vector<Contact>& contacts) {
  assert(query.kinematics.X_WB.size() == model_.bodies.size() && query.contact_margin >= 0);
  update_aabbs(query.kinematics, query.start);
  // The box of a body with a non-finite pose is invalid and has no pairs.
  broad_phase_.update(boxes_, query.contact_margin);
  gather_pairs(query);
  contacts.clear();
  ccd_pairs_.clear();
  extrapolated_ = false;
  for (const ShapePair& pair : pairs_) add_contacts(query, pair, contacts);
}

bool ContactFinder::passes_through(std::span<const Contact> found) const {
  const auto penetrates = [&](const ShapePair& pair) {
    return penetrates_deeply(model_, pair, motions_[model_.shapes[pair.a].body],
                             motions_[model_.shapes[pair.b].body]);
  };
  return std::ranges::any_of(ccd_pairs_, penetrates) ||
         std::ranges::any_of(found, [&](const Contact& contact) {
           return is_deep(model_, contact) && penetrates(pair_of(contact.id));
         });
}

/// Boxes of shapes that move farther than half their thickness enclose the whole motion.
void ContactFinder::update_aabbs(const Kinematics& kinematics, const Kinematics* start) {
  if (start != nullptr) {
    motions_.resize(model_.bodies.size());
    for (std::size_t b = 0; b < motions_.size(); ++b)
      motions_[b] = motion_between(start->X_WB[b], kinematics.X_WB[b]);
  }
  for (std::size_t s = 0; s < boxes_.size(); ++s) {
    const Shape& shape = model_.shapes[s];
    if (shape.kind == ShapeKind::half_space) continue;
    boxes_[s] = box_of(model_, shape, kinematics.X_WB[shape.body]);
    if (start != nullptr && exceeds_half_thickness(shape, motions_[shape.body])) {
      boxes_[s] =
          swept_aabb(box_of(model_, shape, start->X_WB[shape.body]), boxes_[s], shape, motions_[shape.body]);
    }
  }
}

/// Pairs from the broad phase, pairs with half-spaces, and pairs with contacts to keep.
void ContactFinder::gather_pairs(const ContactQuery& query) {
  pairs_.clear();
  for (const ShapePair& pair : broad_phase_.pairs()) pairs_.push_back(ordered_pair(model_, pair.a, pair.b));
  for (const int s : half_spaces_) {
    const Shape& shape = model_.shapes[s];
    broad_phase_.query_half_space(half_space_of(shape, query.kinematics.X_WB[shape.body]),
                                  query.contact_margin, near_);
    for (const int other : near_) {
      if (should_collide(model_, s, other)) pairs_.push_back(ordered_pair(model_, s, other));
    }
  }
  for (const ContactId& id : query.keep) pairs_.push_back(pair_of(id));
  std::ranges::sort(pairs_);
  pairs_.erase(std::unique(pairs_.begin(), pairs_.end()), pairs_.end());
}

void ContactFinder::add_contacts(const ContactQuery& query, const ShapePair& pair,
                                 std::vector<Contact>& contacts) {
  const int body_a = model_.shapes[pair.a].body, body_b = model_.shapes[pair.b].body;
  const std::span<const ContactId> kept_ids(std::ranges::lower_bound(query.keep, pair, {}, pair_of),
                                            std::ranges::upper_bound(query.keep, pair, {}, pair_of));
  const std::size_t first = contacts.size();
  const bool use_ccd = query.start != nullptr && needs_ccd(model_, pair, motions_[body_a], motions_[body_b]);
  if (use_ccd) ccd_pairs_.push_back(pair);
  // Features may be exchanged, as those of flush corners are by rounding alone. This must not remove a
  // contact of the pair.
  const double contact_margin =
      kept_ids.empty()
          ? query.contact_margin
          : std::max(query.contact_margin, kKeptMargin * bounding_radius(model_.shapes[pair.a].solid));
  const bool swept =
      use_ccd && swept_contacts(model_, pair, motions_[body_a], motions_[body_b], contact_points_, contacts);
  if (swept && query.exact_end && touches_at_end(query, pair, std::span(contacts).subspan(first))) {
    contacts.resize(first);
  } else if (swept) {
    extrapolated_ = true;
    erase_from(contacts, first, [&](const Contact& contact) {
      return contact.gap > contact_margin && !std::ranges::binary_search(kept_ids, contact.id);
    });
    return;
  }
  const auto add_pair_contacts = [&](double max_gap) {
    pair_contacts(model_, pair, query.kinematics.X_WB[body_a], query.kinematics.X_WB[body_b], max_gap,
                  contact_points_, contacts);
  };
  add_pair_contacts(contact_margin);
  const std::size_t near_end = contacts.size();
  const auto is_near = [&](const ContactId& id) {
    return std::ranges::binary_search(std::span(contacts).subspan(first, near_end - first), id, {},
                                      &Contact::id);
  };
  if (std::ranges::all_of(kept_ids, is_near)) return;
  // The number of points of a pair is limited: near contacts must not be displaced by far ones.
  add_pair_contacts(kInfinity);
  erase_from(contacts, near_end, [&](const Contact& contact) {
    return !std::ranges::binary_search(kept_ids, contact.id) || is_near(contact.id);
  });
  std::ranges::sort(std::span(contacts).subspan(first), {}, &Contact::id);
}

/// True if the pair touches at the end of the motion from the side of the first impact.
bool ContactFinder::touches_at_end(const ContactQuery& query, const ShapePair& pair,
                                   std::span<const Contact> swept) {
  end_contacts_.clear();
  pair_contacts(model_, pair, query.kinematics.X_WB[model_.shapes[pair.a].body],
                query.kinematics.X_WB[model_.shapes[pair.b].body], query.contact_margin, contact_points_,
                end_contacts_);
  if (end_contacts_.empty() || swept.empty()) return false;
  const auto deepest = [](std::span<const Contact> all) {
    return std::ranges::min_element(all, {}, &Contact::gap);
  };
  return dot(deepest(swept)->normal, deepest(end_contacts_)->normal) > kSameSide;
}

double ContactFinder::min_gap(const Kinematics& kinematics, std::span<const Contact> found) {
  const auto gap = [&](const ShapePair& pair) {
    return pair_gap(model_, pair, kinematics.X_WB[model_.shapes[pair.a].body],
                    kinematics.X_WB[model_.shapes[pair.b].body]);
  };
  double least = kInfinity;
  for (const Contact& contact : found) {  // gaps of swept pairs are extrapolated, so they are computed again
    const ShapePair pair = pair_of(contact.id);
    least = std::min(least, std::ranges::binary_search(ccd_pairs_, pair) ? gap(pair) : contact.gap);
  }
  if (least <= 0) return least;
  for (const int s : half_spaces_) {
    for (int other = 0; other < static_cast<int>(model_.shapes.size()); ++other) {
      if (model_.shapes[other].kind == ShapeKind::half_space || !should_collide(model_, s, other)) continue;
      least = std::min(least, gap(ordered_pair(model_, s, other)));
    }
  }
  update_aabbs(kinematics, nullptr);
  broad_phase_.update(boxes_, 0);
  return broad_phase_.closest(least, [&](int a, int b) { return gap(ordered_pair(model_, a, b)); }).gap;
}

}  // namespace pawl::internal
