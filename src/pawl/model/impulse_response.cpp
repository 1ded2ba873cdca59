#include <pawl/model/impulse_response.h>

#include <algorithm>

#include <pawl/linalg/dense.h>

namespace pawl::internal {

double ImpulseResponse::dot(const SpatialVector& a, const SpatialVector& b) {
  return pawl::dot(a.angular, b.angular) + pawl::dot(a.linear, b.linear);
}

void ImpulseResponse::add(double scale, const SpatialVector& x, SpatialVector& sum) {
  sum.angular += scale * x.angular;
  sum.linear += scale * x.linear;
}

std::span<double> ImpulseResponse::factor(const Body& body) {
  return std::span(L_).subspan(6 * body.v_begin, body.nv * body.nv);
}

bool ImpulseResponse::prepare(const Model& model, const Kinematics& kinematics) {
  model_ = &model;
  kinematics_ = &kinematics;
  const std::size_t bodies = model.bodies.size();
  inertia_.resize(bodies);
  impulse_.resize(bodies);
  change_.resize(bodies);
  S_.resize(model.nv);
  V_.resize(model.nv);
  y_.resize(model.nv);
  L_.resize(6 * model.nv);
  bool good = true;
  for (const Tree& tree : model.trees) {
    for (int b = tree.body_begin; b < tree.body_end; ++b) {
      const Body& body = model.bodies[b];
      const Mat3& R = kinematics.X_WB[b].R;
      inertia_[b] = {R * body.inertia_B * transpose(R), {}, body.mass * Mat3::identity()};
    }
    for (int b = tree.body_end - 1; b >= tree.body_begin; --b) {
      good = eliminate_joint(b) && good;
      if (model.bodies[b].parent >= tree.body_begin) add_to_parent(b, model.bodies[b].parent);
    }
  }
  return good;
}

/// The articulated inertia as seen by the parent: inertia − U (Sᵀ U)⁻¹ Uᵀ = inertia − V Vᵀ.
bool ImpulseResponse::eliminate_joint(int b) {
  const Body& body = model_->bodies[b];
  Inertia& inertia = inertia_[b];
  const Mat3 Ht = transpose(inertia.H);
  const auto L = factor(body);
  SpatialVector* const S = S_.data() + body.v_begin;
  SpatialVector* const V = V_.data() + body.v_begin;
  for (int i = 0; i < body.nv; ++i) {
    const Dof& dof = kinematics_->dofs[body.v_begin + i];
    S[i] = {dof.a, point_velocity(dof, kinematics_->X_WB[b].p)};
    V[i] = {inertia.I * S[i].angular + inertia.H * S[i].linear, Ht * S[i].angular + inertia.m * S[i].linear};
    for (int j = 0; j <= i; ++j) L[i * body.nv + j] = dot(S[j], V[i]);
    if (body.armature > 0) L[i * body.nv + i] += body.armature;
  }
  if (!cholesky(L, body.nv)) return false;
  for (int i = 0; i < body.nv; ++i) {
    for (int j = 0; j < i; ++j) add(-L[i * body.nv + j], V[j], V[i]);
    const double scale = 1 / L[i * (body.nv + 1)];
    V[i] = {scale * V[i].angular, scale * V[i].linear};
    inertia.I = inertia.I - outer(V[i].angular, V[i].angular);
    inertia.H = inertia.H - outer(V[i].angular, V[i].linear);
    inertia.m = inertia.m - outer(V[i].linear, V[i].linear);
  }
  return true;
}

/// Adds the inertia, shifted to the parent's centre of mass; r points from there to the body's: c = c_parent
/// − r × w.
void ImpulseResponse::add_to_parent(int b, int parent) {
  const Inertia& from = inertia_[b];
  Inertia& to = inertia_[parent];
  const Mat3 r = skew(kinematics_->X_WB[b].p - kinematics_->X_WB[parent].p);
  const Mat3 r_m = r * from.m, H_r = from.H * r;
  to.I = to.I + from.I - H_r - transpose(H_r) - r_m * r;
  to.H = to.H + from.H + r_m;
  to.m = to.m + from.m;
}

void ImpulseResponse::respond(const Tree& tree, std::span<const BodyImpulse> impulses, std::span<double> dv) {
  std::fill(impulse_.begin() + tree.body_begin, impulse_.begin() + tree.body_end, SpatialVector{});
  for (const BodyImpulse& impulse : impulses) {
    if (impulse.body < tree.body_begin || impulse.body >= tree.body_end) continue;
    const Vec3 arm = impulse.point - kinematics_->X_WB[impulse.body].p;
    add(1, {impulse.angular + cross(arm, impulse.linear), impulse.linear}, impulse_[impulse.body]);
  }
  // Inward pass: each joint absorbs its part of the impulse, and the rest is applied to the parent.
  for (int b = tree.body_end - 1; b >= tree.body_begin; --b) {
    const Body& body = model_->bodies[b];
    SpatialVector rest = impulse_[b];
    const auto y = std::span(y_).subspan(body.v_begin, body.nv);
    for (int i = 0; i < body.nv; ++i) y[i] = dot(S_[body.v_begin + i], rest);
    solve_lower(factor(body), body.nv, y);
    if (body.parent < tree.body_begin) continue;
    for (int i = 0; i < body.nv; ++i) add(-y[i], V_[body.v_begin + i], rest);
    const Vec3 arm = kinematics_->X_WB[b].p - kinematics_->X_WB[body.parent].p;
    add(1, {rest.angular + cross(arm, rest.linear), rest.linear}, impulse_[body.parent]);
  }
  // Outward pass: each body moves with its parent, plus the motion of its joint.
  for (int b = tree.body_begin; b < tree.body_end; ++b) {
    const Body& body = model_->bodies[b];
    SpatialVector& change = change_[b];
    change = {};
    if (body.parent >= tree.body_begin) {
      const Vec3 arm = kinematics_->X_WB[b].p - kinematics_->X_WB[body.parent].p;
      change = change_[body.parent];
      change.linear += cross(change.angular, arm);
    }
    const auto rates = dv.subspan(body.v_begin - tree.v_begin, body.nv);
    for (int i = 0; i < body.nv; ++i) rates[i] = y_[body.v_begin + i] - dot(V_[body.v_begin + i], change);
    solve_lower_transposed(factor(body), body.nv, rates);
    for (int i = 0; i < body.nv; ++i) add(rates[i], S_[body.v_begin + i], change);
  }
}

Vec3 ImpulseResponse::change(int body, const Vec3& point) const {
  return change_[body].linear + cross(change_[body].angular, point - kinematics_->X_WB[body].p);
}

}  // namespace pawl::internal
