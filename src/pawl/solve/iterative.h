#pragma once

namespace pawl {

/// What an iterative method says of its last try. The judge decides what it is worth.
struct IterativeResult {
  bool converged = false;
  int iterations = 0;
  double error = 0;  // scaled natural map of what it returns
};

}  // namespace pawl
