#include <pawl/impact/impulse_trajectory.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include <pawl/base/numeric_util.h>

namespace pawl::internal {

ImpulseTrajectory::ImpulseTrajectory(double v_n_start, double slip_start, double e, ImpactReport& report)
    : v_n(v_n_start), slip(slip_start), e_(e), report_(report) {
  record_event(ImpactEvent::start);
}

void ImpulseTrajectory::record_event(ImpactEvent event) {
  ImpactHistory& history = report_.history;
  // In space there may be two compressions; the history keeps the pause of the deeper one.
  int at = 0;
  while (at < history.count && history.phase[at].event != event) ++at;
  if (at < history.count) {
    std::copy(history.phase.begin() + at + 1, history.phase.begin() + history.count,
              history.phase.begin() + at);
    --history.count;
  }
  history.phase[history.count++] = {event, p_n, E_n, E_f};
}

void ImpulseTrajectory::advance(double dp, double v_n_after, double slip_after, double dE_n, double dE_f) {
  E_n += dE_n;
  energy_to_return_ -= dE_n;
  E_f += dE_f;
  p_n += dp;
  v_n = v_n_after;
  slip = slip_after;
}

/// Velocities are linear in p_n, so the mean velocity times dp is the exact work [Morgan2011, (2.21)].
void ImpulseTrajectory::advance_linear(double dp, double v_n_after, double slip_after, double mu) {
  advance(dp, v_n_after, slip_after, 0.5 * (v_n + v_n_after) * dp, -mu * 0.5 * (slip + slip_after) * dp);
}

void ImpulseTrajectory::stop_sliding() {
  slip = 0;
  record_event(ImpactEvent::tangential_pause);
}

void ImpulseTrajectory::end_compression() {
  v_n = 0;
  expanding_ = true;
  if (E_n < E_min_) {
    E_min_ = E_n;
    energy_to_return_ = -(e_ * e_ * E_n);
    record_event(ImpactEvent::normal_pause);
  }
  if (energy_to_return_ <= 0) end();
}

void ImpulseTrajectory::begin_recompression() {
  expanding_ = false;
  report_.recompressed = true;
}

void ImpulseTrajectory::end() {
  ended_ = true;
  record_event(ImpactEvent::end);
}

SlidingPhaseEnd ImpulseTrajectory::advance_sliding_phase(const SlidingRates& rates) {
  const auto stops_within = [&](double dp) { return rates.slip < 0 && slip <= -rates.slip * dp; };
  const auto stop = [&] {
    const double dp = slip / -rates.slip;
    advance_linear(dp, v_n + rates.normal * dp, 0, rates.mu);
    stop_sliding();
    return SlidingPhaseEnd::slip_stopped;
  };
  if (!expanding_) {
    // If dv_n/dp_n ≤ 0 the pause is at infinity, not at a negative impulse.
    const double to_pause = rates.normal > 0 ? -v_n / rates.normal : kInfinity;
    if (stops_within(to_pause)) return stop();
    if (to_pause == kInfinity) return SlidingPhaseEnd::nothing;
    advance_linear(to_pause, 0, slip + rates.slip * to_pause, rates.mu);
    end_compression();
    if (ended_) return SlidingPhaseEnd::impact_ended;
  }
  // v_n dp + ½ rate dp² = energy_to_return; at the end v_n² has grown by 2 rate energy_to_return.
  const double square = v_n * v_n + 2 * rates.normal * energy_to_return_;
  const double v_n_after = square > 0 ? std::sqrt(square) : 0;
  const double to_end = square > 0 ? 2 * energy_to_return_ / (v_n + v_n_after) : kInfinity;
  if (stops_within(to_end)) {
    const SlidingPhaseEnd stopped = stop();
    if (v_n < 0) begin_recompression();
    return stopped;
  }
  if (to_end == kInfinity) return SlidingPhaseEnd::nothing;
  advance_linear(to_end, v_n_after, slip + rates.slip * to_end, rates.mu);
  end();
  return SlidingPhaseEnd::impact_ended;
}

bool ImpulseTrajectory::stick(double normal_rate, double negligible) {
  if (normal_rate > 0 || std::abs(v_n) > negligible) {
    return advance_sliding_phase({normal_rate, 0, 0}) == SlidingPhaseEnd::impact_ended;
  }
  if (!expanding_) end_compression();
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
    if (history.phase[i].event != ImpactEvent::tangential_pause) continue;
    return history.phase[i - 1].event == ImpactEvent::normal_pause ? ImpactPath::stops_in_expansion
                                                                   : ImpactPath::stops_in_compression;
  }
  return ImpactPath::never_stops;
}

double difference_of_products(double a, double b, double c, double d) {
  const double cd = c * d;
  return std::fma(a, b, -cd) + std::fma(-c, d, cd);
}

}  // namespace pawl::internal
