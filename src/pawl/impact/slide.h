#pragma once
// Sliding in space over the normal impulse. With the slip w = ρ d, |d| = 1, measured by the radii of the
// friction ellipse and along the axes in which A's tangential block C is diagonal,
//   dw/dp_n = b - μ C d.
// The right side has no limit at w = 0. With dτ = dp_n / ρ the direction has a law of its own,
//   d' = T(d) d⊥,  (ln ρ)' = R(d),
// which is regular all the way to w = 0: ρ fades like an exponential and the impulse converges.

#include <array>

#include <pawl/impact/impulse_trajectory.h>

namespace pawl::internal {

using Vec2 = std::array<double, 2>;

/// What the contact does to sliding and to the normal velocity.
struct SlideLaw {
  double a_nn = 0;
  Vec2 b{}, c{};  // of A: the normal row's tangential entries, and the diagonal of C
  double mu = 0;

  double radial(const Vec2& d) const;     // R
  double angular(const Vec2& d) const;    // T
  double stiffness(const Vec2& d) const;  // dT/dθ
  double normal_rate(const Vec2& d) const { return a_nn - mu * (b[0] * d[0] + b[1] * d[1]); }
  SlidingRates rates(const Vec2& d) const { return {normal_rate(d), radial(d), mu}; }

  /// The friction over p_n that holds w = 0, and what the normal impulse then does to v_n.
  Vec2 sticking_friction() const;
  double sticking_normal_rate() const;
  /// The one direction in which sliding can begin at w = 0 where friction does not hold it: b - μ C d = R d
  /// with R > 0.
  Vec2 breakaway_direction() const;
};

/// Slides on from a course with slip, along d and with the tangential impulse g so far, until sliding stops
/// or the impact ends. Each step is within `tolerance`, relative; where the direction does not turn any more
/// the rest is straight, in closed form. Other than `none` where nothing ends it or it takes too many steps.
ImpactReason slide(const SlideLaw& law, double tolerance, ImpulseTrajectory& trajectory, Vec2& d, Vec2& g,
                   int& steps);

}  // namespace pawl::internal
