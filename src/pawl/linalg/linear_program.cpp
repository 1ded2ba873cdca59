#include <pawl/linalg/linear_program.h>

#include <algorithm>
#include <cmath>

namespace pawl::internal {

std::string_view to_string(LinearProgramOutcome outcome) {
  switch (outcome) {
    case LinearProgramOutcome::optimal:
      return "optimal";
    case LinearProgramOutcome::unbounded:
      return "unbounded";
    case LinearProgramOutcome::infeasible:
      return "infeasible";
    case LinearProgramOutcome::undecided:
      return "undecided";
  }
  return "?";
}

LinearProgramOutcome SimplexMethod::solve(const LinearProgram& program, const LinearProgramOptions& options) {
  lp_ = &program;
  options_ = options;
  int pivots_left = options.pivots_per_column * (program.rows + program.columns);
  start();
  enter_free_columns();
  if (!run_phase_one(pivots_left)) {
    return pivots_left > 0 && certificate_holds() ? LinearProgramOutcome::infeasible
                                                  : LinearProgramOutcome::undecided;
  }
  drive_out_unassigned();
  read_point();
  if (!point_is_feasible()) return LinearProgramOutcome::undecided;
  const LinearProgramOutcome outcome = maximise(pivots_left);
  read_point();
  return point_is_feasible() ? outcome : LinearProgramOutcome::undecided;
}

/// No row has a basic column yet; its right-hand side, made ≥ 0, is what its equation misses at x = 0.
void SimplexMethod::start() {
  const int rows = lp_->rows, columns = lp_->columns;
  stride_ = columns + rows + 1;
  tableau_.assign(static_cast<std::size_t>(rows) * stride_, 0.0);
  basic_.assign(rows, kUnassigned);
  is_basic_.assign(columns, 0);
  x_.assign(columns, 0.0);
  y_.assign(rows, 0.0);
  for (int i = 0; i < rows; ++i) {
    const double sign = lp_->b[i] < 0 ? -1 : 1;
    for (int j = 0; j < columns; ++j) entry(i, j) = sign * lp_->A[i * columns + j];
    entry(i, columns + i) = sign;
    rhs(i) = sign * lp_->b[i];
  }
}

/// Free columns go into the basis first, largest entry first, and stay: no bound ever asks them to leave.
void SimplexMethod::enter_free_columns() {
  const int rows = lp_->rows, columns = lp_->columns;
  for (;;) {
    int row = -1, column = -1;
    double largest = options_.zero_pivot;
    for (int j = 0; j < columns; ++j) {
      if (!lp_->free[j] || is_basic_[j]) continue;
      for (int i = 0; i < rows; ++i) {
        if (basic_[i] != kUnassigned || !(std::abs(entry(i, j)) > largest)) continue;
        largest = std::abs(entry(i, j));
        row = i;
        column = j;
      }
    }
    if (row < 0) break;
    pivot(row, column);
  }
  for (int i = 0; i < rows; ++i) {
    if (basic_[i] != kUnassigned || rhs(i) >= 0) continue;
    for (int j = 0; j < stride_; ++j) entry(i, j) = -entry(i, j);
  }
}

/// Phase 1: lowers the sum of what the unassigned rows miss. False where that sum stays above 0.
bool SimplexMethod::run_phase_one(int& pivots_left) {
  const int rows = lp_->rows, columns = lp_->columns;
  for (; pivots_left > 0; --pivots_left) {
    double missed = 0;
    for (int i = 0; i < rows; ++i) {
      if (basic_[i] == kUnassigned) missed = std::max(missed, rhs(i));
    }
    if (missed <= options_.zero) return true;
    int column = -1;
    for (int j = 0; j < columns && column < 0; ++j) {
      if (lp_->free[j] || is_basic_[j]) continue;
      double slope = 0, terms = 1;
      for (int i = 0; i < rows; ++i) {
        if (basic_[i] != kUnassigned) continue;
        slope += entry(i, j);
        terms += std::abs(entry(i, j));
      }
      if (slope > options_.zero_pivot * terms) column = j;
    }
    if (column < 0) return false;
    const int row = leaving_row(column);
    if (row < 0) return false;  // the slope was rounding: a certificate would fail its check
    pivot(row, column);
  }
  return false;
}

/// Rows that miss nothing get a basic column where they have one, and say nothing new where they have none.
void SimplexMethod::drive_out_unassigned() {
  for (int i = 0; i < lp_->rows; ++i) {
    if (basic_[i] != kUnassigned) continue;
    int column = -1;
    double largest = options_.zero_pivot;
    for (int j = 0; j < lp_->columns; ++j) {
      if (is_basic_[j] || !(std::abs(entry(i, j)) > largest)) continue;
      largest = std::abs(entry(i, j));
      column = j;
    }
    rhs(i) = 0;
    if (column >= 0) {
      pivot(i, column);
    } else {
      basic_[i] = kRedundant;
    }
  }
}

/// Phase 2.
LinearProgramOutcome SimplexMethod::maximise(int& pivots_left) {
  const int rows = lp_->rows, columns = lp_->columns;
  for (; pivots_left > 0; --pivots_left) {
    int column = -1;
    for (int j = 0; j < columns && column < 0; ++j) {
      if (is_basic_[j]) continue;
      double gain = lp_->c[j], terms = std::abs(lp_->c[j]);
      for (int i = 0; i < rows; ++i) {
        if (basic_[i] < 0) continue;
        gain -= lp_->c[basic_[i]] * entry(i, j);
        terms += std::abs(lp_->c[basic_[i]] * entry(i, j));
      }
      if (lp_->free[j] && std::abs(gain) > options_.zero_pivot * terms)
        return LinearProgramOutcome::unbounded;
      if (!lp_->free[j] && gain > options_.zero_pivot * terms) column = j;
    }
    if (column < 0) return LinearProgramOutcome::optimal;
    const int row = leaving_row(column);
    if (row < 0) return LinearProgramOutcome::unbounded;
    pivot(row, column);
  }
  return LinearProgramOutcome::undecided;
}

/// The row whose value reaches 0 first as the column's grows; on ties an unassigned one, then the least
/// index.
int SimplexMethod::leaving_row(int column) const {
  double largest = 1;
  for (int i = 0; i < lp_->rows; ++i) largest = std::max(largest, std::abs(entry(i, column)));
  int best = -1;
  double least = 0;
  for (int i = 0; i < lp_->rows; ++i) {
    if (!usable(i) || !(entry(i, column) > options_.zero_pivot * largest)) continue;
    const double ratio = std::max(rhs(i), 0.0) / entry(i, column);
    const double tie = options_.zero * (1 + least);
    if (best < 0 || ratio < least - tie || (ratio <= least + tie && basic_[i] < basic_[best])) {
      best = i;
      least = ratio;
    }
  }
  return best;
}

void SimplexMethod::pivot(int row, int column) {
  const double inverse = 1 / entry(row, column);
  for (int j = 0; j < stride_; ++j) entry(row, j) *= inverse;
  entry(row, column) = 1;
  for (int i = 0; i < lp_->rows; ++i) {
    const double factor = entry(i, column);
    if (i == row || factor == 0) continue;
    for (int j = 0; j < stride_; ++j) entry(i, j) -= factor * entry(row, j);
    entry(i, column) = 0;
  }
  if (basic_[row] >= 0) is_basic_[basic_[row]] = 0;
  basic_[row] = column;
  is_basic_[column] = 1;
}

void SimplexMethod::read_point() {
  std::ranges::fill(x_, 0.0);
  for (int i = 0; i < lp_->rows; ++i) {
    if (basic_[i] >= 0) x_[basic_[i]] = lp_->free[basic_[i]] ? rhs(i) : std::max(rhs(i), 0.0);
  }
}

bool SimplexMethod::point_is_feasible() const {
  for (int i = 0; i < lp_->rows; ++i) {
    double missed = -lp_->b[i], terms = 1 + std::abs(lp_->b[i]);
    for (int j = 0; j < lp_->columns; ++j) {
      missed += lp_->A[i * lp_->columns + j] * x_[j];
      terms += std::abs(lp_->A[i * lp_->columns + j] * x_[j]);
    }
    if (!(std::abs(missed) <= options_.feasibility_tolerance * terms)) return false;
  }
  return true;
}

/// y is minus the sum of the unassigned rows of T: their sum has no positive entry in A's columns, and a
/// positive right-hand side.
bool SimplexMethod::certificate_holds() {
  const int rows = lp_->rows, columns = lp_->columns;
  std::ranges::fill(y_, 0.0);
  for (int i = 0; i < rows; ++i) {
    if (basic_[i] != kUnassigned) continue;
    for (int k = 0; k < rows; ++k) y_[k] -= entry(i, columns + k);
  }
  // Terms are bounded by the largest |y|: a small y_i may be pure rounding.
  double largest = 0, value = 0, terms = 0;
  for (const double y : y_) largest = std::max(largest, std::abs(y));
  for (int i = 0; i < rows; ++i) {
    value += y_[i] * lp_->b[i];
    terms += largest * std::abs(lp_->b[i]);
  }
  if (!(value < -options_.clear * terms)) return false;
  for (int j = 0; j < columns; ++j) {
    double slope = 0, size = 0;
    for (int i = 0; i < rows; ++i) {
      slope += y_[i] * lp_->A[i * columns + j];
      size += largest * std::abs(lp_->A[i * columns + j]);
    }
    if (!std::isfinite(size) || slope < -options_.zero * size ||
        (lp_->free[j] && slope > options_.zero * size)) {
      return false;
    }
  }
  return true;
}

}  // namespace pawl::internal
