#include <pawl/solve/minimum_norm.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include <pawl/base/dense.h>
#include <pawl/base/figures.h>
#include <pawl/solve/natural_map.h>

namespace pawl {
namespace {

using Cone = MinimumNorm::Cone;
using Edge = MinimumNorm::Edge;
using Matrix = MinimumNorm::Matrix;
constexpr int kMostRows = MinimumNorm::kMostContactRows;

constexpr double kProximal = 1e-4;  // ε at the start
constexpr double kLeastProximal = 1e-12, kMostProximal = 1;
constexpr double kRankShift = 1e-8;  // eigenvalues of W below this are 0 …
constexpr double kNullPart = 1e-4;   // … and show when they hold this part of a vector
constexpr double kSame = 1e-6;       // impulses that differ less, of the largest, are the same
constexpr double kOvershoot = 1e-3;  // the motion is met this much better than asked, where rounding lets
constexpr double kStill = 1e3;       // velocities up to this many tolerances may be 0
constexpr double kShortest = 1e-3;   // step along a direction, before ε is raised
constexpr int kMostIterations = 60;

/// Numbers in [-1, 1] without pattern, the same each time: a mix of the bits of i.
double scattered(int i) {
  std::uint64_t bits = (static_cast<std::uint64_t>(i) + 1) * 0x9e3779b97f4a7c15;
  for (int round = 0; round < 2; ++round) bits = (bits ^ (bits >> 29)) * 0xbf58476d1ce4e5b9;
  return std::ldexp(static_cast<double>(bits >> 11), -52) - 1;
}

/// x := the point of a cone of balls nearest to z, and the slopes of this map. With the friction of a ball
/// that slides or is at its limit |x| = μ x_n given by x_n, the distance is a square in x_n alone; its balls
/// at the limit are found from the longest on.
void project_on_balls(const Cone& cone, int n, const double* z, double* x, Matrix& slopes) {
  std::fill_n(x, n, 0.0);
  slopes.fill(0.0);
  if (cone.closed) return;
  const double mu = cone.mu;
  double above = z[0], below = 1;  // x_n = above/below
  std::array<double, 2> size{};
  std::array<bool, 2> limited{};
  for (int b = 0; b < cone.balls; ++b) {
    const Cone::Ball& ball = cone.ball[b];
    double along = 0, square = 0;
    for (int k = 0; k < ball.size; ++k) {
      const double entry = z[1 + ball.begin + k];
      along += ball.direction[k] * entry;
      square += entry * entry;
    }
    size[b] = std::sqrt(square);
    if (ball.slides) above += mu * along, below += mu * mu;
  }
  const bool swapped = cone.balls == 2 && size[1] > size[0];
  for (int k = 0; k < cone.balls; ++k) {
    const int b = swapped ? 1 - k : k;
    if (cone.ball[b].slides || size[b] <= mu * above / below) continue;
    limited[b] = true;
    above += mu * size[b], below += mu * mu;
  }
  const double x_n = above / below;
  if (x_n <= 0) return;

  Edge normal{1 / below};  // d x_n / d z
  x[0] = x_n;
  for (int b = 0; b < cone.balls; ++b) {
    const Cone::Ball& ball = cone.ball[b];
    for (int k = 0; k < ball.size; ++k) {
      const int r = 1 + ball.begin + k;
      if (ball.slides || limited[b]) {
        const double direction = ball.slides ? ball.direction[k] : z[r] / size[b];
        x[r] = mu * x_n * direction;
        normal[r] = mu * direction / below;
      } else {
        x[r] = z[r];
      }
    }
  }
  std::copy_n(normal.begin(), n, slopes.begin());
  for (int b = 0; b < cone.balls; ++b) {
    const Cone::Ball& ball = cone.ball[b];
    const bool fixed = ball.slides || limited[b];
    for (int k = 0; k < ball.size; ++k) {
      const int r = 1 + ball.begin + k;
      double* row = slopes.data() + r * n;
      if (fixed) {
        for (int c = 0; c < n; ++c) row[c] += x[r] / x_n * normal[c];
      } else {
        row[r] = 1;
      }
      if (!limited[b]) continue;
      for (int j = 0; j < ball.size; ++j) {
        const int c = 1 + ball.begin + j;
        row[c] += mu * x_n / size[b] * ((r == c ? 1.0 : 0.0) - z[r] / size[b] * (z[c] / size[b]));
      }
    }
  }
}

/// Some edges of a cone and the factor of their products: enough for least squares over their span.
struct EdgeSpan {
  int n = 0, count = 0;
  std::array<const Edge*, kMostRows> edge{};
  std::array<double, kMostRows * kMostRows> L{};

  double product(const Edge& a, const double* z) const {
    double sum = 0;
    for (int r = 0; r < n; ++r) sum += a[r] * z[r];
    return sum;
  }
  /// False where the edges depend on one another.
  bool factor() {
    for (int i = 0; i < count; ++i) {
      for (int j = 0; j <= i; ++j) L[i * count + j] = product(*edge[i], edge[j]->data());
    }
    if (!cholesky(L, count)) return false;
    for (int i = 0; i < count; ++i) {
      if (L[i * (count + 1)] < 1e-8 * std::sqrt(product(*edge[i], edge[i]->data()))) return false;
    }
    return true;
  }
  /// c of the point Σ c_i edge_i nearest to z.
  std::array<double, kMostRows> nearest(const double* z) const {
    std::array<double, kMostRows> c{};
    for (int i = 0; i < count; ++i) c[i] = product(*edge[i], z);
    solve_lower(L, count, c);
    solve_lower_transposed(L, count, c);
    return c;
  }
  /// The orthogonal projector on the span.
  void projector(Matrix& P) const {
    P.fill(0.0);
    for (int column = 0; column < n; ++column) {
      Edge unit{};
      unit[column] = 1;
      const auto c = nearest(unit.data());
      for (int i = 0; i < count; ++i) {
        for (int r = 0; r < n; ++r) P[r * n + column] += c[i] * (*edge[i])[r];
      }
    }
  }
  bool add(const Edge& more) {
    if (count == n) return false;
    edge[count++] = &more;
    if (factor()) return true;
    --count;
    factor();
    return false;
  }
  void remove(int i) {
    std::copy(edge.begin() + i + 1, edge.begin() + count, edge.begin() + i);
    --count;
    factor();
  }
};

/// The same for a cone spanned by edges: least squares with coefficients that are not negative, by the active
/// sets of Lawson and Hanson.
void project_on_edges(std::span<const Edge> edges, int n, const double* z, double* x, Matrix& slopes) {
  EdgeSpan face;
  face.n = n;
  std::array<double, kMostRows> c{};
  std::fill_n(x, n, 0.0);
  const double negligible = 1e-13 * largest({z, static_cast<std::size_t>(n)});
  for (std::size_t round = 0; round < 4 * edges.size(); ++round) {
    Edge rest{};
    for (int r = 0; r < n; ++r) rest[r] = z[r] - x[r];
    const Edge* best = nullptr;
    double most = negligible;
    for (const Edge& edge : edges) {
      const double gain = face.product(edge, rest.data());
      if (gain > most) most = gain, best = &edge;
    }
    if (best == nullptr || !face.add(*best)) break;
    c[face.count - 1] = 0;
    for (;;) {
      const auto target = face.nearest(z);
      int blocking = -1;
      double length = 1;
      for (int i = 0; i < face.count; ++i) {
        if (target[i] > 0) continue;
        const double limit = c[i] / (c[i] - target[i]);
        if (blocking < 0 || limit < length) length = limit, blocking = i;
      }
      for (int i = 0; i < face.count; ++i) c[i] += length * (target[i] - c[i]);
      if (blocking < 0) break;
      std::copy(c.begin() + blocking + 1, c.begin() + face.count, c.begin() + blocking);
      face.remove(blocking);
    }
    std::fill_n(x, n, 0.0);
    for (int i = 0; i < face.count; ++i) {
      for (int r = 0; r < n; ++r) x[r] += c[i] * (*face.edge[i])[r];
    }
  }
  face.projector(slopes);
}

/// The projector on the linear span of a cone.
void project_on_span(const Cone& cone, std::span<const Edge> edges, int n, Matrix& Q) {
  EdgeSpan span;
  span.n = n;
  std::array<Edge, kMostRows> axes{};
  if (cone.edges > 0) {
    for (const Edge& edge : edges) span.add(edge);
  } else if (!cone.closed) {
    int count = 1;
    axes[0][0] = 1;
    for (int b = 0; b < cone.balls; ++b) {
      const Cone::Ball& ball = cone.ball[b];
      for (int k = 0; k < ball.size; ++k) {
        if (ball.slides) {
          axes[0][1 + ball.begin + k] = cone.mu * ball.direction[k];
        } else {
          axes[count++][1 + ball.begin + k] = 1;
        }
      }
    }
    for (int i = 0; i < count; ++i) span.add(axes[i]);
  }
  span.projector(Q);
}

}  // namespace

MinimumNormResult MinimumNorm::refine(ScaledProblem& problem, double tolerance, std::span<double> x) {
  const int n = problem.rows();
  for (auto* vector : {&x_, &W_x0_, &z_, &step_z_, &last_z_, &residual_, &w_, &step_, &trial_}) {
    vector->resize(n);
  }
  zero_.assign(n, 0.0);
  MinimumNormResult result;
  problem.velocities(x, w_);
  result.error = natural_map(problem, x, w_);
  // The choice rests on which velocities are 0, so they are made as sharp as can be.
  x0_.assign(x.begin(), x.end());
  newton_.solve(problem, {.tolerance = kOvershoot * tolerance, .most_iterations = 5}, x0_);
  problem.velocities(x0_, w_);
  set_weights(problem);
  lu_.analyse(problem.W());
  // Velocities that are rounding must not close a contact or make it slide, for then the choice would depend
  // on it; small ones that are real must. The laws tell which these are.
  for (const double still : {kStill * tolerance, tolerance}) {
    set_cones(problem, still, x0_);
    result.unique = full_rank(problem);
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
    result.unique = change <= kSame * distance(x, zero_) && !admits_others(problem, tolerance, x);
    break;
  }
  return result;
}

void MinimumNorm::set_weights(const ScaledProblem& problem) {
  weight_.resize(problem.rows());
  trial_.assign(problem.rows(), 1.0);
  problem.impulses(trial_, weight_);
  for (int i = 0; i < problem.contacts(); ++i) {
    // One scale for all rows of a contact, once friction is measured by the radii.
    std::fill_n(weight_.begin() + problem.begin(i), problem.size_of(i), weight_[problem.begin(i)]);
  }
  const double most = largest(weight_);
  gain_.resize(weight_.size());
  for (std::size_t r = 0; r < weight_.size(); ++r) {
    weight_[r] *= weight_[r] / (most * most);
    gain_[r] = 1 / weight_[r];
  }
}

/// From x and w_, its velocities; up to `still` they count as 0.
void MinimumNorm::set_cones(const ScaledProblem& problem, double still, std::span<const double> x) {
  cones_.assign(problem.contacts(), {});
  slopes_.resize(problem.contacts());
  edges_.clear();
  for (int i = 0; i < problem.contacts(); ++i) {
    const int begin = problem.begin(i), n = problem.size_of(i);
    const FrictionSet& set = problem.friction(i);
    const FrictionVector w_f = friction_part(w_.data() + begin, n);
    Cone& cone = cones_[i];
    cone.mu = set.mu;
    cone.closed = w_[begin] > still && w_[begin] >= x[begin];
    if (cone.closed || set.frictionless()) continue;
    if (set.kind == FrictionKind::polyhedron) {
      const double most = support(set, {-w_f[0], -w_f[1], -w_f[2]});
      cone.first_edge = static_cast<int>(edges_.size());
      for (const FrictionVector& d : set.polyhedron->directions()) {
        if (most + w_f[0] * d[0] + w_f[1] * d[1] + w_f[2] * d[2] > still) continue;
        Edge edge{1};
        for (int k = 0; k < n - 1; ++k) edge[1 + k] = set.mu * d[k];
        edges_.push_back(edge);
      }
      cone.edges = static_cast<int>(edges_.size()) - cone.first_edge;
      continue;
    }
    const int first = set.kind == FrictionKind::mixed ? std::min(2, n - 1) : n - 1;
    for (const auto& [at, size] : {std::pair{0, first}, std::pair{first, n - 1 - first}}) {
      if (size == 0) continue;
      Cone::Ball& ball = cone.ball[cone.balls++];
      ball.begin = at;
      ball.size = size;
      // x_f - w_f has the direction of x_f and of -w_f, and is as sharp as the larger of the two.
      double sliding = 0, length = 0;
      for (int k = 0; k < size; ++k) {
        ball.direction[k] = x[begin + 1 + at + k] - w_f[at + k];
        sliding += w_f[at + k] * w_f[at + k];
        length += ball.direction[k] * ball.direction[k];
      }
      ball.slides = std::sqrt(sliding) > still && length > 0;
      for (double& entry : ball.direction) entry = ball.slides ? entry / std::sqrt(length) : 0;
    }
  }
}

void MinimumNorm::set_spans(const ScaledProblem& problem) {
  for (int i = 0; i < problem.contacts(); ++i) {
    project_on_span(cones_[i], edges_of(cones_[i]), problem.size_of(i), slopes_[i]);
  }
}

/// Whether W is regular on the spans of the cones, so that no impulses besides x give its velocities. With Q
/// the projectors on the spans, (ε (ε I + Q W)⁻¹)² leaves of a vector in the spans its part in the null
/// space.
bool MinimumNorm::full_rank(ScaledProblem& problem) {
  set_spans(problem);
  for (int r = 0; r < problem.rows(); ++r) step_[r] = scattered(r);
  for (int i = 0; i < problem.contacts(); ++i) {
    const int begin = problem.begin(i), n = problem.size_of(i);
    Edge full{};
    std::copy_n(step_.begin() + begin, n, full.begin());
    for (int r = 0; r < n; ++r) {
      step_[begin + r] = 0;
      for (int c = 0; c < n; ++c) step_[begin + r] += slopes_[i][r * n + c] * full[c];
    }
  }
  const double whole = largest(step_);
  trial_.assign(problem.rows(), 1.0);
  assemble(problem.W(), kRankShift, trial_);
  lu_.factor(A_);
  for (int power = 0; power < 2; ++power) {
    for (double& value : step_) value *= kRankShift;
    lu_.solve(step_);
  }
  return largest(step_) <= kNullPart * whole;
}

/// Whether the solution nearest to a point far from x, in a direction without pattern or against it, is
/// another than x. Both directions lead to more normal impulse, as contacts that carry none can only carry
/// more.
bool MinimumNorm::admits_others(ScaledProblem& problem, double tolerance, std::span<const double> x) {
  centre_.resize(x.size());
  first_.assign(x.begin(), x.end());
  const double size = largest(x) > 0 ? largest(x) : 1;
  for (const int sign : {1, -1}) {
    for (std::size_t r = 0; r < x.size(); ++r) {
      centre_[r] = x[r] + size * sign * scattered(static_cast<int>(r));
    }
    for (int i = 0; i < problem.contacts(); ++i) centre_[problem.begin(i)] += size;
    const Nearest other = find_nearest(problem, tolerance, centre_, first_);
    const double whole = distance(first_, zero_) > 0 ? distance(first_, zero_) : distance(centre_, first_);
    if (other.found && distance(x_, first_) > kSame * whole) return true;
  }
  return false;
}

double MinimumNorm::distance(std::span<const double> a, std::span<const double> b) const {
  double most = 0;
  for (std::size_t r = 0; r < a.size(); ++r) {
    worsen(most, std::sqrt(weight_[r]) * std::abs(a[r] - b[r]));
  }
  return most;
}

/// W + δ I.
void MinimumNorm::factor_range(const BlockMatrix& W) {
  A_ = W;
  add_to_diagonal(A_, kRankShift);
  range_lu_.analyse(W);
  range_lu_.factor(A_);
}

/// A = shift I + P W with P = gain times the slopes; gains are equal in each contact.
void MinimumNorm::assemble(const BlockMatrix& W, double shift, std::span<const double> gain) {
  A_ = W;
  for (int i = 0; i < W.blocks(); ++i) {
    const int n = W.size_of(i);
    const bool contact = i < static_cast<int>(slopes_.size());
    for (const BlockMatrix::Block& block : W.row_entries(i)) {
      const int m = W.size_of(block.column);
      double* a = A_.values.data() + block.offset;
      if (contact) multiply(slopes_[i].data(), W.values.data() + block.offset, n, n, m, a);
      for (int r = 0; r < n; ++r) {
        for (int c = 0; c < m; ++c) a[r * m + c] *= gain[W.begin[i] + r];
        if (block.column == i) a[r * m + r] += shift;
      }
    }
  }
}

/// x_ := x(λ) = Π_C(z), z = centre + D⁻² W λ, with its slopes and residual_ = W (x - x0); the dual function
/// φ(λ) = ½ ‖D x(λ)‖² - λ·W x0, whose gradient is the residual. λ is known by z and by λ·W x0.
double MinimumNorm::evaluate(ScaledProblem& problem, double lambda_W_x0) {
  for (int i = 0; i < problem.contacts(); ++i) {
    const int begin = problem.begin(i), n = problem.size_of(i);
    if (cones_[i].edges > 0) {
      project_on_edges(edges_of(cones_[i]), n, z_.data() + begin, x_.data() + begin, slopes_[i]);
    } else {
      project_on_balls(cones_[i], n, z_.data() + begin, x_.data() + begin, slopes_[i]);
    }
  }
  const int bilateral = problem.begin(problem.contacts());
  std::copy(z_.begin() + bilateral, z_.end(), x_.begin() + bilateral);
  for (std::size_t r = 0; r < x_.size(); ++r) residual_[r] = -W_x0_[r];
  multiply_add(problem.W(), x_, residual_);
  double phi = -lambda_W_x0;
  for (std::size_t r = 0; r < x_.size(); ++r) phi += 0.5 * weight_[r] * x_[r] * x_[r];
  return phi;
}

/// x_ := argmin { ½ ‖D (x - centre)‖² : x ∈ C, W x = W x0 } by Newton's method on its dual, convex and smooth
/// but for kinks: φ' = W (x(λ) - x0) = 0. Its second derivative W P D⁻² W, P the slopes of Π_C, has the
/// square of W's condition and more entries; both are spared by solving, one W taken out,
///   (ε I + P D⁻² W) Δλ = -r,   W r = W (x(λ) - x0),
/// a proximal step in the norm of W. r = (W + δ I)⁻¹ W (x - x0) leaves out what W does not see of x - x0,
/// which would come back in Δλ divided by ε.
MinimumNorm::Nearest MinimumNorm::find_nearest(ScaledProblem& problem, double tolerance,
                                               std::span<const double> centre, std::span<const double> x0) {
  const BlockMatrix& W = problem.W();
  factor_range(W);
  std::ranges::fill(W_x0_, 0.0);
  multiply_add(W, x0, W_x0_);
  std::ranges::copy(centre, z_.begin());
  double lambda_W_x0 = 0, epsilon = kProximal;
  double phi = evaluate(problem, lambda_W_x0);
  // All cones meet in 0: their spans serve as slopes there, too steep if anything.
  set_spans(problem);
  double error = largest(residual_);
  Nearest result;
  while (error > kOvershoot * tolerance && result.iterations < kMostIterations) {
    ++result.iterations;
    assemble(W, epsilon, gain_);
    lu_.factor(A_);
    for (std::size_t r = 0; r < step_.size(); ++r) step_[r] = -residual_[r];
    range_lu_.solve(step_);
    lu_.solve(step_);
    double slope = 0, step_W_x0 = 0;
    for (std::size_t r = 0; r < step_.size(); ++r) {
      slope += residual_[r] * step_[r];
      step_W_x0 += step_[r] * W_x0_[r];
    }
    // λ is large where W is nearly singular; z, carried along step by step, is not.
    std::ranges::fill(step_z_, 0.0);
    multiply_add(W, step_, step_z_);
    for (std::size_t r = 0; r < z_.size(); ++r) step_z_[r] *= gain_[r];
    std::ranges::copy(z_, last_z_.begin());
    const double last_phi = phi, last_error = error;
    double length = 2;
    bool less = false;
    while (!less && length > kShortest) {
      length *= 0.5;
      for (std::size_t r = 0; r < z_.size(); ++r) z_[r] = last_z_[r] + length * step_z_[r];
      phi = evaluate(problem, lambda_W_x0 + length * step_W_x0);
      error = largest(residual_);
      // Near the end φ is flat to rounding and the residual tells better.
      less = phi <= last_phi + 1e-4 * length * slope || error <= 0.5 * last_error;
    }
    if (!less) {
      std::ranges::copy(last_z_, z_.begin());
      phi = evaluate(problem, lambda_W_x0);
      error = last_error;
      if (error <= tolerance || epsilon >= kMostProximal) break;
      epsilon *= 1000;
      continue;
    }
    lambda_W_x0 += length * step_W_x0;
    if (error <= tolerance && error > 0.5 * last_error) break;  // rounding
    if (length == 1) epsilon = std::max(0.1 * epsilon, kLeastProximal);
    if (length < 0.1) epsilon = std::min(10 * epsilon, kMostProximal);
  }
  result.found = error <= tolerance;
  return result;
}

}  // namespace pawl
