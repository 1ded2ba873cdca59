#pragma once
// Forces that contacts hold among themselves without moving anything.

#include <pawl/analysis.h>

namespace pawl::internal {

/// Whether b · c ≥ 0 for all c of the friction cones with Jᵀ c = 0 [TrinkleTzitzourisPang2001, Theorem 1
/// (B)]. There b · c = (J̇ v) · c. Linear programs decide over polyhedral cones inside and outside of the
/// friction cones: "yes" is proved on the outer, "no" on the inner ones. Undecided lies between, or is too
/// large.
Verdict check_condition_B(const AccelerationProblem& problem);

}  // namespace pawl::internal
