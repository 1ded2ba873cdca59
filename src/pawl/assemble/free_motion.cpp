#include <pawl/assemble/free_motion.h>

#include <algorithm>

#include <pawl/base/dense.h>

namespace pawl {
namespace {

/// A body that floats, with nothing on it but welds.
bool lone_free(const Model& model, const Tree& tree) {
  const Body& root = model.bodies[tree.body_begin];
  return root.joint == JointKind::free && tree.nv == root.nv;
}

void spin_lone_body(const Model& model, const Tree& tree, std::span<const double> q,
                    std::span<const double> v, double h, FreeMotion& motion) {
  const Body& root = model.bodies[tree.body_begin];
  const double* q_b = q.data() + root.q_begin;
  const int k = root.v_begin + 3;
  const Vec3 torque = Vec3{motion.conservative[k], motion.conservative[k + 1], motion.conservative[k + 2]} +
                      Vec3{motion.applied[k], motion.applied[k + 1], motion.applied[k + 2]};
  const SpinStep spin = spin_through_step(to_matrix({q_b[3], q_b[4], q_b[5], q_b[6]}), root.inertia_B,
                                          {v[k], v[k + 1], v[k + 2]}, torque, h);
  motion.solved &= spin.solved;
  for (int i = 0; i < 3; ++i) {
    motion.v_free[k + i] = spin.end[i];
    motion.drift[k + i] = spin.mean[i] - spin.end[i];
  }
}

/// Coasts from v_free, which holds v and the kick of the forces so far. What the kick alone would make of the
/// difference between mean and end, O(h³), is left out of the drift, so that a tree which contacts hold
/// against its forces stays exactly where it is.
void coast_tree(const Model& model, const Tree& tree, std::span<const double> q, std::span<const double> v,
                double h, DynamicsScratch& dynamics, FreeMotion& motion) {
  auto &kick = motion.kick, &mean = motion.mean, &kick_mean = motion.kick_mean;
  for (int i = tree.v_begin; i < tree.v_begin + tree.nv; ++i) kick[i] = motion.v_free[i] - v[i];
  const auto L = std::span(motion.factor).subspan(tree.mass_begin, tree.nv * tree.nv);
  motion.solved &= coast(model, tree, q, motion.v_free, h, L, dynamics, motion.coasting, mean);
  motion.solved &= coast(model, tree, q, kick, h, L, dynamics, motion.coasting, kick_mean);
  for (int i = tree.v_begin; i < tree.v_begin + tree.nv; ++i) {
    motion.drift[i] = (motion.v_free[i] - mean[i]) - (kick[i] - kick_mean[i]);
    motion.v_free[i] = 2 * mean[i] - motion.v_free[i];
  }
}

}  // namespace

void free_motion(const Model& model, const Kinematics& placed, std::span<const double> q,
                 std::span<const double> v, const StepClock& clock, DynamicsScratch& scratch,
                 FreeMotion& motion) {
  const double h = clock.h;
  for (auto* each : {&motion.conservative, &motion.applied, &motion.v_free, &motion.kick, &motion.mean,
                     &motion.kick_mean}) {
    each->resize(model.nv);
  }
  motion.mass.resize(model.mass_size);
  mass_matrix(model, placed, scratch, motion.mass);
  generalised_forces(model, placed, clock, scratch, {motion.conservative, motion.applied});
  motion.factor.assign(motion.mass.begin(), motion.mass.end());
  motion.drift.assign(model.nv, 0.0);
  motion.solved = true;
  prepare(model, placed, motion.coasting);
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
    if (lone_free(model, tree)) {
      spin_lone_body(model, tree, q, v, h, motion);
    } else if (tree.nv > 1) {  // one rate alone moves one body, and M is constant
      coast_tree(model, tree, q, v, h, scratch, motion);
    }
  }
}

}  // namespace pawl
