#pragma once
// Whether the model in accelerations has a solution, and only one: [Trinkle2001, Theorem 1] with bounds that
// are computed (docs/existence-and-uniqueness.md).

#include <cstdint>
#include <limits>
#include <string_view>

#include <pawl/analysis/acceleration_problem.h>

namespace pawl {

enum class Verdict : std::uint8_t { no, yes, undecided };
std::string_view to_string(Verdict answer);

struct Theorem1 {
  /// Rows that matter: n of every contact, those of friction where it rolls, and one along its friction where
  /// it slides. A of these rows, its diagonal made 1, is positive definite where its rank is full.
  int rows = 0, rank = 0;
  double least_eigenvalue = 0;  // of that matrix; 0 is meant up to rounding
  bool positive_definite() const { return rank == rows; }

  // (A), where A is positive definite: forces exist for all b while the μ of sliding contacts are below
  // existence_bound, and are unique while all are below uniqueness_bound. +∞: whatever μ is.
  double existence_bound = 0, uniqueness_bound = 0;
  double sliding_friction = 0;  // largest μ of contacts that slide …
  double friction = 0;          // … and of all; of a set larger than its radii, μ times its size
  bool exists_by_A() const { return positive_definite() && sliding_friction < existence_bound; }
  bool unique_by_A() const { return positive_definite() && friction < uniqueness_bound; }

  /// (B): no friction is known beforehand, and b · c ≥ 0 for all c of the friction cones with Jᵀ c = 0. Then
  /// forces exist, whatever μ is.
  bool all_rolling = false;
  Verdict condition_B = Verdict::undecided;
  bool exists_by_B() const { return all_rolling && condition_B == Verdict::yes; }
};
Theorem1 apply_theorem_1(const AccelerationProblem& problem);

}  // namespace pawl
