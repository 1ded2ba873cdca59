#include <fmt/format.h>

#include <pawl/model.h>

namespace pawl {

std::vector<std::string> control_names(const Model& model) {
  std::vector<std::string> names;
  for (const JointDrive& drive : model.drives) {
    if (!is_ideal_motor(drive.law)) continue;
    names.push_back(drive.body >= 0 ? model.body_names[drive.body] : fmt::format("joint{}", drive.joint));
  }
  for (const ForceElement& force : model.forces) {
    if (force.kind != ForceKind::wrench && !force.servo) continue;
    names.push_back(force.dof < 0 ? force.name : model.body_names[force.body_a]);
  }
  return names;
}

}  // namespace pawl
