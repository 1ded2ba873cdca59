#pragma once
// Velocities and velocity changes caused by impulses, for judge().

#include <span>

#include <pawl/residual.h>

namespace pawl::internal {

/// Max over rows of |M (v⁺ - v_free) - Jᵀ p| relative to the terms of the row.
/// - A row's scale is at least a fraction of the largest in its mass block: rounding spreads within a block.
/// - Rows differ in unit (kg m/s, kg m²/s). Divided by √M_ii all are in √J.
/// - Velocities count by their change. The velocity itself, however large, only excuses its own rounding.
double momentum_error(const ContactProblem& problem, std::span<const double> p,
                      std::span<const double> v_next, JudgeScratch& scratch);

/// For a problem in Delassus form: u = b + W p, the velocity changes Σ |W_ij p_j| of all rows, and the
/// connected components of the blocks.
void contact_velocities_from_impulses(const ContactProblem& problem, std::span<const double> p,
                                      std::span<double> u, JudgeScratch& scratch);

/// For a problem in primal form: J v_free + shift, u = J v_next + shift + C p, the velocity changes of all
/// rows,
///   Σ |J_ij| |v⁺_j - v_free_j| + C_i |p_i|,
/// and the connected components of the blocks.
void contact_velocities_from_bodies(const ContactProblem& problem, std::span<const double> p,
                                    std::span<const double> v_next, std::span<double> u,
                                    JudgeScratch& scratch);

/// For each row of a block: W_rr, and the bound Σ √(J M⁻¹ Jᵀ) √(Δvᵀ M Δv) over its bodies on its velocity
/// change. The bound gives a scale to hinges whose bodies neither move nor are pushed across the hinge axis.
/// `in` indexes the first Jacobian block of this block or of a later one.
void find_mobility(const ContactProblem& problem, int block, std::size_t in, JudgeScratch& scratch);

}  // namespace pawl::internal
