#include <algorithm>

#include <pawl/analysis.h>
#include <pawl/collision/contact_finder.h>
#include <pawl/model/kinematics.h>

namespace pawl {

using namespace internal;

double deepest_overlap(const Model& model, const State& state) {
  Kinematics kinematics;
  std::vector<Contact> contacts;
  position_kinematics(model, state.q, kinematics);
  ContactFinder(model).find({kinematics, nullptr, 0, {}}, contacts);
  double deepest = 0;
  for (const Contact& contact : contacts) deepest = std::max(deepest, -contact.gap);
  return deepest;
}

}  // namespace pawl
