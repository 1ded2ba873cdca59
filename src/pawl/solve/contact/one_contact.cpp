#include <pawl/solve/contact/one_contact.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <pawl/base/numeric_util.h>
#include <pawl/base/tolerances.h>

namespace pawl::internal {
namespace {

constexpr int kMaxIterations = 60;
constexpr int kMaxBisections = 200;
constexpr double kMisfitTolerance = tolerances::kSum;
constexpr double kSurfaceTolerance = tolerances::kRank;

/// Friction rows after eliminating the normal, x_n = -(q_n + W_nf x_f) / W_nn:
///   w_f = S x_f + c.
/// m is a compile-time constant, so that the loops are unrolled.
template <int m>
struct Reduced {
  using Vector = std::array<double, m>;
  double q_n = 0, W_nn = 1;
  Vector W_nf, c;
  std::array<Vector, m> S;

  double normal(const Vector& x_f) const {
    double sum = q_n;
    for (int i = 0; i < m; ++i) sum += W_nf[i] * x_f[i];
    return -sum / W_nn;
  }
};

/// (S + s I)⁻¹ c = N(s) / D(s), a rational function of s whose coefficients are computed once: adj(S + s I) =
/// adj S + s (tr S I - S) + s² I in three dimensions, adj S + s I in two, 1 in one.
template <int m>
struct Resolvent {
  using Vector = std::array<double, m>;
  std::array<Vector, m> N{};  // N[k]: coefficient of s^k
  std::array<double, m + 1> D;

  explicit Resolvent(const Reduced<m>& r) {
    const auto& S = r.S;
    const auto& c = r.c;
    if constexpr (m == 1) {
      N[0][0] = c[0];
      D = {S[0][0], 1};
    } else if constexpr (m == 2) {
      N[0] = {S[1][1] * c[0] - S[0][1] * c[1], S[0][0] * c[1] - S[1][0] * c[0]};
      N[1] = {c[0], c[1]};
      D = {S[0][0] * S[1][1] - S[0][1] * S[1][0], S[0][0] + S[1][1], 1};
    } else {
      std::array<Vector, m> adj;
      for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
          const int a = (j + 1) % 3, b = (j + 2) % 3, p = (i + 1) % 3, q = (i + 2) % 3;
          adj[i][j] = S[a][p] * S[b][q] - S[a][q] * S[b][p];
        }
      }
      const double trace = S[0][0] + S[1][1] + S[2][2];
      D = {S[0][0] * adj[0][0] + S[0][1] * adj[1][0] + S[0][2] * adj[2][0], adj[0][0] + adj[1][1] + adj[2][2],
           trace, 1};
      for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
          N[0][i] += adj[i][j] * c[j];
          N[1][i] -= S[i][j] * c[j];
        }
        N[1][i] += trace * c[i];
        N[2][i] = c[i];
      }
    }
  }

  /// x_f(s) = -(S + s I)⁻¹ c and its derivative.
  void at(double s, Vector& x, Vector& slope) const {
    double d = D[m], d_slope = 0;
    for (int k = m - 1; k >= 0; --k) {
      d_slope = d_slope * s + d;
      d = d * s + D[k];
    }
    const double inverse = 1 / d;
    for (int i = 0; i < m; ++i) {
      double n = N[m - 1][i], n_slope = 0;
      for (int k = m - 2; k >= 0; --k) {
        n_slope = n_slope * s + n;
        n = n * s + N[k][i];
      }
      x[i] = -n * inverse;
      slope[i] = -(n_slope + x[i] * d_slope) * inverse;
    }
  }
};

/// Round set: w_f = -s x_f with s ≥ 0, hence x_f(s) = -(S + s I)⁻¹ c. Either s = 0 (sticking) or ‖x_f(s)‖ = μ
/// x_n(s) (sliding): a root of ψ(s) = μ x_n / ‖x_f‖ - 1, which is nearly linear. ψ < 0 at s = 0, where
/// sticking exceeds the limit, and ψ → +∞ as x_f → 0 for large s.
template <int m>
bool solve_round(const Reduced<m>& reduced, double mu, double guess, double& x_n,
                 typename Reduced<m>::Vector& x_f) {
  const Resolvent<m> resolvent(reduced);
  std::array<double, m> slope;
  const auto length = [](const std::array<double, m>& x) {
    double sum = 0;
    for (const double entry : x) sum += entry * entry;
    return std::sqrt(sum);
  };
  if (resolvent.D[0] > 0) {
    resolvent.at(0, x_f, slope);
    x_n = reduced.normal(x_f);
    if (x_n >= 0 && length(x_f) <= mu * x_n) return true;
  }
  double low = 0, high = -1;  // -1: no upper bracket yet
  double s = guess > 0 ? guess : 1;
  for (int iteration = 0; iteration < kMaxIterations; ++iteration) {
    resolvent.at(s, x_f, slope);
    x_n = reduced.normal(x_f);
    const double size = length(x_f), psi = mu * x_n / size - 1;
    if (!std::isfinite(psi)) return false;
    if (std::abs(psi) <= 2 * tolerances::kUnit) break;
    (psi < 0 ? low : high) = s;
    double n_slope = 0, along = 0;
    for (int i = 0; i < m; ++i) {
      n_slope -= reduced.W_nf[i] * slope[i];
      along += x_f[i] * slope[i];
    }
    const double inverse = 1 / size;
    const double psi_slope = mu * (n_slope / reduced.W_nn - x_n * along * inverse * inverse) * inverse;
    double next = s - psi / psi_slope;
    if (!(next > low) || (high >= 0 && !(next < high))) {
      next = high < 0 ? 4 * s : 0.5 * (low + high);
    }
    if (std::abs(next - s) <= tolerances::kUnit * s) break;
    s = next;
  }
  // If S is not positive definite, ψ may change sign by a jump, which is not a root. `terms` are the terms
  // whose difference is x_n.
  double terms = std::abs(reduced.q_n);
  for (int i = 0; i < m; ++i) terms += std::abs(reduced.W_nf[i] * x_f[i]);
  const double size = length(x_f);
  if (!(std::abs(mu * x_n - size) <= kSurfaceTolerance * (size + mu * terms / reduced.W_nn))) return false;
  // Move exactly onto the surface of the set by the smaller change: x_n is a difference, and μ may be large.
  x_n = mu > 1 ? size / mu : std::max(x_n, 0.0);
  for (double& x : x_f) x *= mu > 1 ? 1 : size > 0 ? mu * x_n / size : 0;
  return true;
}

/// Non-separating planar contact: x_f sticks, or slides at ±μ x_n opposing c.
bool solve_interval(const double* W, const double* q, double mu, double* x) {
  if (!(W[0] > 0)) return false;
  const double S = W[3] - W[2] * W[1] / W[0], c = q[1] - W[2] * q[0] / W[0];
  if (S > 0) {
    const double x_f = -c / S, x_n = -(q[0] + W[1] * x_f) / W[0];
    if (x_n >= 0 && std::abs(x_f) <= mu * x_n) {
      x[0] = x_n;
      x[1] = x_f;
      return true;
    }
  }
  const double against = c > 0 ? -mu : mu, x_n = -q[0] / (W[0] + W[1] * against);
  if (!(x_n >= 0 && std::isfinite(x_n))) return false;
  x[0] = x_n;
  x[1] = against * x_n;
  return true;
}

/// Non-separating contact of n rows with a round set.
template <int n>
bool solve_ellipsoid(const double* W, const double* q, double mu, double* x) {
  if (!(W[0] > 0)) return false;
  Reduced<n - 1> reduced;
  reduced.q_n = q[0];
  reduced.W_nn = W[0];
  const double inverse = 1 / W[0];
  double w_f = 0, x_size = 0;
  for (int i = 1; i < n; ++i) {
    const double ratio = W[i * n] * inverse;
    reduced.W_nf[i - 1] = W[i];
    reduced.c[i - 1] = q[i] - ratio * q[0];
    double w = q[i];
    for (int j = 0; j < n; ++j) w += W[i * n + j] * x[j];
    w_f += w * w;
    x_size += x[i] * x[i];
    for (int j = 1; j < n; ++j) reduced.S[i - 1][j - 1] = W[i * n + j] - ratio * W[j];
  }
  std::array<double, n - 1> x_f;
  double x_n = 0;
  if (!solve_round<n - 1>(reduced, mu, x_size > 0 ? std::sqrt(w_f / x_size) : 0, x_n, x_f)) return false;
  x[0] = x_n;
  std::ranges::copy(x_f, x + 1);
  return true;
}

/// Mixed set, reduced to a scalar equation in x_r. With (x_n, x_t, x_o) the solution of the round contact at
/// given x_r,
///   F(x_r) = x_r - clamp(-(q_r + W_rn x_n + W_rt x_t + W_ro x_o)/W_rr, ±μ x_n)
/// vanishes where r obeys its law too. W is positive definite, so F has the sign of x_r for large |x_r|: if
/// the contact opens, the interval shrinks to 0; otherwise w_r grows with x_r. So F has a root, unless the
/// round contact has several solutions and jumps between them.
class SpinLaw {
 public:
  SpinLaw(const double* W, const double* q, double mu, bool prefers_impulse)
      : W_(W), q_(q), mu_(mu), prefers_impulse_(prefers_impulse) {}

  /// F, and the solution x at x[r] = x_r. NaN if the round contact has no solution.
  double at(double x_r, double* x) const {
    const double block[9] = {W_[0], W_[1], W_[2], W_[4], W_[5], W_[6], W_[8], W_[9], W_[10]};
    double rest[3];
    for (int i = 0; i < 3; ++i) rest[i] = q_[i] + W_[i * n + r] * x_r;
    x[r] = x_r;
    const bool opens = rest[0] >= 0;
    if ((opens && !prefers_impulse_) || !solve_ellipsoid<3>(block, rest, mu_, x)) {
      if (!opens) return std::numeric_limits<double>::quiet_NaN();
      std::fill_n(x, 3, 0.0);
    }
    double w_r = q_[r];
    for (int j = 0; j < 3; ++j) w_r += W_[r * n + j] * x[j];
    return x_r - std::clamp(-w_r / W_[r * n + r], -mu_ * x[0], mu_ * x[0]);
  }

  /// Finds the root from a guess in x: bracketing by doubling steps, then alternating bisection and secants.
  bool solve(double* x) const {
    if (!(W_[r * n + r] > 0)) return false;
    double low = x[r], at_low = at(low, x),
           step = std::max(std::abs(at_low), kMisfitTolerance * std::abs(low));
    double high = low, at_high = at_low;
    for (int i = 0; i < kMaxIterations && at_low > 0; ++i, step *= 2) {
      high = low, at_high = at_low;
      at_low = at(low -= step, x);
    }
    for (int i = 0; i < kMaxIterations && at_high < 0; ++i, step *= 2) {
      low = high, at_low = at_high;
      at_high = at(high += step, x);
    }
    if (!(at_low <= 0 && at_high >= 0)) return false;
    double x_r = at_low == 0 ? low : high, error = at(x_r, x);
    for (int i = 0; i < kMaxBisections && std::abs(error) > size(x) * kEpsilon; ++i) {
      const double middle = low + 0.5 * (high - low);
      const double secant = low + (high - low) * (at_low / (at_low - at_high));
      x_r = i % 2 == 0 && secant > low && secant < high ? secant : middle;
      if (!(x_r > low && x_r < high)) break;
      error = at(x_r, x);
      if (std::isnan(error)) return false;
      (error < 0 ? low : high) = x_r;
      (error < 0 ? at_low : at_high) = error;
    }
    return std::abs(error) <= kMisfitTolerance * size(x);
  }

 private:
  static constexpr int n = 4, r = 3;
  static double size(const double* x) {
    return std::max({x[0], std::abs(x[1]), std::abs(x[2]), std::abs(x[3])});
  }

  const double *W_, *q_;
  double mu_;
  bool prefers_impulse_;  // prefers a solution with x_n > 0 over x = 0
};

/// Ellipse in t and o with an interval in r: r sticks or slides in either direction. Each case is a round
/// contact of three rows; the consistent case is the solution, up to rounding. If r and n are strongly
/// coupled, for example W_nn ± μ W_nr ≤ 0, no case may be consistent. Then the solution is sought along x_r.
bool solve_mixed(const double* W, const double* q, double mu, double* x) {
  constexpr int n = 4, r = 3;
  double least = std::numeric_limits<double>::infinity();
  double answer[n] = {};
  for (const int spin_direction : {0, 1, -1}) {
    double reduced[9], rest[3], trial[n] = {x[0], x[1], x[2], 0};
    if (spin_direction == 0 && !(W[r * n + r] > 0)) continue;
    for (int i = 0; i < 3; ++i) {
      const double to_r = W[i * n + r];
      rest[i] = q[i] - (spin_direction == 0 ? to_r * q[r] / W[r * n + r] : 0);
      for (int j = 0; j < 3; ++j) {
        reduced[i * 3 + j] = W[i * n + j];
        if (spin_direction == 0) reduced[i * 3 + j] -= to_r * W[r * n + j] / W[r * n + r];
      }
      if (spin_direction != 0) reduced[i * 3] += spin_direction * mu * to_r;  // x_r = ±μ x_n
    }
    if (rest[0] >= 0) {
      std::fill_n(trial, n, 0.0);
    } else if (!solve_ellipsoid<3>(reduced, rest, mu, trial)) {
      continue;
    }
    double w_r = q[r], terms = std::abs(q[r]), size = 0;
    for (int j = 0; j < 3; ++j) {
      w_r += W[r * n + j] * trial[j];
      terms += std::abs(W[r * n + j] * trial[j]);
      size = std::max(size, std::abs(trial[j]));
    }
    double misfit = 0;  // relative to the terms of the difference
    if (spin_direction == 0) {
      trial[r] = -w_r / W[r * n + r];
      misfit = (std::abs(trial[r]) - mu * trial[0]) / std::max(size, std::abs(trial[r]));
    } else {
      trial[r] = spin_direction * mu * trial[0];
      misfit = spin_direction * (w_r + W[r * n + r] * trial[r]) / (terms + std::abs(W[r * n + r] * trial[r]));
    }
    if (misfit < least) {
      least = misfit;
      std::copy_n(trial, n, answer);
    }
    if (misfit <= 0) break;
  }
  if (least > kMisfitTolerance) {
    double with_impulse[n];
    std::copy_n(answer, n, with_impulse);
    if (!SpinLaw(W, q, mu, false).solve(answer)) {
      if (!SpinLaw(W, q, mu, true).solve(with_impulse)) return false;
      std::copy_n(with_impulse, n, answer);
    }
  }
  answer[r] = std::clamp(answer[r], -mu * answer[0], mu * answer[0]);
  std::copy_n(answer, n, x);
  return true;
}

}  // namespace

bool OneContact::solve(int n, const double* W, const double* q, const FrictionSet& set, double* x) {
  if (q[0] >= 0) {
    std::fill_n(x, n, 0.0);
    return true;
  }
  if (set.frictionless() || n == 1) {
    if (!(W[0] > 0)) return false;
    x[0] = -q[0] / W[0];
    std::fill_n(x + 1, n - 1, 0.0);
    return true;
  }
  if (set.kind == FrictionKind::polyhedron) return solve_polyhedron(n, W, q, set, x);
  if (set.kind == FrictionKind::mixed && n == 4) return solve_mixed(W, q, set.mu, x);
  if (round_parts(set.kind, n - 1).count != 1) return false;  // left to methods that only project
  if (n == 2) return solve_interval(W, q, set.mu, x);
  return n == 3 ? solve_ellipsoid<3>(W, q, set.mu, x) : solve_ellipsoid<4>(W, q, set.mu, x);
}

/// LCP of one contact [StewartTrinkle2000, (15)-(20)], unknowns x_n, β, λ.
bool OneContact::solve_polyhedron(int n, const double* W, const double* q, const FrictionSet& set,
                                  double* x) {
  const auto& directions = set.polyhedron->directions();
  const int k = static_cast<int>(directions.size()), size = lcp_.n = k + 2;
  lcp_.M.assign(size * size, 0.0);
  lcp_.q.assign(size, 0.0);
  // Lemke's pivot tolerances assume unit size: scale W and q to 1, and divide the row of λ by a large μ.
  double W_size = 0, q_size = 0;
  for (int r = 0; r < n; ++r) {
    W_size = std::max(W_size, W[r * (n + 1)]);
    q_size = std::max(q_size, std::abs(q[r]));
  }
  if (!(W_size > 0)) return false;
  const double mu_scale = std::max(set.mu, 1.0);
  // E(row, i): component `row` of the direction of unknown i.
  const auto direction = [&](int i, int row) {
    return i == 0 ? (row == 0 ? 1.0 : 0.0) : row == 0 ? 0.0 : directions[i - 1][row - 1];
  };
  for (int i = 0; i <= k; ++i) {
    for (int r = 0; r < n; ++r) lcp_.q[i] += direction(i, r) * q[r] / q_size;
    for (int j = 0; j <= k; ++j) {
      double sum = 0;
      for (int r = 0; r < n; ++r) {
        for (int c = 0; c < n; ++c) sum += direction(i, r) * W[r * n + c] * direction(j, c);
      }
      lcp_.M[i * size + j] = sum / W_size;
    }
    if (i == 0) continue;
    lcp_.M[i * size + k + 1] = 1;
    lcp_.M[(k + 1) * size + i] = -1 / mu_scale;
  }
  lcp_.M[(k + 1) * size] = set.mu / mu_scale;
  if (lemke_.solve(lcp_).outcome != LemkeOutcome::solved) return false;
  std::fill_n(x, n, 0.0);
  for (int i = 0; i <= k; ++i) {
    for (int r = 0; r < n; ++r) x[r] += direction(i, r) * lemke_.z()[i] * (q_size / W_size);
  }
  return true;
}

}  // namespace pawl::internal
