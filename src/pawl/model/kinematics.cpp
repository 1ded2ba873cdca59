#include <pawl/model/kinematics.h>

#include <cassert>

namespace pawl::internal {
namespace {

/// A rotation about the body's anchor, in the parent's frame.
Pose rotation_about_anchor(const Body& body, const Mat3& turn) {
  return {turn, body.anchor_P - turn * body.anchor_P};
}
Mat3 rotation_about(const Vec3& axis, double angle) {
  return to_matrix(quat_exp(angle * axis));
}

void body_position_kinematics(const Body& body, const Pose& X_WP, const double* q, Pose& X_WB, Dof* dofs) {
  switch (body.joint) {
    case JointKind::free:
      X_WB = {to_matrix({q[3], q[4], q[5], q[6]}), {q[0], q[1], q[2]}};
      for (int i = 0; i < 3; ++i) {
        dofs[i] = {{}, kAxes[i], X_WB.p};
        dofs[3 + i] = {kAxes[i], {}, X_WB.p};
      }
      break;
    case JointKind::planar: {
      const double s = std::sin(q[2]), c = std::cos(q[2]);
      X_WB = {{{{{c, -s, 0}, {s, c, 0}, {0, 0, 1}}}}, {q[0], q[1], 0}};
      dofs[0] = {{}, kAxes[0], X_WB.p};
      dofs[1] = {{}, kAxes[1], X_WB.p};
      dofs[2] = {kAxes[2], {}, X_WB.p};
      break;
    }
    case JointKind::revolute: {
      const Pose X_PP = rotation_about_anchor(body, rotation_about(body.axis_P, q[0]));
      X_WB = X_WP * (X_PP * body.X_PB_reference);
      dofs[0] = {X_WP.R * body.axis_P, {}, X_WP * body.anchor_P, q[0]};
      break;
    }
    case JointKind::prismatic: {
      const Pose X_PP{Mat3::identity(), q[0] * body.axis_P};
      X_WB = X_WP * (X_PP * body.X_PB_reference);
      dofs[0] = {{}, X_WP.R * body.axis_P, X_WB.p, q[0]};
      break;
    }
    case JointKind::cylindrical: {
      Pose X_PP = rotation_about_anchor(body, rotation_about(body.axis_P, q[1]));
      X_PP.p += q[0] * body.axis_P;
      X_WB = X_WP * (X_PP * body.X_PB_reference);
      dofs[0] = {{}, X_WP.R * body.axis_P, X_WB.p};
      dofs[1] = {X_WP.R * body.axis_P, {}, X_WP * body.anchor_P};
      break;
    }
    case JointKind::universal: {
      const Mat3 first = rotation_about(body.axis_P, q[0]);
      const Pose X_PP = rotation_about_anchor(body, first * rotation_about(body.second_axis_P, q[1]));
      X_WB = X_WP * (X_PP * body.X_PB_reference);
      const Vec3 anchor = X_WP * body.anchor_P;
      dofs[0] = {X_WP.R * body.axis_P, {}, anchor};
      dofs[1] = {X_WP.R * (first * body.second_axis_P), {}, anchor};
      break;
    }
    case JointKind::ball: {
      const Pose X_PP = rotation_about_anchor(body, to_matrix({q[0], q[1], q[2], q[3]}));
      X_WB = X_WP * (X_PP * body.X_PB_reference);
      const Vec3 anchor = X_WP * body.anchor_P;
      for (int i = 0; i < 3; ++i) dofs[i] = {X_WP.R * kAxes[i], {}, anchor};
      break;
    }
    case JointKind::weld:
      X_WB = X_WP * body.X_PB_reference;
      break;
  }
}

void body_velocity_kinematics(const Body& body, int b, std::span<const double> v, Kinematics& k) {
  const Vec3 p = k.X_WB[b].p;
  Vec3 w = k.w[body.parent];
  Vec3 c = point_velocity(k, body.parent, p);
  for (int i = body.v_begin; i < body.v_begin + body.nv; ++i) {
    w += v[i] * k.dofs[i].a;
    c += v[i] * point_velocity(k.dofs[i], p);
  }
  k.w[b] = w;
  k.c[b] = c;
}

/// Rotates the quaternion at `q` by a rotation vector, given in the axes in which the quaternion is given.
void rotate_quaternion(const double* q, const Vec3& rotation, double* out) {
  const Quat r = normalized(quat_exp(rotation) * Quat{q[0], q[1], q[2], q[3]});
  out[0] = r.w, out[1] = r.x, out[2] = r.y, out[3] = r.z;
}

void integrate_body(const Body& body, const double* q, const double* v, double h, double* out) {
  if (body.joint == JointKind::ball) {
    rotate_quaternion(q, h * Vec3{v[0], v[1], v[2]}, out);
    return;
  }
  const int lengths = body.joint == JointKind::free ? 3 : body.nv;
  for (int i = 0; i < lengths; ++i) out[i] = q[i] + h * v[i];
  if (body.joint == JointKind::free) rotate_quaternion(q + 3, h * Vec3{v[3], v[4], v[5]}, out + 3);
}

}  // namespace

void position_kinematics(const Model& model, std::span<const double> q, Kinematics& k) {
  assert(std::ssize(q) == model.nq && !model.bodies.empty());
  k.X_WB.resize(model.bodies.size());
  k.dofs.resize(model.nv);
  k.X_WB[0] = {};
  for (std::size_t b = 1; b < model.bodies.size(); ++b) {
    const Body& body = model.bodies[b];
    body_position_kinematics(body, k.X_WB[body.parent], q.data() + body.q_begin, k.X_WB[b],
                             k.dofs.data() + body.v_begin);
  }
}

void velocity_kinematics(const Model& model, std::span<const double> v, Kinematics& k) {
  assert(std::ssize(v) == model.nv && std::ssize(k.dofs) == model.nv);
  k.w.resize(model.bodies.size());
  k.c.resize(model.bodies.size());
  k.w[0] = k.c[0] = {};
  for (int b = 1; b < static_cast<int>(model.bodies.size()); ++b)
    body_velocity_kinematics(model.bodies[b], b, v, k);
}

void tree_kinematics(const Model& model, const Tree& tree, std::span<const double> q,
                     std::span<const double> v, Kinematics& k) {
  assert(std::ssize(q) == model.nq && std::ssize(v) == model.nv);
  assert(k.X_WB.size() == model.bodies.size() && std::ssize(k.dofs) == model.nv);
  for (int b = tree.body_begin; b < tree.body_end; ++b) {
    const Body& body = model.bodies[b];
    body_position_kinematics(body, k.X_WB[body.parent], q.data() + body.q_begin, k.X_WB[b],
                             k.dofs.data() + body.v_begin);
    body_velocity_kinematics(body, b, v, k);
  }
}

void integrate(const Model& model, std::span<const double> q, std::span<const double> v, double h,
               std::span<double> q_next) {
  assert(std::ssize(q) == model.nq && std::ssize(v) == model.nv && std::ssize(q_next) == model.nq);
  for (const Tree& tree : model.trees) integrate_tree(model, tree, q, v, h, q_next);
}

void integrate_tree(const Model& model, const Tree& tree, std::span<const double> q,
                    std::span<const double> v, double h, std::span<double> q_next) {
  for (int b = tree.body_begin; b < tree.body_end; ++b) {
    const Body& body = model.bodies[b];
    integrate_body(body, q.data() + body.q_begin, v.data() + body.v_begin, h, q_next.data() + body.q_begin);
  }
}

}  // namespace pawl::internal
