#pragma once
// Square matrices made of dense blocks, most of them zero and not stored.

#include <cstddef>
#include <span>
#include <vector>

namespace pawl {

/// Square block-sparse matrix in block-row storage; the blocks of a row ascend by column. Rows and columns
/// have the same partition.
struct BlockMatrix {
  struct Block {
    int column = 0;          // block column
    std::size_t offset = 0;  // of its entries in `values`, row-major
  };
  std::vector<int> begin{0};  // [blocks + 1] first row of each block row; the last entry is the size
  std::vector<int> row{0};    // [blocks + 1] first entry of each block row in `entries`
  std::vector<Block> entries;
  std::vector<double> values;

  int blocks() const { return static_cast<int>(begin.size()) - 1; }
  int size() const { return begin.back(); }
  int size_of(int block) const { return begin[block + 1] - begin[block]; }
  bool empty() const { return entries.empty(); }
  std::span<const Block> row_entries(int block) const {
    return {entries.data() + row[block], entries.data() + row[block + 1]};
  }
  /// The entry of a block, or null where the block is zero.
  const Block* find(int block_row, int block_column) const;
};

/// A dense matrix [size × size], row-major, partitioned by `begin`. Zero blocks off the diagonal are dropped.
BlockMatrix to_block_matrix(std::vector<int> begin, std::span<const double> values);
/// The dense matrix, row-major.
std::vector<double> dense(const BlockMatrix& A);
void dense(const BlockMatrix& A, std::vector<double>& values);

}  // namespace pawl
