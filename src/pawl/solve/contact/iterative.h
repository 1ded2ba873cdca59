#pragma once
// The result of one run of an iterative method.

#include <pawl/solver.h>

namespace pawl::internal {

/// What an iterative method reports. The judge decides whether the answer is accepted.
struct IterativeResult {
  bool converged = false;
  int iterations = 0;
  double error = 0;  // scaled natural map of the returned iterate
};

}  // namespace pawl::internal
