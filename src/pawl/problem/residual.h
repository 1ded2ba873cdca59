#pragma once
// The one judge of every solver: how far an answer is from the laws themselves.

#include <span>

#include <pawl/problem/contact_problem.h>

namespace pawl {

/// Worst figures over the contacts of one problem. All are ≥ 0, and 0 where the law holds exactly.
struct Residual {
  double natural_map = 0;       // dimensionless, contact by contact; the figure that decides a step's status
  double momentum = 0;          // dimensionless: |M (v⁺ - v_free) - Jᵀ p| against its largest term
  double penetration_rate = 0;  // m/s: violation of u_n + ζ ≥ 0
  double tension = 0;           // N s: violation of p_n ≥ 0
  double complementarity = 0;   // J: |p_n (u_n + ζ)|
  double friction_excess = 0;   // N s: how far p_f lies outside F(μ p_n)
  double work_defect = 0;       // J: what the friction impulse could have dissipated more, and did not
  double energy_gain = 0;       // J: friction that does positive work, u_f · p_f > 0

  /// Every law holds to `tolerance`.
  bool within(double tolerance) const { return natural_map <= tolerance && momentum <= tolerance; }
};

/// The worse of two, figure by figure.
Residual worst(const Residual& a, const Residual& b);

/// Judges the impulses p by the laws of `problem`. The velocities that follow from p are computed here and
/// given back: u of the contacts and, where the problem has motion rows, v_next. Nothing a solver says of
/// itself is used.
Residual judge(const ContactProblem& problem, std::span<const double> p, std::span<double> u,
               std::span<double> v_next);

}  // namespace pawl
