#pragma once
// What a linear complementarity problem says of an answer, and all its answers by trying every basis.

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include <pawl/problem/lcp.h>

namespace pawl {

using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

inline Eigen::Map<const RowMatrix> matrix_of(const Lcp& lcp) {
  return {lcp.M.data(), lcp.n, lcp.n};
}

/// The largest |min(z_i, w_i)|, each against the terms that the largest z could add to w_i.
inline double lcp_error(const Lcp& lcp, const std::vector<double>& z) {
  double worst = 0, largest = 0;
  for (const double x : z) largest = std::max(largest, std::abs(x));
  for (int i = 0; i < lcp.n; ++i) {
    double w = lcp.q[i], terms = std::abs(lcp.q[i]) + largest;
    for (int j = 0; j < lcp.n; ++j) {
      w += lcp.M[i * lcp.n + j] * z[j];
      terms += std::abs(lcp.M[i * lcp.n + j]) * largest;
    }
    if (!std::isfinite(terms)) return std::numeric_limits<double>::infinity();
    if (terms > 0) worst = std::max(worst, std::abs(std::min(z[i], w)) / terms);
  }
  return worst;
}

/// The answers of all regular complementary bases.
inline std::vector<std::vector<double>> enumerate_solutions(const Lcp& lcp) {
  std::vector<std::vector<double>> found;
  const auto M = matrix_of(lcp);
  for (unsigned alpha = 0; alpha < (1u << lcp.n); ++alpha) {
    // Column i of the basis is M_i where z_i is basic and -e_i where w_i is: B x = -q.
    RowMatrix B = -RowMatrix::Identity(lcp.n, lcp.n);
    for (int i = 0; i < lcp.n; ++i) {
      if (alpha >> i & 1) B.col(i) = M.col(i);
    }
    const Eigen::FullPivLU<RowMatrix> lu(B);
    if (!lu.isInvertible()) continue;
    const Eigen::VectorXd x = lu.solve(-Eigen::Map<const Eigen::VectorXd>(lcp.q.data(), lcp.n));
    if (x.minCoeff() < -1e-12 * (1 + x.cwiseAbs().maxCoeff())) continue;
    std::vector<double> z(lcp.n);
    for (int i = 0; i < lcp.n; ++i) z[i] = alpha >> i & 1 ? std::max(x[i], 0.0) : 0.0;
    found.push_back(z);
  }
  return found;
}

inline std::string to_text(const Lcp& lcp) {
  std::ostringstream out;
  out.precision(17);
  out << "M =\n" << matrix_of(lcp) << "\nq =";
  for (const double x : lcp.q) out << ' ' << x;
  return out.str();
}

}  // namespace pawl
