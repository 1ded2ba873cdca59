#include <pawl/solve/contact/gauss_seidel.h>

#include <algorithm>
#include <cassert>
#include <cmath>

#include <pawl/base/tolerances.h>
#include <pawl/linalg/block_matrix.h>
#include <pawl/linalg/dense.h>
#include <pawl/solve/contact/natural_map.h>

namespace pawl::internal {
namespace {

constexpr int kRateSweeps = 3;      // interval for measuring the convergence rate
constexpr int kRefreshSweeps = 64;  // interval for recomputing Yᵀ x, which is otherwise updated

}  // namespace

IterativeResult GaussSeidel::solve(ScaledProblem& problem, const GaussSeidelOptions& options,
                                   std::span<double> x) {
  assert(std::ssize(x) == problem.rows() && options.tolerance >= 0);
  prepare(problem);
  const BlockMatrix* W = problem.primal() ? nullptr : &problem.W();
  IterativeResult result;
  double earlier = 0;  // change in the sweep that the rate is measured from
  while (result.iterations < options.max_sweeps) {
    if (problem.primal() && result.iterations % kRefreshSweeps == 0) problem.Yt_times(x, y_);
    const double change = W != nullptr ? sweep_delassus(problem, *W, options.relaxation, x)
                                       : sweep_primal(problem, options.relaxation, x);
    ++result.iterations;
    if (!std::isfinite(change)) break;
    // A small change only hints at convergence. One sweep suffices if no two contacts share a body.
    if (change <= options.tolerance || result.iterations == 1) {
      problem.velocities(x, w_);
      result.error = natural_map(problem, x, w_);
      result.converged = result.error <= options.tolerance;
      if (result.converged) return result;
    }
    if (options.max_expected_sweeps > 0 && result.iterations % kRateSweeps == 0) {
      const double rate = earlier > 0 ? std::log(change / earlier) / kRateSweeps : 0;
      earlier = change;
      const double expected = std::log(options.tolerance / change) / rate;
      if (result.iterations >= options.min_sweeps && !(rate < 0 && expected <= options.max_expected_sweeps))
        break;
    }
  }
  problem.velocities(x, w_);
  result.error = natural_map(problem, x, w_);
  result.converged = result.error <= options.tolerance;
  return result;
}

bool GaussSeidel::solve_decoupled(const ContactProblem& problem, std::span<double> p) {
  assert(!problem.primal() && std::ssize(p) == problem.rows());
  std::ranges::fill(p, 0.0);
  const double* values = problem.W.values.data();
  bool any_acts = false;
  for (int i = 0; i < problem.contacts; ++i) {
    const int begin = problem.begin[i], n = problem.size_of(i);
    double u_n = problem.b[begin] + problem.zeta[i];
    if (any_acts) {
      for (const BlockMatrix::Block& entry : problem.W.row_entries(i)) {
        const double* p_j = p.data() + problem.begin[entry.column];
        if (!(*p_j > 0)) continue;
        for (int c = 0; c < problem.size_of(entry.column); ++c) u_n += values[entry.offset + c] * p_j[c];
      }
    }
    if (u_n >= 0) continue;
    any_acts = true;
    const double* W = nullptr;
    for (const BlockMatrix::Block& entry : problem.W.row_entries(i)) {
      const int j = entry.column, first = problem.begin[j];
      if (j == i) {
        W = values + entry.offset;
      } else if (p[first] > 0 || (j > i && problem.b[first] + problem.zeta[j] < 0)) {
        return false;
      }
    }
    if (W == nullptr) return false;
    // Scale by the radii.
    const FrictionSet& set = problem.friction[i];
    double e[4] = {1}, D[16], q[4] = {u_n}, x[4] = {};
    for (int r = 1; r < n; ++r) {
      e[r] = set.radii[r - 1];
      q[r] = e[r] * problem.b[begin + r];
    }
    for (int r = 0; r < n; ++r) {
      for (int c = 0; c < n; ++c) D[r * n + c] = e[r] * W[r * n + c] * e[c];
    }
    if (!one_contact_.solve(n, D, q, set, x)) return false;
    for (int r = 0; r < n; ++r) p[begin + r] = e[r] * x[r];
  }
  return true;
}

void GaussSeidel::prepare(const ScaledProblem& problem) {
  w_.resize(problem.rows());
  int most = 0, entries = 0, pivots = 0;
  joint_offset_.clear();
  for (int i = 0; i < problem.blocks(); ++i) {
    const int n = problem.size_of(i);
    most = std::max(most, n);
    if (i < problem.contacts()) continue;
    joint_offset_.push_back(entries);
    entries += n * n;
    pivots += n;
  }
  other_.resize(most);
  old_.resize(most);
  joint_factors_.resize(entries);
  joint_pivots_.resize(pivots);
  for (int i = problem.contacts(), pivot = 0; i < problem.blocks(); ++i) {
    const int n = problem.size_of(i);
    const std::span<double> factor(joint_factors_.data() + joint_offset_[i - problem.contacts()], n * n);
    // Redundant rows, such as the same hinge twice, share their impulse: a shift of the size of rounding
    // makes the diagonal block regular.
    std::copy_n(problem.diagonal(i), n * n, factor.begin());
    for (int r = 0; r < n; ++r) factor[r * (n + 1)] += tolerances::kIterated;
    lu(factor, n, std::span(joint_pivots_).subspan(pivot, n), 0);
    pivot += n;
  }
}

double GaussSeidel::sweep_delassus(const ScaledProblem& problem, const BlockMatrix& W, double relaxation,
                                   std::span<double> x) {
  double change = 0;
  for (int i = 0; i < problem.blocks(); ++i) {
    const int begin = problem.begin(i), n = problem.size_of(i);
    std::copy_n(x.data() + begin, n, old_.data());
    std::fill_n(x.data() + begin, n, 0.0);  // excludes the block itself from the sum
    std::copy_n(problem.q().data() + begin, n, other_.data());
    add_row_product(W, i, x.data(), other_.data());
    std::copy_n(old_.data(), n, x.data() + begin);
    change = std::max(change, update(problem, i, relaxation, x));
  }
  return change;
}

double GaussSeidel::sweep_primal(const ScaledProblem& problem, double relaxation, std::span<double> x) {
  double change = 0;
  for (int i = 0; i < problem.blocks(); ++i) {
    const int begin = problem.begin(i), n = problem.size_of(i);
    std::copy_n(x.data() + begin, n, old_.data());
    std::copy_n(problem.q().data() + begin, n, other_.data());
    for (const ScaledProblem::BodyRows& rows : problem.bodies_of(i)) {
      add_product(problem.Y(rows), n, problem.body_size(rows.body), y_.data() + problem.body_begin(rows.body),
                  other_.data());
    }
    const double* D = problem.diagonal(i);
    for (int r = 0; r < n; ++r) {
      other_[r] += problem.compliance(begin + r) * old_[r];
      for (int c = 0; c < n; ++c) other_[r] -= D[r * n + c] * old_[c];
    }
    change = std::max(change, update(problem, i, relaxation, x));
    for (const ScaledProblem::BodyRows& rows : problem.bodies_of(i)) {
      const int size = problem.body_size(rows.body);
      const double* Y = problem.Y(rows);
      double* y = y_.data() + problem.body_begin(rows.body);
      for (int r = 0; r < n; ++r) {
        const double moved = x[begin + r] - old_[r];
        for (int k = 0; k < size; ++k) y[k] += Y[r * size + k] * moved;
      }
    }
  }
  return change;
}

/// Solves one block; `other_` holds its velocities without its own impulses. Returns the largest impulse
/// change.
double GaussSeidel::update(const ScaledProblem& problem, int block, double relaxation, std::span<double> x) {
  const int n = problem.size_of(block);
  double* x_i = x.data() + problem.begin(block);
  if (block < problem.contacts()) {
    const FrictionSet& set = problem.friction(block);
    one_contact_.solve(n, problem.diagonal(block), other_.data(), set, x_i);
    if (relaxation != 1) {
      for (int r = 0; r < n; ++r) x_i[r] = old_[r] + relaxation * (x_i[r] - old_[r]);
      x_i[0] = std::max(x_i[0], 0.0);
      const FrictionVector inside = project(set, friction_components(x_i, n), set.mu * x_i[0]);
      std::copy_n(inside.begin(), n - 1, x_i + 1);
    }
  } else {
    const int joint = block - problem.contacts();
    for (int r = 0; r < n; ++r) x_i[r] = -other_[r];
    const int pivot = problem.begin(block) - problem.begin(problem.contacts());
    lu_solve(std::span(joint_factors_).subspan(joint_offset_[joint], n * n), n,
             std::span(joint_pivots_).subspan(pivot, n), {x_i, static_cast<std::size_t>(n)});
    for (int r = 0; r < n; ++r) x_i[r] = old_[r] + relaxation * (x_i[r] - old_[r]);
  }
  double change = 0;
  for (int r = 0; r < n; ++r) change = std::max(change, std::abs(x_i[r] - old_[r]));
  return change;
}

}  // namespace pawl::internal
