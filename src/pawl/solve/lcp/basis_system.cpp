#include <pawl/solve/lcp/basis_system.h>

#include <algorithm>
#include <cassert>
#include <cmath>

#include <pawl/linalg/dense.h>

namespace pawl::internal {

int BasisSystem::factor(const MixedLcp& lcp, std::span<const int> rows, std::span<const int> columns,
                        double smallest) {
  const std::size_t n = lcp.n;
  // Reserve for the largest basis, so that a larger one than the last does not allocate.
  rows_.reserve(n);
  columns_.reserve(n);
  row_pivot_.reserve(n);
  column_pivot_.reserve(n);
  correction_.reserve(n);
  factor_.reserve(n * n);
  rows_.assign(rows.begin(), rows.end());
  columns_.assign(columns.begin(), columns.end());
  row_pivot_.resize(rows.size());
  column_pivot_.resize(columns.size());
  factor_.clear();
  for (const int i : rows_) {
    for (const int j : columns_) factor_.push_back(lcp.M[i * n + j]);
  }
  const int size = static_cast<int>(columns_.size());
  rank_ = lu_complete(factor_, static_cast<int>(rows_.size()), size, row_pivot_, column_pivot_, smallest);
  min_pivot_ratio_ = rank_ > 0 ? std::abs(factor_[(rank_ - 1) * (size + 1)] / factor_[0]) : 1;
  return rank_;
}

void BasisSystem::refine(const MixedLcp& lcp, std::span<double> z, int steps) {
  assert(std::ssize(z) == lcp.n && steps >= 0);
  const int n = lcp.n, size = static_cast<int>(columns_.size());
  for (int step = 0; step < steps; ++step) {
    correction_.assign(std::max(rows_.size(), columns_.size()), 0.0);
    for (std::size_t k = 0; k < rows_.size(); ++k) {
      const double* row = lcp.M.data() + rows_[k] * n;
      double missed = -lcp.q[rows_[k]];
      for (int j = 0; j < n; ++j) missed -= row[j] * z[j];
      correction_[k] = missed;
    }
    lu_complete_solve(factor_, size, rank_, row_pivot_, column_pivot_, correction_);
    for (int k = 0; k < size; ++k) z[columns_[k]] += correction_[k];
  }
}

}  // namespace pawl::internal
