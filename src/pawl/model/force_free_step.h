#pragma once
// The force-free motion of a tree of bodies through a step.

#include <span>
#include <vector>

#include <pawl/model/dynamics.h>

namespace pawl::internal {

/// Scratch of force_free_step().
struct ForceFreeScratch {
  Kinematics middle;
  std::vector<double> q_middle;   // [nq]
  std::vector<double> a, change;  // [nv of the tree]
  // Newton's method, [nv of the tree]
  std::vector<double> jacobian, moved, moved_change;
  std::vector<int> pivot;
};
/// Copies the poses of the static bodies into the scratch; call it once per step, before the trees.
void prepare(const Model& model, const Kinematics& kinematics, ForceFreeScratch& scratch);

/// The mean generalised velocities m of a force-free tree that starts at q with v, by the midpoint rule
///   M(q_mid) (v_end − v) = −h C(q_mid, m) m,   m = (v + v_end)/2,   q_mid = q ⊕ (h/2) m.
/// The rule is symmetric in time, so the energy does not drift. Then v_end = 2 m − v, and the tree ends at
/// q ⊕ h m. `v` and `mean` are [nv] of the model; only the entries of this tree are read and written. L is
/// the Cholesky factor of the tree's mass matrix at q or nearby. Solved by substitution with that matrix;
/// where it converges slowly, as where light links spin fast, by Newton's method. Returns false if the
/// equation was not solved, which needs rotations of radians per step.
bool force_free_step(const Model& model, const Tree& tree, std::span<const double> q,
                     std::span<const double> v, double h, std::span<const double> L,
                     DynamicsScratch& dynamics, ForceFreeScratch& scratch, std::span<double> mean);

}  // namespace pawl::internal
