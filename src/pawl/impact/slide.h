#pragma once
// Sliding in space as a function of the normal impulse. The slip w = ρ d, |d| = 1, is in units of the radii
// of the friction ellipse and along the axes in which the tangential block C of A is diagonal:
//   dw/dp_n = b − μ C d.
// The right side has no limit at w = 0. With dτ = dp_n / ρ the direction has an autonomous law,
//   d' = T(d) d⊥,  (ln ρ)' = R(d),
// which is regular up to w = 0: ρ decays exponentially and the impulse converges.

#include <array>

#include <pawl/impact/impulse_trajectory.h>

namespace pawl::internal {

using Vec2 = std::array<double, 2>;

/// The coefficients of the sliding law and of the normal velocity.
struct SlideLaw {
  double a_nn = 0;
  Vec2 b{}, c{};  // of A: tangential entries of the normal row, and the diagonal of C
  double mu = 0;

  double radial(const Vec2& d) const;     // R
  double angular(const Vec2& d) const;    // T
  double stiffness(const Vec2& d) const;  // dT/dθ
  double normal_rate(const Vec2& d) const { return a_nn - mu * (b[0] * d[0] + b[1] * d[1]); }
  SlidingRates rates(const Vec2& d) const { return {normal_rate(d), radial(d), mu}; }

  /// The friction per p_n that keeps w = 0, and dv_n/dp_n while sticking.
  Vec2 sticking_friction() const;
  double sticking_normal_rate() const;
  /// The unique direction in which sliding starts from w = 0 if friction cannot hold it: b − μ C d = R d with
  /// R > 0.
  Vec2 breakaway_direction() const;
};

/// Continues a trajectory with slip along d and tangential impulse g, until sliding stops or the impact ends.
/// Each step has relative error at most `tolerance`; once the direction is invariant, the rest is straight
/// and in closed form. Returns a reason other than `none` if nothing ends the impact or after
/// kMaxSteps steps.
ImpactReason slide(const SlideLaw& law, double tolerance, ImpulseTrajectory& trajectory, Vec2& d, Vec2& g,
                   int& steps);

}  // namespace pawl::internal
