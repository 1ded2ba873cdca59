#pragma once
// The force-free motion of all bodies through a step.

#include <span>
#include <vector>

#include <pawl/model/force_free_step.h>

namespace pawl::internal {

/// Mass, centre of mass, momentum and angular momentum of a tree.
struct TreeMomentum {
  double mass = 0;
  Vec3 centre, linear, angular;  // angular: about the centre
  Mat3 inertia{};                // about the centre
};

/// Scratch of free_drift().
struct FreeDriftScratch {
  DynamicsScratch dynamics;
  ForceFreeScratch force_free;
  std::vector<double> q, v, mean;
  Kinematics kinematics;  // of trees with a free root
  std::vector<TreeMomentum> momenta;
};

/// Moves all trees from (q, v) to (q_next, v_next) in time h without forces.
/// - A free body keeps its momentum and its kinetic energy to rounding, at any ω h.
/// - A tree of joined bodies takes midpoint steps: symmetric in time, so its energy does not drift. If its
/// root is
///   free, it is then moved as a whole, by terms of third order, to keep its momentum.
/// Fast rotation is divided into equal parts. `kinematics` holds the poses at q, `factor` the Cholesky
/// factors of M(q). Returns false if an equation was not solved.
bool free_drift(const Model& model, const Kinematics& kinematics, std::span<const double> q,
                std::span<const double> v, std::span<const double> factor, double h,
                FreeDriftScratch& scratch, std::span<double> q_next, std::span<double> v_next);

}  // namespace pawl::internal
