#pragma once
// Matrices as lists of entries, as read from files. Internal to problem_file/.

#include <span>
#include <vector>

#include <pawl/linalg/block_matrix.h>

namespace pawl::internal {

/// Entries in any order. Duplicates are summed in order.
struct MatrixEntries {
  struct Entry {
    int row = 0;
    int column = 0;
    double value = 0;
  };
  int rows = 0;
  int columns = 0;
  std::vector<Entry> entries;
};

/// Square matrix with blocks at `begin` [blocks + 1]. It has all diagonal blocks and every block with an
/// entry, even if 0.
BlockMatrix to_blocks(std::span<const MatrixEntries::Entry> entries, std::span<const int> begin);

/// Dense, row-major.
std::vector<double> to_dense(const MatrixEntries& matrix);

}  // namespace pawl::internal
