#pragma once
// The course of an impact: the normal impulse p_n grows from 0, and velocities and energies follow. What the
// plane and space share: phases in which friction keeps its direction, where all is linear in p_n.

#include <pawl/impact.h>

namespace pawl::internal {

/// What changes with p_n while friction keeps its direction.
struct SlidingRates {
  double normal = 0;  // dv_n/dp_n
  double slip = 0;    // d|v_t|/dp_n
  double mu = 0;      // of the friction that acts against sliding
};

enum class SlidingPhaseEnd {
  slip_stopped,
  impact_ended,
  nothing,  // no impulse, however large, brings either
};

/// Energies are those of impulses on the bodies: E_n falls in compression and rises in expansion, E_f falls.
class ImpulseTrajectory {
 public:
  /// Starts at v_n < 0 and the speed of sliding, with restitution e.
  ImpulseTrajectory(double v_n, double slip, double e, ImpactReport& report);

  double p_n = 0, v_n = 0, slip = 0, E_n = 0, E_f = 0;

  /// True between the normal pause and the end: v_n ≥ 0, and E_n may rise by `energy_to_return` yet.
  bool expanding() const { return expanding_; }
  double energy_to_return() const { return energy_to_return_; }

  /// Goes on until sliding stops or the impact ends; to a tie of both pauses sliding comes first.
  SlidingPhaseEnd advance_sliding_phase(const SlidingRates& rates);
  /// Sticks until the impact ends. With a normal rate of 0 impulses change nothing any more: the impact ends
  /// there if v_n is 0, up to `negligible`. False where nothing ends it.
  bool stick(double normal_rate, double negligible);

  // For those who go on by other means: a piece of the course, and its moments.
  void advance(double dp, double v_n_after, double slip_after, double dE_n, double dE_f);
  void stop_sliding();
  /// E_n has its least value, and e² of it is to be returned (Stronge). Ends the impact where that is
  /// nothing.
  void end_compression();
  /// The bodies approach again before all was returned; only in space.
  void begin_recompression();
  void end();
  bool ended() const { return ended_; }

 private:
  void advance_linear(double dp, double v_n_after, double slip_after, double mu);
  void record_event(ImpactEvent event);

  double e_ = 0;
  double E_min_ = 0;
  double energy_to_return_ = 0;
  bool expanding_ = false, ended_ = false;
  ImpactReport& report_;
};

/// Units in which velocities and A are near 1, as exponents of 2: no figure overflows on the way, and the
/// bits do not depend on the caller's units.
struct ImpactUnits {
  int v = 0, a = 0;

  int velocity() const { return v; }
  int impulse() const { return v - a; }
  int energy() const { return 2 * v - a; }
  /// From these units to the caller's; false where a figure does not fit into a double.
  bool convert_back(ImpactHistory& history, std::span<double> p, std::span<double> v) const;
};

/// The path that the history of a resolved impact shows.
ImpactPath path_of(const ImpactHistory& history);

/// The sum a b - c d, rounded about once: a plain difference of close products has no digits right.
double difference_of_products(double a, double b, double c, double d);

/// Of A: at or below this share of its diagonal a Schur complement is rounding, and A is singular.
inline constexpr double kSingular = 1e-14;
/// Of A: a Schur complement that is negative by more than this share makes it no collision matrix.
inline constexpr double kIndefinite = 1e-9;

}  // namespace pawl::internal
