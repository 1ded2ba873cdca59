#pragma once
// Products with block-sparse matrices.

#include <pawl/block_matrix.h>

namespace pawl::internal {

/// A := A + shift I on the stored diagonal blocks.
void add_to_diagonal(BlockMatrix& A, double shift);

/// y += A x for one row-major block.
inline void add_product(const double* a, int rows, int columns, const double* x, double* y) {
  if (rows == 3 && columns == 3) {  // contacts in space: almost all of them
    y[0] += a[0] * x[0] + a[1] * x[1] + a[2] * x[2];
    y[1] += a[3] * x[0] + a[4] * x[1] + a[5] * x[2];
    y[2] += a[6] * x[0] + a[7] * x[1] + a[8] * x[2];
  } else if (rows == 2 && columns == 2) {  // and in the plane
    y[0] += a[0] * x[0] + a[1] * x[1];
    y[1] += a[2] * x[0] + a[3] * x[1];
  } else {
    for (int r = 0; r < rows; ++r) {
      for (int c = 0; c < columns; ++c) y[r] += *a++ * x[c];
    }
  }
}

/// y += A x for block row i; y holds its rows. Sums stay in registers from block to block.
template <int rows>
inline void add_row_product(const BlockMatrix& A, int i, const double* x, double* y) {
  const int* begin = A.begin.data();
  const double* values = A.values.data();
  double sum[rows];
  for (int r = 0; r < rows; ++r) sum[r] = y[r];
  for (const BlockMatrix::Block& block : A.row_entries(i)) {
    const int columns = begin[block.column + 1] - begin[block.column];
    const double *a = values + block.offset, *x_j = x + begin[block.column];
    if (columns == rows) {
      for (int r = 0; r < rows; ++r) {
        double product = a[r * rows] * x_j[0];
        for (int c = 1; c < rows; ++c) product += a[r * rows + c] * x_j[c];
        sum[r] += product;
      }
    } else {
      add_product(a, rows, columns, x_j, sum);
    }
  }
  for (int r = 0; r < rows; ++r) y[r] = sum[r];
}
inline void add_row_product(const BlockMatrix& A, int i, const double* x, double* y) {
  const int rows = A.size_of(i);
  if (rows == 3) return add_row_product<3>(A, i, x, y);  // contacts in space: almost all of them
  if (rows == 2) return add_row_product<2>(A, i, x, y);  // and in the plane
  for (const BlockMatrix::Block& block : A.row_entries(i)) {
    add_product(A.values.data() + block.offset, rows, A.size_of(block.column), x + A.begin[block.column], y);
  }
}

/// y = y + A x.
void multiply_add(const BlockMatrix& A, std::span<const double> x, std::span<double> y);

}  // namespace pawl::internal
