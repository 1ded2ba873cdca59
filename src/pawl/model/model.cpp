#include <pawl/model.h>

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include <pawl/collision/mesh/surface.h>
#include <pawl/model/collision_shape.h>
#include <pawl/model/kinematics.h>
#include <pawl/model/mass_properties.h>

#include "mass_check.h"

namespace pawl {

using namespace internal;

namespace {

int nv_of(JointKind joint) {
  switch (joint) {
    case JointKind::free:
      return 6;
    case JointKind::planar:
      return 3;
    case JointKind::revolute:
    case JointKind::prismatic:
      return 1;
    case JointKind::cylindrical:
    case JointKind::universal:
      return 2;
    case JointKind::ball:
      return 3;
    case JointKind::weld:
      return 0;
  }
  return 0;
}

/// A quaternion has one coordinate more than the rotation has velocities.
int nq_of(JointKind joint) {
  return nv_of(joint) + (joint == JointKind::free || joint == JointKind::ball ? 1 : 0);
}

Pose frame_of(const SceneBody& body) {
  return {to_matrix(body.orientation), body.position};
}

/// Two unit vectors perpendicular to `axis` and to each other; for a planar axis the first lies in the plane.
std::array<Vec3, 2> perpendicular_directions(const Vec3& axis, bool planar) {
  Vec3 first = planar ? Vec3{-axis.y, axis.x, 0} : cross(axis, Vec3{1, 0, 0});
  if (!planar && std::abs(axis.x) > 0.7) first = cross(axis, Vec3{0, 1, 0});
  first = normalized(first);
  return {first, cross(axis, first)};
}

class Compiler {
 public:
  explicit Compiler(const Scene& scene) : scene_(scene) {
    for (int i = 0; i < static_cast<int>(scene.bodies.size()); ++i) {
      children_[scene.bodies[i].joint.parent].push_back(i);
    }
  }

  Model run() {
    model_.file = scene_.file;
    model_.dimension = scene_.dimension;
    model_.gravity = scene_.gravity;
    add_world();
    for (const int i : tree_order()) add_body(scene_.bodies[i]);
    if (body_index_.size() != scene_.bodies.size() + 1) refuse_bodies();
    finish_trees();
    add_laws();
    for (const SceneConstraintJoint& joint : scene_.joints) add_constraint_joint(joint);
    add_collision_filters();
    for (const SceneForce& force : scene_.forces) add_force(force);
    for (const SceneBody& body : scene_.bodies) add_joint_forces(body);
    add_stiffness_bounds();
    return std::move(model_);
  }

 private:
  void add_world() {
    model_.bodies.emplace_back();
    model_.body_names.push_back("world");
    body_index_["world"] = 0;
    X_WB_.emplace_back();
  }

  [[noreturn]] void refuse_bodies() const {
    for (const SceneBody& body : scene_.bodies) {
      if (!body_index_.contains(body.name)) {
        throw SceneError(scene_.file, body.joint.location, "bodies." + body.name + ".joint.parent",
                         "following the parents from here never reaches the world: tree joints form a loop");
      }
    }
    throw SceneError(scene_.file, {}, "bodies", "two bodies have the same name");
  }

  /// Scene bodies with parents before children and each tree contiguous, otherwise in the order of the file.
  std::vector<int> tree_order() {
    std::vector<int> order;
    std::vector<int> stack(children_["world"].rbegin(), children_["world"].rend());
    while (!stack.empty()) {
      const int i = stack.back();
      stack.pop_back();
      order.push_back(i);
      const auto& next = children_[scene_.bodies[i].name];
      stack.insert(stack.end(), next.rbegin(), next.rend());
    }
    return order;
  }

  /// Reports a body without a closed-form mass as a SceneError.
  MassProperties own_mass(const SceneBody& source) {
    try {
      return mass_properties(source, scene_.dimension);
    } catch (const Error& error) {
      throw SceneError(scene_.file, source.location, "bodies." + source.name + ".shapes", error.what());
    }
  }

  /// The mass properties of a body and all bodies welded to it, in the body's frame: they move as one.
  MassProperties rigid_mass(const SceneBody& source) {
    MassProperties sum = own_mass(source);
    for (const int i : children_[source.name]) {
      const SceneBody& child = scene_.bodies[i];
      if (child.joint.kind != JointKind::weld) continue;
      const MassProperties welded = rigid_mass(child);
      const Pose X = inverse(frame_of(source)) * frame_of(child);
      sum = sum + MassProperties{welded.mass, X * welded.center, X.R * welded.inertia * transpose(X.R)};
    }
    return sum;
  }

  void add_body(const SceneBody& source) {
    const SceneJoint& joint = source.joint;
    Body body;
    body.parent = body_index_.at(joint.parent);
    body.joint = joint.kind;
    const bool moves = joint.kind != JointKind::weld || model_.bodies[body.parent].tree >= 0;
    const MassProperties own = own_mass(source);
    if (body.parent != 0 && (joint.kind == JointKind::free || joint.kind == JointKind::planar)) {
      throw SceneError(scene_.file, joint.location, "bodies." + source.name + ".joint.parent",
                       "a body that floats has no parent but the world");
    }
    if (moves && std::ranges::any_of(source.shapes, is_static_only, &SceneShape::kind)) {
      throw SceneError(scene_.file, source.location, "bodies." + source.name + ".shapes",
                       "a half-space, mesh or height field: only a body welded to the world can have it");
    }
    check_own_mass(scene_, source, own, moves);
    if (moves && !(own.mass > 0)) {
      throw SceneError(scene_.file, source.location, "bodies." + source.name,
                       "a body that moves needs a mass: give mass, or a density on its shapes");
    }
    // The mass of a welded body is added to the body that carries it, so a rigid body has one mass however
    // the scene splits it.
    const bool carried = moves && joint.kind == JointKind::weld;
    const MassProperties mass = moves && !carried ? rigid_mass(source) : own;
    if (moves && !carried) check_rigid_mass(scene_, source, mass);
    body.mass = carried ? 0 : mass.mass;
    body.inertia_B = carried ? Mat3{} : mass.inertia;
    body.frame_origin_B = -mass.center;

    const Pose X_WF = frame_of(source);
    const Pose X_WB{X_WF.R, X_WF * mass.center};
    const Pose X_PW = inverse(X_WB_[body.parent]);
    body.X_PB_reference = X_PW * X_WB;
    body.axis_P = X_PW.R * joint.axis;
    body.second_axis_P = X_PW.R * joint.second_axis;
    body.anchor_P = X_PW * joint.anchor;
    body.nv = nv_of(joint.kind);
    body.armature = joint.drive.armature;
    body.q_begin = model_.nq;
    body.v_begin = model_.nv;
    model_.nq += nq_of(joint.kind);
    model_.nv += body.nv;

    if (moves) {
      if (model_.bodies[body.parent].tree < 0) {
        model_.trees.push_back(
            {.body_begin = static_cast<int>(model_.bodies.size()), .v_begin = body.v_begin});
      }
      body.tree = static_cast<int>(model_.trees.size()) - 1;
      model_.trees.back().body_end = static_cast<int>(model_.bodies.size()) + 1;
    }
    add_start(source, X_WB, X_PW.R, X_WF.R * (mass.center - own.center));
    add_drive({.body = static_cast<int>(model_.bodies.size()), .law = joint.drive});
    body_index_[source.name] = static_cast<int>(model_.bodies.size());
    model_.bodies.push_back(body);
    model_.body_names.push_back(source.name);
    X_WB_.push_back(X_WB);
    for (std::size_t i = 0; i < source.shapes.size(); ++i) add_shape(source, i, body.frame_origin_B);
  }

  /// `shift` is the vector from the body's own centre of mass, whose velocity the scene gives, to the centre
  /// of mass of the model's body.
  void add_start(const SceneBody& source, const Pose& X_WB, const Mat3& R_PW, const Vec3& shift) {
    auto& q = model_.q_start;
    auto& v = model_.v_start;
    const Vec3 p = X_WB.p, w = source.angular_velocity, u = source.velocity + cross(w, shift);
    switch (source.joint.kind) {
      case JointKind::free: {
        const Quat r = normalized(source.orientation);
        q.insert(q.end(), {p.x, p.y, p.z, r.w, r.x, r.y, r.z});
        v.insert(v.end(), {u.x, u.y, u.z, w.x, w.y, w.z});
        break;
      }
      case JointKind::planar:
        q.insert(q.end(), {p.x, p.y, source.angle});
        v.insert(v.end(), {u.x, u.y, w.z});
        break;
      case JointKind::revolute:
      case JointKind::prismatic:
        q.push_back(source.joint.position);
        v.push_back(source.joint.velocity);
        break;
      case JointKind::cylindrical:
      case JointKind::universal:
        q.insert(q.end(), {source.joint.position, source.joint.second_position});
        v.insert(v.end(), {source.joint.velocity, source.joint.second_velocity});
        break;
      case JointKind::ball: {  // in the parent's axes
        const Quat r = normalized(source.joint.orientation);
        const Vec3 turn = R_PW * Vec3{r.x, r.y, r.z}, spin = R_PW * source.joint.angular_velocity;
        q.insert(q.end(), {r.w, turn.x, turn.y, turn.z});
        v.insert(v.end(), {spin.x, spin.y, spin.z});
        break;
      }
      case JointKind::weld:
        break;
    }
  }

  /// Reports an Error from the geometry code as a SceneError of this shape.
  void add_shape(const SceneBody& body, std::size_t index, const Vec3& frame_origin_B) {
    const SceneShape& shape = body.shapes[index];
    try {
      add_shape(shape, frame_origin_B);
    } catch (const SceneError&) {
      throw;
    } catch (const Error& error) {
      throw SceneError(scene_.file, shape.location, fmt::format("bodies.{}.shapes.{}", body.name, index),
                       error.what());
    }
  }

  int surface(const SceneShape& source) {
    const auto make = [&] {
      if (source.kind == ShapeKind::height_field) {
        const int rows = static_cast<int>(source.heights.size()) / source.columns;
        return height_field(source.heights, rows, source.columns, source.spacing.x, source.spacing.y);
      }
      return model_.planar() ? polyline_surface(source.points, false) : make_surface(source.mesh);
    };
    model_.surfaces.push_back(std::make_shared<const Surface>(make()));
    return static_cast<int>(model_.surfaces.size()) - 1;
  }

  void add_shape(const SceneShape& source, const Vec3& frame_origin_B) {
    Shape shape;
    shape.kind = source.kind;
    shape.body = static_cast<int>(model_.bodies.size()) - 1;
    shape.material = material(source.material);
    shape.group = source.group;
    shape.collides_with = source.collides_with;
    shape.X_BS = {to_matrix(normalized(source.orientation)), frame_origin_B + source.position};
    if (source.kind == ShapeKind::half_space) {
      shape.normal_B = shape.X_BS.R * source.normal;
      shape.X_BS.p += source.offset * shape.normal_B;
    } else if (is_static_only(source.kind)) {
      shape.surface = surface(source);
    } else {
      shape.solid = make_collision_shape(source, model_.dimension);
    }
    model_.shapes.push_back(shape);
  }

  void finish_trees() {
    for (int t = 0; t < static_cast<int>(model_.trees.size()); ++t) {
      Tree& tree = model_.trees[t];
      const int v_end =
          t + 1 < static_cast<int>(model_.trees.size()) ? model_.trees[t + 1].v_begin : model_.nv;
      tree.nv = v_end - tree.v_begin;
      tree.mass_begin = model_.mass_size;
      model_.mass_size += tree.nv * tree.nv;
    }
  }

  int material(const std::string& name) const {
    const auto found = std::ranges::find(scene_.materials, name, &SceneMaterial::name);
    if (found == scene_.materials.end()) {
      throw SceneError(scene_.file, {}, "materials", "there is no material '" + name + "'");
    }
    return static_cast<int>(found - scene_.materials.begin());
  }

  void add_laws() {
    for (const SceneMaterial& a : scene_.materials) {
      for (const SceneMaterial& b : scene_.materials) {
        const ContactValues values = contact_values(scene_, a.name, b.name);
        const bool along_first = values.friction_set.of == a.name && a.name != b.name;
        check_frame(values.friction_set);
        model_.laws.push_back(
            {values.friction, values.restitution, values.restitution_law, values.friction_set, along_first});
      }
    }
    model_.materials = static_cast<int>(scene_.materials.size());
  }

  /// t must not be directed along the normal; checked for half-spaces, which have one normal.
  void check_frame(const SceneFrictionSet& set) const {
    if (set.along == Vec3{}) return;
    for (const Shape& shape : model_.shapes) {
      if (shape.kind != ShapeKind::half_space || scene_.materials[shape.material].name != set.of) continue;
      if (norm(cross(set.along, shape.normal_B)) > kParallel) continue;
      throw SceneError(
          scene_.file, set.location, "friction_set.along",
          fmt::format("it is parallel to the normal of a half-space of {} (body {}), and t lies in "
                      "the surface: it must be another direction",
                      set.of, model_.body_names[shape.body]));
    }
  }

  void add_drive(const JointDrive& drive) {
    const SceneDrive& law = drive.law;
    if (law.lower || law.upper || law.friction > 0 || is_ideal_motor(law)) {
      model_.drives.push_back(drive);
    }
  }

  /// An upper bound on the change of velocity of a point of a body per unit impulse, 1/kg; constraints on the
  /// body only reduce it.
  double mobility(int index, Vec3 point) const {
    const Body* body = &model_.bodies[index];
    if (body->tree < 0) return 0;
    while (body->joint == JointKind::weld) {  // carried by its parent
      point = body->X_PB_reference * point;
      body = &model_.bodies[body->parent];
    }
    const Mat3& I = body->inertia_B;
    double turning = 1 / I(2, 2);
    if (!model_.planar()) {
      turning = 0;
      for (int i = 0; i < 3; ++i) {
        Vec3 axis;
        axis[i] = 1;
        turning += solve(I, axis)[i];
      }
    }
    return 1 / body->mass + dot(point, point) * turning;
  }

  /// An upper bound on the change of a joint velocity per unit impulse on its coordinate: that of the two
  /// bodies, free but for the joint, with the rotor.
  double coordinate_mobility(const ForceElement& force) const {
    const Body& body = model_.bodies[force.body_a];
    const auto of = [&](int index, Vec3 axis) {
      const Body* at = &model_.bodies[index];
      if (at->tree < 0) return 0.0;
      while (at->joint == JointKind::weld) {  // carried by its parent
        axis = at->X_PB_reference.R * axis;
        at = &model_.bodies[at->parent];
      }
      if (body.joint == JointKind::prismatic) return 1 / at->mass;
      return model_.planar() ? 1 / at->inertia_B(2, 2) : dot(axis, solve(at->inertia_B, axis));
    };
    const Vec3 axis = body.joint == JointKind::ball ? kAxes[force.dof - body.v_begin] : body.axis_P;
    const double sum = of(body.parent, axis) + of(force.body_a, transpose(body.X_PB_reference.R) * axis);
    return sum / (1 + body.armature * sum);
  }

  void add_stiffness_bounds() {
    std::vector<double> spring(model_.bodies.size(), 0.0), damper(model_.bodies.size(), 0.0);
    for (const ForceElement& force : model_.forces) {
      if (force.kind == ForceKind::wrench) continue;
      if (force.dof >= 0) {
        const double mobility = coordinate_mobility(force);
        for (const int body : {force.body_a, model_.bodies[force.body_a].parent}) {
          spring[body] += force.stiffness * mobility;
          damper[body] += force.damping * mobility;
        }
        continue;
      }
      const std::pair<int, Vec3> ends[] = {{force.body_a, force.point_a}, {force.body_b, force.point_b}};
      for (const auto& [body, point] : ends) {
        spring[body] += force.stiffness * mobility(body, point);
        damper[body] += force.damping * mobility(body, point);
      }
    }
    for (ForceElement& force : model_.forces) {
      if (force.dof >= 0) {
        const int parent = model_.bodies[force.body_a].parent;
        if (force.stiffness > 0)
          force.spring_omega_squared = std::max(spring[force.body_a], parent > 0 ? spring[parent] : 0.0);
        if (force.damping > 0)
          force.damping_rate = std::max(damper[force.body_a], parent > 0 ? damper[parent] : 0.0);
      } else if (force.kind == ForceKind::spring) {
        force.spring_omega_squared = std::max(spring[force.body_a], spring[force.body_b]);
      } else if (force.kind == ForceKind::damper) {
        force.damping_rate = std::max(damper[force.body_a], damper[force.body_b]);
      }
    }
  }

  void add_constraint_joint(const SceneConstraintJoint& source) {
    ConstraintJoint joint;
    joint.kind = source.kind;
    joint.body_a = body_index_.at(source.first);
    joint.body_b = body_index_.at(source.second);
    const Body &a = model_.bodies[joint.body_a], &b = model_.bodies[joint.body_b];
    if (a.tree < 0 && b.tree < 0) {
      throw SceneError(scene_.file, source.location, fmt::format("joints.{}.between", model_.joints.size()),
                       fmt::format("neither '{}' nor '{}' can move: a joint needs one that can", source.first,
                                   source.second));
    }
    const Pose X_AW = inverse(X_WB_[joint.body_a]), X_BW = inverse(X_WB_[joint.body_b]);
    const bool rod = source.kind == ConstraintJointKind::distance;
    const bool crossed = source.kind == ConstraintJointKind::universal;
    joint.anchor_A = X_AW * source.anchor;
    joint.anchor_B = X_BW * (rod ? source.second_anchor : source.anchor);
    joint.axis_A = X_AW.R * source.axis;
    joint.axis_B = X_BW.R * (crossed ? source.second_axis : source.axis);
    const auto perpendicular = perpendicular_directions(source.axis, model_.planar());
    for (int i = 0; i < 2; ++i) joint.perpendicular_B[i] = X_BW.R * perpendicular[i];
    joint.R_AB = X_AW.R * transpose(X_BW.R);
    joint.cosine = dot(source.axis, source.second_axis);
    joint.length = source.length;
    joint.rope = rod && (source.drive.lower || source.drive.upper);
    joint.q_a = a.q_begin, joint.q_b = b.q_begin;
    joint.dof_a = a.v_begin, joint.dof_b = b.v_begin;
    joint.ratio = source.ratio, joint.offset = source.offset;
    add_drive({.joint = static_cast<int>(model_.joints.size()), .law = source.drive});
    model_.joints.push_back(joint);
    if (!source.collide && source.kind != ConstraintJointKind::coupling) {
      model_.never_collide.push_back(std::minmax(joint.body_a, joint.body_b));
    }
  }

  /// Explicit lists take precedence over joints, and no_collision over everything.
  void add_collision_filters() {
    const auto add = [&](const std::vector<SceneBodyPair>& from, std::vector<std::pair<int, int>>& to) {
      for (const auto& [first, second] : from) {
        to.push_back(std::minmax(body_index_.at(first), body_index_.at(second)));
      }
      std::ranges::sort(to);
    };
    add(scene_.collision, model_.always_collide);
    std::erase_if(model_.never_collide,
                  [&](const auto& pair) { return std::ranges::binary_search(model_.always_collide, pair); });
    add(scene_.no_collision, model_.never_collide);
  }

  void add_force(const SceneForce& source) {
    ForceElement force;
    force.kind = source.kind;
    force.body_a = body_index_.at(source.from.body);
    force.body_b = body_index_.at(source.to.body);
    force.point_a = model_.bodies[force.body_a].frame_origin_B + source.from.point;
    force.point_b = model_.bodies[force.body_b].frame_origin_B + source.to.point;
    force.force = source.force;
    force.torque = source.torque;
    force.in_body_frame = source.in_body_frame;
    force.scale = source.scale;
    force.stiffness = source.stiffness;
    force.rest_length = source.rest_length;
    force.damping = source.damping;
    force.name = source.name;
    model_.forces.push_back(force);
  }

  /// Spring, damper, and a motor that is a servo or a plain force, on the coordinates of a body's joint.
  void add_joint_forces(const SceneBody& source) {
    const SceneDrive& drive = source.joint.drive;
    const int index = body_index_.at(source.name);
    const Body& body = model_.bodies[index];
    ForceElement element;
    element.body_a = index;
    const auto add = [&](ForceElement force) {
      for (int i = 0; i < body.nv; ++i) {
        force.dof = body.v_begin + i;
        force.q = body.q_begin + i;
        model_.forces.push_back(force);
      }
    };
    if (drive.stiffness > 0) {
      ForceElement spring = element;
      spring.kind = ForceKind::spring;
      spring.stiffness = drive.stiffness;
      spring.rest_length = drive.rest_position;
      add(spring);
    }
    if (drive.damping > 0) {
      ForceElement damper = element;
      damper.kind = ForceKind::damper;
      damper.damping = drive.damping;
      add(damper);
    }
    if (drive.motor == MotorMode::none || is_ideal_motor(drive) || drive.max_force == 0.0) return;
    ForceElement motor = element;
    motor.scale = drive.target;
    motor.kind = drive.motor == MotorMode::force ? ForceKind::wrench : ForceKind::damper;
    motor.servo = drive.motor != MotorMode::force;
    motor.velocity_servo = drive.motor == MotorMode::velocity;
    motor.stiffness = motor.velocity_servo ? 0 : drive.kp;
    motor.damping = drive.kv;
    motor.max_force = drive.max_force;
    add(motor);
  }

  const Scene& scene_;
  Model model_;
  std::map<std::string, std::vector<int>> children_;  // indices of scene bodies, by the parent's name
  std::map<std::string, int> body_index_;
  std::vector<Pose> X_WB_;  // poses of the model's body frames in the reference configuration
};

using Names = std::vector<const char*>;

Names q_names(JointKind joint) {
  switch (joint) {
    case JointKind::free:
      return {"x", "y", "z", "qw", "qx", "qy", "qz"};
    case JointKind::planar:
      return {"x", "y", "theta"};
    case JointKind::revolute:
    case JointKind::prismatic:
      return {"q"};
    case JointKind::cylindrical:
      return {"slide", "turn"};
    case JointKind::universal:
      return {"q1", "q2"};
    case JointKind::ball:
      return {"qw", "qx", "qy", "qz"};
    case JointKind::weld:
      return {};
  }
  return {};
}

Names v_names(JointKind joint) {
  switch (joint) {
    case JointKind::free:
      return {"vx", "vy", "vz", "wx", "wy", "wz"};
    case JointKind::planar:
      return {"vx", "vy", "omega"};
    case JointKind::revolute:
    case JointKind::prismatic:
      return {"v"};
    case JointKind::cylindrical:
      return {"slide_rate", "turn_rate"};
    case JointKind::universal:
      return {"v1", "v2"};
    case JointKind::ball:
      return {"wx", "wy", "wz"};
    case JointKind::weld:
      return {};
  }
  return {};
}

std::vector<std::string> columns(const Model& model, Names names_of(JointKind)) {
  std::vector<std::string> names;
  for (std::size_t b = 1; b < model.bodies.size(); ++b) {
    for (const char* name : names_of(model.bodies[b].joint)) {
      names.push_back(fmt::format("{}.{}", model.body_names[b], name));
    }
  }
  return names;
}

}  // namespace

Model compile(const Scene& scene) {
  return Compiler(scene).run();
}

std::vector<std::string> q_columns(const Model& model) {
  return columns(model, q_names);
}

std::vector<std::string> v_columns(const Model& model) {
  return columns(model, v_names);
}

State initial_state(const Model& model) {
  return {0, model.q_start, model.v_start};
}

}  // namespace pawl
