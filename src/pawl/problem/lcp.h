#pragma once

#include <vector>

namespace pawl {

/// Linear complementarity problem: find z ≥ 0 with w = M z + q ≥ 0 and zᵀ w = 0.
struct Lcp {
  int n = 0;
  std::vector<double> M;  // [n × n], row by row
  std::vector<double> q;  // [n]
};

}  // namespace pawl
