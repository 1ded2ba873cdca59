#include <pawl/linalg/block_matrix.h>

#include <algorithm>
#include <cassert>
#include <utility>

namespace pawl {

using namespace internal;

const BlockMatrix::Block* BlockMatrix::find(int block_row, int block_column) const {
  assert(block_row >= 0 && block_row < blocks());
  const auto in_row = row_entries(block_row);
  const auto found = std::ranges::lower_bound(in_row, block_column, {}, &Block::column);
  return found != in_row.end() && found->column == block_column ? &*found : nullptr;
}

BlockMatrix to_block_matrix(std::vector<int> begin, std::span<const double> values) {
  assert(!begin.empty() && values.size() >= static_cast<std::size_t>(begin.back()) * begin.back());
  BlockMatrix A;
  A.begin = std::move(begin);
  for (int i = 0; i < A.blocks(); ++i) {
    for (int j = 0; j < A.blocks(); ++j) {
      const std::size_t offset = A.values.size();
      for (int r = A.begin[i]; r < A.begin[i + 1]; ++r) {
        const auto row = values.subspan(static_cast<std::size_t>(r) * A.size() + A.begin[j], A.size_of(j));
        A.values.insert(A.values.end(), row.begin(), row.end());
      }
      const bool stored = i == j || std::any_of(A.values.begin() + static_cast<std::ptrdiff_t>(offset),
                                                A.values.end(), [](double x) { return x != 0; });
      if (stored) A.entries.push_back({j, offset});
      if (!stored) A.values.resize(offset);
    }
    A.row.push_back(static_cast<int>(A.entries.size()));
  }
  return A;
}

std::vector<double> dense(const BlockMatrix& A) {
  std::vector<double> values;
  dense(A, values);
  return values;
}

void dense(const BlockMatrix& A, std::vector<double>& values) {
  values.assign(static_cast<std::size_t>(A.size()) * A.size(), 0.0);
  for (int i = 0; i < A.blocks(); ++i) {
    for (const BlockMatrix::Block& block : A.row_entries(i)) {
      const double* a = A.values.data() + block.offset;
      for (int r = A.begin[i]; r < A.begin[i + 1]; ++r, a += A.size_of(block.column)) {
        std::copy_n(a, A.size_of(block.column),
                    values.begin() + static_cast<std::ptrdiff_t>(r) * A.size() + A.begin[block.column]);
      }
    }
  }
}

void internal::add_to_diagonal(BlockMatrix& A, double shift) {
  for (int i = 0; i < A.blocks(); ++i) {
    const int n = A.size_of(i);
    const BlockMatrix::Block* own = A.find(i, i);
    for (int r = 0; own != nullptr && r < n; ++r) A.values[own->offset + r * (n + 1)] += shift;
  }
}

void internal::multiply_add(const BlockMatrix& A, std::span<const double> x, std::span<double> y) {
  assert(std::ssize(x) >= A.size() && std::ssize(y) >= A.size());
  for (int i = 0; i < A.blocks(); ++i) add_row_product(A, i, x.data(), y.data() + A.begin[i]);
}

}  // namespace pawl
