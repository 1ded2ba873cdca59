#include <pawl/model/free_drift.h>

#include <algorithm>
#include <cassert>
#include <cmath>

#include <pawl/base/tolerances.h>
#include <pawl/model/dynamics.h>

namespace pawl::internal {
namespace {

constexpr double kMaxAngle = 0.15;  // rad: rotation of a free body, or of the fastest of a tree, in one part
constexpr int kMaxParts = 1024;
constexpr int kMaxDriftIterations = 50;
constexpr double kDriftConverged = tolerances::kIterated;  // relative error of the momentum equation

int parts_of(double angle, double max_angle) {
  if (!(angle > max_angle)) return 1;
  return static_cast<int>(std::min<double>(kMaxParts, std::ceil(angle / max_angle)));
}

/// The mean angular velocity Ω of one part, in body axes, from the angular momentum l in body axes:
///   I Ω = ½ (l + exp(−hΩ) l).
/// exp(−hΩ) l is the momentum in the axes of the turned body. The rotation is about Ω, so
/// ½ l⁺·I⁻¹l⁺ − ½ l·I⁻¹l = (l⁺ − l)·Ω = 0: energy is conserved exactly.
bool mean_spin(const Mat3& inertia, const Vec3& l, double h, Vec3& spin) {
  const auto residual = [&](const Vec3& s, Vec3& turned) {
    turned = to_matrix(quat_exp(-h * s)) * l;
    return inertia * s - 0.5 * (l + turned);
  };
  Vec3 turned;
  Vec3 error = residual(spin, turned);
  for (int i = 0; i < kMaxDriftIterations && norm(error) > 0; ++i) {
    // d(exp(φ) l) = −[exp(φ) l]× Jl(φ) dφ with φ = −hΩ and Jl the left Jacobian of SO(3).
    const Vec3 phi = -h * spin;
    const Mat3 left = left_jacobian(phi);
    const Vec3 trial = spin - solve(inertia - (0.5 * h) * (skew(turned) * left), error);
    Vec3 trial_turned;
    const Vec3 trial_error = residual(trial, trial_turned);
    if (!(norm(trial_error) < norm(error))) break;  // only rounding is left
    spin = trial;
    error = trial_error;
    turned = trial_turned;
  }
  return norm(error) <= kDriftConverged * norm(l);
}

bool drift_free_body(const Body& root, std::span<const double> q, std::span<const double> v, double h,
                     std::span<double> q_next, std::span<double> v_next) {
  const double *q_b = q.data() + root.q_begin, *v_b = v.data() + root.v_begin;
  double *q_out = q_next.data() + root.q_begin, *v_out = v_next.data() + root.v_begin;
  for (int i = 0; i < 3; ++i) {
    q_out[i] = q_b[i] + h * v_b[i];
    v_out[i] = v_b[i];
  }
  Quat R{q_b[3], q_b[4], q_b[5], q_b[6]};
  const Vec3 w{v_b[3], v_b[4], v_b[5]};
  Vec3 w_end = w;
  bool solved = true;
  const Mat3& inertia = root.inertia_B;
  if (inertia == inertia(0, 0) * Mat3::identity()) {
    R = normalized(quat_exp(h * w) * R);
  } else {
    const Mat3 R_start = to_matrix(R);
    Vec3 spin = transpose(R_start) * w;
    const Vec3 L = R_start * (inertia * spin);  // constant
    const int parts = parts_of(norm(w) * h, kMaxAngle);
    for (int i = 0; i < parts; ++i) {
      const Vec3 l = transpose(to_matrix(R)) * L;
      solved &= mean_spin(inertia, l, h / parts, spin);
      R = normalized(R * quat_exp((h / parts) * spin));
    }
    const Mat3 R_end = to_matrix(R);
    const auto spin_of = [&](const Vec3& momentum) {
      return R_end * solve(inertia, transpose(R_end) * momentum);
    };
    w_end = spin_of(L);
    // The rounding error always has the same sign, so it would accumulate: correct it.
    w_end += spin_of(L - R_end * (inertia * (transpose(R_end) * w_end)));
  }
  q_out[3] = R.w, q_out[4] = R.x, q_out[5] = R.y, q_out[6] = R.z;
  for (int i = 0; i < 3; ++i) v_out[3 + i] = w_end[i];
  return solved;
}

bool drift_tree(const Model& model, const Tree& tree, const Kinematics& kinematics,
                std::span<const double> factor, double h, int parts, FreeDriftScratch& scratch,
                std::span<const double> q, std::span<const double> v, std::span<double> q_next,
                std::span<double> v_next) {
  const Body &first = model.bodies[tree.body_begin], &last = model.bodies[tree.body_end - 1];
  const int q_begin = first.q_begin, nq = last.q_begin +
                                          (last.joint == JointKind::ball   ? 4
                                           : last.joint == JointKind::free ? 7
                                                                           : last.nv) -
                                          q_begin;
  scratch.q.resize(model.nq);
  scratch.v.resize(model.nv);
  scratch.mean.resize(model.nv);
  std::copy_n(q.begin() + q_begin, nq, scratch.q.begin() + q_begin);
  std::copy_n(v.begin() + tree.v_begin, tree.nv, scratch.v.begin() + tree.v_begin);
  const auto L = factor.subspan(tree.mass_begin, tree.nv * tree.nv);
  prepare(model, kinematics, scratch.force_free);
  for (int i = 0; i < parts; ++i) {
    if (!force_free_step(model, tree, scratch.q, scratch.v, h / parts, L, scratch.dynamics,
                         scratch.force_free, scratch.mean))
      return false;
    integrate_tree(model, tree, scratch.q, scratch.mean, h / parts, q_next);
    std::copy_n(q_next.begin() + q_begin, nq, scratch.q.begin() + q_begin);
    for (int k = tree.v_begin; k < tree.v_begin + tree.nv; ++k)
      scratch.v[k] = 2 * scratch.mean[k] - scratch.v[k];
  }
  std::copy_n(scratch.v.begin() + tree.v_begin, tree.nv, v_next.begin() + tree.v_begin);
  return true;
}

TreeMomentum momentum_of(const Model& model, const Tree& tree, const Kinematics& k) {
  TreeMomentum sum;
  for (int b = tree.body_begin; b < tree.body_end; ++b) {
    const double mass = model.bodies[b].mass;
    sum.mass += mass;
    sum.centre += mass * k.X_WB[b].p;
    sum.linear += mass * k.c[b];
  }
  sum.centre = sum.centre / sum.mass;
  for (int b = tree.body_begin; b < tree.body_end; ++b) {
    const Body& body = model.bodies[b];
    const Vec3 arm = k.X_WB[b].p - sum.centre;
    const Mat3& R = k.X_WB[b].R;
    const Mat3 inertia = R * body.inertia_B * transpose(R);
    sum.angular += inertia * k.w[b] + cross(arm, body.mass * k.c[b]);
    sum.inertia = sum.inertia + inertia - body.mass * (skew(arm) * skew(arm));
  }
  return sum;
}

/// Moves a tree with a free root as a whole, so that it keeps its momentum and its centre of mass moves on a
/// straight line.
void restore_momentum(const Model& model, const Tree& tree, const TreeMomentum& start, double h,
                      const Kinematics& end, std::span<double> q_next, std::span<double> v_next) {
  const TreeMomentum now = momentum_of(model, tree, end);
  const Body& root = model.bodies[tree.body_begin];
  const bool planar = root.joint == JointKind::planar;
  const Vec3 shift = start.centre + (h / start.mass) * start.linear - now.centre;
  const Vec3 spin = planar ? Vec3{0, 0, (start.angular.z - now.angular.z) / now.inertia(2, 2)}
                           : solve(now.inertia, start.angular - now.angular);
  const Vec3 velocity =
      (start.linear - now.linear) / start.mass + cross(spin, end.X_WB[tree.body_begin].p - now.centre);
  for (int i = 0; i < (planar ? 2 : 3); ++i) {
    q_next[root.q_begin + i] += shift[i];
    v_next[root.v_begin + i] += velocity[i];
  }
  for (int i = 0; i < (planar ? 1 : 3); ++i)
    v_next[root.v_begin + (planar ? 2 : 3) + i] += planar ? spin.z : spin[i];
}

bool is_free_tree(const Model& model, const Tree& tree) {
  const Body& root = model.bodies[tree.body_begin];
  return (root.joint == JointKind::free || root.joint == JointKind::planar) && tree.nv > root.nv;
}

}  // namespace

bool free_drift(const Model& model, const Kinematics& kinematics, std::span<const double> q,
                std::span<const double> v, std::span<const double> factor, double h,
                FreeDriftScratch& scratch, std::span<double> q_next, std::span<double> v_next) {
  assert(std::ssize(q) == model.nq && std::ssize(v) == model.nv);
  assert(std::ssize(q_next) == model.nq && std::ssize(v_next) == model.nv);
  bool solved = true;
  for (const Tree& tree : model.trees) {
    const Body& root = model.bodies[tree.body_begin];
    const bool single = tree.nv == root.nv;
    if (single && root.joint == JointKind::free) {
      solved &= drift_free_body(root, q, v, h, q_next, v_next);
    } else if (tree.nv == 1 || (single && root.joint == JointKind::planar)) {  // M is constant
      integrate_tree(model, tree, q, v, h, q_next);
      std::copy_n(v.begin() + tree.v_begin, tree.nv, v_next.begin() + tree.v_begin);
    } else {
      double fastest = 0;  // upper bound of any body's angular velocity
      for (int b = tree.body_begin; b < tree.body_end; ++b) {
        Vec3 w;
        for (int a = b; a > 0; a = model.bodies[a].parent) {
          for (int i = model.bodies[a].v_begin; i < model.bodies[a].v_begin + model.bodies[a].nv; ++i)
            w += v[i] * kinematics.dofs[i].a;
        }
        fastest = std::max(fastest, norm(w));
      }
      int parts = parts_of(fastest * h, kMaxAngle);
      while (!drift_tree(model, tree, kinematics, factor, h, parts, scratch, q, v, q_next, v_next)) {
        parts *= 2;
        if (parts > kMaxParts) return false;
      }
    }
  }
  if (std::ranges::none_of(model.trees, [&](const Tree& tree) { return is_free_tree(model, tree); }))
    return solved;
  Kinematics& k = scratch.kinematics;
  k.X_WB = kinematics.X_WB;
  k.dofs = kinematics.dofs;
  velocity_kinematics(model, v, k);
  scratch.momenta.clear();
  for (const Tree& tree : model.trees) scratch.momenta.push_back(momentum_of(model, tree, k));
  position_kinematics(model, q_next, k);
  velocity_kinematics(model, v_next, k);
  for (std::size_t t = 0; t < model.trees.size(); ++t) {
    if (is_free_tree(model, model.trees[t]))
      restore_momentum(model, model.trees[t], scratch.momenta[t], h, k, q_next, v_next);
  }
  return solved;
}

}  // namespace pawl::internal
