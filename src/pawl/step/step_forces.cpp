#include <pawl/step/step_forces.h>

#include <limits>

#include <pawl/model/dynamics.h>

namespace pawl::internal {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

Kinematics kinematics_of(const Model& model, std::span<const double> q, std::span<const double> v) {
  Kinematics k;
  position_kinematics(model, q, k);
  velocity_kinematics(model, v, k);
  return k;
}

Vec3 impulse_of(const ContactRecord& contact) {
  const Vec3 &n = contact.normal, &t = contact.tangent;
  return contact.impulse[0] * n + contact.impulse[1] * t + contact.impulse[2] * cross(n, t);
}

Vec3 spin(const Model& model, const Kinematics& k, int b) {
  const Mat3& R = k.X_WB[b].R;
  return R * (model.bodies[b].inertia_B * (transpose(R) * k.w[b]));
}

void add_impulse(const Kinematics& k, int body, const Vec3& point, const Vec3& force, const Vec3& torque,
                 BodyForces& sum) {
  sum.force[body] += force;
  sum.torque[body] += torque + cross(point - k.X_WB[body].p, force);
}

/// The impulses on all bodies but those of their tree joints, about the centres of mass.
BodyForces outer_impulses(const Model& model, const StepForces& step, const Kinematics& start,
                          const Kinematics& end, std::span<const ContactRecord> contacts) {
  BodyForces forces;
  forces.clear(model);
  const StepClock clock{step.time, step.h};
  for (const Kinematics* k : {&start, &end}) {  // half of the forces at the start, half at the end
    conservative_body_forces(model, *k, clock, forces);
    applied_body_forces(model, *k, clock, forces);
  }
  for (std::size_t b = 0; b < model.bodies.size(); ++b) {
    forces.force[b] *= 0.5 * step.h;
    forces.torque[b] *= 0.5 * step.h;
  }
  for (const ContactRecord& contact : contacts) {
    const Vec3 p = impulse_of(contact), turn = contact.impulse[3] * contact.normal;
    add_impulse(end, contact.body_a, contact.point, p, turn, forces);
    add_impulse(end, contact.body_b, contact.point, -p, -turn, forces);
  }
  for (const RowImpulse& row : step.rows) {
    if (row.block.dof_a >= 0) continue;
    add_impulse(end, row.block.body_a, row.block.point_a, row.force, row.torque, forces);
    add_impulse(end, row.block.body_b, row.block.point_a, -row.force, -row.torque, forces);
  }
  return forces;
}

/// Where the impulse of a row belongs.
double JointForces::*kind_of(const Model& model, const ConstraintBlock& block) {
  if (block.element >= 0) {
    const ForceElement& element = model.forces[block.element];
    if (element.servo) return &JointForces::motor;
    return element.kind == ForceKind::spring ? &JointForces::spring : &JointForces::damper;
  }
  if (block.drive < 0) return &JointForces::coupling;
  if (block.law == RowLaw::limited) return &JointForces::limit;
  return block.friction ? &JointForces::friction : &JointForces::motor;
}

/// Sums of the impulses along coordinates, by generalised velocity.
std::vector<JointForces> impulses_along(const Model& model, const StepForces& step, const Kinematics& start,
                                        const Kinematics& end) {
  std::vector<JointForces> sums(model.nv);
  for (const RowImpulse& row : step.rows) {
    const ConstraintBlock& block = row.block;
    if (block.dof_a < 0) continue;
    const auto member = kind_of(model, block);
    sums[block.dof_a].*member += block.sign * row.along;
    if (block.dof_b >= 0) sums[block.dof_b].*member -= block.ratio * row.along;
  }
  const StepClock clock{step.time, step.h};
  for (const ForceElement& f : model.forces) {
    if (f.dof < 0) continue;
    const auto member = f.servo || f.kind == ForceKind::wrench ? &JointForces::motor
                        : f.kind == ForceKind::spring          ? &JointForces::spring
                                                               : &JointForces::damper;
    sums[f.dof].*member += 0.5 * step.h * coordinate_force(model, f, start, clock);
    sums[f.dof].*member += 0.5 * step.h * coordinate_force(model, f, end, clock);
  }
  return sums;
}

void add_tree_joints(const Model& model, const StepForces& step, const Kinematics& start,
                     const Kinematics& end, std::span<const ContactRecord> contacts,
                     std::vector<JointForces>& out) {
  BodyForces outer = outer_impulses(model, step, start, end, contacts);
  const std::vector<JointForces> along = impulses_along(model, step, start, end);
  // From the leaves: what a body's joint transmits is its change of momentum, less the outer impulses, and
  // what it passes on to its children.
  std::vector<Wrench> passed(model.bodies.size());  // about the centres of mass
  for (int b = static_cast<int>(model.bodies.size()) - 1; b > 0; --b) {
    const Body& body = model.bodies[b];
    if (body.tree < 0) continue;
    Wrench& own = passed[b];
    own.force += body.mass * (end.c[b] - start.c[b]) - outer.force[b];
    own.torque += spin(model, end, b) - spin(model, start, b) - outer.torque[b];
    Wrench& parent = passed[body.parent];
    parent.force += own.force;
    parent.torque += own.torque + cross(end.X_WB[b].p - end.X_WB[body.parent].p, own.force);
  }
  for (int b = 1; b < static_cast<int>(model.bodies.size()); ++b) {
    const Body& body = model.bodies[b];
    if (body.nv == 0 || body.joint == JointKind::free || body.joint == JointKind::planar) continue;
    JointForces& joint = out.emplace_back(body.nv == 1 ? along[body.v_begin] : JointForces{});
    joint.body_a = b;
    joint.body_b = body.parent;
    joint.reaction = passed[b];
    joint.reaction.torque -= cross(end.X_WB[b].R * body.frame_origin_B, passed[b].force);
  }
}

void add_constraint_joints(const Model& model, const StepForces& step, std::vector<JointForces>& out) {
  const std::size_t first = out.size();
  for (std::size_t j = 0; j < model.joints.size(); ++j) {
    JointForces& joint = out.emplace_back();
    joint.body_a = model.joints[j].body_a;
    joint.body_b = model.joints[j].body_b;
    joint.joint = static_cast<int>(j);
  }
  for (const RowImpulse& row : step.rows) {
    if (row.block.joint < 0) continue;
    JointForces& joint = out[first + row.block.joint];
    if (row.block.dof_a >= 0) {
      joint.coupling += row.along;
      continue;
    }
    joint.reaction.force += row.force;
    joint.reaction.torque += row.torque;
    if (row.block.drive >= 0) joint.*kind_of(model, row.block) += row.block.sign * row.along;
  }
}

void scale(double factor, JointForces& joint) {
  joint.reaction.force *= factor;
  joint.reaction.torque *= factor;
  for (double* value :
       {&joint.motor, &joint.limit, &joint.friction, &joint.spring, &joint.damper, &joint.coupling}) {
    *value *= factor;
  }
}

}  // namespace

void StepForces::add(const ConstraintBlock& start, const std::array<double, 3>& p1,
                     const ConstraintBlock& end, const std::array<double, 3>& p2) {
  if (p1 == std::array<double, 3>{} && p2 == std::array<double, 3>{}) return;
  RowImpulse& row = rows.emplace_back();
  row.block = end;
  row.along = p1[0] + p2[0];
  for (int r = 0; r < end.rows; ++r) {
    row.force += p1[r] * start.force[r] + p2[r] * end.force[r];
    row.torque += p1[r] * start.torque[r] + p2[r] * end.torque[r];
  }
}

std::vector<JointForces> joint_forces(const Model& model, const StepForces& step, const State& end,
                                      std::span<const ContactRecord> contacts) {
  std::vector<JointForces> joints;
  StepForces still;  // in place of a step that is not known
  if (!step.known) {
    still.q = end.q;
    still.v = end.v;
  }
  const StepForces& used = step.known ? step : still;
  const Kinematics at_start = kinematics_of(model, used.q, used.v),
                   at_end = kinematics_of(model, end.q, end.v);
  add_tree_joints(model, used, at_start, at_end, contacts, joints);
  add_constraint_joints(model, used, joints);
  for (JointForces& joint : joints) {
    joint.time = end.time;
    scale(step.known ? 1 / step.h : kNaN, joint);
  }
  return joints;
}

Wrench contact_wrench(const Model& model, const StepForces& step, const State& end,
                      std::span<const ContactRecord> contacts, int body, int other) {
  if (!step.known) return {{kNaN, kNaN, kNaN}, {kNaN, kNaN, kNaN}};
  const Kinematics k = kinematics_of(model, end.q, end.v);
  const Vec3 origin = k.X_WB[body] * model.bodies[body].frame_origin_B;
  Wrench sum;
  for (const ContactRecord& contact : contacts) {
    if (contact.body_a != body && contact.body_b != body) continue;
    if (other >= 0 && contact.body_a != other && contact.body_b != other) continue;
    const double sign = (contact.body_a == body ? 1 : -1) / step.h;
    const Vec3 force = sign * impulse_of(contact);
    sum.force += force;
    sum.torque += sign * contact.impulse[3] * contact.normal + cross(contact.point - origin, force);
  }
  return sum;
}

}  // namespace pawl::internal
