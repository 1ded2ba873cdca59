#pragma once
// Dense row-major kernels that work on the caller's memory and never allocate. A step solves thousands of
// small systems of changing size, and library factorisation objects would allocate for each.

#include <span>

namespace pawl::internal {

/// A = L Lᵀ in place: L in the lower triangle, the upper one unchanged. Returns false if A is not positive
/// definite.
bool cholesky(std::span<double> A, int n);
/// x := L⁻¹ x.
void solve_lower(std::span<const double> L, int n, std::span<double> x);
/// The same for each row of X [rows × n]: X := X L⁻ᵀ. The rows are independent of each other.
void solve_lower_rows(std::span<const double> L, int n, std::span<double> X);
/// x := L⁻ᵀ x.
void solve_lower_transposed(std::span<const double> L, int n, std::span<double> x);

/// P A = L U in place, partial pivoting. Returns false if a pivot is below `pivot_tolerance` times the
/// largest entry of A.
bool lu(std::span<double> A, int n, std::span<int> pivot, double pivot_tolerance);
/// x := A⁻¹ x from the factors of lu().
void lu_solve(std::span<const double> LU, int n, std::span<const int> pivot, std::span<double> x);

/// P A Q = L U in place, complete pivoting, A [rows × columns]. Returns the rank: the number of pivots above
/// `pivot_tolerance` times the first pivot, which is the largest entry of A. The diagonal holds the pivots.
int lu_complete(std::span<double> A, int rows, int columns, std::span<int> row_pivot,
                std::span<int> column_pivot, double pivot_tolerance);
/// x := a solution of A x = b from the factors of lu_complete(). On entry x holds b; its size is max(rows,
/// columns). Undetermined unknowns are set to 0; rows beyond the rank are ignored.
void lu_complete_solve(std::span<const double> LU, int columns, int rank, std::span<const int> row_pivot,
                       std::span<const int> column_pivot, std::span<double> x);

/// C := A B, A [rows × inner], B [inner × columns]. Takes pointers, because the blocks lie inside larger
/// arrays.
void multiply(const double* A, const double* B, int rows, int inner, int columns, double* C);

/// Exchanges y_row and x_column in y = A x + b, in place, A [n × n]. The pivot A_row,column must not be 0.
void exchange(std::span<double> A, std::span<double> b, int n, int row, int column);

}  // namespace pawl::internal
