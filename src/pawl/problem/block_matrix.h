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
BlockMatrix cut(std::vector<int> begin, std::span<const double> values);
/// Row by row, zeros included.
std::vector<double> dense(const BlockMatrix& A);

/// A := A + shift I. Blocks on the diagonal that are not stored are left out.
void add_to_diagonal(BlockMatrix& A, double shift);

/// y = y + A x.
void multiply_add(const BlockMatrix& A, std::span<const double> x, std::span<double> y);

}  // namespace pawl
