#pragma once
// Helpers for tests of linear complementarity problems: judged residual, enumeration, and text output.

#include <Eigen/Dense>
#include <sstream>
#include <string>
#include <vector>

#include <pawl/lcp.h>
#include <pawl/solve/lcp/enumerate.h>

namespace pawl::internal {

using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

template <class Problem>
Eigen::Map<const RowMatrix> matrix_of(const Problem& lcp) {
  return {lcp.M.data(), lcp.n, lcp.n};
}

/// Worst judged residual of z.
template <class Problem>
double residual_of(const Problem& lcp, const std::vector<double>& z) {
  std::vector<double> w(z.size());
  return judge(lcp, z, w).worst();
}

/// One solution of every complementary basis that has one.
inline std::vector<std::vector<double>> enumerate_solutions(const Lcp& lcp) {
  std::vector<std::vector<double>> found;
  for (const ComplementarySolution& solution : Enumerator().enumerate(lcp).solutions)
    found.push_back(solution.z);
  return found;
}

template <class Problem>
std::string to_text(const Problem& lcp) {
  std::ostringstream out;
  out.precision(17);
  out << "M =\n" << matrix_of(lcp) << "\nq =";
  for (const double x : lcp.q) out << ' ' << x;
  if constexpr (requires { lcp.free; }) {
    out << "\nfree =";
    for (const char free : lcp.free) out << ' ' << int{free};
  }
  return out.str();
}

}  // namespace pawl::internal
