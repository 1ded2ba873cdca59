#pragma once
// Types common to planar and spatial impacts of one contact (docs/impacts.md).

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

namespace pawl {

enum class ImpactStatus : std::uint8_t {
  resolved,
  unchanged,  // no approach: velocities unchanged, no impulse
  refused,    // bad input, or no impulse ends the impact: velocities unchanged, no impulse
};

/// The reason why an impact was not resolved.
enum class ImpactReason : std::uint8_t {
  none,
  separating,                 // v_n > 0
  resting,                    // v_n = 0
  not_finite,                 // NaN or infinity in the input
  restitution_out_of_range,   // e outside [0, 1]
  negative_friction,          // μ < 0, or a negative radius of the friction ellipse
  static_below_dynamic,       // μ_static < μ
  bad_tolerance,              // in space: outside [1e-13, 1e-3]
  not_positive_semidefinite,  // A
  normal_immovable,           // a_nn = 0: a normal impulse has no effect
  never_ends,                 // sticks while v_n < 0 is constant: A is singular and v is
                              // infeasible for the mechanism
  out_of_range,               // impulses or energies outside double precision
  too_many_steps,             // in space: the integration did not finish
};

/// The order of the pauses of [Morgan2011, figure 2.8]. Compression ends at the normal pause; sliding stops
/// at the tangential pause.
enum class ImpactPath : std::uint8_t {
  none,                  // not resolved
  stops_in_compression,  // a-b-e: tangential pause, then normal pause
  never_stops,           // a-c-e: normal pause only (or no sliding at the start)
  stops_in_expansion,    // normal pause, then tangential pause
};

/// The outcome of sliding.
enum class ImpactSlip : std::uint8_t {
  none,            // not resolved
  slides_through,  // from start to end; in space its direction may change
  stops_and_sticks,
  stops_and_reverses,  // in space: resumes in the one possible direction
  sticks_throughout,   // v_t = 0 at the start, within the friction limit
  breaks_loose,        // v_t = 0 at the start, beyond the friction limit
};

enum class ImpactEvent : std::uint8_t {
  start,
  tangential_pause,  // sliding stops
  normal_pause,      // compression ends: E_n has its minimum
  end,
};

/// Impulse and energies at one event of an impact.
struct ImpactPhase {
  ImpactEvent event = ImpactEvent::start;
  double p_n = 0;  // N s
  double E_n = 0;  // J, work of the normal impulse on the bodies
  double E_f = 0;  // J, work of friction on the bodies
};

/// The events of an impact in order.
struct ImpactHistory {
  int count = 0;
  std::array<ImpactPhase, 4> phase{};

  /// The last event; zeros if the impact was not resolved.
  const ImpactPhase& end() const { return phase[count > 0 ? count - 1 : 0]; }
  /// nullptr if the event did not occur.
  const ImpactPhase* find(ImpactEvent event) const;
};

/// The outcome of planar_impact() or spatial_impact(), besides impulses and velocities.
struct ImpactReport {
  ImpactStatus status = ImpactStatus::refused;
  ImpactReason reason = ImpactReason::none;
  ImpactPath path = ImpactPath::none;
  ImpactSlip slip = ImpactSlip::none;
  bool jam = false;           // initially friction pushes the bodies together: a_nn − μ |a_nt| < 0
  bool wedged = false;        // friction held the bodies at the normal pause; no work returned for any e
  bool recompressed = false;  // in space: approached again before all work was returned
  ImpactHistory history;
};

/// u += L p, where L = M⁻¹ Jᵀ is stored by columns, [p.size() × u.size()].
void apply_impulse(std::span<const double> L, std::span<const double> p, std::span<double> u);

std::string_view to_string(ImpactStatus status);
std::string_view to_string(ImpactReason reason);
std::string_view to_string(ImpactPath path);
std::string_view to_string(ImpactSlip slip);
std::string_view to_string(ImpactEvent event);

}  // namespace pawl
