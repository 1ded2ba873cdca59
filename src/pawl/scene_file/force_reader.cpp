#include <fmt/format.h>

#include <pawl/scene_file/readers.h>

namespace pawl::internal {
namespace {

constexpr Quantity kForce{"a force", "N"};
constexpr Quantity kTorque{"a torque", "N m"};
constexpr Quantity kStiffness{"a stiffness", "N/m", Quantity::Range::non_negative};
constexpr Quantity kRestLength{"a rest length", "m", Quantity::Range::non_negative};
constexpr Quantity kDamping{"a damping", "N s/m", Quantity::Range::non_negative};

SceneAttachment read_attachment(const Field& field, const Scene& scene, const BodyIndex& bodies) {
  field.expect_object("attachment");
  SceneAttachment attachment;
  attachment.body = read_body_name(field.require("body", "a body's name, or world, is needed"), bodies);
  attachment.point = field.find_vector("point", kPoint, coordinates(scene)).value_or(Vec3{});
  return attachment;
}

void read_wrench(const Field& field, const Scene& scene, const BodyIndex& bodies, SceneForce& force) {
  const Field body = field.require("body", "the name of the body it acts on is needed");
  force.from.body = read_body_name(body, bodies);
  if (force.from.body == kWorld) body.fail("the world does not move: it must be the name of a body");
  force.from.point = field.find_vector("at", kPoint, coordinates(scene)).value_or(Vec3{});
  if (!field.has("force") && !field.has("torque"))
    field.fail_at("force", "missing: a wrench needs 'force', 'torque' or both");
  force.force = field.find_vector("force", kForce, coordinates(scene)).value_or(Vec3{});
  if (scene.dimension == Dimension::planar) {
    force.torque.z = field.find_number("torque", kTorque).value_or(0);
  } else {
    force.torque = field.find_vector("torque", kTorque, 3).value_or(Vec3{});
  }
  if (const auto scale = field.find("over_time")) force.scale = read_signal(*scale, {"a factor", ""});
  constexpr Choice<bool> kFrames[] = {{"world", false}, {"body", true}};
  if (const auto frame = field.find("frame")) force.in_body_frame = frame->choice<bool>("a frame", kFrames);
}

void read_ends(const Field& field, const Scene& scene, const BodyIndex& bodies, SceneForce& force) {
  force.from = read_attachment(field.require("from", "one end, {body, point}, is needed"), scene, bodies);
  const Field to = field.require("to", "the other end, {body, point}, is needed");
  force.to = read_attachment(to, scene, bodies);
  if (force.from.body == force.to.body) {
    to.fail(fmt::format("both ends are fixed to '{}', so it can do nothing: it must join two bodies",
                        force.to.body));
  }
}

SceneForce read_force(const std::string& name, const Field& field, const Scene& scene,
                      const BodyIndex& bodies) {
  const Choice<ForceKind> choices[] = {{to_string(ForceKind::wrench), ForceKind::wrench},
                                       {to_string(ForceKind::spring), ForceKind::spring},
                                       {to_string(ForceKind::damper), ForceKind::damper}};
  field.expect_object("force");
  SceneForce force;
  force.name = name;
  force.location = field.location();
  force.kind = field.require("type", "a force type is needed").choice<ForceKind>("a force type", choices);
  field.expect_variant("force", to_string(force.kind));
  switch (force.kind) {
    case ForceKind::wrench:
      read_wrench(field, scene, bodies, force);
      break;
    case ForceKind::spring:
      read_ends(field, scene, bodies, force);
      force.stiffness = field.require_number("stiffness", kStiffness);
      force.rest_length = field.require_number("rest_length", kRestLength);
      break;
    case ForceKind::damper:
      read_ends(field, scene, bodies, force);
      force.damping = field.require_number("damping", kDamping);
      break;
  }
  return force;
}

}  // namespace

void read_forces(const Field& field, const BodyIndex& bodies, Scene& scene) {
  for (const auto& [name, force] : field.named_entries("forces")) {
    scene.forces.push_back(read_force(name, force, scene, bodies));
  }
}

}  // namespace pawl::internal
