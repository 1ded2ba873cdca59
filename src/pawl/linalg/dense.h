#pragma once
// Dense kernels on caller's memory, row by row, that never allocate. A step solves thousands of small systems
// of changing size, where a library's factorisation objects would allocate each time.

#include <span>

namespace pawl::internal {

/// A = L Lᵀ in place (lower triangle, the upper is left). False where A is not positive definite.
bool cholesky(std::span<double> A, int n);
/// x := L⁻¹ x.
void solve_lower(std::span<const double> L, int n, std::span<double> x);
/// The same for each row of X [rows × n]: X := X L⁻ᵀ. Rows do not wait for one another.
void solve_lower_rows(std::span<const double> L, int n, std::span<double> X);
/// x := L⁻ᵀ x.
void solve_lower_transposed(std::span<const double> L, int n, std::span<double> x);

/// P A = L U in place with partial pivoting. False where a pivot falls below `pivot_tolerance` times the
/// largest entry of A.
bool lu(std::span<double> A, int n, std::span<int> pivot, double pivot_tolerance);
/// x := A⁻¹ x from the factors of lu().
void lu_solve(std::span<const double> LU, int n, std::span<const int> pivot, std::span<double> x);

/// P A Q = L U in place with complete pivoting, A [rows × columns]. Returns the rank: the number of pivots
/// above `pivot_tolerance` times the first, which is the largest entry of A. The pivots stand on the
/// diagonal.
int lu_complete(std::span<double> A, int rows, int columns, std::span<int> row_pivot,
                std::span<int> column_pivot, double pivot_tolerance);
/// x := a solution of A x = b from the factors of lu_complete(), where x holds b and has the size of the
/// larger of rows and columns. Unknowns that the others leave open are 0; rows beyond the rank are not looked
/// at.
void lu_complete_solve(std::span<const double> LU, int columns, int rank, std::span<const int> row_pivot,
                       std::span<const int> column_pivot, std::span<double> x);

/// C := A B, A [rows × inner] and B [inner × columns]. Blocks of larger arrays, hence pointers.
void multiply(const double* A, const double* B, int rows, int inner, int columns, double* C);

/// y = A x + b in place with y_row and x_column exchanged, A [n × n]. The pivot A_row,column is not 0.
void exchange(std::span<double> A, std::span<double> b, int n, int row, int column);

}  // namespace pawl::internal
