#pragma once
// Impacts of a single contact, in the plane and in space (docs/impacts.md).

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include <pawl/math.h>

namespace pawl {

/// What the coefficient of restitution e is a ratio of.
enum class RestitutionLaw : std::uint8_t {
  newton,     // normal velocities
  poisson,    // normal impulses
  energetic,  // e² of the work of the normal force [Stronge1990]; the only law that never gains energy
};
constexpr std::string_view to_string(RestitutionLaw law) {
  switch (law) {
    case RestitutionLaw::newton:
      return "newton";
    case RestitutionLaw::poisson:
      return "poisson";
    case RestitutionLaw::energetic:
      return "energetic";
  }
  return "?";
}

enum class ImpactStatus : std::uint8_t {
  resolved,
  unchanged,  // no approach: velocities unchanged, zero impulse
  refused,    // bad input, or no finite impulse ends it: velocities unchanged, zero impulse
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
  never_ends,                 // sticking does not slow the approach: A is singular and v is not in its range
  out_of_range,               // impulses or energies overflow
  too_many_steps,             // in space: the integration exceeded its step limit
};

/// The order of the pauses in [Morgan2011, figure 2.8]: the normal pause ends compression, the tangential
/// pause ends sliding.
enum class ImpactPath : std::uint8_t {
  none,                  // not resolved
  stops_in_compression,  // a-b-e: the tangential pause, then the normal one
  never_stops,           // a-c-e: the normal pause alone, or no sliding at the start
  stops_in_expansion,    // the normal pause, then the tangential one
};

/// The course of sliding.
enum class ImpactSlip : std::uint8_t {
  none,            // not resolved
  slides_through,  // from start to end; in space the direction may turn
  stops_and_sticks,
  stops_and_reverses,  // in space: along the breakaway direction
  sticks_throughout,   // v_t = 0 at the start, and friction holds
  breaks_loose,        // v_t = 0 at the start, and friction cannot hold
};

enum class ImpactEvent : std::uint8_t {
  start,
  tangential_pause,  // sliding stops
  normal_pause,      // compression ends: E_n is at its minimum
  end,
};

/// The state of an impact at one of its events.
struct ImpactPhase {
  ImpactEvent event = ImpactEvent::start;
  double p_n = 0;  // N s
  double E_n = 0;  // J, work of the normal impulse on the bodies
  double E_f = 0;  // J, work of friction on the bodies
};

/// The events of an impact, in order.
struct ImpactHistory {
  int count = 0;
  std::array<ImpactPhase, 4> phase{};

  /// The last event; zeros if the impact was not resolved.
  const ImpactPhase& end() const { return phase[count > 0 ? count - 1 : 0]; }
  /// nullptr if the event did not occur.
  const ImpactPhase* find(ImpactEvent event) const;
};

/// What planar_impact() and spatial_impact() report besides impulses and velocities.
struct ImpactReport {
  ImpactStatus status = ImpactStatus::refused;
  ImpactReason reason = ImpactReason::none;
  ImpactPath path = ImpactPath::none;
  ImpactSlip slip = ImpactSlip::none;
  bool jam = false;           // friction drives the bodies together at first: a_nn - μ |a_nt| < 0
  bool wedged = false;        // friction holds at the normal pause; no energy is returned for any e
  bool recompressed = false;  // in space: a second approach before all energy was returned
  ImpactHistory history;
};

/// A = J M⁻¹ Jᵀ, v = J u before the impact; n points out of the partner, so v_n < 0 is an approach.
struct PlanarContact {
  double a_nn = 0, a_nt = 0, a_tt = 0;  // 1/kg
  double v_n = 0, v_t = 0;              // m/s
  double mu = 0;                        // of sliding
  double mu_static = 0;                 // of sticking, at least mu
  double e = 0;                         // energetic restitution, 0 … 1
};

struct PlanarImpact : ImpactReport {
  double p_n = 0, p_t = 0;  // N s
  double v_n = 0, v_t = 0;  // m/s, after the impact
};

/// Impact of one contact in the plane with Coulomb friction and energetic restitution, in closed form
/// [Morgan2011, chapters 2 and 3].
PlanarImpact planar_impact(const PlanarContact& contact);

/// As PlanarContact, in the order n, t, o. Friction lies in the ellipse (f_t/e_t)² + (f_o/e_o)² ≤ (μ f_n)²
/// and dissipates the maximum power.
struct SpatialContact {
  Mat3 A;                    // J M⁻¹ Jᵀ, 1/kg; only the upper triangle is read
  Vec3 v;                    // m/s
  double mu = 0;             // of sliding
  double mu_static = 0;      // of sticking, at least mu
  double e = 0;              // energetic restitution, 0 … 1
  double e_t = 1, e_o = 1;   // radii of the ellipse
  double tolerance = 1e-10;  // of each step of the integration, relative
};

struct SpatialImpact : ImpactReport {
  Vec3 p;         // N s
  Vec3 v;         // m/s, after the impact
  int steps = 0;  // of the integration; 0 for a closed form
};

/// Impact of one contact in space: integrated over the normal impulse while the direction of sliding turns,
/// in closed form while it does not [Morgan2011, chapter 4].
SpatialImpact spatial_impact(const SpatialContact& contact);

/// u += L p with L = M⁻¹ Jᵀ stored column by column, [p.size() × u.size()].
void apply_impulse(std::span<const double> L, std::span<const double> p, std::span<double> u);

std::string_view to_string(ImpactStatus status);
std::string_view to_string(ImpactReason reason);
std::string_view to_string(ImpactPath path);
std::string_view to_string(ImpactSlip slip);
std::string_view to_string(ImpactEvent event);

}  // namespace pawl
