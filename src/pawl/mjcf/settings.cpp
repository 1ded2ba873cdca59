#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include <pawl/mjcf/context.h>
#include <pawl/scene_file/nearest.h>

namespace pawl::internal {
namespace {

constexpr double kDegree = std::numbers::pi / 180;
constexpr double kDefaultStep = 0.002;  // s, MuJoCo's

/// Calls read(child) for the children called `name` of all sections called `section`, in order.
template <class Read>
void for_each(const XmlElement& root, std::string_view section, std::string_view name, Read read) {
  for (const XmlElement& each : root.children) {
    if (each.name != section) continue;
    for (const XmlElement& child : each.children) {
      if (child.name == name) read(child);
    }
  }
}

void read_compiler(const XmlElement& xml, CompilerSettings& settings) {
  const Element element(xml, {}, "compiler");
  if (element.has("angle")) {
    settings.angle = element.choice("angle", "degree", {"degree", "radian"}) == "radian" ? 1 : kDegree;
  }
  settings.euler_sequence = element.text("eulerseq", settings.euler_sequence);
  if (settings.euler_sequence.size() != 3 ||
      settings.euler_sequence.find_first_not_of("xyzXYZ") != std::string::npos) {
    element.fail("eulerseq",
                 fmt::format("'{}' is no sequence of three axes, as xyz", settings.euler_sequence));
  }
  if (element.choice("coordinate", "local", {"local", "global"}) == "global") {
    element.fail("coordinate", "'global' is no longer MJCF: it must be 'local'");
  }
  settings.mesh_folder = element.text("meshdir", element.text("assetdir", settings.mesh_folder));
  settings.strip_path = element.flag("strippath", settings.strip_path);
  settings.auto_limits = element.flag("autolimits", settings.auto_limits);
  if (element.has("inertiafromgeom")) settings.inertia_from_geom = element.limited("inertiafromgeom");
  settings.balance_inertia = element.flag("balanceinertia", settings.balance_inertia);
  settings.bound_mass = element.number("boundmass", settings.bound_mass);
  settings.bound_inertia = element.number("boundinertia", settings.bound_inertia);
  settings.total_mass = element.number("settotalmass", settings.total_mass);
  const std::vector<double> groups = element.numbers("inertiagrouprange", 2, 2);
  if (!groups.empty()) settings.inertia_groups = {static_cast<int>(groups[0]), static_cast<int>(groups[1])};
}

void read_option(const XmlElement& xml, Scene& scene) {
  const Element element(xml, {}, "option");
  scene.run.step = element.number("timestep", scene.run.step);
  if (!(scene.run.step > 0)) element.fail("timestep", "it must be a time > 0 (s)");
  scene.gravity = element.vector("gravity", scene.gravity);
  for (std::string_view medium : {"density", "viscosity"}) {
    if (element.number(medium, 0) < 0) element.fail(medium, "it must not be negative");
  }
}

Quat from_axes(const Vec3& x, const Vec3& y, const Vec3& z) {
  // The largest of the four components first: no cancellation.
  const double w2 = 1 + x.x + y.y + z.z, x2 = 1 + x.x - y.y - z.z, y2 = 1 - x.x + y.y - z.z,
               z2 = 1 - x.x - y.y + z.z;
  const double largest = std::max({w2, x2, y2, z2});
  if (largest == w2) return normalized(Quat{w2, y.z - z.y, z.x - x.z, x.y - y.x});
  if (largest == x2) return normalized(Quat{y.z - z.y, x2, x.y + y.x, z.x + x.z});
  if (largest == y2) return normalized(Quat{z.x - x.z, x.y + y.x, y2, y.z + z.y});
  return normalized(Quat{x.y - y.x, z.x + x.z, y.z + z.y, z2});
}

/// The rotation that turns z to a direction by the least angle.
Quat from_z(const Element& element, std::string_view attribute, const Vec3& direction) {
  if (!(norm(direction) > 0)) element.fail(attribute, "a direction of length zero");
  const Vec3 d = normalized(direction), axis = cross({0, 0, 1}, d);
  const double sine = norm(axis);
  if (sine == 0) return d.z > 0 ? Quat{} : Quat{0, 1, 0, 0};
  return quat_exp(std::atan2(sine, d.z) / sine * axis);
}

Quat from_euler(const CompilerSettings& compiler, const Vec3& angles) {
  Quat q;
  for (int i = 0; i < 3; ++i) {
    const char letter = compiler.euler_sequence[static_cast<std::size_t>(i)];
    Vec3 turn;
    turn[std::tolower(letter) - 'x'] = compiler.angle * angles[i];
    // Small letters: axes that turn along. Capital letters: fixed axes.
    q = std::islower(letter) != 0 ? q * quat_exp(turn) : quat_exp(turn) * q;
  }
  return q;
}

Quat read_rotation(const MjcfContext& context, const Element& element) {
  int ways = 0;
  Quat q;
  if (const auto v = element.numbers("quat", 4, 4); !v.empty()) {
    q = {v[0], v[1], v[2], v[3]};
    if (q == Quat{0, 0, 0, 0}) element.fail("quat", "a quaternion of length zero is no rotation");
    q = normalized(q);
    ways += element.xml().find("quat") != nullptr;
  }
  if (const auto v = element.numbers("axisangle", 4, 4); !v.empty()) {
    const Vec3 axis{v[0], v[1], v[2]};
    if (!(norm(axis) > 0)) element.fail("axisangle", "an axis of length zero");
    q = quat_exp(context.compiler.angle * v[3] / norm(axis) * axis);
    ++ways;
  }
  if (element.has("euler")) {
    q = from_euler(context.compiler, element.vector("euler"));
    ++ways;
  }
  if (const auto v = element.numbers("xyaxes", 6, 6); !v.empty()) {
    const Vec3 x{v[0], v[1], v[2]}, y{v[3], v[4], v[5]};
    if (!(norm(cross(x, y)) > 0)) element.fail("xyaxes", "the two axes are parallel");
    const Vec3 x1 = normalized(x), y1 = normalized(y - dot(x1, y) * x1);
    q = from_axes(x1, y1, cross(x1, y1));
    ++ways;
  }
  if (element.has("zaxis")) {
    q = from_z(element, "zaxis", element.vector("zaxis"));
    ++ways;
  }
  if (ways > 1) element.fail("", "its rotation is given in several ways: keep one of them");
  return q;
}

void read_keyframe(MjcfContext& context, const std::string& name) {
  std::vector<std::string_view> names;
  for_each(context.root, "keyframe", "key", [&](const XmlElement& key) {
    const std::string* own = key.find("name");
    if (own != nullptr) names.push_back(*own);
    if (context.key == nullptr && (name.empty() || (own != nullptr && *own == name))) {
      context.key = &key;
    } else {
      context.remark(RobotVerdict::ignored, key, "", "one keyframe is the start: --keyframe NAME names it");
    }
  });
  if (context.key == nullptr) {
    if (name.empty()) return;
    fail(context.root, "keyframe",
         fmt::format("no keyframe is called '{}'{}", name, hint(name, names, "there are")));
  }
  const Element element(*context.key, {}, "key");
  const std::size_t any = 1'000'000;
  context.key_qpos = element.numbers("qpos", 0, any);
  context.key_qvel = element.numbers("qvel", 0, any);
  context.key_ctrl = element.numbers("ctrl", 0, any);
}

}  // namespace

Frame read_frame(const MjcfContext& context, const Element& element) {
  if (const auto v = element.numbers("fromto", 6, 6); !v.empty()) {
    const Vec3 from{v[0], v[1], v[2]}, to{v[3], v[4], v[5]};
    // MuJoCo's z axis goes from the second point to the first.
    return {from_z(element, "fromto", from - to), 0.5 * (from + to)};
  }
  return {read_rotation(context, element), element.vector("pos")};
}

void read_settings(MjcfContext& context, const std::string& keyframe) {
  Scene& scene = context.scene;
  context.compiler.angle = kDegree;
  scene.run.step = kDefaultStep;
  for (const XmlElement& each : context.root.children) {
    if (each.name == "compiler") read_compiler(each, context.compiler);
    if (each.name == "option") read_option(each, scene);
  }
  read_keyframe(context, keyframe);
}

}  // namespace pawl::internal
