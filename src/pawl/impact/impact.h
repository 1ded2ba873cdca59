#pragma once
// What impacts of one contact have in common, in the plane and in space (docs/impacts.md).

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

namespace pawl {

enum class ImpactStatus : std::uint8_t {
  resolved,
  unchanged,  // nothing strikes: velocities as they were, no impulse
  refused,    // bad input, or no impulse ends it: velocities as they were, no impulse
};

/// Why an impact was not resolved.
enum class ImpactReason : std::uint8_t {
  none,
  separating,                 // v_n > 0
  resting,                    // v_n = 0
  not_finite,                 // NaN or infinity in the input
  restitution_out_of_range,   // e outside [0, 1]
  negative_friction,          // μ < 0, or a radius of its ellipse
  static_below_dynamic,       // μ_static < μ
  bad_tolerance,              // in space, outside [1e-13, 1e-3]
  not_positive_semidefinite,  // A
  normal_immovable,           // a_nn = 0: a normal impulse moves nothing
  never_ends,                 // it sticks where impulses do not slow the approach: A is singular and
                              // v is no velocity of its mechanism
  out_of_range,               // impulses or energies that a double does not hold
  too_many_steps,             // in space: the integration did not come to an end
};

/// In which order the pauses of [Morgan2011, figure 2.8] came: the normal one, where compression ends, and
/// the tangential one, where sliding stops.
enum class ImpactPath : std::uint8_t {
  none,                  // not resolved
  stops_in_compression,  // a-b-e: the tangential pause, then the normal one
  never_stops,           // a-c-e: the normal pause alone (or nothing slid at the start)
  stops_in_expansion,    // the normal pause, then the tangential one
};

/// What became of sliding.
enum class ImpactSlip : std::uint8_t {
  none,            // not resolved
  slides_through,  // from start to end; in space it may turn
  stops_and_sticks,
  stops_and_reverses,  // in space: leaves in the one direction in which it can
  sticks_throughout,   // v_t = 0 at the start, and friction holds it
  breaks_loose,        // v_t = 0 at the start, and friction cannot hold it
};

enum class ImpactEvent : std::uint8_t {
  start,
  tangential_pause,  // sliding stops
  normal_pause,      // compression ends: E_n is least
  end,
};

/// How far an impact has come at one of its moments.
struct ImpactPhase {
  ImpactEvent event = ImpactEvent::start;
  double p_n = 0;  // N s
  double E_n = 0;  // J, work of the normal impulse on the bodies
  double E_f = 0;  // J, work of friction on the bodies
};

/// The moments of an impact in the order in which they came.
struct ImpactHistory {
  int count = 0;
  std::array<ImpactPhase, 4> phase{};

  /// The last moment; zeros of an impact that was not resolved.
  const ImpactPhase& end() const { return phase[count > 0 ? count - 1 : 0]; }
  /// nullptr where the moment did not come.
  const ImpactPhase* find(ImpactEvent event) const;
};

/// What the impacts of planar_impact() and spatial_impact() tell besides impulses and velocities.
struct ImpactReport {
  ImpactStatus status = ImpactStatus::refused;
  ImpactReason reason = ImpactReason::none;
  ImpactPath path = ImpactPath::none;
  ImpactSlip slip = ImpactSlip::none;
  bool jam = false;     // friction drove the bodies together at first: a_nn - μ |a_nt| < 0
  bool wedged = false;  // friction held them at the normal pause and nothing was returned, whatever e is
  bool recompressed = false;  // in space: they approached again before all was returned
  ImpactHistory history;
};

/// u += L p, with the columns of L = M⁻¹ Jᵀ one after the other, [p.size() × u.size()].
void apply_impulse(std::span<const double> L, std::span<const double> p, std::span<double> u);

std::string_view to_string(ImpactStatus status);
std::string_view to_string(ImpactReason reason);
std::string_view to_string(ImpactPath path);
std::string_view to_string(ImpactSlip slip);
std::string_view to_string(ImpactEvent event);

}  // namespace pawl
