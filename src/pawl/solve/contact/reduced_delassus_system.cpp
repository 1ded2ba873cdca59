#include <pawl/solve/contact/reduced_delassus_system.h>

#include <algorithm>
#include <cmath>

#include <pawl/base/tolerances.h>
#include <pawl/linalg/dense.h>

namespace pawl::internal {
namespace {

constexpr int kFewRows = 48;                  // smaller matrices are cheap to factor directly
constexpr std::size_t kMinNeighbours = 3;     // mean number of neighbours per block, itself included
constexpr int kRelativeDofs = 6;              // relative freedoms of two bodies: the expected rank of a group
constexpr int kMaxReducedRows = 60;           // per group; finding more costs as much as factoring
constexpr double kMaxReducedFraction = 0.67;  // of all rows; factoring then takes a third of the work
/// Residual of a dependent row, relative to the largest entry of its group.
constexpr double kRankTolerance = tolerances::kRank;

/// C := A B, all [size × size].
template <int size>
void multiply_square(const double* A, const double* B, double* C) {
  for (int r = 0; r < size; ++r, A += size, C += size) {
    double sum[size] = {};
    for (int k = 0; k < size; ++k) {
      for (int c = 0; c < size; ++c) sum[c] += A[k] * B[k * size + c];
    }
    for (int c = 0; c < size; ++c) C[c] = sum[c];
  }
}

/// C += Aᵀ B, A [inner × size] and B [inner × size].
void add_transposed_product(const double* A, const double* B, int inner, int size, double* C) {
  for (int k = 0; k < inner; ++k, A += size, B += size) {
    for (int r = 0; r < size; ++r) {
      for (int c = 0; c < size; ++c) C[r * size + c] += A[r] * B[c];
    }
  }
}

}  // namespace

bool ReducedDelassusSystem::reduce(const BlockMatrix& W) {
  const double most = kMaxReducedFraction * W.size();
  if (W.size() < kFewRows || W.entries.size() < kMinNeighbours * static_cast<std::size_t>(W.blocks()))
    return false;
  find_groups(W);
  int expected = 0;
  for (const int rows : rows_) expected += std::min(rows, kRelativeDofs);
  if (expected > most) return false;
  reduced_row_.assign(W.size(), -1);
  offset_.resize(blocks());
  R_.clear();
  Q_.clear();
  V_.begin.assign(1, 0);
  for (int group = 0; group < groups(); ++group) {
    gather_group(W, group);
    const int kept = select_independent_rows(group);
    V_.begin.push_back(V_.begin.back() + kept);
    if (kept == 0 || V_.size() > most) return false;
  }
  gather_reduced_matrix(W);
  lu_.analyse(A_);
  return true;
}

/// A block joins the first neighbour that has the same neighbours.
void ReducedDelassusSystem::find_groups(const BlockMatrix& W) {
  begin_.assign(W.begin.begin(), W.begin.end());
  group_.assign(W.blocks(), -1);
  next_.assign(W.blocks(), -1);
  row_in_group_.resize(W.blocks());
  first_.clear();
  rows_.clear();
  last_.clear();
  for (int i = 0; i < W.blocks(); ++i) {
    for (const BlockMatrix::Block& entry : W.row_entries(i)) {
      const int j = entry.column;
      if (j >= i) break;
      if (first_[group_[j]] != j) continue;
      if (std::ranges::equal(W.row_entries(i), W.row_entries(j), {}, &BlockMatrix::Block::column,
                             &BlockMatrix::Block::column)) {
        group_[i] = group_[j];
        break;
      }
    }
    if (group_[i] < 0) {
      group_[i] = groups();
      first_.push_back(i);
      last_.push_back(i);
      rows_.push_back(0);
    } else {
      next_[last_[group_[i]]] = i;
      last_[group_[i]] = i;
    }
    row_in_group_[i] = rows_[group_[i]];
    rows_[group_[i]] += size_of(i);
  }
}

/// D := rows and columns of one group in W.
void ReducedDelassusSystem::gather_group(const BlockMatrix& W, int group) {
  const int m = rows_[group];
  D_.assign(static_cast<std::size_t>(m) * m, 0.0);
  for (int i = first_[group]; i >= 0; i = next_[i]) {
    for (const BlockMatrix::Block& entry : W.row_entries(i)) {
      const int j = entry.column;
      if (group_[j] != group) continue;
      const double* from = W.values.data() + entry.offset;
      for (int r = 0; r < size_of(i); ++r, from += size_of(j)) {
        std::copy_n(from, size_of(j),
                    D_.begin() + static_cast<std::ptrdiff_t>(row_in_group_[i] + r) * m + row_in_group_[j]);
      }
    }
  }
}

/// Exchanges rows of y = D x, largest diagonal entry first, until the rest is negligible. With P the
/// exchanged rows and N the others,
///   y_N = D_NP D_PP⁻¹ y_P,   x_P = D_PP⁻¹ (y_P - D_PN x_N).
/// These are the non-identity rows of R = D_:P D_PP⁻¹ and Qᵀ = D_PP⁻¹ D_P:. Returns the number of kept rows,
/// or 0 if there are too many.
int ReducedDelassusSystem::select_independent_rows(int group) {
  const int m = rows_[group];
  const auto D = [&](int r, int c) { return D_[static_cast<std::size_t>(r) * m + c]; };
  zeros_.assign(m, 0.0);
  pivots_.clear();
  reduced_row_in_group_.assign(m, -1);
  double largest = 0;
  for (int r = 0; r < m; ++r) largest = std::max(largest, std::abs(D(r, r)));
  while (static_cast<int>(pivots_.size()) < m) {
    int best = -1;
    for (int r = 0; r < m; ++r) {
      if (reduced_row_in_group_[r] < 0 && (best < 0 || std::abs(D(r, r)) > std::abs(D(best, best)))) best = r;
    }
    if (!(std::abs(D(best, best)) > kRankTolerance * largest)) break;
    if (static_cast<int>(pivots_.size()) == kMaxReducedRows) return 0;
    reduced_row_in_group_[best] = static_cast<int>(pivots_.size());
    pivots_.push_back(best);
    exchange(D_, zeros_, m, best, best);
  }
  for (int i = first_[group]; i >= 0; i = next_[i]) {
    offset_[i] = static_cast<int>(R_.size());
    for (int r = 0; r < size_of(i); ++r) {
      const int row = row_in_group_[i] + r;
      reduced_row_[begin_[i] + r] = reduced_row_in_group_[row];
      for (const int p : pivots_) {
        const bool own = reduced_row_in_group_[row] >= 0;
        R_.push_back(own ? (p == row ? 1 : 0) : D(row, p));
        Q_.push_back(own ? (p == row ? 1 : 0) : -D(p, row));
      }
    }
  }
  return static_cast<int>(pivots_.size());
}

void ReducedDelassusSystem::gather_reduced_matrix(const BlockMatrix& W) {
  V_.row.assign(1, 0);
  V_.entries.clear();
  V_.values.clear();
  entry_.resize(groups());
  std::size_t size = 0;
  for (int group = 0; group < groups(); ++group) {
    columns_.clear();
    for (const BlockMatrix::Block& entry : W.row_entries(first_[group]))
      columns_.push_back(group_[entry.column]);
    std::ranges::sort(columns_);
    columns_.erase(std::unique(columns_.begin(), columns_.end()), columns_.end());
    for (const int column : columns_) {
      V_.entries.push_back({column, size});
      entry_[column] = size;
      size += static_cast<std::size_t>(V_.size_of(group)) * V_.size_of(column);
    }
    V_.row.push_back(static_cast<int>(V_.entries.size()));
    V_.values.resize(size, 0.0);
    for (int i = first_[group]; i >= 0; i = next_[i]) {
      for (const BlockMatrix::Block& entry : W.row_entries(i)) {
        const int j = entry.column, width = V_.size_of(group_[j]);
        const double* from = W.values.data() + entry.offset;
        double* to = V_.values.data() + entry_[group_[j]];
        for (int r = begin_[i]; r < begin_[i + 1]; ++r) {
          for (int c = begin_[j]; c < begin_[j + 1]; ++c, ++from) {
            if (reduced_row_[r] >= 0 && reduced_row_[c] >= 0)
              to[reduced_row_[r] * width + reduced_row_[c]] = *from;
          }
        }
      }
    }
  }
  A_ = V_;
}

void ReducedDelassusSystem::factor(std::span<const double> G, std::span<const int> offset) {
  for (int group = 0; group < groups(); ++group) {
    const int kept = V_.size_of(group);
    H_.assign(kept * kept, 0.0);  // Qᵀ G R
    for (int i = first_[group]; i >= 0; i = next_[i]) {
      const int n = size_of(i);
      G_R_.resize(n * kept);
      multiply(G.data() + offset[i], R_.data() + offset_[i], n, n, kept, G_R_.data());
      add_transposed_product(Q_.data() + offset_[i], G_R_.data(), n, kept, H_.data());
    }
    for (const BlockMatrix::Block& entry : V_.row_entries(group)) {
      const int columns = V_.size_of(entry.column);
      const double* V = V_.values.data() + entry.offset;
      double* A = A_.values.data() + entry.offset;
      if (kept == kRelativeDofs && columns == kRelativeDofs) {
        multiply_square<kRelativeDofs>(H_.data(), V, A);
      } else {
        multiply(H_.data(), V, kept, kept, columns, A);
      }
    }
  }
  add_to_diagonal(A_, 1);
  lu_.factor(A_);
}

void ReducedDelassusSystem::solve(std::span<const double> x, std::span<double> R_V_z) {
  z_.assign(V_.size(), 0.0);
  for (int i = 0; i < blocks(); ++i) {
    const int kept = V_.size_of(group_[i]);
    const double* Q = Q_.data() + offset_[i];
    double* z = z_.data() + V_.begin[group_[i]];
    for (int r = begin_[i]; r < begin_[i + 1]; ++r, Q += kept) {
      for (int k = 0; k < kept; ++k) z[k] += Q[k] * x[r];
    }
  }
  lu_.solve(z_);
  V_z_.assign(V_.size(), 0.0);
  multiply_add(V_, z_, V_z_);
  std::ranges::fill(R_V_z, 0.0);
  for (int i = 0; i < blocks(); ++i) {
    add_product(R_.data() + offset_[i], size_of(i), V_.size_of(group_[i]), V_z_.data() + V_.begin[group_[i]],
                R_V_z.data() + begin_[i]);
  }
}

}  // namespace pawl::internal
