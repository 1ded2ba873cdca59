#pragma once
// The trajectory of an impact in impulse space: velocities and energies as functions of the normal impulse
// p_n. Planar and spatial impacts share its sliding phases of constant direction, in which velocities are
// linear in p_n.

#include <pawl/base/tolerances.h>
#include <pawl/impact.h>

namespace pawl::internal {

/// Derivatives with respect to p_n while the direction of friction is constant.
struct SlidingRates {
  double normal = 0;  // dv_n/dp_n
  double slip = 0;    // d|v_t|/dp_n
  double mu = 0;      // coefficient of the friction that opposes sliding
};

enum class SlidingPhaseEnd {
  slip_stopped,
  impact_ended,
  nothing,  // neither event occurs for any impulse
};

/// Energies are the work on the bodies: E_n falls in compression and rises in expansion, E_f falls.
class ImpulseTrajectory {
 public:
  /// Starts at v_n < 0 and sliding speed `slip`, with restitution e.
  ImpulseTrajectory(double v_n, double slip, double e, ImpactReport& report);

  double p_n = 0, v_n = 0, slip = 0, E_n = 0, E_f = 0;

  /// True between the normal pause and the end: v_n ≥ 0, and E_n may still rise by `energy_to_return`.
  bool expanding() const { return expanding_; }
  double energy_to_return() const { return energy_to_return_; }

  /// Advances until sliding stops or the impact ends. If both pauses coincide, sliding stops first.
  SlidingPhaseEnd advance_sliding_phase(const SlidingRates& rates);
  /// Sticks until the impact ends. If normal_rate = 0 further impulses have no effect: the impact ends there
  /// if |v_n| ≤ negligible. Returns false if nothing ends it.
  bool stick(double normal_rate, double negligible);

  // For other integrators: one segment of the trajectory, and its events.
  void advance(double dp, double v_n_after, double slip_after, double dE_n, double dE_f);
  void stop_sliding();
  /// E_n is at its minimum, and e² |E_n| is to be returned (Stronge). Ends the impact if that is zero.
  void end_compression();
  /// The bodies approach again before all work was returned; only in space.
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

/// Units, as exponents of 2, in which velocities and A are near 1: intermediate results do not overflow, and
/// the bits do not depend on the caller's units.
struct ImpactUnits {
  int v = 0, a = 0;

  int velocity() const { return v; }
  int impulse() const { return v - a; }
  int energy() const { return 2 * v - a; }
  /// Converts to the caller's units; returns false if a value overflows.
  bool convert_back(ImpactHistory& history, std::span<double> p, std::span<double> v) const;
};

/// The path of a resolved impact, from its history.
ImpactPath path_of(const ImpactHistory& history);

/// a b − c d with about one rounding; the plain difference of close products loses all digits.
double difference_of_products(double a, double b, double c, double d);

/// Relative to the diagonal of A: up to this size a Schur complement is rounding, and A is singular.
inline constexpr double kSingular = tolerances::kPivot;
/// Relative to the diagonal of A: a Schur complement below minus this makes A indefinite.
inline constexpr double kIndefinite = tolerances::kSign;
/// For a singular A, v_n at the tangential pause is 0 for every velocity that the mechanism can have. Up to
/// this fraction of the velocities it counts as rounding.
inline constexpr double kNegligible = tolerances::kIterated;

}  // namespace pawl::internal
