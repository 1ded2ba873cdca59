#include <pawl/scene.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <iterator>
#include <numbers>

#include <fmt/format.h>

namespace pawl {

using namespace internal;

namespace {

std::string message(const std::string& file, SourceLocation location, const std::string& field,
                    const std::string& reason) {
  std::string text = file;
  if (location.line > 0) text += fmt::format(":{}", location.line);
  if (location.column > 0) text += fmt::format(":{}", location.column);
  if (!field.empty()) text += ": " + field;
  return text + ": " + reason;
}

const SceneMaterial& find_material(const Scene& scene, std::string_view name) {
  const auto found = std::find_if(scene.materials.begin(), scene.materials.end(),
                                  [&](const SceneMaterial& material) { return material.name == name; });
  assert(found != scene.materials.end());
  return *found;
}

/// The default Coulomb friction: a circle, or an interval in the plane.
SceneFrictionSet plain_friction(Dimension dimension) {
  SceneFrictionSet set;
  if (dimension == Dimension::planar) set.kind = FrictionSetKind::planar;
  return set;
}

}  // namespace

SceneError::SceneError(std::string file, SourceLocation location, std::string field, std::string reason)
    : Error(message(file, location, field, reason)),
      file_(std::move(file)),
      location_(location),
      field_(std::move(field)),
      reason_(std::move(reason)) {}

SceneMaterial& Scene::add(SceneMaterial material) {
  return materials.emplace_back(std::move(material));
}
SceneBody& Scene::add(SceneBody body) {
  return bodies.emplace_back(std::move(body));
}
SceneConstraintJoint& Scene::add(SceneConstraintJoint joint) {
  return joints.emplace_back(std::move(joint));
}
SceneForce& Scene::add(SceneForce force) {
  return forces.emplace_back(std::move(force));
}
SceneBody& Scene::add_static(std::string body_name, std::vector<SceneShape> shapes) {
  SceneBody body;
  body.name = std::move(body_name);
  body.joint.kind = JointKind::weld;
  body.shapes = std::move(shapes);
  return add(std::move(body));
}

double value_at(const Signal& signal, double time) {
  if (signal.table.empty()) {
    return signal.constant +
           signal.amplitude * std::sin(2 * std::numbers::pi * signal.frequency * time + signal.phase);
  }
  const auto after = std::upper_bound(signal.table.begin(), signal.table.end(), time,
                                      [](double t, const auto& row) { return t < row[0]; });
  if (after == signal.table.begin()) return signal.table.front()[1];
  if (after == signal.table.end()) return signal.table.back()[1];
  const auto& [t0, x0] = *std::prev(after);
  const auto& [t1, x1] = *after;
  return x0 + (x1 - x0) * ((time - t0) / (t1 - t0));
}

double rate_at(const Signal& signal, double time) {
  if (signal.table.empty()) {
    const double omega = 2 * std::numbers::pi * signal.frequency;
    return signal.amplitude * omega * std::cos(omega * time + signal.phase);
  }
  const auto after = std::lower_bound(signal.table.begin(), signal.table.end(), time,
                                      [](const auto& row, double t) { return row[0] < t; });
  if (after == signal.table.begin() || after == signal.table.end()) return 0;
  const auto& [t0, x0] = *std::prev(after);
  const auto& [t1, x1] = *after;
  return (x1 - x0) / (t1 - t0);
}

ContactValues contact_values(const Scene& scene, std::string_view first, std::string_view second) {
  for (const ScenePair& pair : scene.pairs) {
    if ((pair.first == first && pair.second == second) || (pair.first == second && pair.second == first)) {
      return {pair.friction, pair.restitution, pair.restitution_law, pair.friction_set};
    }
  }
  const SceneMaterial& a = find_material(scene, first);
  const SceneMaterial& b = find_material(scene, second);
  // √(μ²) need not round to μ: equal coefficients are used unchanged.
  const double friction =
      a.friction == b.friction ? a.friction : std::sqrt(a.friction) * std::sqrt(b.friction);
  return {friction, std::min(a.restitution, b.restitution), RestitutionLaw::energetic,
          plain_friction(scene.dimension)};
}

std::string_view to_string(Dimension dimension) {
  return dimension == Dimension::planar ? "planar" : "spatial";
}

std::string_view to_string(JointKind kind) {
  switch (kind) {
    case JointKind::free:
      return "free";
    case JointKind::planar:
      return "planar";
    case JointKind::revolute:
      return "revolute";
    case JointKind::prismatic:
      return "prismatic";
    case JointKind::cylindrical:
      return "cylindrical";
    case JointKind::universal:
      return "universal";
    case JointKind::ball:
      return "ball";
    case JointKind::weld:
      return "weld";
  }
  return {};
}

std::string_view to_string(ConstraintJointKind kind) {
  switch (kind) {
    case ConstraintJointKind::ball:
      return "ball";
    case ConstraintJointKind::revolute:
      return "revolute";
    case ConstraintJointKind::prismatic:
      return "prismatic";
    case ConstraintJointKind::cylindrical:
      return "cylindrical";
    case ConstraintJointKind::universal:
      return "universal";
    case ConstraintJointKind::weld:
      return "weld";
    case ConstraintJointKind::distance:
      return "distance";
    case ConstraintJointKind::point_in_plane:
      return "point-in-plane";
    case ConstraintJointKind::coupling:
      return "coupling";
  }
  return {};
}

std::string_view to_string(ForceKind kind) {
  switch (kind) {
    case ForceKind::wrench:
      return "wrench";
    case ForceKind::spring:
      return "spring";
    case ForceKind::damper:
      return "damper";
  }
  return {};
}

std::string_view to_string(OnUncertified action) {
  return action == OnUncertified::stop ? "stop" : "flag";
}

std::string_view to_string(FrictionForm form) {
  return form == FrictionForm::exact ? "exact" : "polyhedral";
}

std::string_view to_string(ImpactTiming timing) {
  return timing == ImpactTiming::located ? "located" : "stepwise";
}

std::string_view to_string(ImpactOrder order) {
  return order == ImpactOrder::simultaneous ? "simultaneous" : "sequential";
}

}  // namespace pawl
