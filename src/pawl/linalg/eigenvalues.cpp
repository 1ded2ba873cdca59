#include <pawl/linalg/eigenvalues.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include <pawl/base/tolerances.h>

namespace pawl::internal {
namespace {

constexpr int kMaxSweeps = 60;
constexpr double kConverged = tolerances::kData;  // relative size of an off-diagonal entry that counts as 0

/// tan θ of the rotation that annihilates the entry pq of a symmetric 2 × 2 matrix: the smaller root of
/// t² + 2 τ t - 1 = 0 with τ = (qq - pp) / (2 pq).
double jacobi_tangent(double pp, double pq, double qq) {
  const double tau = (qq - pp) / (2 * pq);
  return (tau < 0 ? -1 : 1) / (std::abs(tau) + std::sqrt(1 + tau * tau));
}

}  // namespace

double largest_eigenvalue(std::span<const double> symmetric, int n) {
  std::vector<double> A(symmetric.begin(), symmetric.end());
  const auto at = [&](int i, int j) -> double& { return A[i * n + j]; };
  for (int sweep = 0; sweep < kMaxSweeps; ++sweep) {
    bool rotated = false;
    for (int p = 0; p < n; ++p) {
      for (int q = p + 1; q < n; ++q) {
        const double pq = at(p, q);
        if (!(std::abs(pq) > kConverged * std::sqrt(std::abs(at(p, p) * at(q, q))))) continue;
        rotated = true;
        const double t = jacobi_tangent(at(p, p), pq, at(q, q));
        const double c = 1 / std::sqrt(1 + t * t), s = t * c;
        at(p, p) -= t * pq;
        at(q, q) += t * pq;
        at(p, q) = at(q, p) = 0;
        for (int k = 0; k < n; ++k) {
          if (k == p || k == q) continue;
          const double kp = at(k, p), kq = at(k, q);
          at(k, p) = at(p, k) = c * kp - s * kq;
          at(k, q) = at(q, k) = s * kp + c * kq;
        }
      }
    }
    if (!rotated) break;
  }
  double largest = -std::numeric_limits<double>::infinity();
  for (int i = 0; i < n; ++i) largest = std::max(largest, at(i, i));
  return largest;
}

/// One-sided Jacobi method: rotations make the rows orthogonal; their lengths are the singular values.
std::vector<double> singular_values(std::span<const double> matrix, int rows, int columns) {
  std::vector<double> A(matrix.begin(), matrix.end());
  const auto row = [&](int i) { return std::span(A).subspan(i * columns, columns); };
  const auto product = [&](int i, int j) {
    double sum = 0;
    for (int k = 0; k < columns; ++k) sum += row(i)[k] * row(j)[k];
    return sum;
  };
  for (int sweep = 0; sweep < kMaxSweeps; ++sweep) {
    bool rotated = false;
    for (int p = 0; p < rows; ++p) {
      for (int q = p + 1; q < rows; ++q) {
        const double pp = product(p, p), pq = product(p, q), qq = product(q, q);
        if (!(std::abs(pq) > kConverged * std::sqrt(pp * qq))) continue;
        rotated = true;
        const double t = jacobi_tangent(pp, pq, qq);
        const double c = 1 / std::sqrt(1 + t * t), s = t * c;
        for (int k = 0; k < columns; ++k) {
          const double x = row(p)[k], y = row(q)[k];
          row(p)[k] = c * x - s * y;
          row(q)[k] = s * x + c * y;
        }
      }
    }
    if (!rotated) break;
  }
  std::vector<double> values(rows);
  for (int i = 0; i < rows; ++i) values[i] = std::sqrt(product(i, i));
  std::ranges::sort(values, std::greater<>());
  return values;
}

}  // namespace pawl::internal
