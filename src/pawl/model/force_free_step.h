#pragma once
// The force-free motion of a tree of joined bodies through a step.

#include <span>
#include <vector>

#include <pawl/model/dynamics.h>

namespace pawl::internal {

/// Scratch of coast().
struct ForceFreeScratch {
  Kinematics middle;
  std::vector<double> q_middle;   // [nq]
  std::vector<double> a, change;  // of one tree
};
/// Where bodies that do not move stand: once before the trees of a step.
void prepare(const Model& model, const Kinematics& kinematics, ForceFreeScratch& scratch);

/// The mean rates m of a tree that starts at q with rates v, no force on it: by the midpoint rule
///   M(q_mid) (v_end - v) = -h C(q_mid, m) m,   m = (v + v_end)/2,   q_mid = q ⊕ (h/2) m,
/// which is symmetric in time, so that its energy does not drift. Then v_end = 2 m - v, and q ⊕ h m is where
/// it ends. `v` and `mean` are of all trees, of which one's rates are read and written; L is the Cholesky
/// factor of the tree's mass matrix at q or nearby. False where the equation was not solved; only turns of
/// radians a step do that.
bool force_free_step(const Model& model, const Tree& tree, std::span<const double> q,
                     std::span<const double> v, double h, std::span<const double> L,
                     DynamicsScratch& dynamics, ForceFreeScratch& scratch, std::span<double> mean);

}  // namespace pawl::internal
