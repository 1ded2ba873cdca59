#pragma once
// What a state does next, and whether the laws of contact leave it a choice.

#include <pawl/analysis/count_solutions.h>
#include <pawl/analysis/existence.h>
#include <pawl/analysis/instant.h>
#include <pawl/solve/contact/solve.h>

namespace pawl {

/// Of one problem in accelerations.
struct AccelerationAnalysis {
  Status status = Status::refused;  // of `solution`, by the judge of every solver; no_solution: proved
  Residual residual;                // as judged, with forces for impulses and accelerations for velocities
  std::string_view method;          // what found it
  AccelerationSolution solution;
  ForceUniqueness forces = ForceUniqueness::unknown;  // whether other forces make the same motion
  Theorem1 theorem;
  SolutionCountResult counted;

  /// What is known, each by the first that knows: a count, Theorem 1, the solution that was found.
  Verdict exists() const;
  Verdict unique_motion() const;
  Verdict unique_forces() const;
};

/// `tolerance`: of the judged residual.
AccelerationAnalysis analyse(const AccelerationProblem& problem, double tolerance = 1e-8);

}  // namespace pawl
