#include "overlaps.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include <pawl/collision/contact_finder.h>
#include <pawl/model/constraint_rows.h>
#include <pawl/step/restitution_policy.h>

namespace pawl::internal::cli {
namespace {

constexpr double kTouching = 1e-9;  // m or rad: bodies specified as touching may overlap by less
constexpr double kRounded = 1e-6;   // overlap relative to the smaller body: rounding of the scene's numbers
constexpr double kClosed = 1e-7;    // m or rad: errors of joints that hold are smaller

}  // namespace

std::vector<Overlap> overlaps_at_start(const Model& model) {
  Kinematics kinematics;
  std::vector<Contact> contacts;
  position_kinematics(model, model.q_start, kinematics);
  ContactFinder(model).find({kinematics, nullptr, 0, {}}, contacts);
  const std::vector<double> radii = body_radii(model);
  std::map<std::pair<int, int>, Overlap> found;
  for (const Contact& contact : contacts) {
    Overlap& overlap = found[{contact.body_a, contact.body_b}];
    if (-contact.gap <= overlap.depth) continue;
    overlap = {contact.body_a, contact.body_b, -contact.gap,
               -contact.gap <= kRounded * size_of(contact, radii)};
  }
  std::vector<Overlap> overlaps;
  for (const auto& [bodies, overlap] : found) {
    if (overlap.depth > kTouching) overlaps.push_back(overlap);
  }
  return overlaps;
}

double deepest(const std::vector<Overlap>& overlaps) {
  double depth = 0;
  for (const Overlap& overlap : overlaps) depth = std::max(depth, overlap.depth);
  return depth;
}

std::string overlap_text(const Model& model, const Overlap& overlap) {
  return fmt::format(
      "{} and {} overlap by {:.3g} m at the start; {}", model.body_names[overlap.body_a],
      model.body_names[overlap.body_b], overlap.depth,
      overlap.small ? "so little that it counts as rounding" : "the first steps push them apart");
}

std::vector<JointViolation> joints_at_start(const Model& model) {
  Kinematics kinematics;
  std::vector<ConstraintBlock> blocks;
  position_kinematics(model, model.q_start, kinematics);
  constraint_blocks(model, kinematics, model.q_start, 0, blocks);
  std::vector<JointViolation> violations;
  for (const ConstraintBlock& block : blocks) {
    const bool limit = block.law == RowLaw::limited;
    if (!limit && (block.law != RowLaw::equality || block.velocity_only)) continue;
    const double amount =
        limit ? -block.error[0] : std::hypot(block.error[0], block.error[1], block.error[2]);
    if (!(amount > (limit ? kTouching : kClosed))) continue;
    const auto [a, b] = bodies_of(model, block);
    violations.push_back({a, b, amount, limit});
  }
  return violations;
}

std::string joint_text(const Model& model, const JointViolation& violation) {
  if (violation.limit) {
    return fmt::format(
        "a joint of {} is {:.3g} (m or rad) beyond its limit at the start; the first steps push it back",
        model.body_names[std::max(violation.body_a, violation.body_b)], violation.amount);
  }
  return fmt::format(
      "a joint of {} and {} has an error of {:.3g} (m or rad) at the start; the first steps close it",
      model.body_names[violation.body_a], model.body_names[violation.body_b], violation.amount);
}

Json overlaps_json(const Model& model, const std::vector<Overlap>& overlaps) {
  Json out = Json::array();
  for (const Overlap& overlap : overlaps) {
    out.push_back({{"bodies", {model.body_names[overlap.body_a], model.body_names[overlap.body_b]}},
                   {"gap", -overlap.depth}});
  }
  return out;
}

}  // namespace pawl::internal::cli
