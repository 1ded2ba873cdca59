#pragma once

#include <vector>

namespace pawl {

/// Mixed linear complementarity problem, w = M z + q. A free row asks for w_i = 0 and has z_i of any sign;
/// every other row asks for 0 ≤ z_i ⊥ w_i ≥ 0. Rows of both kinds come in any order.
struct MixedLcp {
  int n = 0;               // rows of both kinds
  std::vector<double> M;   // [n × n], row by row
  std::vector<double> q;   // [n]
  std::vector<char> free;  // [n] 1 for a free row
};

}  // namespace pawl
