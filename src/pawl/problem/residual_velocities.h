#pragma once
// What impulses do to velocities, as the judge sees it.

#include <span>

#include <pawl/residual.h>

namespace pawl::internal {

/// The balance of M (v⁺ - v_free) and Jᵀ p, each row against its own terms, and where these are small against
/// what rounding carries over from the largest of its block. The rows of a block differ in unit (kg m/s,
/// kg m²/s); divided by the root of their diagonal in M all are in √J. Velocities count by their change: what
/// a body has anyway, however fast it is, excuses no more than the last digits of that velocity itself.
double momentum_error(const ContactProblem& problem, std::span<const double> p,
                      std::span<const double> v_next, JudgeScratch& scratch);

/// u = b + W p of a condensed problem, what impulses do to each row, Σ |W_ij p_j|, and its components.
void contact_velocities_from_impulses(const ContactProblem& problem, std::span<const double> p,
                                      std::span<double> u, JudgeScratch& scratch);

/// J v_free + shift and u = J v_next + shift of a factored problem, what impulses do to each row by the
/// bodies that it touches, Σ |J_ij| |v⁺_j - v_free_j|, and its components.
void contact_velocities_from_bodies(const ContactProblem& problem, std::span<const double> v_next,
                                    std::span<double> u, JudgeScratch& scratch);

/// For each row of a block W_rr, and how fast it could be, at most, by what changes its bodies:
/// √(J M⁻¹ Jᵀ) √(Δvᵀ M Δv), body by body. A hinge whose bodies neither move nor are pushed across its axis
/// has no size of its own; that of its bodies' motion is meant, in whatever direction. `in` is the first of
/// its blocks of J, or of those after it.
void find_mobility(const ContactProblem& problem, int block, std::size_t in, JudgeScratch& scratch);

}  // namespace pawl::internal
