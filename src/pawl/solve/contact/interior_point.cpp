#include <pawl/solve/contact/interior_point.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <numbers>

#include <pawl/solve/contact/natural_map.h>

namespace pawl::internal {
namespace {

constexpr double kBilateralProximal = 1e-10;  // on bilateral rows, which may be redundant
constexpr double kCentrality = 1e-2;          // a step keeps min(this, half the iterate's centrality)
constexpr double kMinCentralLength = 1e-3;    // steps are not cut below this to stay central

using Vector = std::array<double, 4>;

double dot(const Vector& a, const Vector& b) {
  return (a[0] * b[0] + a[1] * b[1]) + (a[2] * b[2] + a[3] * b[3]);
}

Vector axpby(double a, const Vector& x, double b, const Vector& y) {
  return {a * x[0] + b * y[0], a * x[1] + b * y[1], a * x[2] + b * y[2], a * x[3] + b * y[3]};
}

double friction_length(const Vector& y) {
  return std::sqrt(y[1] * y[1] + y[2] * y[2] + y[3] * y[3]);
}

/// y_n² - ‖y_f‖², positive in the interior of K.
double determinant(const Vector& y) {
  const double length = friction_length(y);
  return (y[0] - length) * (y[0] + length);
}

/// (a · b, a_n b_f + b_n a_f).
Vector jordan_product(const Vector& a, const Vector& b) {
  return {dot(a, b), a[0] * b[1] + b[0] * a[1], a[0] * b[2] + b[0] * a[2], a[0] * b[3] + b[0] * a[3]};
}

/// d such that λ ∘ d = c.
Vector jordan_quotient(const Vector& c, const Vector& lambda) {
  const double d_n = (2 * lambda[0] * c[0] - dot(lambda, c)) / determinant(lambda);
  const double inverse = 1 / lambda[0];
  return {d_n, (c[1] - d_n * lambda[1]) * inverse, (c[2] - d_n * lambda[2]) * inverse,
          (c[3] - d_n * lambda[3]) * inverse};
}

/// The largest α with y + α d ∈ K, for y in the interior.
double distance_to_boundary(const Vector& y, const Vector& d) {
  const double a = 2 * d[0] * d[0] - dot(d, d);
  const double b = 2 * y[0] * d[0] - dot(y, d);
  const double c = determinant(y);
  const double discriminant = b * b - a * c;
  if (discriminant < 0) return std::numeric_limits<double>::infinity();
  const double denominator = std::sqrt(discriminant) - b;
  return denominator > 0 ? c / denominator : std::numeric_limits<double>::infinity();
}

}  // namespace

bool InteriorPoint::applies(const ScaledProblem& problem) {
  for (int i = 0; i < problem.contacts(); ++i) {
    const FrictionSet& set = problem.friction(i);
    if (!set.frictionless() && !is_ball(set, problem.size_of(i) - 1)) return false;
  }
  return true;
}

Vector InteriorPoint::segment(const Cone& cone, std::span<const double> rows) {
  Vector v{};
  std::copy_n(rows.data() + cone.begin, cone.n, v.begin());
  return v;
}

/// T v.
Vector InteriorPoint::apply_T(const Cone& cone, const Vector& v) {
  Vector sum{};
  for (int k = 0; k < cone.n; ++k) sum = axpby(1, sum, cone.scaling[k] * dot(cone.Q[k], v), cone.Q[k]);
  return sum;
}

/// T⁻¹ v.
Vector InteriorPoint::apply_T_inverse(const Cone& cone, const Vector& v) {
  Vector sum{};
  for (int k = 0; k < cone.n; ++k) sum = axpby(1, sum, dot(cone.Q[k], v) / cone.scaling[k], cone.Q[k]);
  return sum;
}

/// Starts from the guess and its velocities, moved inside the cones by `distance`.
void InteriorPoint::start(const ScaledProblem& problem, double distance, std::span<const double> x) {
  cones_.assign(problem.contacts(), {});
  for (int i = 0; i < problem.contacts(); ++i) {
    Cone& cone = cones_[i];
    cone.begin = problem.begin(i);
    cone.n = problem.size_of(i);
    cone.mu = problem.friction(i).frictionless() ? 0 : problem.friction(i).mu;
    double *y = y_.data() + cone.begin, *z = z_.data() + cone.begin;
    for (int k = 1; k < cone.n; ++k) {
      y[k] = cone.mu > 0 ? x[cone.begin + k] / cone.mu : 0;
      z[k] = cone.mu * w_[cone.begin + k];
    }
    y[0] = std::max(x[cone.begin], friction_length(segment(cone, y_))) + distance;
    z[0] = std::max(w_[cone.begin], 0.0) + friction_length(segment(cone, z_)) + distance;
  }
  const int bilateral = problem.begin(problem.contacts());
  std::copy(x.begin() + bilateral, x.end(), y_.begin() + bilateral);
}

/// x = E y.
void InteriorPoint::set_impulses(std::span<double> x) const {
  std::ranges::copy(y_, x.begin());
  for (const Cone& cone : cones_) {
    for (int k = 1; k < cone.n; ++k) x[cone.begin + k] *= cone.mu;
  }
}

/// Mean of y · z over the contacts after a step of this length.
double InteriorPoint::duality_measure(double length) const {
  double sum = 0;
  for (const Cone& cone : cones_) {
    sum += dot(axpby(1, cone.lambda, length, segment(cone, dy_)),
               axpby(1, cone.lambda, length, segment(cone, dz_)));
  }
  return cones_.empty() ? 0 : sum / static_cast<double>(cones_.size());
}

/// Nesterov-Todd scaling [NesterovTodd1998]. With ȳ = y/√det y and z̄ = z/√det z, the point w̄ = (z̄ + (ȳ_n,
/// -ȳ_f)) / √(2 + 2 ȳ·z̄) has determinant 1 and
///   T = β (w̄_n + ‖w̄_f‖, 1 / (w̄_n + ‖w̄_f‖), 1, …)  along  (1, a)/√2, (1, -a)/√2, (0, a⊥), …,
///   a = w̄_f/‖w̄_f‖,  β⁴ = det z / det y.
/// On a sliding contact these eigenvalues differ by a factor of 1/τ or more. Storing them separately
/// preserves their precision.
void InteriorPoint::scale_cones() {
  for (Cone& cone : cones_) {
    const Vector y = segment(cone, y_), z = segment(cone, z_);
    const double y_root = std::sqrt(determinant(y)), z_root = std::sqrt(determinant(z));
    const double scale = 1 / std::sqrt(2 + 2 * dot(y, z) / (y_root * z_root));
    Vector point = axpby(scale / z_root, z, -scale / y_root, y);
    point[0] += 2 * scale / y_root * y[0];
    const double beta = std::sqrt(z_root / y_root), length = friction_length(point);
    Vector a{0, 1, 0, 0};
    if (length > 0) a = {0, point[1] / length, point[2] / length, point[3] / length};
    cone.scaling.fill(beta);
    if (cone.n == 1) {
      cone.Q[0] = {1, 0, 0, 0};
    } else {
      constexpr double half = std::numbers::sqrt2 / 2;
      cone.Q[0] = {half, half * a[1], half * a[2], half * a[3]};
      cone.Q[1] = {half, -half * a[1], -half * a[2], -half * a[3]};
      cone.scaling[0] = beta * (point[0] + length);
      cone.scaling[1] = beta / (point[0] + length);
      // The remaining columns are those of the reflection that maps t to a or -a.
      Vector normal = a;
      normal[1] += std::copysign(1.0, a[1]);
      for (int k = 2; k < cone.n; ++k) {
        cone.Q[k] = axpby(-normal[k] / (1 + std::abs(a[1])), normal, 0, normal);
        cone.Q[k][k] += 1;
      }
    }
    cone.lambda = apply_T(cone, y);
    cone.s = friction_length(z);
    cone.slope = {};
    if (cone.s > 0) cone.slope = {0, z[1] / cone.s, z[2] / cone.s, z[3] / cone.s};
  }
}

/// With G = 1 - e (ds/dz)ᵀ the step satisfies (E W E + G T²) Δy = G T d - (E w + s e - z). It is solved for
/// v, Δy = Q C v. C = 1/(1 + scaling²) makes all columns of unit size:
///   A = Qᵀ E W E Q C + Qᵀ G Q scaling² C.
void InteriorPoint::assemble(const ScaledProblem& problem, const BlockMatrix& W) {
  const int contacts = problem.contacts();
  for (int i = 0; i < W.blocks(); ++i) {
    const int n = W.size_of(i);
    for (const BlockMatrix::Block& block : W.row_entries(i)) {
      const int m = W.size_of(block.column);
      const double* w = W.values.data() + block.offset;
      double* a = A_.values.data() + block.offset;
      std::copy_n(w, n * m, a);
      if (i < contacts) {  // a := Qᵀ E a
        const Cone& cone = cones_[i];
        for (int c = 0; c < m; ++c) {
          Vector column{};
          for (int r = 0; r < n; ++r) column[r] = (r > 0 ? cone.mu : 1) * a[r * m + c];
          for (int r = 0; r < n; ++r) a[r * m + c] = dot(cone.Q[r], column);
        }
      }
      if (block.column < contacts) {  // a := a E Q C
        const Cone& cone = cones_[block.column];
        for (int r = 0; r < n; ++r) {
          Vector row{};
          for (int c = 0; c < m; ++c) row[c] = (c > 0 ? cone.mu : 1) * a[r * m + c];
          for (int c = 0; c < m; ++c)
            a[r * m + c] = dot(cone.Q[c], row) / (1 + cone.scaling[c] * cone.scaling[c]);
        }
      }
      if (block.column != i) continue;
      if (i >= contacts) {
        for (int r = 0; r < n; ++r) a[r * (n + 1)] += kBilateralProximal;
        continue;
      }
      const Cone& cone = cones_[i];
      for (int c = 0; c < n; ++c) {
        const double square = cone.scaling[c] * cone.scaling[c];
        const double weight = square / (1 + square), along = dot(cone.slope, cone.Q[c]);
        for (int r = 0; r < n; ++r) a[r * n + c] += weight * ((r == c) - cone.Q[r][0] * along);
      }
    }
  }
}

/// Step towards y ∘ z = τ e, in scaled form λ ∘ (T Δy + T⁻¹ Δz) = τ e - λ ∘ λ, that removes the given
/// fraction of the residual E w + s e - z. `corrected` adds the second-order terms of the last step: T Δy ∘
/// T⁻¹ Δz and the curvature of s.
void InteriorPoint::compute_step(double tau, double residual_fraction, bool corrected) {
  for (std::size_t r = 0; r < v_.size(); ++r) v_[r] = -residual_fraction * w_[r];
  for (const Cone& cone : cones_) {
    const Vector z = segment(cone, z_);
    Vector c = jordan_product(cone.lambda, cone.lambda);
    double curvature = 0;
    if (corrected) {
      const Vector dy = segment(cone, dy_), dz = segment(cone, dz_), Dz = apply_T(cone, dz);
      c = axpby(1, c, 1, jordan_product(dy, dz));
      curvature = friction_length(axpby(1, z, 1, Dz)) - cone.s - dot(cone.slope, Dz);
    }
    c = axpby(-1, c, 0, c);
    c[0] += tau;
    const Vector d = jordan_quotient(c, cone.lambda);
    Vector right = apply_T(cone, d);
    right[0] -= dot(cone.slope, right) + curvature + residual_fraction * cone.s;
    for (int k = 0; k < cone.n; ++k) {
      right[k] -= residual_fraction * ((k > 0 ? cone.mu : 1) * w_[cone.begin + k] - z[k]);
    }
    for (int k = 0; k < cone.n; ++k) {
      d_[cone.begin + k] = d[k];
      v_[cone.begin + k] = dot(cone.Q[k], right);
    }
  }
  lu_.solve(v_);
  std::ranges::copy(v_, dy_.begin());
  for (const Cone& cone : cones_) {
    Vector dy{};
    for (int k = 0; k < cone.n; ++k) {
      const double scaling = cone.scaling[k];
      dy = axpby(1, dy, scaling / (1 + scaling * scaling) * v_[cone.begin + k], cone.Q[k]);
    }
    for (int k = 0; k < cone.n; ++k) {
      dy_[cone.begin + k] = dy[k];
      dz_[cone.begin + k] = d_[cone.begin + k] - dy[k];
    }
  }
}

/// `fraction` of the distance to the boundary of the cones, at most 1.
double InteriorPoint::max_step_length(double fraction) const {
  double length = 1;
  for (const Cone& cone : cones_) {
    length = std::min(length, fraction * distance_to_boundary(cone.lambda, segment(cone, dy_)));
    length = std::min(length, fraction * distance_to_boundary(cone.lambda, segment(cone, dz_)));
  }
  return length;
}

/// Min over the contacts of det y det z / (y · z), relative to the mean of y · z, after a step of this
/// length. It is 1 if all contacts satisfy y ∘ z = τ e.
double InteriorPoint::centrality(double length) const {
  const double mean = duality_measure(length);
  double least = 1;
  for (const Cone& cone : cones_) {
    const Vector y = axpby(1, cone.lambda, length, segment(cone, dy_));
    const Vector z = axpby(1, cone.lambda, length, segment(cone, dz_));
    least = std::min(least, determinant(y) * determinant(z) / (dot(y, z) * mean));
  }
  return least;
}

void InteriorPoint::take_step(double length) {
  for (const Cone& cone : cones_) {
    const Vector y = apply_T_inverse(cone, segment(cone, dy_)), z = apply_T(cone, segment(cone, dz_));
    for (int k = 0; k < cone.n; ++k) {
      dy_[cone.begin + k] = y[k];
      dz_[cone.begin + k] = z[k];
    }
  }
  for (std::size_t r = 0; r < y_.size(); ++r) {
    y_[r] += length * dy_[r];
    z_[r] += length * dz_[r];
  }
}

IterativeResult InteriorPoint::solve(ScaledProblem& problem, const InteriorPointOptions& options,
                                     std::span<double> x) {
  assert(std::ssize(x) == problem.rows() && options.start_distance > 0);
  for (auto* vector : {&y_, &z_, &x_, &w_, &dy_, &dz_, &d_, &v_}) vector->assign(problem.rows(), 0.0);
  problem.velocities(x, w_);
  IterativeResult result;
  result.error = natural_map(problem, x, w_);
  if (!applies(problem)) return result;
  const BlockMatrix& W = problem.W();
  A_ = W;
  lu_.analyse(W);
  start(problem, options.start_distance, x);
  for (int since_best = 0;; ++since_best) {
    set_impulses(x_);
    problem.velocities(x_, w_);
    const double error = natural_map(problem, x_, w_);
    if (error < result.error) {
      since_best = 0;
      result.error = error;
      std::ranges::copy(x_, x.begin());
    }
    if (result.error <= options.tolerance || result.iterations >= options.max_iterations ||
        since_best > options.patience) {
      break;
    }
    ++result.iterations;
    scale_cones();
    assemble(problem, W);
    lu_.factor(A_);

    // The decrease of y ∘ z along the affine step determines the centring σ [Mehrotra1992]. The same fraction
    // σ of the residual is kept, so that both decrease together.
    compute_step(0, 1, false);
    const double mean = duality_measure(0), affine_length = max_step_length(1);
    const double ratio = mean > 0 ? std::clamp(duality_measure(affine_length) / mean, 0.0, 1.0) : 0;
    const double sigma = ratio * ratio * ratio;

    const double fraction = std::max(0.9, 1 - error);
    compute_step(sigma * mean, 1 - sigma, true);
    double length = max_step_length(fraction);
    if (length < 0.5 * affine_length) {  // the correction fails, for example if z_f reverses within the step
      compute_step(sigma * mean, 1 - sigma, false);
      length = max_step_length(fraction);
    }
    const double needed = std::min(kCentrality, 0.5 * centrality(0));
    while (length > kMinCentralLength && centrality(length) < needed) length *= 0.8;
    if (!std::isfinite(duality_measure(length))) break;
    take_step(length);
  }
  result.converged = result.error <= options.tolerance;
  return result;
}

}  // namespace pawl::internal
