#include <pawl/impact/slide.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include <pawl/base/tolerances.h>

namespace pawl::internal {
namespace {

constexpr int kMaxSteps = 500;
constexpr int kMaxTrials = 60;
/// Relative to the terms of T: rounding, so the direction counts as invariant.
constexpr double kRounding = 2 * tolerances::kUnit;
/// Relative to the tolerance: less slip, in units of the initial speed, counts as zero.
constexpr double kNoSlip = 0.1;
/// Order of the Taylor series; the run time is nearly constant from 16 to 22.
constexpr int kOrder = 16;
/// Bound on the last term relative to the tolerance, since the sum of the omitted terms is larger.
constexpr double kLastTerm = 0.01;
/// Max step times the rates of direction and slip; no tolerance allows more.
constexpr double kMaxStep = 10;

double dot(const Vec2& a, const Vec2& b) {
  return a[0] * b[0] + a[1] * b[1];
}
Vec2 normalized(const Vec2& a) {
  const double size = std::hypot(a[0], a[1]);
  return {a[0] / size, a[1] / size};
}

/// The coefficients of a power series in τ. Left uninitialised: clearing them would dominate the run time.
struct Series {
  std::array<double, kOrder + 1> coefficient;

  double at(double tau) const {
    double sum = coefficient[kOrder];
    for (int k = kOrder - 1; k >= 0; --k) sum = sum * tau + coefficient[k];
    return sum;
  }
  double slope_at(double tau) const {
    double sum = kOrder * coefficient[kOrder];
    for (int k = kOrder - 1; k >= 1; --k) sum = sum * tau + k * coefficient[k];
    return sum;
  }
  /// The coefficient of τ^k of the square, without the products with coefficients before `first`.
  double square(int k, int first) const {
    double half = 0;
    for (int j = first; 2 * j < k; ++j) half += coefficient[j] * coefficient[k - j];
    const double middle = k % 2 == 0 ? coefficient[k / 2] * coefficient[k / 2] : 0;
    return 2 * half + middle;
  }
  /// A root in (0, h), where the series changes sign, by Newton's method with bisection.
  double root(double h) const {
    double low = 0, high = h, tau = 0.5 * h;
    const bool up = at(h) > 0;
    for (int trial = 0; trial < kMaxTrials; ++trial) {
      const double f = at(tau);
      if (f == 0) break;
      ((f > 0) == up ? high : low) = tau;
      double next = tau - f / slope_at(tau);
      if (!(next > low && next < high)) next = 0.5 * (low + high);
      const double change = std::abs(next - tau);
      tau = next;
      if (change <= kRounding * tau) break;
    }
    return tau;
  }
};

/// The Taylor series in τ about a state of the trajectory, exact up to rounding:
///   w' = ρ b − μ C w,  ρ² = w·w,  p_n' = ρ,  g' = −μ w,  v_n = a_nn p_n + b·g,  E_n' = v_n ρ,  E_f' = −μ ρ².
/// w, ρ, p_n and g are in units of the slip at the state, because the law is homogeneous in them. p_n, g and
/// the energies start at 0.
struct TaylorExpansion {
  std::array<Series, 2> w, g;
  Series rho, p, v_n, E_n, E_f;

  TaylorExpansion(const SlideLaw& law, const ImpulseTrajectory& trajectory, const Vec2& d) {
    const double slip = trajectory.slip;
    for (int i = 0; i < 2; ++i) w[i].coefficient[0] = d[i];
    rho.coefficient[0] = 1;
    v_n.coefficient[0] = trajectory.v_n;
    for (Series* from_zero : {&p, &g[0], &g[1], &E_n, &E_f}) from_zero->coefficient[0] = 0;
    double square = 1;  // coefficient of ρ²
    for (int k = 0; k < kOrder; ++k) {
      double power = 0;  // coefficient of v_n ρ
      for (int j = 0; j <= k; ++j) power += v_n.coefficient[j] * rho.coefficient[k - j];
      const double inverse = 1.0 / (k + 1);
      E_n.coefficient[k + 1] = inverse * slip * power;
      E_f.coefficient[k + 1] = -inverse * law.mu * slip * slip * square;
      p.coefficient[k + 1] = inverse * rho.coefficient[k];
      for (int i = 0; i < 2; ++i) {
        g[i].coefficient[k + 1] = -inverse * law.mu * w[i].coefficient[k];
        w[i].coefficient[k + 1] = law.b[i] * p.coefficient[k + 1] + law.c[i] * g[i].coefficient[k + 1];
      }
      v_n.coefficient[k + 1] = slip * (law.a_nn * p.coefficient[k + 1] + law.b[0] * g[0].coefficient[k + 1] +
                                       law.b[1] * g[1].coefficient[k + 1]);
      square = w[0].square(k + 1, 0) + w[1].square(k + 1, 0);
      rho.coefficient[k + 1] = 0.5 * (square - rho.square(k + 1, 1));
    }
  }

  /// The step at which the last terms are within the tolerance, relative to the slip. Only w and ρ are
  /// checked, as the other series are integrals of them.
  double step(double tolerance) const {
    double h = std::numeric_limits<double>::infinity();
    for (const int k : {kOrder - 1, kOrder}) {
      const double last = std::max(
          {std::abs(w[0].coefficient[k]), std::abs(w[1].coefficient[k]), std::abs(rho.coefficient[k])});
      h = std::min(h, std::pow(kLastTerm * tolerance / last, 1.0 / k));
    }
    return h;
  }
};

/// True if the rest of sliding is straight along d; d is corrected to the invariant direction.
bool is_invariant_direction(const SlideLaw& law, double tolerance, double slip, Vec2& d) {
  const double T = law.angular(d), stiffness = law.stiffness(d);
  const double terms = std::abs(law.b[0]) + std::abs(law.b[1]) + law.mu * (law.c[0] + law.c[1]);
  if (std::abs(T) <= kRounding * terms) return true;
  // Near an attracting direction one Newton step suffices.
  if (stiffness < 0 && std::abs(T) <= -tolerance * stiffness) {
    const double turn = -T / stiffness;
    d = normalized({d[0] - turn * d[1], d[1] + turn * d[0]});
    return true;
  }
  return slip <= kNoSlip * tolerance && law.radial(d) < 0;
}

}  // namespace

double SlideLaw::radial(const Vec2& d) const {
  return dot(b, d) - mu * (c[0] * d[0] * d[0] + c[1] * d[1] * d[1]);
}
double SlideLaw::angular(const Vec2& d) const {
  return b[1] * d[0] - b[0] * d[1] - mu * (c[1] - c[0]) * d[0] * d[1];
}
double SlideLaw::stiffness(const Vec2& d) const {
  return -dot(b, d) - mu * (c[1] - c[0]) * (d[0] * d[0] - d[1] * d[1]);
}

Vec2 SlideLaw::sticking_friction() const {
  Vec2 m{};
  for (int i = 0; i < 2; ++i) m[i] = c[i] > 0 ? -b[i] / c[i] : 0;
  return m;
}
double SlideLaw::sticking_normal_rate() const {
  const double rate = a_nn + dot(b, sticking_friction());
  return rate > kSingular * a_nn ? rate : 0;
}

/// |(R + μ C)⁻¹ b| = 1 has one root R > 0 if |sticking_friction()| > μ: the left side decreases, from above 1
/// at R = 0. The inverse of the left side is concave, so Newton's method from below converges from below.
Vec2 SlideLaw::breakaway_direction() const {
  double R = std::max(0.0, std::hypot(b[0], b[1]) - mu * std::max(c[0], c[1]));
  Vec2 d{};
  for (int iteration = 0; iteration < kMaxTrials; ++iteration) {
    double square = 0, slope = 0;  // |d|², and half its derivative, negated
    for (int i = 0; i < 2; ++i) {
      d[i] = b[i] != 0 ? b[i] / (R + mu * c[i]) : 0;
      square += d[i] * d[i];
      if (b[i] != 0) slope += d[i] * d[i] / (R + mu * c[i]);
    }
    const double change = (std::sqrt(square) - 1) * square / slope;
    if (!(change > kRounding * R)) break;
    R += change;
  }
  return normalized(d);
}

ImpactReason slide(const SlideLaw& law, double tolerance, ImpulseTrajectory& trajectory, Vec2& d, Vec2& g,
                   int& steps) {
  while (trajectory.slip > 0 && !trajectory.ended()) {
    const bool invariant = is_invariant_direction(law, tolerance, trajectory.slip, d);
    if (invariant || law.mu == 0) {
      const double p_before = trajectory.p_n;
      const SlidingPhaseEnd end =
          trajectory.advance_sliding_phase(invariant ? law.rates(d) : SlidingRates{law.a_nn, 0, 0});
      for (int i = 0; i < 2; ++i) g[i] -= law.mu * d[i] * (trajectory.p_n - p_before);
      return end == SlidingPhaseEnd::nothing ? ImpactReason::never_ends : ImpactReason::none;
    }
    if (++steps > kMaxSteps) return ImpactReason::too_many_steps;
    const TaylorExpansion ahead(law, trajectory, d);
    const double rate = std::max(std::abs(law.angular(d)), std::abs(law.radial(d)));
    double h = std::min(ahead.step(tolerance), kMaxStep / rate);
    // An event within the step ends it. In expansion the bodies may approach again.
    const bool turns = trajectory.expanding() ? ahead.v_n.at(h) < 0 : ahead.v_n.at(h) >= 0;
    if (turns) h = ahead.v_n.root(h);
    const bool returned = trajectory.expanding() && ahead.E_n.at(h) >= trajectory.energy_to_return();
    if (returned) {
      Series missing = ahead.E_n;
      missing.coefficient[0] = -trajectory.energy_to_return();
      h = missing.root(h);
    }
    const double slip = trajectory.slip;
    const Vec2 w{ahead.w[0].at(h), ahead.w[1].at(h)};
    d = normalized(w);
    for (int i = 0; i < 2; ++i) g[i] += slip * ahead.g[i].at(h);
    trajectory.advance(slip * ahead.p.at(h), ahead.v_n.at(h), slip * std::hypot(w[0], w[1]), ahead.E_n.at(h),
                       ahead.E_f.at(h));
    if (returned) {
      trajectory.end();
    } else if (turns) {
      trajectory.expanding() ? trajectory.begin_recompression() : trajectory.end_compression();
    }
  }
  return ImpactReason::none;
}

}  // namespace pawl::internal
