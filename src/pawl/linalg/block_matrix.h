#pragma once
// Square matrices made of dense blocks, most of them zero and not stored.

#include <cstddef>
#include <span>
#include <vector>

namespace pawl {

/// Stored by block rows, each with its blocks in ascending order of column. Rows and columns are cut alike.
struct BlockMatrix {
  struct Block {
    int column = 0;          // block column
    std::size_t offset = 0;  // of its entries in `values`, row by row
  };
  std::vector<int> begin{0};  // [blocks + 1] first row of each block row; the last is the size
  std::vector<int> row{0};    // [blocks + 1] first of its entries in `entries`
  std::vector<Block> entries;
  std::vector<double> values;

  int blocks() const { return static_cast<int>(begin.size()) - 1; }
  int size() const { return begin.back(); }
  int size_of(int block) const { return begin[block + 1] - begin[block]; }
  bool empty() const { return entries.empty(); }
  std::span<const Block> row_entries(int block) const {
    return {entries.data() + row[block], entries.data() + row[block + 1]};
  }
  /// Its entry in the block row, or null where it is zero.
  const Block* find(int block_row, int block_column) const;
};

/// A matrix [size × size] given row by row, cut as `begin` says. Blocks of nothing but
/// zeros are left out, unless on the diagonal.
BlockMatrix to_block_matrix(std::vector<int> begin, std::span<const double> values);
/// Row by row, zeros included.
std::vector<double> dense(const BlockMatrix& A);
void dense(const BlockMatrix& A, std::vector<double>& values);

/// A := A + shift I. Blocks on the diagonal that are not stored are left out.
void add_to_diagonal(BlockMatrix& A, double shift);

/// y += A x of one block, row by row.
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

/// y += A x of block row i, whose rows y holds. Sums stay in registers from block to block.
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

}  // namespace pawl
