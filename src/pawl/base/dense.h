#pragma once
// Dense kernels on caller's memory, row by row, that never allocate. A step solves thousands of small systems
// of changing size, where a library's factorisation objects would allocate each time.

#include <span>

namespace pawl {

/// A = L Lᵀ in place (lower triangle, the upper is left). False where A is not positive definite.
bool cholesky(std::span<double> A, int n);
/// x := L⁻¹ x.
void solve_lower(std::span<const double> L, int n, std::span<double> x);
/// x := L⁻ᵀ x.
void solve_lower_transposed(std::span<const double> L, int n, std::span<double> x);

/// P A = L U in place with partial pivoting. False where a pivot falls below `smallest` times the largest
/// entry of A.
bool lu(std::span<double> A, int n, std::span<int> pivot, double smallest);
/// x := A⁻¹ x from the factors of lu().
void lu_solve(std::span<const double> LU, int n, std::span<const int> pivot, std::span<double> x);

}  // namespace pawl
