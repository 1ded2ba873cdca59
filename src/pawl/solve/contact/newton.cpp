#include <pawl/solve/contact/newton.h>

#include <algorithm>
#include <cassert>
#include <cmath>

#include <pawl/base/numeric_util.h>
#include <pawl/base/tolerances.h>
#include <pawl/linalg/dense.h>
#include <pawl/solve/contact/natural_map.h>

namespace pawl::internal {
namespace {

constexpr int kMaxVelocitiesPerRow = 2;  // limit for steps solved over the body velocities
constexpr double kMaxReducedResidual =
    tolerances::kMedium;  // of F, reduced system; rounding leaves 10⁻¹² to 10⁻⁷
constexpr double kMinStepLength = 0.01;
constexpr double kProximalShrinkAtBest = 0.3;  // factor on a raised α at a new best iterate
/// Factor on α in the plane: there F is piecewise linear, and only α slows convergence.
constexpr double kPlanarProximalFactor = 0.01;

double half_squared_norm(std::span<const double> x) {
  double sum = 0;
  for (const double value : x) sum += value * value;
  return 0.5 * sum;
}

bool is_diagonal(const double* A, int n) {
  for (int r = 0; r < n; ++r) {
    for (int c = 0; c < n; ++c) {
      if (r != c && A[r * n + c] != 0) return false;
    }
  }
  return true;
}

bool is_identity(const double* A, int n) {
  for (int r = 0; r < n; ++r) {
    if (A[r * (n + 1)] != 1) return false;
  }
  return is_diagonal(A, n);
}

bool planar(const ScaledProblem& problem) {
  for (int i = 0; i < problem.contacts(); ++i) {
    if (problem.size_of(i) > 2) return false;
  }
  return true;
}

}  // namespace

/// F = x - Π(x - w) with friction radius μ max(0, x_n - w_n); returns ½‖F‖². Where Π is the identity, F = w
/// is used directly: x - (x - w) would lose w beside a large x.
double Newton::evaluate(ScaledProblem& problem, std::span<const double> x, std::span<const double> y,
                        std::span<double> F) {
  if (!y.empty()) {
    problem.velocities_from(y, x, w_);
  } else {
    problem.velocities(x, w_);
  }
  for (int i = 0; i < problem.blocks(); ++i) {
    const int begin = problem.begin(i), n = problem.size_of(i);
    if (i >= problem.contacts()) {
      std::copy_n(w_.data() + begin, n, F.data() + begin);
      continue;
    }
    const double z_n = x[begin] - w_[begin];
    F[begin] = std::min(x[begin], w_[begin]);
    if (n == 1) continue;
    const FrictionSet& set = problem.friction(i);
    FrictionVector z{};
    for (int k = 0; k < n - 1; ++k) z[k] = x[begin + 1 + k] - w_[begin + 1 + k];
    const FrictionVector nearest =
        set.frictionless() ? FrictionVector{} : project(set, z, set.mu * std::max(z_n, 0.0));
    for (int k = 0; k < n - 1; ++k) {
      F[begin + 1 + k] = nearest == z ? w_[begin + 1 + k] : x[begin + 1 + k] - nearest[k];
    }
  }
  for (int r = 0; r < problem.rows(); ++r) {  // min and projections may drop a NaN
    if (std::isnan(w_[r])) F[r] = w_[r];
  }
  return half_squared_norm(F);
}

void Newton::differentiate_map(const ScaledProblem& problem, std::span<const double> x) {
  std::ranges::fill(dF_dx_, 0.0);
  std::ranges::fill(dF_dw_, 0.0);
  for (int i = 0; i < problem.blocks(); ++i) {
    const int begin = problem.begin(i), n = problem.size_of(i);
    double *d_dx = dF_dx_.data() + offset_[i], *d_dw = dF_dw_.data() + offset_[i];
    if (i >= problem.contacts()) {
      for (int r = 0; r < n; ++r) d_dw[r * (n + 1)] = 1;
      continue;
    }
    const double z_n = x[begin] - w_[begin];
    (x[begin] > w_[begin] ? d_dw : d_dx)[0] = 1;
    const FrictionSet& set = problem.friction(i);
    FrictionVector z{};
    for (int k = 0; k < n - 1; ++k) z[k] = x[begin + 1 + k] - w_[begin + 1 + k];
    Projection d;
    if (!set.frictionless() && z_n > 0) d = differentiate(set, z, set.mu * z_n);
    for (int r = 1; r < n; ++r) {
      d_dx[r * n + r] = 1;
      for (int c = 1; c < n; ++c) {
        d_dx[r * n + c] -= d.d_dx[r - 1][c - 1];
        d_dw[r * n + c] += d.d_dx[r - 1][c - 1];
      }
      d_dx[r * n] -= set.mu * d.d_dscale[r - 1];
      d_dw[r * n] += set.mu * d.d_dscale[r - 1];
    }
  }
}

void Newton::set_proximal(const ScaledProblem& problem, double proximal_fraction, double least,
                          std::span<const double> x) {
  const double error = largest(F_);
  alpha_.resize(problem.blocks());
  for (int i = 0; i < problem.blocks(); ++i) {
    const double size = largest(x.subspan(problem.begin(i), problem.size_of(i)));
    alpha_[i] = std::clamp(proximal_fraction * error, least, 1.0) / std::max(1.0, size);
  }
}

/// Over the bodies in primal form, unless velocities far outnumber rows. Otherwise over all rows of W or its
/// independent rows.
void Newton::choose_system(ScaledProblem& problem, std::span<const double> x) {
  const int velocities = problem.body_begin(problem.bodies());
  const bool by_bodies = problem.primal() && velocities <= kMaxVelocitiesPerRow * problem.rows();
  if (by_bodies) {
    system_ = System::bodies;
    primal_hessian_.set_pattern(problem);
    lu_.analyse(primal_hessian_.matrix());
    problem.Yt_times(x, y_);
    best_y_.assign(y_.begin(), y_.end());
    trial_y_.resize(y_.size());
  } else {
    for (auto* vector : {&y_, &best_y_, &trial_y_}) vector->clear();
    system_ = System::groups;
    if (!reduced_system_.reduce(problem.W())) use_contact_system(problem);
  }
}

void Newton::use_contact_system(ScaledProblem& problem) {
  system_ = System::contacts;
  A_ = problem.W();
  lu_.analyse(A_);
}

void Newton::factor(ScaledProblem& problem) {
  if (system_ == System::contacts) return factor_by_contacts(problem.W());
  invert_blocks(problem);
  if (system_ == System::groups) return reduced_system_.factor(G_, offset_);
  primal_hessian_.assemble(problem, 1, G_, offset_);
  lu_.factor(primal_hessian_.matrix());
}

/// Sets step_, and y_step_ if the system is over the bodies.
void Newton::set_step(ScaledProblem& problem, std::span<const double> x) {
  if (system_ == System::bodies) return step_by_bodies(problem, x);
  if (system_ == System::groups && !step_by_groups(problem)) {
    use_contact_system(problem);
    factor(problem);
  }
  if (system_ == System::contacts) step_by_contacts();
}

/// Factors ∂F/∂x + ∂F/∂w (W + α I).
void Newton::factor_by_contacts(const BlockMatrix& W) {
  for (int i = 0; i < W.blocks(); ++i) {
    const int n = W.size_of(i);
    const double alpha = alpha_[i];
    const double *d_dx = dF_dx_.data() + offset_[i], *d_dw = dF_dw_.data() + offset_[i];
    const bool sticks = n > 2 && is_identity(d_dw, n);  // or bilateral; for n ≤ 2 the product is as fast
    for (const BlockMatrix::Block& block : W.row_entries(i)) {
      const int m = W.size_of(block.column);
      const double* w = W.values.data() + block.offset;
      double* a = A_.values.data() + block.offset;
      if (sticks) {
        for (int k = 0; k < n * m; ++k) a[k] = w[k];
      } else {
        multiply(d_dw, w, n, n, m, a);
      }
      for (int k = 0; block.column == i && k < n * n; ++k) a[k] += d_dx[k] + alpha * d_dw[k];
    }
  }
  lu_.factor(A_);
}

/// step_ := the solution of [∂F/∂x + ∂F/∂w (W + α I)] Δx = -F.
void Newton::step_by_contacts() {
  for (std::size_t r = 0; r < step_.size(); ++r) step_[r] = -F_[r];
  lu_.solve(step_);
}

/// The same step from the independent rows of W. Returns false if the residual is too large.
bool Newton::step_by_groups(ScaledProblem& problem) {
  for (std::size_t r = 0; r < step_.size(); ++r) step_[r] = -F_[r];
  solve_by_groups(problem, step_);
  std::ranges::fill(dw_, 0.0);
  multiply_add(problem.W(), step_, dw_);
  set_residual(problem);
  return largest(residual_) <= kMaxReducedResidual * largest(F_);
}

/// The same step over the body velocities, in step_ and y_step_, with one refinement: entries of C⁻¹ are as
/// large as 1/α.
void Newton::step_by_bodies(const ScaledProblem& problem, std::span<const double> x) {
  for (int r = 0; r < problem.rows(); ++r) step_[r] = -F_[r];
  problem.Yt_times(x, Y_x_);
  y_step_.resize(y_.size());
  for (std::size_t k = 0; k < y_.size(); ++k) y_step_[k] = Y_x_[k] - y_[k];
  solve_by_bodies(problem, step_, y_step_);
  set_residual(problem);
  y_residual_.resize(y_.size());
  for (std::size_t k = 0; k < y_.size(); ++k) y_residual_[k] = Y_x_[k] - (y_[k] + y_step_[k]);
  problem.add_Yt_times(step_, y_residual_);
  solve_by_bodies(problem, residual_, y_residual_);  // y: -g - Δy + Yᵀ Δx
  for (int r = 0; r < problem.rows(); ++r) step_[r] += residual_[r];
  for (std::size_t k = 0; k < y_.size(); ++k) y_step_[k] += y_residual_[k];
}

/// Compliance of a row that is not in dw_: where steps are solved over the contacts, W has it.
double Newton::compliance(const ScaledProblem& problem, int row) const {
  return system_ == System::bodies ? problem.compliance(row) : 0.0;
}

/// C⁻¹ and G = C⁻¹ ∂F/∂w, block by block. C is not diagonal only for sliding friction.
void Newton::invert_blocks(const ScaledProblem& problem) {
  for (int i = 0; i < problem.blocks(); ++i) {
    const int n = problem.size_of(i);
    double* inverse = C_inverse_.data() + offset_[i];
    const double *d_dx = dF_dx_.data() + offset_[i], *d_dw = dF_dw_.data() + offset_[i];
    small_.resize(n * n);
    for (int r = 0, k = 0; r < n; ++r) {
      for (int c = 0; c < n; ++c, ++k)
        small_[k] = d_dx[k] + (alpha_[i] + compliance(problem, problem.begin(i) + c)) * d_dw[k];
    }
    if (is_diagonal(small_.data(), n)) {
      std::fill_n(inverse, n * n, 0.0);
      for (int k = 0; k < n * n; k += n + 1) inverse[k] = 1 / small_[k];
    } else {
      invert(n, inverse);
    }
    multiply(inverse, d_dw, n, n, n, G_.data() + offset_[i]);
  }
}

/// inverse := small_⁻¹.
void Newton::invert(int n, double* inverse) {
  small_pivots_.resize(n);
  lu(small_, n, small_pivots_, 0);
  for (int c = 0; c < n; ++c) {
    column_.assign(n, 0.0);
    column_[c] = 1;
    lu_solve(small_, n, small_pivots_, column_);
    for (int r = 0; r < n; ++r) inverse[r * n + c] = column_[r];
  }
}

/// Residual of the step: -F - ∂F/∂x Δx - ∂F/∂w (Δw + α Δx), Δw in dw_.
void Newton::set_residual(const ScaledProblem& problem) {
  residual_.resize(problem.rows());
  for (int i = 0; i < problem.blocks(); ++i) {
    const int begin = problem.begin(i), n = problem.size_of(i);
    const double *d_dx = dF_dx_.data() + offset_[i], *d_dw = dF_dw_.data() + offset_[i];
    for (int r = 0; r < n; ++r) {
      double sum = -F_[begin + r];
      for (int c = 0; c < n; ++c) {
        sum -= d_dx[r * n + c] * step_[begin + c] +
               d_dw[r * n + c] *
                   (dw_[begin + c] + (alpha_[i] + compliance(problem, begin + c)) * step_[begin + c]);
      }
      residual_[begin + r] = sum;
    }
  }
}

/// x := C⁻¹ x.
void Newton::apply_C_inverse(const ScaledProblem& problem, std::span<double> x) {
  for (int i = 0; i < problem.blocks(); ++i) {
    const int begin = problem.begin(i), n = problem.size_of(i);
    small_.assign(x.begin() + begin, x.begin() + begin + n);
    std::fill_n(x.begin() + begin, n, 0.0);
    add_product(C_inverse_.data() + offset_[i], n, n, small_.data(), x.data() + begin);
  }
}

/// x := x - G Δw, Δw in dw_.
void Newton::subtract_G_dw(const ScaledProblem& problem, std::span<double> x) {
  for (int i = 0; i < problem.blocks(); ++i) {
    const int begin = problem.begin(i), n = problem.size_of(i);
    const double* G = G_.data() + offset_[i];
    for (int r = 0; r < n; ++r) {
      for (int c = 0; c < n; ++c) x[begin + r] -= G[r * n + c] * dw_[begin + c];
    }
  }
}

/// x := [C + ∂F/∂w W]⁻¹ x, with W = R V Qᵀ of the reduced system.
void Newton::solve_by_groups(const ScaledProblem& problem, std::span<double> x) {
  apply_C_inverse(problem, x);
  reduced_system_.solve(x, dw_);
  subtract_G_dw(problem, x);
}

/// y := [I + Yᵀ C⁻¹ ∂F/∂w Y]⁻¹ (Yᵀ C⁻¹ x + y),  x := C⁻¹ (x - ∂F/∂w Y y); Y y in dw_.
void Newton::solve_by_bodies(const ScaledProblem& problem, std::span<double> x, std::span<double> y) {
  apply_C_inverse(problem, x);
  problem.add_Yt_times(x, y);
  lu_.solve(y);
  for (int i = 0; i < problem.blocks(); ++i) {
    problem.Y_times(i, y, std::span(dw_).subspan(problem.begin(i), problem.size_of(i)));
  }
  subtract_G_dw(problem, x);
}

IterativeResult Newton::solve(ScaledProblem& problem, const NewtonOptions& options, std::span<double> x) {
  assert(std::ssize(x) == problem.rows() && options.tolerance >= 0 && options.memory > 0);
  const int n = problem.rows();
  for (auto* vector : {&w_, &F_, &step_, &trial_, &trial_F_, &dw_}) vector->resize(n);
  best_.assign(x.begin(), x.end());
  offset_.clear();
  int entries = 0;
  for (int i = 0; i < problem.blocks(); ++i) {
    offset_.push_back(entries);
    entries += problem.size_of(i) * problem.size_of(i);
  }
  for (auto* blocks : {&dF_dx_, &dF_dw_, &C_inverse_, &G_}) blocks->resize(entries);
  choose_system(problem, x);
  merits_.assign(options.memory, 0.0);
  merits_[0] = evaluate(problem, x, y_, F_);
  IterativeResult result;
  result.error = largest(F_);
  int best_iteration = 0;
  const double min_proximal_fraction =
      planar(problem) ? kPlanarProximalFactor * options.proximal : options.proximal;
  double proximal_fraction = min_proximal_fraction;
  bool reuse_factors = false;
  double last_error = result.error;
  while (result.error > options.tolerance && result.iterations < options.max_iterations &&
         result.iterations - best_iteration < options.patience) {
    ++result.iterations;
    if ((result.iterations - best_iteration) % (options.stall_iterations + 1) == 0)
      proximal_fraction = options.stall_factor * std::max(proximal_fraction, options.proximal);
    if (!reuse_factors) {
      differentiate_map(problem, x);
      set_proximal(problem, proximal_fraction, options.min_proximal, x);
      factor(problem);
    }
    set_step(problem, x);

    // Contacts open, close and start to slide within a step, so ‖F‖ may rise although the step is good.
    // Requiring descent would make steps tiny. The step is shortened only if ‖F‖ grows excessively.
    const double allowed = options.max_merit_growth * *std::ranges::max_element(merits_);
    double merit = 0;
    for (double length = 1; length > kMinStepLength; length *= 0.5) {
      for (int r = 0; r < n; ++r) trial_[r] = x[r] + length * step_[r];
      for (std::size_t k = 0; k < y_.size(); ++k) trial_y_[k] = y_[k] + length * y_step_[k];
      merit = evaluate(problem, trial_, trial_y_, trial_F_);
      if (merit <= allowed) break;
    }
    const double error = largest(trial_F_);
    if (reuse_factors && !(error <= options.tolerance)) {  // not sufficient: repeat with new factors
      reuse_factors = false;
      continue;
    }
    if (!std::isfinite(merit)) break;
    std::ranges::copy(trial_, x.begin());
    y_.swap(trial_y_);
    F_.swap(trial_F_);
    merits_[result.iterations % options.memory] = merit;
    // Expected reduction of the error by another step with the same factors.
    const double left = error / last_error;
    reuse_factors = error * left <= options.tolerance;
    last_error = error;
    if (error < result.error) {
      result.error = error;
      best_iteration = result.iterations;
      proximal_fraction = std::max(min_proximal_fraction, kProximalShrinkAtBest * proximal_fraction);
      std::ranges::copy(x, best_.begin());
      best_y_.assign(y_.begin(), y_.end());
    }
  }
  std::ranges::copy(best_, x.begin());
  result.converged = result.error <= options.tolerance;
  return result;
}

}  // namespace pawl::internal
