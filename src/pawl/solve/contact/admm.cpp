#include <pawl/solve/contact/admm.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>

#include <pawl/linalg/dense.h>
#include <pawl/solve/contact/natural_map.h>

namespace pawl::internal {
namespace {

constexpr double kMinPenalty = 1e-6, kMaxPenalty = 1e3;
constexpr double kPenaltyFactor = 2;      // a smaller change does not pay for a factorisation
constexpr double kMaxPenaltyFactor = 10;  // limit on one change
constexpr double kMaxResidualGrowth = 2;  // limit on the residual after an accelerated step
constexpr int kPause = 10;                // plain steps after a failed accelerated step

double dot(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

/// Curvature along the step dx with gradient change dg, by Barzilai and Borwein: the steepest-descent
/// estimate dg·dg/dg·dx and the minimal-gradient estimate dg·dx/dx·dx, mixed as in
/// [XuFigueiredoGoldstein2017, §4.2]. Returns 0 if dx and dg are nearly uncorrelated.
double curvature(std::span<const double> dx, std::span<const double> dg) {
  constexpr double kMinCosine = 0.2;
  const double xx = dot(dx, dx), gg = dot(dg, dg), xg = dot(dx, dg);
  if (!(xg > kMinCosine * std::sqrt(xx * gg)) || !(xg > 0)) return 0;
  const double steepest = gg / xg, minimal = xg / xx;
  return 2 * minimal > steepest ? minimal : steepest - 0.5 * minimal;
}

void subtract(std::span<const double> from, std::span<double> x) {
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = from[i] - x[i];
}

}  // namespace

// With s = μ h(-w_f) n, h the support function of the friction set, the laws become [DeSaxceFeng1998]
//   K ∋ x ⊥ w + s ∈ K*,   K = { x_f ∈ F(μ x_n) }, the whole space on bilateral rows.
// For fixed s this is min ½ x·W x + (q + s)·x + I_K(z) subject to x = z, which ADMM splits; s is updated with
// the iterates. One vector carries the iteration, v = z - λ/ρ:
//   z = Π_K(v), λ = ρ (z - v)                       laws: K ∋ z ⊥ λ ∈ K*
//   (W + ρ I) x = ρ z + λ - q - s                   motion
//   v := v + α (x - z)                              α = 1: no relaxation
// At a fixed point x = z and λ = W z + q + s.
IterativeResult Admm::solve(ScaledProblem& problem, const AdmmOptions& options, std::span<double> x) {
  assert(std::ssize(x) == problem.rows() && options.tolerance >= 0 && options.penalty > 0);
  rho_ = options.penalty;
  start(problem, x);
  IterativeResult result;
  result.error = natural_map(problem, x, w_);
  std::ranges::copy(x, best_.begin());
  bool accelerated = false;
  int pause = 0;
  double last_size = 0;
  while (result.error > options.tolerance && result.iterations < options.max_iterations) {
    ++result.iterations;
    update_z(problem);
    problem.velocities(z_, w_);
    if (const double error = natural_map(problem, z_, w_); error < result.error) {
      result.error = error;
      std::ranges::copy(z_, best_.begin());
    }
    update_x(problem);
    const double size = std::sqrt(dot(r_, r_));
    if (!std::isfinite(size)) break;
    if (accelerated && size > kMaxResidualGrowth * last_size) {
      v_.swap(plain_);
      accelerated = false;
      anderson_.reset();
      pause = kPause;
      continue;
    }
    last_size = size;
    anderson_.push(v_, r_);
    for (std::size_t i = 0; i < v_.size(); ++i) plain_[i] = v_[i] + options.relaxation * r_[i];
    accelerated = pause == 0 && anderson_.step(options.relaxation, r_, v_);
    if (!accelerated) std::ranges::copy(plain_, v_.begin());
    pause = std::max(pause - 1, 0);
    if (result.iterations % options.penalty_interval == 0) {
      const double rho = spectral_penalty();
      if (std::max(rho / rho_, rho_ / rho) > kPenaltyFactor) {
        change_penalty(problem, rho);
        accelerated = false;
      }
    }
  }
  std::ranges::copy(best_, x.begin());
  result.converged = result.error <= options.tolerance;
  return result;
}

void Admm::start(ScaledProblem& problem, std::span<const double> x) {
  const int n = problem.rows();
  for (auto* vector : {&v_, &x_, &z_, &lambda_, &r_, &w_, &best_, &plain_}) vector->resize(n);
  slack_.assign(n, 0.0);
  for (auto* vector : {&previous_.x, &previous_.motion, &previous_.z, &previous_.law}) vector->clear();
  anderson_.resize(n);
  const BlockMatrix& W = problem.W();
  lu_.analyse(W);
  factor(W);
  problem.velocities(x, w_);
  set_slack(problem, w_);
  for (int r = 0; r < n; ++r) v_[r] = x[r] - (w_[r] + slack_[r]) / rho_;
}

/// z = Π_K(v), λ = ρ (z - v).
void Admm::update_z(const ScaledProblem& problem) {
  std::ranges::copy(v_, z_.begin());
  for (int i = 0; i < problem.contacts(); ++i) {
    const int n = problem.size_of(i);
    double* z = z_.data() + problem.begin(i);
    FrictionVector z_f = friction_components(z, n);
    project_on_cone(problem.friction(i), z[0], z_f);
    std::copy_n(z_f.begin(), n - 1, z + 1);
  }
  for (std::size_t r = 0; r < v_.size(); ++r) lambda_[r] = rho_ * (z_[r] - v_[r]);
  set_slack(problem, lambda_);
}

/// x = (W + ρ I)⁻¹ (ρ z + λ - q - s), r = x - z.
void Admm::update_x(const ScaledProblem& problem) {
  const std::span<const double> q = problem.q();
  for (std::size_t r = 0; r < x_.size(); ++r) x_[r] = rho_ * z_[r] + lambda_[r] - q[r] - slack_[r];
  lu_.solve(x_);
  for (std::size_t r = 0; r < x_.size(); ++r) r_[r] = x_[r] - z_[r];
}

/// s = μ h(-w_f) n.
void Admm::set_slack(const ScaledProblem& problem, std::span<const double> w) {
  for (int i = 0; i < problem.contacts(); ++i) {
    const FrictionSet& set = problem.friction(i);
    if (set.frictionless()) continue;
    const FrictionVector w_f = friction_components(w.data() + problem.begin(i), problem.size_of(i));
    slack_[problem.begin(i)] = set.mu * support(set, {-w_f[0], -w_f[1], -w_f[2]});
  }
}

void Admm::factor(const BlockMatrix& W) {
  A_ = W;
  add_to_diagonal(A_, rho_);
  lu_.factor(A_);
}

/// Geometric mean of the two curvatures of the last iterates: W x + q + s over x (motion) and -λ over z
/// (laws). Returns ρ if neither is significant.
double Admm::spectral_penalty() {
  current_.x.assign(x_.begin(), x_.end());
  current_.z.assign(z_.begin(), z_.end());
  current_.motion.resize(x_.size());
  current_.law.resize(x_.size());
  for (std::size_t r = 0; r < x_.size(); ++r) {
    current_.motion[r] = lambda_[r] - rho_ * r_[r];  // = W x + q + s
    current_.law[r] = -lambda_[r];
  }
  double rho = rho_;
  if (!previous_.x.empty()) {
    subtract(current_.x, previous_.x);
    subtract(current_.motion, previous_.motion);
    subtract(current_.z, previous_.z);
    subtract(current_.law, previous_.law);
    const double motion = curvature(previous_.x, previous_.motion),
                 laws = curvature(previous_.z, previous_.law);
    if (motion > 0 && laws > 0) {
      rho = std::sqrt(motion * laws);
    } else if (motion > 0 || laws > 0) {
      rho = std::max(motion, laws);
    }
  }
  std::swap(current_, previous_);
  rho = std::clamp(rho, rho_ / kMaxPenaltyFactor, rho_ * kMaxPenaltyFactor);
  return std::clamp(rho, kMinPenalty, kMaxPenalty);
}

/// Keeps z and λ; v changes with ρ.
void Admm::change_penalty(ScaledProblem& problem, double rho) {
  update_z(problem);
  rho_ = rho;
  for (std::size_t r = 0; r < v_.size(); ++r) v_[r] = z_[r] - lambda_[r] / rho_;
  factor(problem.W());
  anderson_.reset();
}

void AndersonAcceleration::resize(int n) {
  n_ = n;
  dv_.resize(kMemory * n_);
  dr_.resize(kMemory * n_);
  last_v_.resize(n_);
  last_r_.resize(n_);
  reset();
}

void AndersonAcceleration::push(std::span<const double> v, std::span<const double> r) {
  if (has_last_) {
    next_ = count_ == 0 ? 0 : (next_ + 1) % kMemory;
    count_ = std::min(count_ + 1, kMemory);
    for (std::size_t i = 0; i < n_; ++i) {
      dv(next_)[i] = v[i] - last_v_[i];
      dr(next_)[i] = r[i] - last_r_[i];
    }
  }
  std::ranges::copy(v, last_v_.begin());
  std::ranges::copy(r, last_r_.begin());
  has_last_ = true;
}

/// v := v + α r - (dV + α dR) c, c = argmin ‖r - dR c‖, by normal equations with a small ridge.
bool AndersonAcceleration::step(double alpha, std::span<const double> r, std::span<double> v) {
  constexpr double kRidge = 1e-12;
  if (count_ == 0) return false;
  std::array<double, kMemory * kMemory> G;
  std::array<double, kMemory> c;
  double largest = 0;
  for (int i = 0; i < count_; ++i) {
    for (int j = 0; j <= i; ++j) G[i * count_ + j] = dot(dr(i), dr(j));
    largest = std::max(largest, G[i * (count_ + 1)]);
    c[i] = dot(dr(i), r);
  }
  for (int i = 0; i < count_; ++i) G[i * (count_ + 1)] += kRidge * largest;
  if (!cholesky(G, count_)) return false;
  solve_lower(G, count_, c);
  solve_lower_transposed(G, count_, c);
  for (std::size_t i = 0; i < n_; ++i) v[i] += alpha * r[i];
  for (int k = 0; k < count_; ++k) {
    for (std::size_t i = 0; i < n_; ++i) v[i] -= (dv(k)[i] + alpha * dr(k)[i]) * c[k];
  }
  return true;
}

}  // namespace pawl::internal
