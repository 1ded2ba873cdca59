#include <pawl/impact/slide.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace pawl {
namespace {

constexpr int kMostSteps = 500;
constexpr int kMostTrials = 60;
/// Of the terms of T: rounding, so that the direction is as good as invariant.
constexpr double kRounding = 4e-16;
/// Of the speeds at the start: slip below is none.
constexpr double kNoSlip = 1e-15;
/// Of the Taylor series; the best order for 1e-10 is near 14 and for 1e-13 near 18.
constexpr int kOrder = 16;
/// Of the tolerance: what the last term may be, as the terms left out sum to more.
constexpr double kLastTerm = 0.01;
/// The longest step times the rates of direction and slip, beyond what any tolerance allows.
constexpr double kLongestStep = 10;

double dot(const Pair& a, const Pair& b) {
  return a[0] * b[0] + a[1] * b[1];
}
Pair normalized(const Pair& a) {
  const double size = std::hypot(a[0], a[1]);
  return {a[0] / size, a[1] / size};
}

/// The powers of τ of one quantity.
struct Series {
  std::array<double, kOrder + 1> of{};

  double at(double tau) const {
    double sum = of[kOrder];
    for (int k = kOrder - 1; k >= 0; --k) sum = sum * tau + of[k];
    return sum;
  }
  double slope_at(double tau) const {
    double sum = kOrder * of[kOrder];
    for (int k = kOrder - 1; k >= 1; --k) sum = sum * tau + k * of[k];
    return sum;
  }
  /// Where it is 0 between 0 and h, having different signs there. Newton's method in a bracket.
  double root(double h) const {
    double low = 0, high = h, tau = 0.5 * h;
    const bool up = at(h) > 0;
    for (int trial = 0; trial < kMostTrials; ++trial) {
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

/// The Taylor series over τ about a state of the course, exact but for rounding:
///   w' = ρ b - μ C w,  ρ² = w·w,  p_n' = ρ,  g' = -μ w,  v_n = a_nn p_n + b·g,  E_n' = v_n ρ,  E_f' = -μ ρ².
/// w, ρ, p_n and g are in units of the slip at the state, since the law is homogeneous in them. p_n, g and
/// the energies begin at 0.
struct Expansion {
  std::array<Series, 2> w, g;
  Series rho, p, v_n, E_n, E_f;

  Expansion(const SlideLaw& law, const ImpactCourse& course, const Pair& d) {
    const double slip = course.slip;
    for (int i = 0; i < 2; ++i) w[i].of[0] = d[i];
    rho.of[0] = 1;
    v_n.of[0] = course.v_n;
    double square = 1;  // the coefficient of ρ²
    for (int k = 0; k < kOrder; ++k) {
      double power = 0;  // of v_n ρ
      for (int j = 0; j <= k; ++j) power += v_n.of[j] * rho.of[k - j];
      const double share = 1.0 / (k + 1);
      E_n.of[k + 1] = share * slip * power;
      E_f.of[k + 1] = -share * law.mu * slip * slip * square;
      p.of[k + 1] = share * rho.of[k];
      for (int i = 0; i < 2; ++i) {
        g[i].of[k + 1] = -share * law.mu * w[i].of[k];
        w[i].of[k + 1] = law.b[i] * p.of[k + 1] + law.c[i] * g[i].of[k + 1];
      }
      v_n.of[k + 1] = slip * (law.a_nn * p.of[k + 1] + law.b[0] * g[0].of[k + 1] + law.b[1] * g[1].of[k + 1]);
      square = 0;
      double known = 0;  // of ρ², from the coefficients of ρ so far
      for (int j = 0; j <= k + 1; ++j) {
        square += w[0].of[j] * w[0].of[k + 1 - j] + w[1].of[j] * w[1].of[k + 1 - j];
      }
      for (int j = 1; j <= k; ++j) known += rho.of[j] * rho.of[k + 1 - j];
      rho.of[k + 1] = 0.5 * (square - known);
    }
  }

  /// The step whose last terms are within the tolerance, relative to the slip: the rest of the series are
  /// sums of w and ρ.
  double step(double tolerance) const {
    double h = std::numeric_limits<double>::infinity();
    for (const int k : {kOrder - 1, kOrder}) {
      const double last = std::max({std::abs(w[0].of[k]), std::abs(w[1].of[k]), std::abs(rho.of[k])});
      h = std::min(h, std::pow(kLastTerm * tolerance / last, 1.0 / k));
    }
    return h;
  }
};

/// True where the rest of sliding is straight along d, which is corrected to that direction.
bool is_straight(const SlideLaw& law, double tolerance, double slip, Pair& d) {
  const double T = law.angular(d), stiffness = law.stiffness(d);
  const double terms = std::abs(law.b[0]) + std::abs(law.b[1]) + law.mu * (law.c[0] + law.c[1]);
  if (std::abs(T) <= kRounding * terms) return true;
  // Near a direction that attracts: the one step of Newton's method that is left to it.
  if (stiffness < 0 && std::abs(T) <= -tolerance * stiffness) {
    const double turn = -T / stiffness;
    d = normalized({d[0] - turn * d[1], d[1] + turn * d[0]});
    return true;
  }
  return slip <= kNoSlip && law.radial(d) < 0;
}

}  // namespace

double SlideLaw::radial(const Pair& d) const {
  return dot(b, d) - mu * (c[0] * d[0] * d[0] + c[1] * d[1] * d[1]);
}
double SlideLaw::angular(const Pair& d) const {
  return b[1] * d[0] - b[0] * d[1] - mu * (c[1] - c[0]) * d[0] * d[1];
}
double SlideLaw::stiffness(const Pair& d) const {
  return -dot(b, d) - mu * (c[1] - c[0]) * (d[0] * d[0] - d[1] * d[1]);
}

Pair SlideLaw::holding() const {
  Pair m{};
  for (int i = 0; i < 2; ++i) m[i] = c[i] > 0 ? -b[i] / c[i] : 0;
  return m;
}
double SlideLaw::held_normal_rate() const {
  const double rate = a_nn + dot(b, holding());
  return rate > kSingular * a_nn ? rate : 0;
}

/// |(R + μ C)⁻¹ b| = 1 has one root R > 0 where |holding()| > μ: its left side falls, from above 1 at R = 0.
/// The inverse of the left side is concave, so that Newton's method from below comes to the root from below.
Pair SlideLaw::escape() const {
  double R = std::max(0.0, std::hypot(b[0], b[1]) - mu * std::max(c[0], c[1]));
  Pair d{};
  for (int iteration = 0; iteration < kMostTrials; ++iteration) {
    double square = 0, slope = 0;  // of d, and half its derivative, negated
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

ImpactReason slide(const SlideLaw& law, double tolerance, ImpactCourse& course, Pair& d, Pair& g,
                   int& steps) {
  while (course.slip > 0 && !course.ended()) {
    const bool straight = is_straight(law, tolerance, course.slip, d);
    if (straight || law.mu == 0) {
      const double p_before = course.p_n;
      const StraightEnd end = course.go_straight(straight ? law.rates(d) : StraightRates{law.a_nn, 0, 0});
      for (int i = 0; i < 2; ++i) g[i] -= law.mu * d[i] * (course.p_n - p_before);
      return end == StraightEnd::nothing ? ImpactReason::no_impulse_ends_it : ImpactReason::none;
    }
    if (++steps > kMostSteps) return ImpactReason::too_many_steps;
    const Expansion ahead(law, course, d);
    const double rate = std::max(std::abs(law.angular(d)), std::abs(law.radial(d)));
    double h = std::min(ahead.step(tolerance), kLongestStep / rate);
    // Moments within the step: each ends it. In expansion bodies may come to approach again.
    const bool turns = course.expanding() ? ahead.v_n.at(h) < 0 : ahead.v_n.at(h) >= 0;
    if (turns) h = ahead.v_n.root(h);
    const bool returned = course.expanding() && ahead.E_n.at(h) >= course.to_return();
    if (returned) {
      Series missing = ahead.E_n;
      missing.of[0] = -course.to_return();
      h = missing.root(h);
    }
    const double slip = course.slip;
    const Pair w{ahead.w[0].at(h), ahead.w[1].at(h)};
    d = normalized(w);
    for (int i = 0; i < 2; ++i) g[i] += slip * ahead.g[i].at(h);
    course.advance(slip * ahead.p.at(h), ahead.v_n.at(h), slip * std::hypot(w[0], w[1]), ahead.E_n.at(h),
                   ahead.E_f.at(h));
    if (returned) {
      course.end();
    } else if (turns) {
      course.expanding() ? course.compress_again() : course.pause_normal();
    }
  }
  return ImpactReason::none;
}

}  // namespace pawl
