#pragma once
// How far unknowns of a scaled problem are from its laws: what the methods steer by. The judge decides.

#include <span>

#include <pawl/solve/contact/scaled_problem.h>

namespace pawl::internal {

/// The friction entries of a contact's rows, what it lacks being 0.
inline FrictionVector friction_components(const double* rows, int n) {
  FrictionVector part{};
  for (int i = 1; i < n; ++i) part[i - 1] = rows[i];
  return part;
}

/// The largest entry of F(x) of one contact, with w its velocities:
///   F_n = x_n - max(0, x_n - w_n),  F_f = x_f - Π(x_f - w_f, μ max(0, x_n)).
double contact_error(const FrictionSet& set, int n, const double* x, const double* w);

/// x := what the laws of each contact make of it at velocities w, the zero of F for fixed w: normal impulses
/// that push, or none, and friction in its set, opposed to what slides. Bilateral rows stay.
void project_on_constraints(const ScaledProblem& problem, std::span<const double> w, std::span<double> x);

/// The largest over all blocks; |w| on bilateral rows.
double natural_map(const ScaledProblem& problem, std::span<const double> x, std::span<const double> w);

}  // namespace pawl::internal
