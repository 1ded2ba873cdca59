#include <pawl/step/named_bodies.h>

#include <algorithm>
#include <cmath>

namespace pawl::internal {
namespace {

double kinetic_energy_of(const Model& model, const Kinematics& k, std::size_t b) {
  const Body& body = model.bodies[b];
  const Vec3 w = transpose(k.X_WB[b].R) * k.w[b];
  return 0.5 * body.mass * dot(k.c[b], k.c[b]) + 0.5 * dot(w, body.inertia_B * w);
}

}  // namespace

NamedBodies bodies_of(const Model& model, const Island& island, std::span<const Contact> contacts,
                      std::span<const ConstraintBlock> blocks) {
  if (!island.contacts.empty()) {
    const Contact& contact = contacts[island.contacts.front()];
    return {contact.body_a, contact.body_b};
  }
  if (island.blocks.empty()) return {};
  const auto [a, b] = bodies_of(model, blocks[island.blocks.front()]);
  return {a, b};
}

NamedBodies deepest_pair(std::span<const Contact> contacts) {
  const auto deepest = std::ranges::min_element(contacts, {}, &Contact::gap);
  if (deepest == contacts.end()) return {};
  return {deepest->body_a, deepest->body_b};
}

NamedBodies worst_joint(const Model& model, std::span<const ConstraintBlock> blocks) {
  NamedBodies named;
  double largest = 0;
  for (const ConstraintBlock& block : blocks) {
    if (block.law != RowLaw::equality) continue;
    for (int r = 0; r < block.rows; ++r) {
      if (std::abs(block.error[r]) <= largest) continue;
      largest = std::abs(block.error[r]);
      const auto [a, b] = bodies_of(model, block);
      named = {a, b};
    }
  }
  return named;
}

NamedBodies most_changed_body(const Model& model, const Kinematics& before, const Kinematics& after) {
  int found = 0;
  double largest = 0;
  for (std::size_t b = 1; b < model.bodies.size(); ++b) {
    if (model.bodies[b].tree < 0) continue;
    const double change = std::abs(kinetic_energy_of(model, after, b) - kinetic_energy_of(model, before, b));
    if (change <= largest) continue;
    found = static_cast<int>(b);
    if (std::isnan(change)) break;
    largest = change;
  }
  return {found, found};
}

NamedBodies most_changed_tree(const Model& model, std::span<const double> before,
                              std::span<const double> after) {
  int found = 0;
  double largest = 0;
  for (const Tree& tree : model.trees) {
    for (int i = tree.v_begin; i < tree.v_begin + tree.nv; ++i) {
      const double change = std::abs(after[i] - before[i]);
      if (change <= largest) continue;
      if (std::isnan(change)) return {tree.body_begin, tree.body_begin};
      largest = change;
      found = tree.body_begin;
    }
  }
  return {found, found};
}

}  // namespace pawl::internal
