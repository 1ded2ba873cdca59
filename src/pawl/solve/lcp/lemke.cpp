#include <pawl/solve/lcp/lemke.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

#include <pawl/base/tolerances.h>
#include <pawl/linalg/dense.h>

// Variables w_0 … w_{n-1}, z_0 … z_{n-1}, z0, in this order, are kept in a dictionary
//   basic = rhs + tableau · nonbasic,
// which starts as w = q + M z + d z0. It has n + 1 columns: half the work of an explicit tableau with its
// identity. Ties are resolved lexicographically [CottlePangStone1992, 4.4]: q is perturbed to q + (ε, ε², …).
// The coefficient of ε^k in a row is -(its entry in the column of w_k) if w_k is nonbasic, and 1 in the row
// of w_k if it is basic.

namespace pawl::internal {
namespace {

/// Rows are padded to a multiple of this, so that the compiler vectorises the loops.
constexpr int kSimdWidth = 4;

/// out += factor · in, `size` a multiple of kSimdWidth. The hot loop of the method.
void add_multiple(double* __restrict out, const double* __restrict in, double factor, int size) {
  for (int j = 0; j < size; j += kSimdWidth) {
    for (int k = 0; k < kSimdWidth; ++k) out[j + k] += factor * in[j + k];
  }
}

}  // namespace

std::string_view to_string(LemkeOutcome outcome) {
  switch (outcome) {
    case LemkeOutcome::solved:
      return "solved";
    case LemkeOutcome::ray:
      return "ray";
    case LemkeOutcome::iteration_limit:
      return "iteration limit";
    case LemkeOutcome::numerical_failure:
      return "numerical failure";
  }
  return "?";
}

LemkeResult Lemke::solve(const Lcp& lcp, const LemkeOptions& options, std::span<const double> cover) {
  assert(std::ssize(lcp.q) == lcp.n && lcp.M.size() == lcp.q.size() * lcp.q.size());
  assert(cover.size() <= lcp.q.size());
  cover_.assign(lcp.n, 1.0);
  std::ranges::copy(cover, cover_.begin());
  LemkeResult result = solve_once(lcp, options, /*refreshing=*/false);
  if (result.outcome == LemkeOutcome::solved) return result;
  // Rounding accumulates in the tableau and may lead to a wrong pivot. Retry, recomputing the tableau after
  // each pivot.
  const int pivots = result.pivots;
  result = solve_once(lcp, options, /*refreshing=*/true);
  result.pivots += pivots;
  return result;
}

LemkeResult Lemke::solve_once(const Lcp& lcp, const LemkeOptions& options, bool refreshing) {
  LemkeResult result = pivot_to_solution(lcp, options, refreshing);
  if (result.outcome != LemkeOutcome::solved) return result;
  for (int k = 0; k < n_; ++k) {
    const int position = position_[n_ + k];
    basic_[k] = position >= 0;
    z_[k] = position >= 0 ? scale_ * std::max(rhs_[position], 0.0) : 0.0;
  }
  // Recompute z from the final basis, without the accumulated rounding of the tableau.
  tableau_z_.assign(z_.begin(), z_.end());
  if (!(solve_basis(lcp, basic_) <= options.feasibility_tolerance)) {
    z_.assign(tableau_z_.begin(), tableau_z_.end());
    result.outcome = LemkeOutcome::numerical_failure;
  }
  return result;
}

LemkeResult Lemke::pivot_to_solution(const Lcp& lcp, const LemkeOptions& options, bool refreshing) {
  const int n = n_ = lcp.n;
  stride_ = (n + kSimdWidth) / kSimdWidth * kSimdWidth;
  reserve(n);
  tableau_.assign(n * stride_, 0.0);
  rhs_.resize(n);
  row_variable_.resize(n);
  column_variable_.resize(n + 1);
  position_.resize(2 * n + 1);
  z_.assign(n, 0.0);
  basic_.assign(n, 0);
  scale_ = 0;
  for (int i = 0; i < n; ++i) scale_ = std::max(scale_, std::abs(lcp.q[i]));
  if (scale_ == 0) scale_ = 1;

  for (int i = 0; i < n; ++i) {
    std::copy_n(lcp.M.begin() + i * n, n, tableau_.begin() + i * stride_);
    tableau_[i * stride_ + n] = cover_[i];  // column of z0
    rhs_[i] = lcp.q[i] / scale_;
    row_variable_[i] = i;
    position_[i] = i;
    column_variable_[i] = n + i;
    position_[n + i] = -1 - i;
  }
  column_variable_[n] = 2 * n;
  position_[2 * n] = -1 - n;

  // z0 enters at the row with the most negative ratio. Among ties it takes the last: its ε^k is smallest.
  int row = 0;
  for (int i = 1; i < n; ++i) {
    if (rhs_[i] / cover_[i] <= rhs_[row] / cover_[row]) row = i;
  }
  if (n == 0 || rhs_[row] >= 0) return {LemkeOutcome::solved, 0};
  int column = n;
  const int limit =
      std::max(100, (refreshing ? options.refreshed_pivots_per_row : options.pivots_per_row) * n);
  for (int pivots = 1; pivots <= limit; ++pivots) {
    const int left = row_variable_[row];
    pivot(row, column);
    if (left == 2 * n) return {LemkeOutcome::solved, pivots};
    if (refreshing) refresh(lcp);
    const int entering = left < n ? left + n : left - n;  // complement of the variable that left
    column = -1 - position_[entering];
    row = leaving_row(column, options);
    if (row < 0) return {LemkeOutcome::ray, pivots};
  }
  return {LemkeOutcome::iteration_limit, limit};
}

int Lemke::leaving_row(int column, const LemkeOptions& options) {
  double largest = 0;
  for (int i = 0; i < n_; ++i) largest = std::max(largest, std::abs(tableau_[i * stride_ + column]));
  const double threshold = -options.zero_pivot * std::max(largest, options.zero_pivot);
  double least = -1;
  for (int i = 0; i < n_; ++i) {
    const double t = tableau_[i * stride_ + column];
    if (t >= threshold) continue;
    const double ratio = std::max(rhs_[i], 0.0) / -t;
    if (least < 0 || ratio < least) least = ratio;
  }
  if (least < 0) return -1;
  // Candidates: all rows within rounding of the smallest ratio, relative to the largest change of the step.
  // z0 leaves if it can, which ends the search with a solution.
  const double tie = options.tie * std::max(1.0, least * largest);
  int best = -1;
  for (int i = 0; i < n_; ++i) {
    const double t = tableau_[i * stride_ + column];
    if (t >= threshold || std::max(rhs_[i], 0.0) + least * t > tie) continue;
    if (row_variable_[i] == 2 * n_) return i;
    if (best < 0 || lexicographically_less(i, best, column)) best = i;
  }
  return best;
}

bool Lemke::lexicographically_less(int row, int than, int column) const {
  const double* a = tableau_.data() + row * stride_;
  const double* b = tableau_.data() + than * stride_;
  const double scale_a = -1 / a[column], scale_b = -1 / b[column];
  for (int k = 0; k < n_; ++k) {
    const int position = position_[k];
    const double entry_a = position >= 0 ? (position == row ? 1.0 : 0.0) : -a[-1 - position];
    const double entry_b = position >= 0 ? (position == than ? 1.0 : 0.0) : -b[-1 - position];
    const double difference = entry_a * scale_a - entry_b * scale_b;
    if (std::abs(difference) >
        tolerances::kPivoted * (std::abs(entry_a * scale_a) + std::abs(entry_b * scale_b))) {
      return difference < 0;
    }
  }
  return false;
}

void Lemke::pivot(int row, int column) {
  assert(row >= 0 && column >= 0);
  double* pivot_row = tableau_.data() + row * stride_;
  const double inverse = 1 / pivot_row[column];
  for (int j = 0; j < stride_; ++j) pivot_row[j] *= -inverse;
  pivot_row[column] = inverse;
  rhs_[row] *= -inverse;
  for (int i = 0; i < n_; ++i) {
    double* other = tableau_.data() + i * stride_;
    const double factor = other[column];
    if (i == row || factor == 0) continue;
    other[column] = 0;
    add_multiple(other, pivot_row, factor, stride_);
    rhs_[i] += factor * rhs_[row];
  }
  std::swap(row_variable_[row], column_variable_[column]);
  position_[row_variable_[row]] = row;
  position_[column_variable_[column]] = -1 - column;
}

/// Recomputes the dictionary of the current basis from M and q, without the rounding of earlier pivots. With
/// z_α and z0 basic, w_R nonbasic and K = (M_Rα, d_R), the rows R of  0 = q + M z + d z0 - w  give
///   (z_α, z0) = -K⁻¹ (q_R + M_R· z_· - w_R),
/// and the other rows give their w. The tableau is unchanged if K is singular.
void Lemke::refresh(const Lcp& lcp) {
  const int n = n_;
  alpha_.clear();
  tight_.clear();
  for (int k = 0; k < n; ++k) {
    if (position_[n + k] >= 0) alpha_.push_back(k);
    if (position_[k] < 0) tight_.push_back(k);
  }
  const int m = static_cast<int>(tight_.size()), last = m - 1;  // column of z0 in K
  factor_.resize(m * m);
  right_.resize(m);
  pivot_.resize(m);
  for (int i = 0; i < m; ++i) {
    for (int j = 0; j < last; ++j) factor_[i * m + j] = lcp.M[tight_[i] * n + alpha_[j]];
    factor_[i * m + last] = cover_[tight_[i]];
  }
  if (!lu(factor_, m, pivot_, tolerances::kPivot)) return;

  for (int column = -1; column <= n; ++column) {  // -1 is the right-hand side
    const auto coefficient = [&](int row) {
      if (column < 0) return lcp.q[row] / scale_;
      const int variable = column_variable_[column];
      return variable >= n ? lcp.M[row * n + variable - n] : variable == row ? -1.0 : 0.0;
    };
    const auto entry = [&](int row) -> double& {
      return column < 0 ? rhs_[row] : tableau_[row * stride_ + column];
    };
    for (int i = 0; i < m; ++i) right_[i] = -coefficient(tight_[i]);
    lu_solve(factor_, m, pivot_, right_);
    for (int j = 0; j < last; ++j) entry(position_[n + alpha_[j]]) = right_[j];
    entry(position_[2 * n]) = right_[last];
    for (int i = 0; i < n; ++i) {
      if (position_[i] < 0) continue;
      double w = coefficient(i) + cover_[i] * right_[last];
      for (int j = 0; j < last; ++j) w += lcp.M[i * n + alpha_[j]] * right_[j];
      entry(position_[i]) = w;
    }
  }
}

/// Reserves memory for the largest basis, so that a larger one than the last does not allocate.
void Lemke::reserve(int n) {
  alpha_.reserve(n);
  tight_.reserve(n);
  pivot_.reserve(n);
  right_.reserve(n);
  correction_.reserve(n);
  factor_.reserve(static_cast<std::size_t>(n) * n);
}

double Lemke::solve_basis(const Lcp& lcp, std::span<const char> alpha) {
  assert(std::ssize(alpha) == lcp.n);
  const int n = lcp.n;
  reserve(n);
  alpha_.clear();
  for (int i = 0; i < n; ++i) {
    if (alpha[i]) alpha_.push_back(i);
  }
  const int m = static_cast<int>(alpha_.size());
  factor_.resize(m * m);
  right_.resize(m);
  correction_.resize(m);
  pivot_.resize(m);
  for (int i = 0; i < m; ++i) {
    const double* row = lcp.M.data() + alpha_[i] * n;
    for (int j = 0; j < m; ++j) factor_[i * m + j] = row[alpha_[j]];
    right_[i] = -lcp.q[alpha_[i]];
  }
  if (!lu(factor_, m, pivot_, tolerances::kPivot)) return std::numeric_limits<double>::infinity();
  lu_solve(factor_, m, pivot_, right_);
  for (int i = 0; i < m; ++i) {  // refinement step
    const double* row = lcp.M.data() + alpha_[i] * n;
    double r = -lcp.q[alpha_[i]];
    for (int j = 0; j < m; ++j) r -= row[alpha_[j]] * right_[j];
    correction_[i] = r;
  }
  lu_solve(factor_, m, pivot_, correction_);

  z_.assign(n, 0.0);
  double largest = 0, least = 0;
  for (int i = 0; i < m; ++i) {
    const double z = right_[i] + correction_[i];
    if (!std::isfinite(z)) return std::numeric_limits<double>::infinity();
    z_[alpha_[i]] = std::max(z, 0.0);
    largest = std::max(largest, std::abs(z));
    least = std::min(least, z);
  }
  double infeasible = largest > 0 ? -least / largest : 0;
  for (int i = 0; i < n; ++i) {
    if (alpha[i]) continue;
    const double* row = lcp.M.data() + i * n;
    double w = lcp.q[i], terms = std::abs(lcp.q[i]);
    for (const int j : alpha_) {
      w += row[j] * z_[j];
      terms += std::abs(row[j]) * largest;  // not z_j, which may be pure rounding
    }
    if (!std::isfinite(terms)) return std::numeric_limits<double>::infinity();
    if (w < 0) infeasible = std::max(infeasible, -w / terms);
  }
  return infeasible;
}

}  // namespace pawl::internal
