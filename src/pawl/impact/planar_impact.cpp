#include <pawl/impact.h>

#include <algorithm>
#include <array>
#include <cmath>

#include <pawl/impact/impulse_trajectory.h>

namespace pawl {

using namespace internal;

namespace {

ImpactReason validate(const PlanarContact& c) {
  for (const double x : {c.a_nn, c.a_nt, c.a_tt, c.v_n, c.v_t, c.mu, c.mu_static, c.e}) {
    if (!std::isfinite(x)) return ImpactReason::not_finite;
  }
  if (c.e < 0 || c.e > 1) return ImpactReason::restitution_out_of_range;
  if (c.mu < 0) return ImpactReason::negative_friction;
  if (c.mu_static < c.mu) return ImpactReason::static_below_dynamic;
  if (c.a_nn < 0 || c.a_tt < 0) return ImpactReason::not_positive_semidefinite;
  const double coupling = std::abs(c.a_nt), bound = std::sqrt(c.a_nn) * std::sqrt(c.a_tt);
  if (coupling > (1 + kIndefinite) * bound) return ImpactReason::not_positive_semidefinite;
  if (c.v_n < 0 && c.a_nn == 0) return ImpactReason::normal_immovable;
  return ImpactReason::none;
}

ImpactUnits units_of(const PlanarContact& c) {
  return {std::ilogb(std::max(-c.v_n, std::abs(c.v_t))), std::ilogb(c.a_nn)};
}

PlanarContact in_units(PlanarContact c, const ImpactUnits& units) {
  for (double* a : {&c.a_nn, &c.a_nt, &c.a_tt}) *a = std::ldexp(*a, -units.a);
  for (double* v : {&c.v_n, &c.v_t}) *v = std::ldexp(*v, -units.v);
  return c;
}

/// [Morgan2011, (2.12)] with the direction of sliding, ±1.
SlidingRates sliding(const PlanarContact& c, double direction) {
  return {c.a_nn - c.mu * direction * c.a_nt, direction * c.a_nt - c.mu * c.a_tt, c.mu};
}

/// From v_t = 0 to the end. Returns false if nothing ends the impact.
bool from_rest(const PlanarContact& c, ImpulseTrajectory& trajectory, PlanarImpact& out) {
  const bool from_start = c.v_t == 0;
  const double p_before = trajectory.p_n;
  // Sticking needs the friction m p_n [Morgan2011, (3.1)] with |m| ≤ μ_static. If a_tt = 0 nothing slides.
  if (std::abs(c.a_nt) <= c.mu_static * c.a_tt) {
    out.slip = from_start ? ImpactSlip::sticks_throughout : ImpactSlip::stops_and_sticks;
    const double schur =
        c.a_tt > 0 ? difference_of_products(c.a_nn, c.a_tt, c.a_nt, c.a_nt) / c.a_tt : c.a_nn;
    const double speed = std::max(-c.v_n, std::abs(c.v_t));
    if (!trajectory.stick(schur > kSingular * c.a_nn ? schur : 0, kNegligible * speed)) return false;
    if (c.a_tt > 0) out.p_t -= c.a_nt / c.a_tt * (trajectory.p_n - p_before);
    out.v_t = 0;
    return true;
  }
  // Friction cannot balance a_nt p_n, so sliding starts in the direction of a_nt. There a_nn > μ |a_nt|,
  // because μ a_tt < |a_nt| and a_nt² ≤ a_nn a_tt.
  out.slip = from_start ? ImpactSlip::breaks_loose : ImpactSlip::stops_and_reverses;
  const double direction = std::copysign(1, c.a_nt);
  if (trajectory.advance_sliding_phase(sliding(c, direction)) != SlidingPhaseEnd::impact_ended) return false;
  out.p_t -= direction * c.mu * (trajectory.p_n - p_before);
  out.v_t = direction * trajectory.slip;
  return true;
}

/// Resolves a contact in scaled units. Returns false if nothing ends the impact.
bool resolve(const PlanarContact& c, PlanarImpact& out) {
  ImpulseTrajectory trajectory(c.v_n, std::abs(c.v_t), c.e, out);
  SlidingPhaseEnd reached = SlidingPhaseEnd::slip_stopped;
  if (c.v_t != 0) {
    const double direction = std::copysign(1, c.v_t);
    const SlidingRates rates = sliding(c, direction);
    out.jam = rates.normal < 0;
    out.slip = ImpactSlip::slides_through;
    reached = trajectory.advance_sliding_phase(rates);
    out.p_t = -(direction * c.mu * trajectory.p_n);
    out.v_t = direction * trajectory.slip;
  }
  if (reached == SlidingPhaseEnd::nothing) return false;
  if (reached == SlidingPhaseEnd::slip_stopped && !from_rest(c, trajectory, out)) return false;
  out.p_n = trajectory.p_n;
  out.v_n = trajectory.v_n;
  return true;
}

PlanarImpact not_resolved(const PlanarContact& c, ImpactStatus status, ImpactReason reason) {
  PlanarImpact out;
  out.status = status;
  out.reason = reason;
  out.v_n = c.v_n;
  out.v_t = c.v_t;
  return out;
}

}  // namespace

PlanarImpact planar_impact(const PlanarContact& contact) {
  const ImpactReason problem = validate(contact);
  if (problem != ImpactReason::none) return not_resolved(contact, ImpactStatus::refused, problem);
  if (contact.v_n >= 0) {
    return not_resolved(contact, ImpactStatus::unchanged,
                        contact.v_n > 0 ? ImpactReason::separating : ImpactReason::resting);
  }
  const ImpactUnits units = units_of(contact);
  PlanarImpact out;
  if (!resolve(in_units(contact, units), out)) {
    return not_resolved(contact, ImpactStatus::refused, ImpactReason::never_ends);
  }
  out.status = ImpactStatus::resolved;
  out.path = path_of(out.history);
  std::array<double, 2> p{out.p_n, out.p_t}, v{out.v_n, out.v_t};
  if (!units.convert_back(out.history, p, v)) {
    return not_resolved(contact, ImpactStatus::refused, ImpactReason::out_of_range);
  }
  out.p_n = p[0], out.p_t = p[1];
  out.v_n = v[0], out.v_t = v[1];
  return out;
}

}  // namespace pawl
