#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <pawl/dynamics.h>
#include <pawl/mjcf/context.h>
#include <pawl/scene_file/nearest.h>

namespace pawl::internal {
namespace {

/// force = gain ctrl + constant − kp length − kv velocity, of the actuator.
struct AffineActuator {
  double gain = 1, constant = 0, kp = 0, kv = 0;
  double damping_ratio = 0;
};

/// An element with the defaults of its own kind, and below them those of <general>.
class ActuatorElement {
 public:
  ActuatorElement(const XmlElement& xml, const DefaultClass& defaults)
      : own_(xml, defaults, xml.name), general_(xml, defaults, "general") {}
  const Element& of(std::string_view attribute) const { return own_.has(attribute) ? own_ : general_; }
  const Element& own() const { return own_; }
  bool has(std::string_view attribute) const { return of(attribute).has(attribute); }
  double number(std::string_view attribute, double fallback) const {
    return of(attribute).number(attribute, fallback);
  }
  /// A range, if it is given and holds.
  std::optional<std::array<double, 2>> range(std::string_view limits, std::string_view limited,
                                             bool auto_limits) const {
    const std::vector<double> v = of(limits).numbers(limits, 2, 2);
    if (!of(limited).limited(limited).value_or(auto_limits && !v.empty())) return std::nullopt;
    if (v.empty()) own_.fail(limits, fmt::format("missing: '{}' needs it", limited));
    if (!(v[0] <= v[1])) own_.fail(limits, fmt::format("{} is above {}", v[0], v[1]));
    return std::array{v[0], v[1]};
  }

 private:
  Element own_, general_;
};

std::optional<AffineActuator> read_law(MjcfContext& context, const ActuatorElement& element) {
  const XmlElement& xml = element.own().xml();
  AffineActuator law;
  const auto ignored = [&](std::string_view attribute, const std::string& reason) {
    context.remark(RobotVerdict::ignored, xml, attribute, reason);
    return std::nullopt;
  };
  if (xml.name == "motor") return law;
  if (xml.name == "position") {
    law.gain = law.kp = element.number("kp", 1);
    law.kv = element.number("kv", 0);
    law.damping_ratio = element.number("dampratio", 0);
    if (element.number("timeconst", 0) > 0) {
      context.remark(RobotVerdict::approximated, xml, "timeconst", "the control acts at once");
    }
  } else if (xml.name == "velocity") {
    law.gain = law.kv = element.number("kv", 1);
  } else if (xml.name == "damper") {
    return ignored("", "its gain depends on the velocity");
  } else if (xml.name == "general") {
    const std::string gain = element.of("gaintype").text("gaintype", "fixed");
    const std::string bias = element.of("biastype").text("biastype", "none");
    if (gain != "fixed") return ignored("gaintype", fmt::format("'{}' is not affine", gain));
    if (bias != "none" && bias != "affine")
      return ignored("biastype", fmt::format("'{}' is not affine", bias));
    if (element.of("dyntype").text("dyntype", "none") != "none") {
      context.remark(RobotVerdict::approximated, xml, "dyntype", "the control acts at once");
    }
    const std::vector<double> g = element.of("gainprm").numbers("gainprm", 1, 10);
    std::vector<double> b = element.of("biasprm").numbers("biasprm", 1, 10);
    b.resize(10, 0.0);
    law.gain = g.empty() ? 1 : g[0];
    if (bias == "affine") law.constant = b[0], law.kp = -b[1], law.kv = -b[2];
  } else {
    return ignored("", "no such actuator here");
  }
  if (law.kp < 0 || law.kv < 0) return ignored("", "its force would grow with what it moves");
  return law;
}

/// The diagonal entry of M of a joint in the reference configuration.
double reference_inertia(const Scene& scene, const std::string& body) {
  Scene reference = scene;
  for (SceneBody& each : reference.bodies) {
    each.joint.position = each.joint.second_position = 0;
    each.joint.orientation = {};
  }
  const Model model = compile(reference);
  const std::vector<double> M = mass_matrix(model, initial_state(model));
  const auto found = std::ranges::find(model.body_names, body);
  const int i = model.bodies[static_cast<std::size_t>(found - model.body_names.begin())].v_begin;
  return M[static_cast<std::size_t>(i) * model.nv + i];
}

void read_actuator(MjcfContext& context, const XmlElement& xml, double ctrl) {
  const std::string* class_name = xml.find("class");
  const ActuatorElement element(xml, class_name == nullptr
                                         ? context.defaults.main()
                                         : context.defaults.find(xml, "class", *class_name));
  for (std::string_view other : {"tendon", "site", "slidersite", "cranksite", "body"}) {
    if (!xml.find(other)) continue;
    context.remark(RobotVerdict::ignored, xml, other, "only actuators of joints act");
    return;
  }
  const std::string_view key = xml.find("jointinparent") != nullptr ? "jointinparent" : "joint";
  const std::string name = element.own().text(key);
  const auto found = context.joint_index.find(name);
  if (found == context.joint_index.end()) {
    std::vector<std::string_view> names;
    for (const auto& [known, unused] : context.joint_index) names.push_back(known);
    fail(xml, key, fmt::format("no joint is called '{}'{}", name, hint(name, names, "there are")));
  }
  const JointPlace& joint = context.joints[static_cast<std::size_t>(found->second)];
  if (joint.kind != "hinge" && joint.kind != "slide") {
    context.remark(RobotVerdict::ignored, xml, key, fmt::format("no actuator of a {} joint", joint.kind));
    return;
  }
  std::optional<AffineActuator> law = read_law(context, element);
  if (!law) return;
  SceneDrive& drive = context.scene_body(joint.scene_body).joint.drive;
  if (drive.motor != MotorMode::none) {
    context.remark(RobotVerdict::ignored, xml, key, "its joint has a motor already");
    return;
  }
  const bool auto_limits = context.compiler.auto_limits;
  std::optional<std::array<double, 2>> range = element.range("ctrlrange", "ctrllimited", auto_limits);
  if (const double inherited = element.number("inheritrange", 0); inherited > 0) {
    const double middle = 0.5 * (joint.range[0] + joint.range[1]);
    const double half = 0.5 * inherited * (joint.range[1] - joint.range[0]);
    range = {middle - half, middle + half};
  }
  if (range) ctrl = std::clamp(ctrl, (*range)[0], (*range)[1]);
  const std::vector<double> gears = element.of("gear").numbers("gear", 1, 6);
  const double gear = gears.empty() ? 1 : gears[0];
  if (gear == 0) fail(xml, "gear", "0 moves nothing");
  if (law->damping_ratio > 0) {
    const double inertia = reference_inertia(context.scene, joint.scene_body) / (gear * gear);
    law->kv = 2 * law->damping_ratio * std::sqrt(law->kp * inertia);
  }
  // The length of the actuator is gear · qpos, and its force acts on the joint times gear.
  const double kp = gear * gear * law->kp, kv = gear * gear * law->kv;
  const double constant = gear * (law->gain * ctrl + law->constant);
  const auto force = element.range("forcerange", "forcelimited", auto_limits);
  if (force) {
    drive.max_force = std::abs(gear) * std::max(std::abs((*force)[0]), std::abs((*force)[1]));
    if ((*force)[0] != -(*force)[1]) {
      context.remark(RobotVerdict::approximated, xml, "forcerange", "the larger bound, both ways");
    }
  }
  if (kp > 0) {
    drive.motor = MotorMode::position;
    drive.target.constant = constant / kp - joint.ref;
    drive.kp = kp;
    drive.kv = kv;
  } else if (kv > 0) {
    drive.motor = MotorMode::velocity;
    drive.target.constant = constant / kv;
    drive.kv = kv;
  } else {
    drive.motor = MotorMode::force;
    const double bound = drive.max_force.value_or(std::abs(constant));
    drive.target.constant = std::clamp(constant, -bound, bound);
    drive.max_force.reset();
  }
}

}  // namespace

void read_actuators(MjcfContext& context) {
  std::size_t index = 0;
  for (const XmlElement& section : context.root.children) {
    if (section.name != "actuator") continue;
    for (const XmlElement& xml : section.children) {
      const double ctrl = index < context.key_ctrl.size() ? context.key_ctrl[index] : 0;
      ++index;
      read_actuator(context, xml, ctrl);
    }
  }
}

}  // namespace pawl::internal
