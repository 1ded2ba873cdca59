#include <pawl/assemble/free_motion.h>

#include <algorithm>
#include <cassert>

#include <pawl/linalg/dense.h>

namespace pawl::internal {
namespace {

/// True for a tree of one free body, perhaps with bodies welded to it.
bool is_single_free_body(const Model& model, const Tree& tree) {
  const Body& root = model.bodies[tree.body_begin];
  return root.joint == JointKind::free && tree.nv == root.nv;
}

Vec3 spin_of(std::span<const double> rates, const Body& root) {
  const int k = root.v_begin + 3;
  return {rates[k], rates[k + 1], rates[k + 2]};
}

/// Applies the torque of the forces and an angular impulse (N m s), then the free rotation. v_free excludes
/// I(R)⁻¹ × the angular impulse at the start of the step, because the impulses of the step add it.
void spin_free_body(const Model& model, const Tree& tree, std::span<const double> q,
                    std::span<const double> v, const Vec3& angular_impulse, double h, FreeMotion& motion) {
  const Body& root = model.bodies[tree.body_begin];
  const double* q_b = q.data() + root.q_begin;
  const Mat3 R = to_matrix({q_b[3], q_b[4], q_b[5], q_b[6]});
  const Vec3 torque = spin_of(motion.conservative, root) + spin_of(motion.applied, root);
  const SpinStep spin = integrate_spin(R, root.inertia_B, spin_of(v, root), torque + angular_impulse / h, h);
  motion.solved &= spin.solved;
  const Vec3 by_impulse = R * solve(root.inertia_B, transpose(R) * angular_impulse);
  for (int i = 0; i < 3; ++i) {
    motion.v_free[root.v_begin + 3 + i] = spin.end[i] - by_impulse[i];
    motion.drift[root.v_begin + 3 + i] = spin.mean[i] - spin.end[i];
  }
}

/// Force-free midpoint step from v_free, which holds v plus the kick (velocity change) of the forces. The
/// drift excludes the O(h³) difference between mean and end that the kick alone would cause. A tree that
/// contacts hold against its forces therefore does not move at all.
void force_free_tree_step(const Model& model, const Tree& tree, std::span<const double> q,
                          std::span<const double> v, double h, DynamicsScratch& dynamics,
                          FreeMotion& motion) {
  auto &kick = motion.kick, &mean = motion.mean, &kick_mean = motion.kick_mean;
  for (int i = tree.v_begin; i < tree.v_begin + tree.nv; ++i) kick[i] = motion.v_free[i] - v[i];
  const auto L = std::span(motion.factor).subspan(tree.mass_begin, tree.nv * tree.nv);
  motion.solved &=
      force_free_step(model, tree, q, motion.v_free, h, L, dynamics, motion.force_free_scratch, mean);
  motion.solved &=
      force_free_step(model, tree, q, kick, h, L, dynamics, motion.force_free_scratch, kick_mean);
  for (int i = tree.v_begin; i < tree.v_begin + tree.nv; ++i) {
    motion.drift[i] = (motion.v_free[i] - mean[i]) - (kick[i] - kick_mean[i]);
    motion.v_free[i] = 2 * mean[i] - motion.v_free[i];
  }
}

}  // namespace

void free_motion(const Model& model, const Kinematics& kinematics, std::span<const double> q,
                 std::span<const double> v, const StepClock& clock, DynamicsScratch& scratch,
                 FreeMotion& motion) {
  assert(std::ssize(q) == model.nq && std::ssize(v) == model.nv);
  const double h = clock.h;
  for (auto* each : {&motion.conservative, &motion.applied, &motion.v_free, &motion.kick, &motion.mean,
                     &motion.kick_mean}) {
    each->resize(model.nv);
  }
  motion.mass.resize(model.mass_size);
  mass_matrix(model, kinematics, scratch, motion.mass);
  generalised_forces(model, kinematics, clock, scratch, {motion.conservative, motion.applied});
  motion.factor.assign(motion.mass.begin(), motion.mass.end());
  motion.drift.assign(model.nv, 0.0);
  motion.solved = true;
  prepare(model, kinematics, motion.force_free_scratch);
  for (const Tree& tree : model.trees) {
    const auto L = std::span(motion.factor).subspan(tree.mass_begin, tree.nv * tree.nv);
    const auto change = std::span(motion.v_free).subspan(tree.v_begin, tree.nv);
    motion.solved &= cholesky(L, tree.nv);
    for (int i = 0; i < tree.nv; ++i) {
      change[i] = h * (motion.conservative[tree.v_begin + i] + motion.applied[tree.v_begin + i]);
    }
    solve_lower(L, tree.nv, change);
    solve_lower_transposed(L, tree.nv, change);
    for (int i = 0; i < tree.nv; ++i) change[i] += v[tree.v_begin + i];
    if (is_single_free_body(model, tree)) {
      spin_free_body(model, tree, q, v, {}, h, motion);
    } else if (tree.nv > 1) {  // with one velocity M is constant
      force_free_tree_step(model, tree, q, v, h, scratch, motion);
    }
  }
}

void spin_after_impulses(const Model& model, std::span<const double> q, std::span<const double> v,
                         std::span<const double> v_next, double h, FreeMotion& motion) {
  assert(std::ssize(q) == model.nq && std::ssize(v) == model.nv && std::ssize(v_next) == model.nv);
  for (const Tree& tree : model.trees) {
    if (!is_single_free_body(model, tree) || tree.nv != 6) continue;
    const Body& root = model.bodies[tree.body_begin];
    const double* q_b = q.data() + root.q_begin;
    const Mat3 R = to_matrix({q_b[3], q_b[4], q_b[5], q_b[6]});
    const Vec3 change = spin_of(v_next, root) - spin_of(motion.v_free, root);
    spin_free_body(model, tree, q, v, R * (root.inertia_B * (transpose(R) * change)), h, motion);
  }
}

void begin_ballistic_step(const Model& model, const Tree& tree, std::span<const double> q,
                          std::span<const double> v, double h, DynamicsScratch& scratch, FreeMotion& motion,
                          std::span<double> rate, std::span<double> v_next) {
  const auto L = std::span(motion.factor).subspan(tree.mass_begin, tree.nv * tree.nv);
  const auto kick = std::span(motion.kick).subspan(tree.v_begin, tree.nv);
  for (int i = 0; i < tree.nv; ++i) {
    kick[i] = 0.5 * h * (motion.conservative[tree.v_begin + i] + motion.applied[tree.v_begin + i]);
  }
  solve_lower(L, tree.nv, kick);
  solve_lower_transposed(L, tree.nv, kick);
  for (int i = 0; i < tree.nv; ++i) kick[i] += v[tree.v_begin + i];
  for (int i = 0; i < tree.nv; ++i) rate[tree.v_begin + i] = v_next[tree.v_begin + i] = kick[i];
  if (is_single_free_body(model, tree)) {
    const Body& root = model.bodies[tree.body_begin];
    const double* q_b = q.data() + root.q_begin;
    const SpinStep spin = integrate_spin(to_matrix({q_b[3], q_b[4], q_b[5], q_b[6]}), root.inertia_B,
                                         {kick[3], kick[4], kick[5]}, {}, h);
    motion.solved &= spin.solved;
    for (int i = 0; i < 3; ++i) {
      rate[root.v_begin + 3 + i] = spin.mean[i];
      v_next[root.v_begin + 3 + i] = spin.end[i];
    }
  } else if (tree.nv > 1) {
    motion.solved &=
        force_free_step(model, tree, q, motion.kick, h, L, scratch, motion.force_free_scratch, rate);
    for (int i = tree.v_begin; i < tree.v_begin + tree.nv; ++i) v_next[i] = 2 * rate[i] - v_next[i];
  }
}

void end_ballistic_steps(const Model& model, std::span<const char> is_ballistic, const Kinematics& end,
                         const StepClock& clock, DynamicsScratch& scratch, FreeMotion& motion,
                         std::span<double> v_next) {
  motion.end_conservative.resize(model.nv);
  motion.end_applied.resize(model.nv);
  motion.end_factor.resize(model.mass_size);
  generalised_forces(model, end, clock, scratch, {motion.end_conservative, motion.end_applied});
  for (std::size_t t = 0; t < model.trees.size(); ++t) {
    if (!is_ballistic[t]) continue;
    const Tree& tree = model.trees[t];
    const auto L = std::span(motion.end_factor).subspan(tree.mass_begin, tree.nv * tree.nv);
    mass_block(model, tree, end, scratch, L);
    motion.solved &= cholesky(L, tree.nv);
    const auto kick = std::span(motion.kick).subspan(tree.v_begin, tree.nv);
    for (int i = 0; i < tree.nv; ++i) {
      const int k = tree.v_begin + i;
      kick[i] = 0.5 * clock.h * (motion.end_conservative[k] + motion.end_applied[k]);
      motion.conservative[k] = 0.5 * (motion.conservative[k] + motion.end_conservative[k]);
      motion.applied[k] = 0.5 * (motion.applied[k] + motion.end_applied[k]);
    }
    solve_lower(L, tree.nv, kick);
    solve_lower_transposed(L, tree.nv, kick);
    for (int i = 0; i < tree.nv; ++i) motion.v_free[tree.v_begin + i] = v_next[tree.v_begin + i] += kick[i];
  }
}

}  // namespace pawl::internal
