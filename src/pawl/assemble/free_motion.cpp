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

void begin_flight(const Model& model, const Tree& tree, std::span<const double> q, std::span<const double> v,
                  double h, DynamicsScratch& scratch, FreeMotion& motion, std::span<double> rate,
                  std::span<double> v_next) {
  const auto L = std::span(motion.factor).subspan(tree.mass_begin, tree.nv * tree.nv);
  const auto kick = std::span(motion.kick).subspan(tree.v_begin, tree.nv);
  for (int i = 0; i < tree.nv; ++i) {
    kick[i] = 0.5 * h * (motion.conservative[tree.v_begin + i] + motion.applied[tree.v_begin + i]);
  }
  solve_lower(L, tree.nv, kick);
  solve_lower_transposed(L, tree.nv, kick);
  for (int i = 0; i < tree.nv; ++i) kick[i] += v[tree.v_begin + i];
  for (int i = 0; i < tree.nv; ++i) rate[tree.v_begin + i] = v_next[tree.v_begin + i] = kick[i];
  if (lone_free(model, tree)) {
    const Body& root = model.bodies[tree.body_begin];
    const double* q_b = q.data() + root.q_begin;
    const SpinStep spin = spin_through_step(to_matrix({q_b[3], q_b[4], q_b[5], q_b[6]}), root.inertia_B,
                                            {kick[3], kick[4], kick[5]}, {}, h);
    motion.solved &= spin.solved;
    for (int i = 0; i < 3; ++i) {
      rate[root.v_begin + 3 + i] = spin.mean[i];
      v_next[root.v_begin + 3 + i] = spin.end[i];
    }
  } else if (tree.nv > 1) {
    motion.solved &= coast(model, tree, q, motion.kick, h, L, scratch, motion.coasting, rate);
    for (int i = tree.v_begin; i < tree.v_begin + tree.nv; ++i) v_next[i] = 2 * rate[i] - v_next[i];
  }
}

void end_flights(const Model& model, std::span<const char> flies, const Kinematics& end,
                 const StepClock& clock, DynamicsScratch& scratch, FreeMotion& motion,
                 std::span<double> v_next) {
  motion.end_conservative.resize(model.nv);
  motion.end_applied.resize(model.nv);
  motion.end_factor.resize(model.mass_size);
  generalised_forces(model, end, clock, scratch, {motion.end_conservative, motion.end_applied});
  for (std::size_t t = 0; t < model.trees.size(); ++t) {
    if (!flies[t]) continue;
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

}  // namespace pawl
