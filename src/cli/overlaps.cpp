#include "overlaps.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include <pawl/collision/contact_finder.h>

namespace pawl::internal::cli {
namespace {

constexpr double kTouching = 1e-9;  // m: bodies specified as touching may overlap by less

}  // namespace

std::vector<Overlap> overlaps_at_start(const Model& model) {
  Kinematics kinematics;
  std::vector<Contact> contacts;
  position_kinematics(model, model.q_start, kinematics);
  ContactFinder(model).find({kinematics, nullptr, 0, {}}, contacts);
  std::map<std::pair<int, int>, double> depth;
  for (const Contact& contact : contacts) {
    double& deepest = depth[{contact.body_a, contact.body_b}];
    deepest = std::max(deepest, -contact.gap);
  }
  std::vector<Overlap> overlaps;
  for (const auto& [bodies, deep] : depth) {
    if (deep > kTouching) overlaps.push_back({bodies.first, bodies.second, deep});
  }
  return overlaps;
}

double deepest(const std::vector<Overlap>& overlaps) {
  double depth = 0;
  for (const Overlap& overlap : overlaps) depth = std::max(depth, overlap.depth);
  return depth;
}

std::string overlap_text(const Model& model, const Overlap& overlap) {
  return fmt::format("{} and {} overlap by {:.3g} m at the start; the first step pushes them apart",
                     model.body_names[overlap.body_a], model.body_names[overlap.body_b], overlap.depth);
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
