#pragma once
// Eigenvalues and singular values of small dense matrices by Jacobi rotations.

#include <span>
#include <vector>

namespace pawl::internal {

/// Largest eigenvalue of a symmetric matrix [n × n], row-major.
double largest_eigenvalue(std::span<const double> symmetric, int n);

/// Singular values of A [rows × columns], row-major: `rows` values, descending; those beyond the rank are 0
/// up to rounding.
std::vector<double> singular_values(std::span<const double> A, int rows, int columns);

}  // namespace pawl::internal
