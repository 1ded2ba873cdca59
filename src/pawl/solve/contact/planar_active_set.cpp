#include <pawl/solve/contact/planar_active_set.h>

#include <algorithm>
#include <cassert>
#include <cmath>

#include <pawl/base/tolerances.h>
#include <pawl/linalg/dense.h>

namespace pawl::internal {
namespace {

constexpr int kMaxSteps = 4;
constexpr double kSingular = tolerances::kIterated;  // smallest pivot, relative to the largest entry

double friction_of(const FrictionSet& set) {
  return set.frictionless() ? 0 : set.mu;
}

}  // namespace

bool PlanarActiveSet::applies(const ContactProblem& problem) {
  if (problem.primal() || problem.rows() > kMaxRows || problem.contacts != problem.blocks()) return false;
  for (int i = 0; i < problem.contacts; ++i) {
    const FrictionSet& set = problem.friction[i];
    if (problem.size_of(i) > 2 || (set.kind == FrictionKind::polyhedron && !set.frictionless())) return false;
  }
  return true;
}

IterativeResult PlanarActiveSet::solve(const ContactProblem& problem, std::span<double> p) {
  assert(applies(problem) && std::ssize(p) == problem.rows());
  IterativeResult result;
  gather(problem);
  result.iterations = 1;
  if (!sweep(problem)) return result;
  for (int step = 0; step < kMaxSteps && !result.converged; ++step) {
    ++result.iterations;
    if (!solve_states(problem)) return result;
    result.converged = !update_states(problem);
  }
  for (int r = 0; r < rows_; ++r) p[r] = e_[r] * x_[r];
  return result;
}

void PlanarActiveSet::gather(const ContactProblem& problem) {
  rows_ = problem.rows();
  W_.fill(0);
  for (int i = 0; i < problem.contacts; ++i) {
    const int at = problem.begin[i];
    e_[at] = 1;
    if (problem.size_of(i) == 2) e_[at + 1] = problem.friction[i].radii[0];
    q_[at] = problem.b[at] + problem.zeta[i];
    if (problem.size_of(i) == 2) q_[at + 1] = e_[at + 1] * problem.b[at + 1];
  }
  for (int i = 0; i < problem.contacts; ++i) {
    for (const BlockMatrix::Block& entry : problem.W.row_entries(i)) {
      const double* from = problem.W.values.data() + entry.offset;
      for (int r = problem.begin[i]; r < problem.begin[i + 1]; ++r) {
        for (int c = problem.begin[entry.column]; c < problem.begin[entry.column + 1]; ++c)
          W_[r * rows_ + c] = e_[r] * *from++ * e_[c];
      }
    }
  }
}

double PlanarActiveSet::row_velocity(int row) const {
  double w = q_[row];
  for (int c = 0; c < rows_; ++c) w += W_[row * rows_ + c] * x_[c];
  return w;
}

/// One sweep from x = 0, and the resulting states.
bool PlanarActiveSet::sweep(const ContactProblem& problem) {
  x_.fill(0);
  for (int i = 0; i < problem.contacts; ++i) {
    const int at = problem.begin[i], n = problem.size_of(i);
    double D[4], rest[2];
    for (int r = 0; r < n; ++r) {
      rest[r] = row_velocity(at + r);
      for (int c = 0; c < n; ++c) D[r * n + c] = W_[(at + r) * rows_ + at + c];
    }
    if (!one_contact_.solve(n, D, rest, problem.friction[i], x_.data() + at)) return false;
    const double radius = friction_of(problem.friction[i]) * x_[at];
    states_[i] = !(x_[at] > 0)                             ? State::open
                 : n == 1 || std::abs(x_[at + 1]) < radius ? State::sticks
                 : x_[at + 1] >= 0                         ? State::slides_forward
                                                           : State::slides_backward;
  }
  return true;
}

/// Solves for x with w = 0 in each row that does not slide and x_f = ±μ x_n for sliding contacts.
bool PlanarActiveSet::solve_states(const ContactProblem& problem) {
  // Row of each unknown. Sliding friction has no unknown of its own: it follows from x_n.
  std::array<int, kMaxRows> row;
  Vector friction_ratio;  // x_f / x_n if sliding
  int unknowns = 0;
  for (int i = 0; i < problem.contacts; ++i) {
    const int at = problem.begin[i], n = problem.size_of(i);
    if (states_[i] == State::open) continue;
    const bool slides = states_[i] != State::sticks;
    const double mu = friction_of(problem.friction[i]);
    row[unknowns] = at;
    friction_ratio[unknowns++] = !slides ? 0 : states_[i] == State::slides_forward ? mu : -mu;
    if (slides || n == 1) continue;
    row[unknowns] = at + 1;
    friction_ratio[unknowns++] = 0;
  }
  std::array<double, kMaxRows * kMaxRows> A;
  std::array<int, kMaxRows> pivots;
  Vector x;
  for (int r = 0; r < unknowns; ++r) {
    const double* W = W_.data() + row[r] * rows_;
    x[r] = -q_[row[r]];
    for (int c = 0; c < unknowns; ++c) {
      A[r * unknowns + c] = W[row[c]] + (friction_ratio[c] != 0 ? friction_ratio[c] * W[row[c] + 1] : 0);
    }
  }
  if (!lu(std::span(A).first(unknowns * unknowns), unknowns, std::span(pivots).first(unknowns), kSingular))
    return false;
  lu_solve(std::span(A).first(unknowns * unknowns), unknowns, std::span(pivots).first(unknowns),
           std::span(x).first(unknowns));
  x_.fill(0);
  for (int k = 0; k < unknowns; ++k) {
    x_[row[k]] = x[k];
    if (friction_ratio[k] != 0) x_[row[k] + 1] = friction_ratio[k] * x[k];
  }
  return true;
}

/// Updates the states from x and its velocities, by the natural map with rows of unit size. Returns true if
/// any state changed.
bool PlanarActiveSet::update_states(const ContactProblem& problem) {
  bool changed = false;
  for (int i = 0; i < problem.contacts; ++i) {
    const int at = problem.begin[i], n = problem.size_of(i);
    const double z_n = x_[at] - row_velocity(at) / W_[at * (rows_ + 1)];
    State state = State::open;
    if (z_n > 0) {
      state = State::sticks;
      if (n == 2) {
        const double z_f = x_[at + 1] - row_velocity(at + 1) / W_[(at + 1) * (rows_ + 1)];
        const double radius = friction_of(problem.friction[i]) * z_n;
        if (!(std::abs(z_f) < radius)) state = z_f >= 0 ? State::slides_forward : State::slides_backward;
      }
    }
    changed |= state != states_[i];
    states_[i] = state;
  }
  return changed;
}

}  // namespace pawl::internal
