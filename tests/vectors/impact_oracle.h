#pragma once
// Slow reference integration of an impact over its normal impulse, independent of the fast solvers. Extended
// precision, p_n as the variable, small classical Runge-Kutta steps with Richardson extrapolation, events by
// bisection, directions by search.

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

namespace pawl::internal::testing {

using Real = long double;
using Real3 = std::array<Real, 3>;

/// Order n, t, o. A planar contact has A_oo = 1, no other entry of o, and v_o = 0.
struct OracleContact {
  std::array<Real3, 3> A{};
  Real3 v{};
  Real mu = 0, mu_static = 0, e = 0, e_t = 1, e_o = 1;
};

struct OracleMoment {
  std::string name;
  Real p_n = 0, E_n = 0, E_f = 0;
};

struct OracleImpact {
  Real3 p{}, v{};
  std::string path, slip;
  bool wedged = false, recompressed = false;
  std::vector<OracleMoment> history;
};

class ImpactOracle {
 public:
  explicit ImpactOracle(const OracleContact& contact) : c_(contact) {
    for (const Real x : c_.v) size_ = std::max(size_, std::abs(x));
  }

  OracleImpact solve() {
    mark("start");
    const bool slides = slip(velocity(y_)) > 0;
    out_.slip = slides ? "slides-through" : "";
    if (slides) march(nullptr);
    if (!ended_) rest(slides);
    out_.p = impulse(y_);
    out_.v = velocity(y_);
    set_path();
    return out_;
  }

 private:
  /// Integrated quantities, and p_n itself.
  struct State {
    Real p_n = 0, p_t = 0, p_o = 0, E_n = 0, E_f = 0;
  };
  using Friction = std::array<Real, 2>;  // per p_n

  static Real3 impulse(const State& y) { return {y.p_n, y.p_t, y.p_o}; }
  Real3 velocity(const State& y) const {
    Real3 v = c_.v;
    const Real3 p = impulse(y);
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) v[i] += c_.A[i][j] * p[j];
    }
    return v;
  }
  Real slip(const Real3& v) const { return std::hypot(c_.e_t * v[1], c_.e_o * v[2]); }
  Friction sliding_friction(Real v_t, Real v_o) const {
    const Real s = std::hypot(c_.e_t * v_t, c_.e_o * v_o);
    return {-c_.mu * c_.e_t * c_.e_t * v_t / s, -c_.mu * c_.e_o * c_.e_o * v_o / s};
  }

  /// d(v_t, v_o)/dp_n.
  Friction slip_rate(const Friction& f) const {
    Friction r{};
    for (int i = 0; i < 2; ++i) r[i] = c_.A[i + 1][0] + c_.A[i + 1][1] * f[0] + c_.A[i + 1][2] * f[1];
    return r;
  }

  State slope(const State& y, const Friction* fixed) const {
    const Real3 v = velocity(y);
    const Friction f = fixed != nullptr ? *fixed : sliding_friction(v[1], v[2]);
    return {1, f[0], f[1], v[0], v[1] * f[0] + v[2] * f[1]};
  }
  static State plus(const State& y, Real h, const State& k) {
    return {y.p_n + h * k.p_n, y.p_t + h * k.p_t, y.p_o + h * k.p_o, y.E_n + h * k.E_n, y.E_f + h * k.E_f};
  }
  State rule(const State& y, Real h, const Friction* fixed) const {
    const State a = slope(y, fixed), b = slope(plus(y, h / 2, a), fixed), c = slope(plus(y, h / 2, b), fixed),
                d = slope(plus(y, h, c), fixed);
    return plus(plus(plus(plus(y, h / 6, a), h / 3, b), h / 3, c), h / 6, d);
  }
  /// Two half steps; their difference from a whole step is 15 times their error.
  State step(const State& y, Real h, const Friction* fixed, Real& error) const {
    const State whole = rule(y, h, fixed), half = rule(rule(y, h / 2, fixed), h / 2, fixed);
    const State off = plus(half, -1, whole);
    error = (std::abs(off.p_t) + std::abs(off.p_o)) / (1 + c_.mu) + std::abs(off.E_n) / size_ +
            std::abs(off.E_f) / size_;
    return {half.p_n, half.p_t + off.p_t / 15, half.p_o + off.p_o / 15, half.E_n + off.E_n / 15,
            half.E_f + off.E_f / 15};
  }

  void mark(const std::string& name) {
    std::erase_if(out_.history, [&](const OracleMoment& m) { return m.name == name; });
    out_.history.push_back({name, y_.p_n, y_.E_n, y_.E_f});
  }
  Real target() const { return (1 - c_.e * c_.e) * E_min_; }

  /// The largest h at which `before` still holds, by bisection to the last bit.
  template <class Before>
  Real bisect(Real h, const Friction* fixed, Before before) const {
    Real low = 0, high = h, error = 0;
    for (int i = 0; i < 120; ++i) {
      const Real middle = (low + high) / 2;
      (before(step(y_, middle, fixed, error)) ? low : high) = middle;
    }
    return low;
  }

  /// Integrates with fixed or sliding friction until the end or until sliding stops.
  void march(const Friction* fixed) {
    const Real p_size = size_ / c_.A[0][0];
    Real h = p_size / 1000;
    for (;;) {
      const Real3 v = velocity(y_);
      if (fixed == nullptr) {
        if (slip(v) <= 1e-15L * size_) {
          mark("tangential-pause");
          return;
        }
        const Friction r = slip_rate(sliding_friction(v[1], v[2]));
        const Real change = std::hypot(c_.e_t * r[0], c_.e_o * r[1]);
        if (change > 0) h = std::min(h, slip(v) / (4 * change));
      }
      Real error = 0;
      State next = step(y_, h, fixed, error);
      const Real allowed = 1e-15L * p_size * std::min<Real>(1, h / p_size) + 1e-18L * (y_.p_n + p_size);
      if (error > allowed) {
        h /= 2;
        continue;
      }
      const Real h_next = error < allowed / 64 ? 2 * h : h;
      const bool turned = expanding_ ? velocity(next)[0] < 0 : velocity(next)[0] >= 0;
      if (turned) {
        h = bisect(h, fixed, [&](const State& y) { return expanding_ == (velocity(y)[0] >= 0); });
        next = step(y_, h, fixed, error);
      }
      if (expanding_ && next.E_n >= target()) {
        h = bisect(h, fixed, [&](const State& y) { return y.E_n < target(); });
        y_ = step(y_, h, fixed, error);
        return finish();
      }
      y_ = next;
      if (turned && expanding_) {
        expanding_ = false;
        out_.recompressed = true;
      } else if (turned) {
        if (pause()) return;
      }
      h = h_next;
    }
  }

  /// Returns true if the impact ends here.
  bool pause() {
    expanding_ = true;
    if (y_.E_n < E_min_) {
      E_min_ = y_.E_n;
      mark("normal-pause");
    }
    if (c_.e == 0) finish();
    return ended_;
  }
  void finish() {
    ended_ = true;
    mark("end");
  }

  void rest(bool slid) {
    const auto& A = c_.A;
    const Real det = A[1][1] * A[2][2] - A[1][2] * A[2][1];
    const Friction m{-(A[1][0] * A[2][2] - A[1][2] * A[2][0]) / det,
                     -(A[1][1] * A[2][0] - A[1][0] * A[2][1]) / det};
    if (std::hypot(m[0] / c_.e_t, m[1] / c_.e_o) <= c_.mu_static) {
      out_.slip = slid ? "stops-and-sticks" : "sticks-throughout";
      const Real rate = A[0][0] + A[0][1] * m[0] + A[0][2] * m[1];
      if (rate < 1e-15L * A[0][0] && std::abs(velocity(y_)[0]) < 1e-14L * size_) {
        if (!expanding_) pause();
        out_.wedged = !ended_;
        if (!ended_) finish();
        return;
      }
      march(&m);
    } else {
      out_.slip = slid ? "stops-and-reverses" : "breaks-loose";
      const Friction f = escape();
      march(&f);
    }
  }

  /// Friction of the one direction in which sliding can start from rest: the slip that it causes grows along
  /// itself.
  Friction escape() const {
    const auto rate = [&](Real angle) {
      return slip_rate(sliding_friction(std::cos(angle), std::sin(angle)));
    };
    const auto across = [&](Real angle) {
      const Friction r = rate(angle);
      return std::cos(angle) * r[1] - std::sin(angle) * r[0];
    };
    const auto along = [&](Real angle) {
      const Friction r = rate(angle);
      return std::cos(angle) * r[0] + std::sin(angle) * r[1];
    };
    constexpr int kSectors = 7200;
    // Offset from the axes, so that no root lies on the border of a sector.
    const auto border = [&](int i) { return 2 * std::numbers::pi_v<Real> * (i + 0.3183L) / kSectors; };
    for (int i = 0; i < kSectors; ++i) {
      Real low = border(i), high = border(i + 1);
      if (across(low) * across(high) > 0) continue;
      for (int k = 0; k < 80; ++k) {
        const Real middle = (low + high) / 2;
        (across(low) * across(middle) > 0 ? low : high) = middle;
      }
      if (along(low) > 0) return sliding_friction(std::cos(low), std::sin(low));
    }
    return {};
  }

  void set_path() {
    out_.path = "never-stops";
    for (std::size_t i = 1; i < out_.history.size(); ++i) {
      if (out_.history[i].name != "tangential-pause") continue;
      out_.path = out_.history[i - 1].name == "normal-pause" ? "stops-in-expansion" : "stops-in-compression";
    }
  }

  OracleContact c_;
  Real size_ = 0;  // of the velocities
  State y_;
  Real E_min_ = 0;
  bool expanding_ = false, ended_ = false;
  OracleImpact out_;
};

}  // namespace pawl::internal::testing
