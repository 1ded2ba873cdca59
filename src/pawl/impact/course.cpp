#include <pawl/impact/course.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace pawl {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

}  // namespace

ImpactCourse::ImpactCourse(double v_n_start, double slip_start, double e, ImpactReport& report)
    : v_n(v_n_start), slip(slip_start), e_(e), report_(report) {
  mark(ImpactMoment::start);
}

void ImpactCourse::mark(ImpactMoment moment) {
  ImpactHistory& history = report_.history;
  // In space bodies may be compressed twice; the pause of the deeper compression counts.
  int at = 0;
  while (at < history.count && history.phase[at].moment != moment) ++at;
  if (at < history.count) {
    std::copy(history.phase.begin() + at + 1, history.phase.begin() + history.count,
              history.phase.begin() + at);
    --history.count;
  }
  history.phase[history.count++] = {moment, p_n, E_n, E_f};
}

void ImpactCourse::advance(double dp, double v_n_after, double slip_after, double dE_n, double dE_f) {
  E_n += dE_n;
  to_return_ -= dE_n;
  E_f += dE_f;
  p_n += dp;
  v_n = v_n_after;
  slip = slip_after;
}

/// Velocities are linear in p_n, so that their mean times dp is the work exactly [Morgan2011, (2.21)].
void ImpactCourse::advance_straight(double dp, double v_n_after, double slip_after, double mu) {
  advance(dp, v_n_after, slip_after, 0.5 * (v_n + v_n_after) * dp, -mu * 0.5 * (slip + slip_after) * dp);
}

void ImpactCourse::stop_sliding() {
  slip = 0;
  mark(ImpactMoment::tangential_pause);
}

void ImpactCourse::pause_normal() {
  v_n = 0;
  expanding_ = true;
  if (E_n < E_least_) {
    E_least_ = E_n;
    to_return_ = -(e_ * e_ * E_n);
    mark(ImpactMoment::normal_pause);
  }
  if (to_return_ <= 0) end();
}

void ImpactCourse::compress_again() {
  expanding_ = false;
  report_.recompressed = true;
}

void ImpactCourse::end() {
  ended_ = true;
  mark(ImpactMoment::end);
}

StraightEnd ImpactCourse::go_straight(const StraightRates& rates) {
  const auto stops_within = [&](double dp) { return rates.slip < 0 && slip <= -rates.slip * dp; };
  const auto stop = [&] {
    const double dp = slip / -rates.slip;
    advance_straight(dp, v_n + rates.normal * dp, 0, rates.mu);
    stop_sliding();
    return StraightEnd::slip_stopped;
  };
  if (!expanding_) {
    // A normal rate that is not positive makes the pause infinitely far, not a negative one.
    const double to_pause = rates.normal > 0 ? -v_n / rates.normal : kNever;
    if (stops_within(to_pause)) return stop();
    if (to_pause == kNever) return StraightEnd::nothing;
    advance_straight(to_pause, 0, slip + rates.slip * to_pause, rates.mu);
    pause_normal();
    if (ended_) return StraightEnd::impact_ended;
  }
  // v_n dp + ½ rate dp² = to_return, where v_n² at the end is v_n² + 2 rate to_return.
  const double square = v_n * v_n + 2 * rates.normal * to_return_;
  const double v_n_after = square > 0 ? std::sqrt(square) : 0;
  const double to_end = square > 0 ? 2 * to_return_ / (v_n + v_n_after) : kNever;
  if (stops_within(to_end)) {
    const StraightEnd stopped = stop();
    if (v_n < 0) compress_again();
    return stopped;
  }
  if (to_end == kNever) return StraightEnd::nothing;
  advance_straight(to_end, v_n_after, slip + rates.slip * to_end, rates.mu);
  end();
  return StraightEnd::impact_ended;
}

bool ImpactCourse::stick(double normal_rate, double negligible) {
  if (normal_rate > 0 || std::abs(v_n) > negligible) {
    return go_straight({normal_rate, 0, 0}) == StraightEnd::impact_ended;
  }
  if (!expanding_) pause_normal();
  v_n = 0;
  if (!ended_) {
    report_.wedged = true;
    end();
  }
  return true;
}

bool ImpactUnits::convert_back(ImpactHistory& history, std::span<double> impulses,
                               std::span<double> velocities) const {
  bool finite = true;
  const auto convert = [&](double& x, int exponent) {
    x = std::ldexp(x, exponent);
    finite = finite && std::isfinite(x);
  };
  for (double& x : impulses) convert(x, impulse());
  for (double& x : velocities) convert(x, velocity());
  for (int i = 0; i < history.count; ++i) {
    convert(history.phase[i].p_n, impulse());
    convert(history.phase[i].E_n, energy());
    convert(history.phase[i].E_f, energy());
  }
  return finite;
}

ImpactPath path_of(const ImpactHistory& history) {
  for (int i = 0; i < history.count; ++i) {
    if (history.phase[i].moment != ImpactMoment::tangential_pause) continue;
    return history.phase[i - 1].moment == ImpactMoment::normal_pause ? ImpactPath::stops_in_expansion
                                                                     : ImpactPath::stops_in_compression;
  }
  return ImpactPath::never_stops;
}

double difference_of_products(double a, double b, double c, double d) {
  const double cd = c * d;
  return std::fma(a, b, -cd) + std::fma(-c, d, cd);
}

}  // namespace pawl
