#include <pawl/step/step_start.h>

#include <algorithm>

#include <pawl/linalg/dense.h>

namespace pawl::internal {

bool evaluate_dynamics(const Model& model, const StepClock& clock, Dynamics& at) {
  at.motion.mass.resize(model.mass_size);
  mass_matrix(model, at.kinematics, at.scratch, at.motion.mass);
  at.motion.factor.assign(at.motion.mass.begin(), at.motion.mass.end());
  at.motion.drift.assign(model.nv, 0.0);
  at.motion.v_free.resize(model.nv);
  bool definite = true;
  for (const Tree& tree : model.trees) {
    definite &= cholesky(std::span(at.motion.factor).subspan(tree.mass_begin, tree.nv * tree.nv), tree.nv);
  }
  at.conservative.resize(model.nv);
  at.applied.resize(model.nv);
  generalised_forces(model, at.kinematics, clock, at.scratch, {at.conservative, at.applied});
  return definite;
}

void half_kick(const Model& model, const Dynamics& at, double h, std::span<double> change) {
  for (int i = 0; i < model.nv; ++i) change[i] = 0.5 * h * (at.conservative[i] + at.applied[i]);
  for (const Tree& tree : model.trees) {
    const auto L = std::span(at.motion.factor).subspan(tree.mass_begin, tree.nv * tree.nv);
    const auto x = change.subspan(tree.v_begin, tree.nv);
    solve_lower(L, tree.nv, x);
    solve_lower_transposed(L, tree.nv, x);
  }
}

bool is_active(const Model& model, const ConstraintBlock& block, double h) {
  switch (block.law) {
    case RowLaw::equality:
    case RowLaw::driven:
      return true;
    case RowLaw::bounded:
      return block.bound > 0 && (block.element < 0 || is_implicit(model.forces[block.element], h));
    case RowLaw::compliant:
      return is_implicit(model.forces[block.element], h);
    case RowLaw::limited:
      return false;
  }
  return false;
}

}  // namespace pawl::internal
