#include <pawl/solve/lcp/eliminate_free.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <utility>

#include <pawl/base/numeric_util.h>
#include <pawl/base/tolerances.h>
#include <pawl/linalg/dense.h>

namespace pawl::internal {
namespace {

constexpr double kPivotRounding =
    tolerances::kData;  // of a pivot, relative to the largest tableau entry so far

}  // namespace

std::string_view to_string(EliminationOutcome outcome) {
  switch (outcome) {
    case EliminationOutcome::eliminated:
      return "eliminated";
    case EliminationOutcome::split:
      return "split";
    case EliminationOutcome::inconsistent:
      return "inconsistent";
  }
  return "?";
}

EliminationOutcome FreeElimination::eliminate(const MixedLcp& mixed, const EliminationOptions& options) {
  assert(std::ssize(mixed.q) == mixed.n && mixed.M.size() == mixed.q.size() * mixed.q.size());
  const int n = n_ = mixed.n;
  tableau_.assign(mixed.M.begin(), mixed.M.end());
  rhs_.assign(mixed.q.begin(), mixed.q.end());
  free_.assign(mixed.free.begin(), mixed.free.end());
  row_variable_.resize(n);
  column_variable_.resize(n);
  position_.resize(2 * n);
  free_rows_.clear();
  free_columns_.clear();
  pairs_.clear();
  for (int i = 0; i < n; ++i) {
    row_variable_[i] = i;
    column_variable_[i] = n + i;
    position_[i] = i;
    position_[n + i] = -1 - i;
    if (free_[i]) {
      free_rows_.push_back(i);
      free_columns_.push_back(i);
    } else {
      pairs_.push_back(i);
    }
  }
  double zero = options.zero * std::max(1.0, largest(tableau_));
  while (pivot_free_on_free(zero) || pivot_free_through_pair(zero)) {
    zero = std::max(zero, options.zero * largest(tableau_));
  }
  if (!drop_empty(zero)) return EliminationOutcome::inconsistent;
  for (double& x : tableau_) {
    if (std::abs(x) <= kPivotRounding * zero / options.zero)
      x = 0;  // a cancelled entry must not become a pivot
  }
  write_lcp();
  return free_rows_.empty() && free_columns_.empty() ? EliminationOutcome::eliminated
                                                     : EliminationOutcome::split;
}

bool FreeElimination::pivot_free_on_free(double zero) {
  double largest = zero;
  int row = -1, column = -1;
  for (const int i : free_rows_) {
    for (const int j : free_columns_) {
      if (!(std::abs(entry(i, j)) > largest)) continue;
      largest = std::abs(entry(i, j));
      row = i;
      column = j;
    }
  }
  if (row < 0) return false;
  pivot(row, column);
  std::erase(free_rows_, row);
  std::erase(free_columns_, column);
  return true;
}

bool FreeElimination::pivot_free_through_pair(double zero) {
  double best = 0;
  int equation = -1, variable = -1, pair_row = -1, pair_column = -1;
  for (const int i : pairs_) {
    const bool swapped = position_[i] < 0;  // z_i is basic, w_i is not
    const int row = position_[swapped ? n_ + i : i], column = -1 - position_[swapped ? i : n_ + i];
    for (const int l : free_rows_) {
      for (const int j : free_columns_) {
        const double E = std::abs(entry(l, column)), F = std::abs(entry(row, j));
        if (!(E > zero && F > zero && std::min(E, F) > best)) continue;
        best = std::min(E, F);
        equation = l;
        variable = j;
        pair_row = row;
        pair_column = column;
      }
    }
  }
  if (equation < 0) return false;
  entry(equation, variable) = 0;  // nonzero only by rounding
  pivot(pair_row, variable);
  pivot(equation, pair_column);
  std::erase(free_rows_, equation);
  std::erase(free_columns_, variable);
  // The first pivot moved y to the pair's row and the pair's variable to y's column. The second moved the
  // other variable of the pair to the equation's row, and w_l = 0 to its column.
  return true;
}

void FreeElimination::pivot(int row, int column) {
  exchange(tableau_, rhs_, n_, row, column);
  std::swap(row_variable_[row], column_variable_[column]);
  position_[row_variable_[row]] = row;
  position_[column_variable_[column]] = -1 - column;
}

/// Drops the remaining free rows and variables without entries. Returns false if such a row does not hold.
bool FreeElimination::drop_empty(double zero) {
  const auto live_column = [&](int column) {  // not the column of some w = 0 of a free row
    const int variable = column_variable_[column];
    return variable >= n_ || !free_[variable];
  };
  bool consistent = true;
  std::erase_if(free_rows_, [&](int row) {
    for (int j = 0; j < n_; ++j) {
      if (live_column(j) && std::abs(entry(row, j)) > zero) return false;
    }
    consistent &= std::abs(rhs_[row]) <= zero;
    return true;
  });
  std::erase_if(free_columns_, [&](int column) {
    for (const int i : pairs_) {
      const int row = std::max(position_[i], position_[n_ + i]);
      if (std::abs(entry(row, column)) > zero) return false;
    }
    return true;
  });
  return consistent;
}

void FreeElimination::write_lcp() {
  const int pairs = static_cast<int>(pairs_.size());
  const int left = static_cast<int>(std::max(free_rows_.size(), free_columns_.size()));
  const int n = lcp_.n = pairs + 2 * left;
  lcp_.M.assign(static_cast<std::size_t>(n) * n, 0.0);
  lcp_.q.assign(n, 0.0);
  // Rows and columns of the plain problem: the pairs, then w, -w and y⁺, y⁻ of the remaining free rows and
  // variables. -1 if there is none.
  const auto row_of = [&](int p) {
    if (p < pairs) return std::max(position_[pairs_[p]], position_[n_ + pairs_[p]]);
    const int k = (p - pairs) / 2;
    return k < static_cast<int>(free_rows_.size()) ? free_rows_[k] : -1;
  };
  const auto column_of = [&](int p) {
    if (p < pairs) return -1 - std::min(position_[pairs_[p]], position_[n_ + pairs_[p]]);
    const int k = (p - pairs) / 2;
    return k < static_cast<int>(free_columns_.size()) ? free_columns_[k] : -1;
  };
  const auto sign_of = [&](int p) { return p >= pairs && (p - pairs) % 2 == 1 ? -1.0 : 1.0; };
  for (int p = 0; p < n; ++p) {
    const int row = row_of(p);
    if (row < 0) continue;
    lcp_.q[p] = sign_of(p) * rhs_[row];
    for (int s = 0; s < n; ++s) {
      const int column = column_of(s);
      // Remaining free rows contain no free variables.
      if (column < 0 || (p >= pairs && s >= pairs)) continue;
      lcp_.M[p * n + s] = sign_of(p) * sign_of(s) * entry(row, column);
    }
  }
}

void FreeElimination::expand(std::span<const double> z_plain, std::span<double> z) const {
  assert(std::ssize(z_plain) == lcp_.n && std::ssize(z) == n_);
  const std::size_t pairs = pairs_.size();
  std::ranges::fill(z, 0.0);
  for (int i = 0; i < n_; ++i) {
    if (row_variable_[i] >= n_) z[row_variable_[i] - n_] = rhs_[i];
  }
  const auto add = [&](int column, double value) {
    const int variable = column_variable_[column];
    if (variable >= n_) z[variable - n_] = value;
    for (int i = 0; i < n_; ++i) {
      if (row_variable_[i] >= n_) z[row_variable_[i] - n_] += entry(i, column) * value;
    }
  };
  for (std::size_t p = 0; p < pairs; ++p) {
    add(-1 - std::min(position_[pairs_[p]], position_[n_ + pairs_[p]]), z_plain[p]);
  }
  for (std::size_t k = 0; k < free_columns_.size(); ++k) {
    add(free_columns_[k], z_plain[pairs + 2 * k] - z_plain[pairs + 2 * k + 1]);
  }
  for (const int i : pairs_) z[i] = std::max(z[i], 0.0);
}

void FreeElimination::expand_basis(std::span<const char> alpha_plain, std::span<char> alpha) const {
  assert(std::ssize(alpha_plain) == lcp_.n && std::ssize(alpha) == n_);
  std::ranges::fill(alpha, 0);
  for (std::size_t p = 0; p < pairs_.size(); ++p) {
    const bool swapped = position_[pairs_[p]] < 0;
    alpha[pairs_[p]] = alpha_plain[p] != swapped;
  }
}

void FreeElimination::reduce_basis(std::span<const char> alpha, std::vector<char>& alpha_plain) const {
  assert(std::ssize(alpha) == n_);
  alpha_plain.assign(lcp_.n, 0);
  for (std::size_t p = 0; p < pairs_.size(); ++p) {
    const bool swapped = position_[pairs_[p]] < 0, basic = alpha[pairs_[p]] != 0;
    alpha_plain[p] = basic != swapped;
  }
}

}  // namespace pawl::internal
