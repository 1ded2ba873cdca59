#include <pawl/step/energy.h>

namespace pawl::internal {
namespace {

/// Work of the impulses of a step, by source.
struct ImpulseWork {
  double normal = 0, stabilisation = 0, friction = 0;
  double joints = 0, limits = 0, motors = 0, springs = 0, dampers = 0;

  /// The term of a constraint block.
  double& of(const Model& model, const ConstraintBlock& block) {
    if (yields(block)) return model.forces[block.element].kind == ForceKind::spring ? springs : dampers;
    switch (block.law) {
      case RowLaw::equality:
        return joints;
      case RowLaw::limited:
        return limits;
      case RowLaw::driven:
        return motors;
      case RowLaw::bounded:
        return block.friction ? friction : motors;
      case RowLaw::compliant:
        break;  // it yields
    }
    return joints;
  }
};

void add_work(const Model& model, const Stepper& stepper, const Island& island, std::span<const double> v,
              ImpulseWork& work) {
  const ContactProblem& problem = island.problem;
  const PrimalData& rows = problem.motion;
  const int contacts = static_cast<int>(island.contacts.size());
  for (const auto& block : rows.jacobian_blocks) {
    if (island.trees[block.mass_block] < 0) continue;  // fictitious mass
    const auto& mass = rows.mass_blocks[block.mass_block];
    const int v_begin = model.trees[island.trees[block.mass_block]].v_begin;
    for (int r = 0; r < problem.size_of(block.block); ++r) {
      double before_step = 0, after_step = 0;  // half the row's velocity at start and end
      for (int k = 0; k < mass.size; ++k) {
        const double J = 0.5 * rows.jacobian[block.offset + r * mass.size + k];
        before_step += J * v[v_begin + k];
        after_step += J * stepper.v_next()[v_begin + k];
      }
      if (block.block < contacts) {
        const double p = stepper.impulses()[island.contacts[block.block] * kContactRows + r];
        (r == 0 ? work.normal : work.friction) += p * before_step;
        (r == 0 ? work.stabilisation : work.friction) += p * after_step;
        continue;
      }
      const int block_index = island.blocks[block.block - contacts];
      const ConstraintBlock& constraint = stepper.blocks()[block_index];
      const int first = constraint.law == RowLaw::bounded ? 1 : 0;
      if (r < first) continue;
      work.of(model, constraint) +=
          stepper.block_impulses()[block_index][r - first] * (before_step + after_step);
    }
  }
}

}  // namespace

// With v̄ = (v + v⁺)/2 and M, J and forces as used by the step, M (v⁺ − v_free) = Jᵀ p gives
//   v̄ᵀ M (v⁺ − v) = v̄ᵀ Jᵀ p + v̄ᵀ M (v_free − v).
// The first term on the right is the work of joints, springs …, and of contacts. Contact work is split into
// friction, normal work on u_n, and normal work on u_n⁺, which ζ causes (stabilisation). The discretisation
// collects the energy changes of the step rule that the equations of motion do not have:
//   kinetic energy, because M changes with the configuration;
//   potential energy, along q⁺ = q + h v⁺ instead of along v̄;
//   the work of the bias forces, which is zero in exact motion.
// The remainder v̄ᵀ (M (v⁺ − v_free) − Jᵀ p) is the imbalance.
EnergyLedger advance_ledger(const Model& model, const Stepper& stepper, std::span<const double> v, double h,
                            const EnergyLedger& before) {
  const std::span<const double> v_next = stepper.v_next();
  const FreeMotion& motion = stepper.motion();
  EnergyLedger after = before;
  after.kinetic = stepper.end_kinetic();
  after.potential = stepper.end_potential();

  double impulse_work = 0, free_work = 0;  // v̄ᵀ M (v⁺ - v) and v̄ᵀ M (v_free - v)
  double conservative = 0, applied = 0;
  for (const Tree& tree : model.trees) {
    const double* M = motion.mass.data() + tree.mass_begin;
    for (int i = 0; i < tree.nv; ++i) {
      const int row = tree.v_begin + i;
      const double mean = 0.5 * (v[row] + v_next[row]);
      for (int j = 0; j < tree.nv; ++j) {
        const int column = tree.v_begin + j;
        impulse_work += mean * M[i * tree.nv + j] * (v_next[column] - v[column]);
        free_work += mean * M[i * tree.nv + j] * (motion.v_free[column] - v[column]);
      }
      conservative += h * mean * motion.conservative[row];
      applied += h * mean * motion.applied[row];
    }
  }
  ImpulseWork work;
  const Assembly& assembly = stepper.assembly();
  for (int i = 0; i < assembly.count; ++i) add_work(model, stepper, assembly.islands[i], v, work);
  const double kinetic_change = after.kinetic - before.kinetic,
               potential_change = after.potential - before.potential;
  const double discretisation = (kinetic_change - impulse_work) +
                                (potential_change + conservative + work.springs) +
                                (free_work - conservative - applied);
  after.normal += work.normal;
  after.stabilisation += work.stabilisation;
  after.friction += work.friction;
  after.joints += work.joints;
  after.limits += work.limits;
  after.motors += work.motors;
  after.applied += applied + work.dampers;
  after.discretisation += discretisation;
  after.imbalance += impulse_work - free_work - work.normal - work.stabilisation - work.friction -
                     work.joints - work.limits - work.motors - work.springs - work.dampers;
  return after;
}

}  // namespace pawl::internal
