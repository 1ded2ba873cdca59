#pragma once
// Natural map of a scaled problem: the error that the solvers monitor. judge() decides the status.

#include <span>

#include <pawl/solve/contact/scaled_problem.h>

namespace pawl::internal {

/// Friction entries of a contact's rows, padded with 0.
inline FrictionVector friction_components(const double* rows, int n) {
  FrictionVector part{};
  for (int i = 1; i < n; ++i) part[i - 1] = rows[i];
  return part;
}

/// Largest entry of F(x) of one contact with velocities w:
///   F_n = x_n - max(0, x_n - w_n),  F_f = x_f - Π(x_f - w_f, μ max(0, x_n)).
double contact_error(const FrictionSet& set, int n, const double* x, const double* w);

/// x := zero of F for fixed velocities w, contact by contact: nonnegative normal impulses, and friction in
/// its set that opposes sliding. Bilateral rows are unchanged.
void project_on_constraints(const ScaledProblem& problem, std::span<const double> w, std::span<double> x);

/// Largest error over all blocks; |w| on bilateral rows.
double natural_map(const ScaledProblem& problem, std::span<const double> x, std::span<const double> w);

}  // namespace pawl::internal
