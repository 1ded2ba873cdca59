#include <pawl/model/kinematics.h>

namespace pawl {
namespace {

constexpr Vec3 kAxes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

void place_body(const Body& body, const Pose& X_WP, const double* q, Pose& X_WB, Dof* dofs) {
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
      const Mat3 turn = to_matrix(quat_exp(q[0] * body.axis_P));
      const Pose X_PP{turn, body.anchor_P - turn * body.anchor_P};  // a turn about the anchor
      X_WB = X_WP * (X_PP * body.X_PB_reference);
      dofs[0] = {X_WP.R * body.axis_P, {}, X_WP * body.anchor_P};
      break;
    }
    case JointKind::prismatic: {
      const Pose X_PP{Mat3::identity(), q[0] * body.axis_P};
      X_WB = X_WP * (X_PP * body.X_PB_reference);
      dofs[0] = {{}, X_WP.R * body.axis_P, X_WB.p};
      break;
    }
    case JointKind::weld:
      X_WB = X_WP * body.X_PB_reference;
      break;
  }
}

}  // namespace

void place_bodies(const Model& model, std::span<const double> q, Kinematics& k) {
  k.X_WB.resize(model.bodies.size());
  k.dofs.resize(model.nv);
  k.X_WB[0] = {};
  for (std::size_t b = 1; b < model.bodies.size(); ++b) {
    const Body& body = model.bodies[b];
    place_body(body, k.X_WB[body.parent], q.data() + body.q_begin, k.X_WB[b], k.dofs.data() + body.v_begin);
  }
}

void move_bodies(const Model& model, std::span<const double> v, Kinematics& k) {
  k.w.resize(model.bodies.size());
  k.c.resize(model.bodies.size());
  k.w[0] = k.c[0] = {};
  for (std::size_t b = 1; b < model.bodies.size(); ++b) {
    const Body& body = model.bodies[b];
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
}

void integrate(const Model& model, std::span<const double> q, std::span<const double> v, double h,
               std::span<double> q_next) {
  for (const Body& body : model.bodies) {
    const double* q_b = q.data() + body.q_begin;
    const double* v_b = v.data() + body.v_begin;
    double* out = q_next.data() + body.q_begin;
    if (body.joint == JointKind::free) {
      for (int i = 0; i < 3; ++i) out[i] = q_b[i] + h * v_b[i];
      const Quat turn = quat_exp(h * Vec3{v_b[3], v_b[4], v_b[5]});
      const Quat r = normalized(turn * Quat{q_b[3], q_b[4], q_b[5], q_b[6]});
      out[3] = r.w, out[4] = r.x, out[5] = r.y, out[6] = r.z;
    } else {
      for (int i = 0; i < body.nv; ++i) out[i] = q_b[i] + h * v_b[i];
    }
  }
}

}  // namespace pawl
