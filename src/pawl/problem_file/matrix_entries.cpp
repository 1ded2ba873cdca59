#include "matrix_entries.h"

#include <algorithm>
#include <utility>

namespace pawl::internal {

BlockMatrix to_blocks(std::span<const MatrixEntries::Entry> entries, std::span<const int> begin) {
  BlockMatrix A;
  A.begin.assign(begin.begin(), begin.end());
  std::vector<int> block_of;  // [rows]
  for (int i = 0; i < A.blocks(); ++i) block_of.insert(block_of.end(), A.size_of(i), i);

  std::vector<std::pair<int, int>> positions;  // block row, block column
  for (int i = 0; i < A.blocks(); ++i) positions.emplace_back(i, i);
  for (const auto& entry : entries) {
    const std::pair position(block_of[entry.row], block_of[entry.column]);
    if (positions.back() != position) positions.push_back(position);
  }
  std::ranges::sort(positions);
  positions.erase(std::unique(positions.begin(), positions.end()), positions.end());

  A.row.assign(A.blocks() + 1, 0);
  std::size_t offset = 0;
  for (const auto& [i, j] : positions) {
    A.entries.push_back({j, offset});
    ++A.row[i + 1];
    offset += static_cast<std::size_t>(A.size_of(i)) * A.size_of(j);
  }
  for (int i = 0; i < A.blocks(); ++i) A.row[i + 1] += A.row[i];
  A.values.assign(offset, 0.0);
  for (const auto& entry : entries) {
    const int i = block_of[entry.row], j = block_of[entry.column];
    const std::size_t at = static_cast<std::size_t>(entry.row - A.begin[i]) * A.size_of(j);
    A.values[A.find(i, j)->offset + at + (entry.column - A.begin[j])] += entry.value;
  }
  return A;
}

std::vector<double> to_dense(const MatrixEntries& matrix) {
  const std::size_t columns = matrix.columns;
  std::vector<double> dense(matrix.rows * columns, 0.0);
  for (const auto& entry : matrix.entries) dense[entry.row * columns + entry.column] += entry.value;
  return dense;
}

}  // namespace pawl::internal
