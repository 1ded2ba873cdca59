#pragma once
// The one judge of every solver: how far an answer is from the laws themselves.

#include <algorithm>
#include <span>
#include <vector>

#include <pawl/problem/contact_problem.h>

namespace pawl {

/// How far momentum may be off, relatively. Velocities found by themselves and not from the impulses answer
/// for it; a light body between heavy ones is moved by the difference of forces that are known to rounding,
/// and what contacts say of its velocity is far more exact.
inline constexpr double kMomentumRounding = 1e-13;

/// Worst figures over the rows of one problem. All are ≥ 0, and 0 where the law holds exactly.
struct Residual {
  double natural_map = 0;       // dimensionless, contact by contact; the figure that decides a step's status
  double cone_map = 0;          // one figure for all contacts with ellipsoids; see below
  double momentum = 0;          // dimensionless: |M (v⁺ - v_free) - Jᵀ p| against its terms
  double bilateral = 0;         // dimensionless: |u| of bilateral rows, against what moves them
  double penetration_rate = 0;  // m/s: violation of u_n + ζ ≥ 0
  double tension = 0;           // N s: violation of p_n ≥ 0
  double complementarity = 0;   // J: |p_n (u_n + ζ)|
  double friction_excess = 0;   // N s: how far p_f lies outside F(μ p_n), in the measure of its radii
  double work_defect = 0;       // J: what the friction impulse could have dissipated more, and did not
  double energy_gain = 0;       // J: friction that does positive work, u_f · p_f > 0

  /// The worst of the figures that decide, by which answers are compared.
  double worst() const { return std::max({natural_map, cone_map, bilateral, momentum}); }
  /// Every law holds to `tolerance`, and momentum to rounding.
  bool within(double tolerance) const {
    return natural_map <= tolerance && cone_map <= tolerance && bilateral <= tolerance &&
           momentum <= kMomentumRounding;
  }
};

/// The worse of two, figure by figure.
Residual worst(const Residual& a, const Residual& b);

/// Memory of judge().
struct JudgeScratch {
  std::vector<double> impulse;        // Jᵀ p
  std::vector<double> terms;          // |J|ᵀ |p|
  std::vector<double> energy;         // [mass blocks] Δvᵀ M Δv
  std::vector<double> mass_weighted;  // rows of J L⁻ᵀ in one mass block
  std::vector<double> mobility,
      velocity_bound;                       // [rows of a block] W_rr, and how fast it could be by that energy
  std::vector<double> free;                 // [rows] J v_free + shift, which b should be and need not
  std::vector<double> abs_velocity_change;  // [rows] m/s: what impulses do to it
  std::vector<int> component;               // [blocks, then bodies] the first block of all that hang together
  struct Velocities {
    double own = 0;      // m/s, without impulse
    double changed = 0;  // m/s, by impulses
    bool idle = false;   // of a contact: it separates without impulse
  };
  std::vector<Velocities> velocities;  // [blocks]
  std::vector<Velocities> largest;     // [blocks] of a component, under its first block
  std::vector<int> active_blocks;      // blocks that act, or that others move
};

/// Judges the impulses p by the laws of `problem`. The velocities that follow from p are computed here and
/// given back: u of the rows and, where the problem is factored, v_next. Nothing a solver says of itself is
/// used.
///
/// `cone_map` is the figure other codes report, ‖p - P_K(p - (u + μ h(-u_f) n))‖₂ / max(‖b‖, ‖p‖, ‖u‖) with K
/// the friction cone and h the support function of F(1) (‖u_f‖ for a disc), all in the measure of the
/// radii and with ζ added to u_n and b_n; over the contacts with ellipsoids and without friction. It mixes
/// units and lets small contacts hide behind large ones; natural_map does neither.
Residual judge(const ContactProblem& problem, std::span<const double> p, std::span<double> u,
               std::span<double> v_next, JudgeScratch& scratch);

/// The same for a factored problem whose velocities v_next were found along with p: u = J v_next, and the
/// balance of momentum ties them to p.
Residual judge_motion(const ContactProblem& problem, std::span<const double> p,
                      std::span<const double> v_next, std::span<double> u, JudgeScratch& scratch);

}  // namespace pawl
