#pragma once
// Matrices as files list them, on their way to the form a problem holds them in. Internal to problem_file/.

#include <span>
#include <vector>

#include <pawl/linalg/block_matrix.h>

namespace pawl::internal {

/// Entries in any order. Those at one place are summed in the order they are in.
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

/// The square matrix cut at `begin` [blocks + 1]: a block where there is an entry, be it 0, and on the
/// diagonal.
BlockMatrix to_blocks(std::span<const MatrixEntries::Entry> entries, std::span<const int> begin);

/// Row by row.
std::vector<double> to_dense(const MatrixEntries& matrix);

}  // namespace pawl::internal
