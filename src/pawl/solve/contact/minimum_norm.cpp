#include <pawl/solve/contact/minimum_norm.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdint>

#include <pawl/base/numeric_util.h>
#include <pawl/base/tolerances.h>
#include <pawl/linalg/dense.h>
#include <pawl/solve/contact/natural_map.h>

namespace pawl::internal {
namespace {

constexpr double kProximal = 1e-4;        // initial ε, Delassus form
constexpr double kPrimalProximal = 1e-8;  // initial ε, primal form: one step nearly suffices
constexpr double kMinProximal = 1e-12, kMaxProximal = 1;
constexpr double kRankShift = tolerances::kSame;  // smaller eigenvalues of W count as 0 …
constexpr double kNullSpaceFraction =
    tolerances::kMedium;  // … if their part of a vector exceeds this fraction
/// Min squared fraction of a row outside the span of the other rows.
constexpr double kIndependenceTolerance = tolerances::kFine;
constexpr double kSameTolerance =
    tolerances::kFine;  // of the largest impulse; smaller differences count as none
/// The motion is matched to this fraction of the tolerance, as far as rounding allows.
constexpr double kTargetFraction = tolerances::kCoarse;
constexpr double kRounding = 2 * tolerances::kData;  // relative to the terms of the motion
constexpr double kVelocityToleranceFactor = 1e3;     // velocities below this many tolerances may be 0
constexpr double kSufficientDecrease = 1e-4;         // of φ, relative to its slope
constexpr double kMinLength = 1e-3;                  // ε is raised if the step becomes shorter

/// Deterministic pseudo-random numbers in [-1, 1]: a hash of i.
double pseudo_random(int i) {
  std::uint64_t bits = (static_cast<std::uint64_t>(i) + 1) * 0x9e3779b97f4a7c15;
  for (int round = 0; round < 2; ++round) bits = (bits ^ (bits >> 29)) * 0xbf58476d1ce4e5b9;
  return std::ldexp(static_cast<double>(bits >> 11), -52) - 1;
}

using JacobianBlock = PrimalData::JacobianBlock;

/// True if the rows of the block are linearly independent.
bool independent(const ContactProblem& problem, const JacobianBlock& block) {
  const int n = problem.size_of(block.block), size = problem.motion.mass_blocks[block.mass_block].size;
  if (n > kMaxConeRows || n > size) return false;
  const double* J = problem.motion.jacobian.data() + block.offset;
  ConeMatrix products{};
  for (int r = 0; r < n; ++r) {
    for (int c = 0; c <= r; ++c) {
      for (int k = 0; k < size; ++k) products[r * n + c] += J[r * size + k] * J[c * size + k];
    }
    products[r * (n + 1)] *= 1 - kIndependenceTolerance;
  }
  return cholesky(products, n);
}

}  // namespace

bool UniquenessCheck::impulses_are_unique(const ContactProblem& problem) {
  const auto& blocks = problem.motion.jacobian_blocks;
  acting_.assign(problem.motion.mass_blocks.size(), 0);
  for (const JacobianBlock& block : blocks) ++acting_[block.mass_block];
  waiting_.assign(problem.blocks(), 1);
  int left = problem.blocks();
  for (bool found = true; found && left > 0;) {
    found = false;
    for (const JacobianBlock& block : blocks) {
      if (!waiting_[block.block] || acting_[block.mass_block] != 1 || !independent(problem, block)) continue;
      waiting_[block.block] = 0;
      --left;
      found = true;
      for (const JacobianBlock& other : blocks) {
        if (other.block == block.block) --acting_[other.mass_block];
      }
    }
  }
  return left == 0;
}

/// True if all cones have known edges or balls.
bool MinimumNorm::applies(const ScaledProblem& problem) {
  for (int i = 0; i < problem.contacts(); ++i) {
    const FrictionSet& set = problem.friction(i);
    if (!set.frictionless() && set.kind != FrictionKind::polyhedron &&
        round_parts(set.kind, problem.size_of(i) - 1).count == 0)
      return false;
  }
  return true;
}

MinimumNormResult MinimumNorm::refine(ScaledProblem& problem, double tolerance, std::span<double> x,
                                      int max_steps) {
  assert(std::ssize(x) == problem.rows() && tolerance >= 0);
  max_steps_ = max_steps;
  const int n = problem.rows();
  for (auto* vector : {&x_, &z_, &step_z_, &last_z_, &w_, &trial_}) vector->resize(n);
  zero_.assign(n, 0.0);
  MinimumNormResult result;
  if (!applies(problem)) return result;
  problem.velocities(x, w_);
  result.error = natural_map(problem, x, w_);
  // The cones depend on which velocities are 0, so first solve for them as accurately as possible.
  x0_.assign(x.begin(), x.end());
  if (result.error > kTargetFraction * tolerance) {
    newton_.solve(problem, {.tolerance = kTargetFraction * tolerance, .max_iterations = 5}, x0_);
    problem.velocities(x0_, w_);
  }
  set_weights(problem);
  offset_.clear();
  int entries = 0;
  for (int i = 0; i < problem.blocks(); ++i) {
    offset_.push_back(entries);
    entries += problem.size_of(i) * problem.size_of(i);
  }
  G_.resize(entries);
  // Velocities that are only rounding must not open a contact or make it slide: the result would depend on
  // rounding. Small but real velocities must. Try the wide tolerance first; the residual decides.
  bool pattern_is_set = false;
  for (const double velocity_tolerance : {kVelocityToleranceFactor * tolerance, tolerance}) {
    set_cones(problem, velocity_tolerance, x0_);
    if (!pattern_is_set) {
      pattern_is_set = true;
      if (problem.primal()) primal_hessian_.set_pattern(problem);
      lu_.analyse(problem.primal() ? primal_hessian_.matrix() : problem.W());
    }
    result.unique = !(problem.primal() && has_more_impulses_than_velocities(problem)) && full_rank(problem);
    if (result.unique) break;
    const Nearest nearest = find_nearest(problem, tolerance, zero_, x0_);
    result.iterations += nearest.iterations;
    if (!nearest.found) continue;
    problem.velocities(x_, trial_);
    const double error = natural_map(problem, x_, trial_);
    if (!(error <= std::max(tolerance, result.error))) continue;
    const double change = distance(x_, x);
    std::ranges::copy(x_, x.begin());
    result.refined = true;
    result.error = error;
    result.same = change <= kSameTolerance * distance(x, zero_);
    break;
  }
  return result;
}

void MinimumNorm::set_weights(const ScaledProblem& problem) {
  weight_.resize(problem.rows());
  trial_.assign(problem.rows(), 1.0);
  problem.impulses(trial_, weight_);
  for (int i = 0; i < problem.contacts(); ++i) {
    // One scale for all rows of a contact: friction is already scaled by the radii.
    std::fill_n(weight_.begin() + problem.begin(i), problem.size_of(i), weight_[problem.begin(i)]);
  }
  const double most = largest(weight_);
  gain_.resize(weight_.size());
  for (std::size_t r = 0; r < weight_.size(); ++r) {
    weight_[r] *= weight_[r] / (most * most);
    gain_[r] = 1 / weight_[r];
  }
}

/// Cones at x with velocities w_; velocities up to `velocity_tolerance` count as 0.
void MinimumNorm::set_cones(const ScaledProblem& problem, double velocity_tolerance,
                            std::span<const double> x) {
  cones_.assign(problem.contacts(), {});
  projection_jacobians_.resize(problem.contacts());
  edges_.clear();
  for (int i = 0; i < problem.contacts(); ++i) {
    const int begin = problem.begin(i), n = problem.size_of(i);
    const FrictionSet& set = problem.friction(i);
    const FrictionVector w_f = friction_components(w_.data() + begin, n);
    ImpulseCone& cone = cones_[i];
    cone.mu = set.mu;
    cone.separating = w_[begin] > velocity_tolerance && w_[begin] >= x[begin];
    if (cone.separating || set.frictionless()) continue;
    if (set.kind == FrictionKind::polyhedron) {
      const double most = support(set, {-w_f[0], -w_f[1], -w_f[2]});
      cone.first_edge = static_cast<int>(edges_.size());
      for (const FrictionVector& d : set.polyhedron->directions()) {
        if (most + w_f[0] * d[0] + w_f[1] * d[1] + w_f[2] * d[2] > velocity_tolerance) continue;
        ConeEdge edge{1};
        for (int k = 0; k < n - 1; ++k) edge[1 + k] = set.mu * d[k];
        edges_.push_back(edge);
      }
      cone.edges = static_cast<int>(edges_.size()) - cone.first_edge;
      continue;
    }
    const RoundParts parts = round_parts(set.kind, n - 1);
    for (int part = 0, at = 0; part < parts.count; at += parts.size[part++]) {
      const int size = parts.size[part];
      if (size == 0) continue;
      ImpulseCone::Ball& ball = cone.ball[cone.balls++];
      ball.begin = at;
      ball.size = size;
      // x_f - w_f has the direction of x_f and of -w_f, and the relative accuracy of the larger one.
      double sliding = 0, length = 0;
      for (int k = 0; k < size; ++k) {
        ball.direction[k] = x[begin + 1 + at + k] - w_f[at + k];
        sliding += w_f[at + k] * w_f[at + k];
        length += ball.direction[k] * ball.direction[k];
      }
      ball.slides = std::sqrt(sliding) > velocity_tolerance && length > 0;
      for (double& entry : ball.direction) entry = ball.slides ? entry / std::sqrt(length) : 0;
    }
  }
}

void MinimumNorm::set_spans(const ScaledProblem& problem) {
  for (int i = 0; i < problem.contacts(); ++i) {
    project_on_span(cones_[i], edges_of(cones_[i]), problem.size_of(i), projection_jacobians_[i]);
  }
}

/// More impulses than velocities: the motion cannot determine them.
bool MinimumNorm::has_more_impulses_than_velocities(const ScaledProblem& problem) const {
  int impulses = 0;
  for (int i = 0; i < problem.blocks(); ++i) {
    if (i >= problem.contacts()) {
      impulses += problem.size_of(i);
      continue;
    }
    const ImpulseCone& cone = cones_[i];
    if (cone.separating) continue;
    impulses += 1;
    for (int b = 0; b < cone.balls; ++b) impulses += cone.ball[b].slides ? 0 : cone.ball[b].size;
  }
  return impulses > problem.body_begin(problem.bodies());
}

/// True if the motion, W x or Yᵀ x, determines all impulses in the spans of the cones. Q are the projectors
/// on the spans. (ε (ε I + Q W)⁻¹)² maps a vector in the spans to its part in the null space. In primal form,
///   ε (ε I + Q Y Yᵀ Q)⁻¹ = I - Q Y (ε I + Yᵀ Q Y)⁻¹ Yᵀ Q.
bool MinimumNorm::full_rank(ScaledProblem& problem) {
  set_spans(problem);
  const auto to_spans = [&](std::span<double> x) {
    for (int i = 0; i < problem.contacts(); ++i) {
      const int n = problem.size_of(i);
      double* own = x.data() + problem.begin(i);
      ConeEdge full{};
      std::copy_n(own, n, full.begin());
      for (int r = 0; r < n; ++r) {
        own[r] = 0;
        for (int c = 0; c < n; ++c) own[r] += projection_jacobians_[i][r * n + c] * full[c];
      }
    }
  };
  std::vector<double>& part = z_;
  for (int r = 0; r < problem.rows(); ++r) part[r] = pseudo_random(r);
  to_spans(part);
  const double whole = largest(part);
  trial_.assign(problem.rows(), 1.0);
  factor(problem, kRankShift, trial_);
  for (int power = 0; power < 2; ++power) {
    if (problem.primal()) {
      apply(problem, part, step_);
      lu_.solve(step_);
      apply_transposed(problem, step_, trial_);
      to_spans(trial_);
      for (int r = 0; r < problem.rows(); ++r) part[r] -= trial_[r];
    } else {
      for (double& value : part) value *= kRankShift;
      lu_.solve(part);
    }
  }
  return largest(part) <= kNullSpaceFraction * whole;
}

/// Searches the solutions nearest to two points far from x, at opposite pseudo-random offsets; one that
/// differs from x is another solution. Both offsets increase the normal impulses, since contacts without
/// impulse can only gain some.
bool MinimumNorm::has_other_solutions(ScaledProblem& problem, double tolerance, std::span<const double> x) {
  centre_.resize(x.size());
  first_.assign(x.begin(), x.end());
  const double size = largest(x) > 0 ? largest(x) : 1;
  for (const int sign : {1, -1}) {
    for (std::size_t r = 0; r < x.size(); ++r) {
      centre_[r] = x[r] + size * sign * pseudo_random(static_cast<int>(r));
    }
    for (int i = 0; i < problem.contacts(); ++i) centre_[problem.begin(i)] += size;
    const Nearest other = find_nearest(problem, tolerance, centre_, first_);
    const double whole = distance(first_, zero_) > 0 ? distance(first_, zero_) : distance(centre_, first_);
    if (other.found && distance(x_, first_) > kSameTolerance * whole) return true;
  }
  return false;
}

double MinimumNorm::distance(std::span<const double> a, std::span<const double> b) const {
  double most = 0;
  for (std::size_t r = 0; r < a.size(); ++r) {
    nan_max(most, std::sqrt(weight_[r]) * std::abs(a[r] - b[r]));
  }
  return most;
}

/// y = W x, or Yᵀ x in primal form: the effect of the impulses.
void MinimumNorm::apply(ScaledProblem& problem, std::span<const double> x, std::vector<double>& y) {
  if (problem.primal()) return problem.Yt_times(x, y);
  y.assign(x.size(), 0.0);
  multiply_add(problem.W(), x, y);
}

/// x = W y, or Y y in primal form.
void MinimumNorm::apply_transposed(ScaledProblem& problem, std::span<const double> y, std::span<double> x) {
  if (problem.primal()) {
    for (int i = 0; i < problem.blocks(); ++i)
      problem.Y_times(i, y, x.subspan(problem.begin(i), problem.size_of(i)));
  } else {
    std::ranges::fill(x, 0.0);
    multiply_add(problem.W(), y, x);
  }
}

/// Factors W + δ I.
void MinimumNorm::factor_range(ScaledProblem& problem) {
  A_ = problem.W();
  add_to_diagonal(A_, kRankShift);
  range_lu_.analyse(A_);
  range_lu_.factor(A_);
}

/// Factors shift I + P W, or shift I + Yᵀ P Y in primal form, with P = gain times the projection Jacobians.
/// Gains are equal within a contact.
void MinimumNorm::factor(ScaledProblem& problem, double shift, std::span<const double> gain) {
  std::ranges::fill(G_, 0.0);
  for (int i = 0; i < problem.blocks(); ++i) {
    const int n = problem.size_of(i);
    double* G = G_.data() + offset_[i];
    for (int r = 0; r < n; ++r) {
      const double by = gain[problem.begin(i) + r];
      if (i >= problem.contacts()) G[r * (n + 1)] = by;
      for (int c = 0; c < n && i < problem.contacts(); ++c)
        G[r * n + c] = by * projection_jacobians_[i][r * n + c];
    }
  }
  if (problem.primal()) {
    primal_hessian_.assemble(problem, shift, G_, offset_);
    lu_.factor(primal_hessian_.matrix());
    return;
  }
  const BlockMatrix& W = problem.W();
  A_ = W;
  for (int i = 0; i < W.blocks(); ++i) {
    const int n = W.size_of(i);
    for (const BlockMatrix::Block& block : W.row_entries(i)) {
      multiply(G_.data() + offset_[i], W.values.data() + block.offset, n, n, W.size_of(block.column),
               A_.values.data() + block.offset);
    }
  }
  add_to_diagonal(A_, shift);
  lu_.factor(A_);
}

/// x_ := x(λ) = Π_C(z) and its Jacobian, with z = centre + D⁻² W λ (or Y λ), and residual_ = W (x - x0) (or
/// Yᵀ (x - x0)). Returns the dual function φ(λ) = ½ ‖D x(λ)‖² - λ·target, whose gradient is the residual. λ
/// is represented by z and λ·target.
double MinimumNorm::evaluate(ScaledProblem& problem, double lambda_target) {
  for (int i = 0; i < problem.contacts(); ++i) {
    const int begin = problem.begin(i);
    project_on_cone(cones_[i], edges_of(cones_[i]), problem.size_of(i), z_.data() + begin, x_.data() + begin,
                    projection_jacobians_[i]);
  }
  const int bilateral = problem.begin(problem.contacts());
  std::copy(z_.begin() + bilateral, z_.end(), x_.begin() + bilateral);
  apply(problem, x_, residual_);
  for (std::size_t k = 0; k < target_.size(); ++k) residual_[k] -= target_[k];
  double phi = -lambda_target;
  for (std::size_t r = 0; r < x_.size(); ++r) phi += 0.5 * weight_[r] * x_[r] * x_[r];
  return phi;
}

/// x_ := argmin { ½ ‖D (x - centre)‖² : x ∈ C, W x = W x0 }, by Newton's method on the dual, which is convex
/// and piecewise smooth: φ' = W (x(λ) - x0) = 0. The Hessian W P D⁻² W, P the Jacobian of Π_C, has the
/// squared condition number of W and more entries. Factoring out one W avoids both:
///   (ε I + P D⁻² W) Δλ = -r,   W r = W (x(λ) - x0),
/// a proximal step in the norm of W. r = (W + δ I)⁻¹ W (x - x0) drops the part of x - x0 in the null space of
/// W, which Δλ would contain divided by ε. In primal form, Yᵀ x = Yᵀ x0, the step is
///   (ε I + Yᵀ P D⁻² Y) Δλ = -Yᵀ (x(λ) - x0).
MinimumNorm::Nearest MinimumNorm::find_nearest(ScaledProblem& problem, double tolerance,
                                               std::span<const double> centre, std::span<const double> x0) {
  const bool by_bodies = problem.primal();
  if (!by_bodies) factor_range(problem);
  apply(problem, x0, target_);
  std::ranges::copy(centre, z_.begin());
  double lambda_target = 0, epsilon = by_bodies ? kPrimalProximal : kProximal;
  const double enough = by_bodies ? kRounding * largest(x0) : kTargetFraction * tolerance;
  double phi = evaluate(problem, lambda_target);
  // At 0 all cones meet: use the projectors on their spans as Jacobians, which are upper bounds.
  set_spans(problem);
  double error = largest(residual_), factored_epsilon = -1;
  Nearest result;
  while (error > enough && result.iterations < max_steps_) {
    ++result.iterations;
    if (epsilon != factored_epsilon || projection_jacobians_ != last_projection_jacobians_) {
      factor(problem, epsilon, gain_);
      factored_epsilon = epsilon;
      last_projection_jacobians_ = projection_jacobians_;
    }
    step_.resize(residual_.size());
    for (std::size_t k = 0; k < step_.size(); ++k) step_[k] = -residual_[k];
    if (!by_bodies) range_lu_.solve(step_);
    lu_.solve(step_);
    double slope = 0, step_target = 0;
    for (std::size_t k = 0; k < step_.size(); ++k) {
      slope += residual_[k] * step_[k];
      step_target += step_[k] * target_[k];
    }
    // λ is large where W is nearly singular. z is not, so z is updated step by step.
    apply_transposed(problem, step_, step_z_);
    for (std::size_t r = 0; r < z_.size(); ++r) step_z_[r] *= gain_[r];
    std::ranges::copy(z_, last_z_.begin());
    const double last_phi = phi, last_error = error;
    double length = 2;
    bool less = false;
    while (!less && length > kMinLength) {
      length *= 0.5;
      for (std::size_t r = 0; r < z_.size(); ++r) z_[r] = last_z_[r] + length * step_z_[r];
      phi = evaluate(problem, lambda_target + length * step_target);
      error = largest(residual_);
      // Near the solution φ is flat to rounding, and the residual is the better criterion.
      less = phi <= last_phi + kSufficientDecrease * length * slope || error <= 0.5 * last_error;
    }
    if (!less) {
      std::ranges::copy(last_z_, z_.begin());
      phi = evaluate(problem, lambda_target);
      error = last_error;
      if (error <= tolerance || epsilon >= kMaxProximal) break;
      epsilon *= 1000;
      continue;
    }
    lambda_target += length * step_target;
    if (error <= tolerance && error > 0.5 * last_error) break;  // limited by rounding
    if (length < 1) {
      if (length < 0.1) epsilon = std::min(10 * epsilon, kMaxProximal);
    } else if (!by_bodies) {
      epsilon = std::max(0.1 * epsilon, kMinProximal);
    }
  }
  result.found = error <= tolerance;
  return result;
}

}  // namespace pawl::internal
