#include <bit>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <pawl/robot/robot_context.h>

namespace pawl::internal {
namespace {

std::string text(const Vec3& v) {
  return fmt::format("[{}, {}, {}]", v.x, v.y, v.z);
}

std::string text(const Quat& q) {
  return fmt::format("{{quaternion: [{}, {}, {}, {}]}}", q.w, q.x, q.y, q.z);
}

std::string quoted(const std::string& value) {
  std::string out = "\"";
  for (const char c : value) {
    if (c == '"' || c == '\\') out += '\\';
    out += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
  }
  return out + '"';
}

std::string motor_text(const SceneDrive& drive) {
  const char* const key = drive.motor == MotorMode::position   ? "position"
                          : drive.motor == MotorMode::velocity ? "velocity"
                                                               : "force";
  std::string out = fmt::format("{{{}: {}", key, drive.target.constant);
  if (drive.kp > 0) out += fmt::format(", kp: {}", drive.kp);
  if (drive.kv > 0) out += fmt::format(", kv: {}", drive.kv);
  if (drive.max_force) out += fmt::format(", max_force: {}", *drive.max_force);
  return out + "}";
}

std::string drive_text(const SceneDrive& drive) {
  std::string out;
  if (drive.lower) out += fmt::format(", lower: {}", *drive.lower);
  if (drive.upper) out += fmt::format(", upper: {}", *drive.upper);
  if (drive.friction > 0) out += fmt::format(", friction: {}", drive.friction);
  if (drive.armature > 0) out += fmt::format(", armature: {}", drive.armature);
  if (drive.damping > 0) out += fmt::format(", damping: {}", drive.damping);
  if (drive.stiffness > 0) {
    out += fmt::format(", stiffness: {}, rest_position: {}", drive.stiffness, drive.rest_position);
  }
  if (drive.motor != MotorMode::none) out += fmt::format(", motor: {}", motor_text(drive));
  return out;
}

std::string joint_text(const SceneJoint& joint) {
  std::string out = fmt::format("{{type: {}", to_string(joint.kind));
  if (joint.kind != JointKind::free) out += fmt::format(", parent: {}", joint.parent);
  const bool simple = joint.kind == JointKind::revolute || joint.kind == JointKind::prismatic;
  if (joint.kind == JointKind::revolute || joint.kind == JointKind::ball) {
    out += fmt::format(", anchor: {}", text(joint.anchor));
  }
  if (simple) {
    out += fmt::format(", axis: {}", text(joint.axis));
    if (joint.position != 0) out += fmt::format(", position: {}", joint.position);
    if (joint.velocity != 0) out += fmt::format(", velocity: {}", joint.velocity);
  }
  if (joint.kind == JointKind::ball) {
    if (joint.orientation != Quat{}) out += fmt::format(", orientation: {}", text(joint.orientation));
    if (joint.angular_velocity != Vec3{}) {
      out += fmt::format(", angular_velocity: {}", text(joint.angular_velocity));
    }
  }
  return out + drive_text(joint.drive) + "}";
}

std::string shape_text(const SceneShape& shape) {
  std::string out = fmt::format("{{type: {}, material: {}", to_string(shape.kind), shape.material);
  switch (shape.kind) {
    case ShapeKind::sphere:
      out += fmt::format(", radius: {}", shape.radius);
      break;
    case ShapeKind::capsule:
      out += fmt::format(", radius: {}, length: {}", shape.radius, shape.length);
      break;
    case ShapeKind::cylinder:
      out += fmt::format(", radius: {}, height: {}", shape.radius, shape.height);
      break;
    case ShapeKind::box:
      out += fmt::format(", size: {}", text(shape.size));
      break;
    case ShapeKind::ellipsoid:
      out += fmt::format(", semi_axes: {}", text(shape.size));
      break;
    case ShapeKind::half_space:
      out += fmt::format(", normal: {}, offset: {}", text(shape.normal), shape.offset);
      break;
    default:
      out += ", points: [";
      for (const Vec3& point : shape.points) {
        out += (&point == shape.points.data() ? "" : ", ") + text(point);
      }
      out += "]";
  }
  if (shape.kind != ShapeKind::half_space) {
    out += fmt::format(", position: {}, orientation: {}", text(shape.position), text(shape.orientation));
  }
  std::vector<int> groups;
  for (int i = 0; i < 32; ++i) {
    if ((shape.collides_with >> i & 1U) != 0) groups.push_back(i);
  }
  return out + fmt::format(", group: {}, collides_with: [{}]}}", std::countr_zero(shape.group),
                           fmt::join(groups, ", "));
}

std::string body_text(const SceneBody& body) {
  std::string out = fmt::format("  {}:\n    joint: {}\n", body.name, joint_text(body.joint));
  out += fmt::format("    position: {}\n    orientation: {}\n", text(body.position), text(body.orientation));
  if (body.mass) {
    const Mat3& I = *body.inertia;
    out += fmt::format("    mass: {}\n    center_of_mass: {}\n    inertia: [{}, {}, {}]\n", *body.mass,
                       text(body.center_of_mass), text(I.row[0]), text(I.row[1]), text(I.row[2]));
  }
  if (body.velocity != Vec3{}) out += fmt::format("    velocity: {}\n", text(body.velocity));
  if (body.angular_velocity != Vec3{}) {
    out += fmt::format("    angular_velocity: {}\n", text(body.angular_velocity));
  }
  if (!body.shapes.empty()) out += "    shapes:\n";
  for (const SceneShape& shape : body.shapes) out += "      - " + shape_text(shape) + "\n";
  return out;
}

std::string pair_text(const ScenePair& pair) {
  std::string out =
      fmt::format("  - {{between: [{}, {}], friction: {}", pair.first, pair.second, pair.friction);
  if (pair.friction_set.radii[2] > 0) {
    out += fmt::format(", friction_set: {{type: ellipsoid, e_r: {}}}", pair.friction_set.radii[2]);
  }
  return out + "}\n";
}

std::string constraint_text(const SceneConstraintJoint& joint) {
  std::string out =
      fmt::format("  - {{type: {}, between: [{}, {}]", to_string(joint.kind), joint.first, joint.second);
  if (joint.kind == ConstraintJointKind::coupling) {
    return out + fmt::format(", ratio: {}, offset: {}}}\n", joint.ratio, joint.offset);
  }
  return out + fmt::format(", anchor: {}, collide: {}}}\n", text(joint.anchor), joint.collide);
}

template <class List, class Text>
void add_section(std::string& out, std::string_view name, const List& list, Text text_of) {
  if (list.empty()) return;
  out += fmt::format("{}:\n", name);
  for (const auto& each : list) out += text_of(each);
}

}  // namespace

std::string scene_text(const Scene& scene) {
  std::string out =
      fmt::format("pawl: 1\nname: {}\nworld:\n  gravity: {}\n", quoted(scene.name), text(scene.gravity));
  add_section(out, "materials", scene.materials, [](const SceneMaterial& material) {
    return fmt::format("  {}: {{friction: {}}}\n", material.name, material.friction);
  });
  add_section(out, "pairs", scene.pairs, pair_text);
  add_section(out, "bodies", scene.bodies, body_text);
  add_section(out, "joints", scene.joints, constraint_text);
  const auto bodies = [](const SceneBodyPair& pair) {
    return fmt::format("  - [{}, {}]\n", pair.first, pair.second);
  };
  add_section(out, "no_collision", scene.no_collision, bodies);
  add_section(out, "collision", scene.collision, bodies);
  return out + fmt::format("run:\n  step: {}\n", scene.run.step);
}

}  // namespace pawl::internal
