#include <pawl/impact.h>

#include <algorithm>
#include <array>
#include <cmath>

#include <pawl/base/tolerances.h>
#include <pawl/impact/slide.h>

namespace pawl {

using namespace internal;

namespace {

/// As kNegligible, after an integration: up to this many tolerances.
constexpr double kNegligibleSteps = 100;

/// From the correlations of A, which do not depend on units.
bool positive_semidefinite(const Mat3& A) {
  Vec3 r;  // correlations of n t, n o, t o
  for (int k = 0; k < 3; ++k) {
    const int i = k == 2 ? 1 : 0, j = k == 0 ? 1 : 2;
    if (A(k, k) < 0) return false;
    const double bound = std::sqrt(A(i, i)) * std::sqrt(A(j, j));
    if (std::abs(A(i, j)) > (1 + kIndefinite) * bound) return false;
    r[k] = bound > 0 ? A(i, j) / bound : 0;
  }
  return 1 + 2 * r.x * r.y * r.z - dot(r, r) >= -kIndefinite;
}

ImpactReason validate(const SpatialContact& c) {
  for (const Vec3& row : c.A.row) {
    if (!is_finite(row)) return ImpactReason::not_finite;
  }
  if (!is_finite(c.v)) return ImpactReason::not_finite;
  for (const double x : {c.mu, c.mu_static, c.e, c.e_t, c.e_o, c.tolerance}) {
    if (!std::isfinite(x)) return ImpactReason::not_finite;
  }
  if (c.e < 0 || c.e > 1) return ImpactReason::restitution_out_of_range;
  if (c.mu < 0 || c.e_t < 0 || c.e_o < 0) return ImpactReason::negative_friction;
  if (c.mu_static < c.mu) return ImpactReason::static_below_dynamic;
  if (c.tolerance < tolerances::kSum || c.tolerance > tolerances::kCoarse) return ImpactReason::bad_tolerance;
  if (!positive_semidefinite(c.A)) return ImpactReason::not_positive_semidefinite;
  if (c.v.x < 0 && c.A(0, 0) == 0) return ImpactReason::normal_immovable;
  return ImpactReason::none;
}

/// The tangents, scaled by the radii and rotated to the principal axes of A's tangential block.
struct TangentFrame {
  Vec2 radii{1, 1};
  double cosine = 1, sine = 0;

  Vec2 to_axes(const Vec2& x) const {  // for velocities: û = e u, then rotate
    const double t = radii[0] * x[0], o = radii[1] * x[1];
    return {cosine * t + sine * o, cosine * o - sine * t};
  }
  Vec2 from_axes(const Vec2& x) const {  // for impulses: rotate back, then p = e p̂
    return {radii[0] * (cosine * x[0] - sine * x[1]), radii[1] * (sine * x[0] + cosine * x[1])};
  }
};

/// The sliding law in the principal axes of friction, which are written to `frame`.
SlideLaw law_of(const SpatialContact& c, TangentFrame& frame) {
  frame.radii = {c.e_t, c.e_o};
  const double tt = c.e_t * c.e_t * c.A(1, 1), to = c.e_t * c.e_o * c.A(1, 2), oo = c.e_o * c.e_o * c.A(2, 2);
  SlideLaw law{c.A(0, 0), {}, {tt, oo}, c.mu};
  if (to != 0) {  // one Jacobi rotation
    const double cotangent = (tt - oo) / (2 * to);
    const double tangent = std::copysign(1 / (std::abs(cotangent) + std::hypot(1, cotangent)), cotangent);
    frame.cosine = 1 / std::hypot(1, tangent);
    frame.sine = tangent * frame.cosine;
    law.c = {tt + tangent * to, oo - tangent * to};
  }
  law.b = frame.to_axes({c.A(0, 1), c.A(0, 2)});
  // Along an immovable axis the entries are rounding only.
  const double max_c = std::max(law.c[0], law.c[1]);
  for (int i = 0; i < 2; ++i) {
    if (law.c[i] <= (to != 0 ? kSingular * max_c : 0)) law.c[i] = law.b[i] = 0;
  }
  return law;
}

ImpactUnits units_of(const SpatialContact& c) {
  return {std::ilogb(std::max({-c.v.x, std::abs(c.v.y), std::abs(c.v.z)})), std::ilogb(c.A(0, 0))};
}

/// Scales the units, symmetrises A, and normalises the larger radius to 1.
SpatialContact in_units(SpatialContact c, const ImpactUnits& units) {
  for (int i = 0; i < 3; ++i) {
    for (int j = i; j < 3; ++j) c.A(i, j) = c.A(j, i) = std::ldexp(c.A(i, j), -units.a);
    c.v[i] = std::ldexp(c.v[i], -units.v);
  }
  const double radius = std::max(c.e_t, c.e_o);
  c.mu *= radius;
  c.mu_static *= radius;
  for (double* r : {&c.e_t, &c.e_o}) *r = radius > 0 ? *r / radius : 1;
  return c;
}

/// From v_t = 0 to the end; g is the tangential impulse in the axes of `law`. False if nothing ends it.
bool from_rest(const SlideLaw& law, const SpatialContact& c, bool from_start, ImpulseTrajectory& trajectory,
               Vec2& g, SpatialImpact& out) {
  const double p_before = trajectory.p_n;
  const Vec2 m = law.sticking_friction();
  Vec2 friction{};  // per p_n
  bool ended = false;
  if (std::hypot(m[0], m[1]) <= c.mu_static) {
    out.slip = from_start ? ImpactSlip::sticks_throughout : ImpactSlip::stops_and_sticks;
    const double negligible = out.steps > 0 ? kNegligibleSteps * c.tolerance : kNegligible;
    ended = trajectory.stick(law.sticking_normal_rate(), negligible);
    friction = m;
  } else {
    out.slip = from_start ? ImpactSlip::breaks_loose : ImpactSlip::stops_and_reverses;
    const Vec2 d = law.breakaway_direction();
    ended = trajectory.advance_sliding_phase(law.rates(d)) == SlidingPhaseEnd::impact_ended;
    friction = {-law.mu * d[0], -law.mu * d[1]};
  }
  for (int i = 0; i < 2; ++i) g[i] += friction[i] * (trajectory.p_n - p_before);
  return ended;
}

/// Resolves a contact in scaled units.
ImpactReason resolve(const SpatialContact& c, SpatialImpact& out) {
  TangentFrame frame;
  const SlideLaw law = law_of(c, frame);
  const Vec2 w = frame.to_axes({c.v.y, c.v.z});
  const double slip = std::hypot(w[0], w[1]);
  ImpulseTrajectory trajectory(c.v.x, slip, c.e, out);
  Vec2 g{};
  if (slip > 0) {
    Vec2 d{w[0] / slip, w[1] / slip};
    out.jam = law.normal_rate(d) < 0;
    out.slip = ImpactSlip::slides_through;
    const ImpactReason failure = slide(law, c.tolerance, trajectory, d, g, out.steps);
    if (failure != ImpactReason::none) return failure;
  }
  if (!trajectory.ended() && !from_rest(law, c, slip == 0, trajectory, g, out)) {
    return ImpactReason::never_ends;
  }
  const Vec2 p_t = frame.from_axes(g);
  out.p = {trajectory.p_n, p_t[0], p_t[1]};
  out.v = c.v + c.A * out.p;
  out.v.x = trajectory.v_n;
  if (out.slip == ImpactSlip::stops_and_sticks || out.slip == ImpactSlip::sticks_throughout) {
    if (c.e_t > 0) out.v.y = 0;
    if (c.e_o > 0) out.v.z = 0;
  }
  return ImpactReason::none;
}

SpatialImpact not_resolved(const SpatialContact& c, ImpactStatus status, ImpactReason reason) {
  SpatialImpact out;
  out.status = status;
  out.reason = reason;
  out.v = c.v;
  return out;
}

}  // namespace

SpatialImpact spatial_impact(const SpatialContact& contact) {
  const ImpactReason problem = validate(contact);
  if (problem != ImpactReason::none) return not_resolved(contact, ImpactStatus::refused, problem);
  if (contact.v.x >= 0) {
    return not_resolved(contact, ImpactStatus::unchanged,
                        contact.v.x > 0 ? ImpactReason::separating : ImpactReason::resting);
  }
  const ImpactUnits units = units_of(contact);
  SpatialImpact out;
  const ImpactReason failure = resolve(in_units(contact, units), out);
  if (failure != ImpactReason::none) return not_resolved(contact, ImpactStatus::refused, failure);
  out.status = ImpactStatus::resolved;
  out.path = path_of(out.history);
  std::array<double, 3> p{out.p.x, out.p.y, out.p.z}, v{out.v.x, out.v.y, out.v.z};
  if (!units.convert_back(out.history, p, v)) {
    return not_resolved(contact, ImpactStatus::refused, ImpactReason::out_of_range);
  }
  out.p = {p[0], p[1], p[2]};
  out.v = {v[0], v[1], v[2]};
  return out;
}

}  // namespace pawl
