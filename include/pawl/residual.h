#pragma once
// The one judge of every solver: how far an answer is from the laws of contact and friction.

#include <algorithm>
#include <span>
#include <vector>

#include <pawl/contact_problem.h>

namespace pawl {

/// Relative tolerance of the momentum balance, which ties velocities found by a solver to its impulses. It is
/// above rounding because a light body between heavy ones moves by the difference of large impulses.
inline constexpr double kMomentumRounding = 3e-13;

/// Worst violations over the rows of one problem. All are ≥ 0, and 0 where the law holds exactly.
struct Residual {
  double natural_map = 0;       // dimensionless, per contact; decides the status of a step
  double cone_map = 0;          // dimensionless, all ellipsoidal contacts together; see judge()
  double momentum = 0;          // dimensionless: |M (v⁺ - v_free) - Jᵀ p| relative to its terms
  double bilateral = 0;         // dimensionless: |u| of bilateral rows relative to their velocity scale
  double penetration_rate = 0;  // m/s: violation of u_n + ζ ≥ 0
  double tension = 0;           // N s: violation of p_n ≥ 0
  double complementarity = 0;   // J: |p_n (u_n + ζ)|
  double friction_excess = 0;   // N s: distance of p_f from F(μ p_n), in units of its radii
  double work_defect = 0;       // J: maximum dissipation minus that of the friction impulse
  double energy_gain = 0;       // J: positive work of friction, u_f · p_f > 0

  /// The largest of the deciding residuals; answers are compared by it.
  double worst() const { return std::max({natural_map, cone_map, bilateral, momentum}); }
  /// True if every law holds to `tolerance` and momentum to kMomentumRounding.
  bool within(double tolerance) const {
    return natural_map <= tolerance && cone_map <= tolerance && bilateral <= tolerance &&
           momentum <= kMomentumRounding;
  }
};

/// Component-wise maximum.
Residual worst(const Residual& a, const Residual& b);

/// Scratch of judge(): pass the same object again to avoid allocation.
struct JudgeScratch {
  std::vector<double> impulse;              // Jᵀ p
  std::vector<double> terms;                // |J|ᵀ |p|
  std::vector<double> energy;               // [mass blocks] Δvᵀ M Δv
  std::vector<double> mass_weighted;        // rows of J L⁻ᵀ of one mass block
  std::vector<double> mobility;             // [rows of a block] W_rr
  std::vector<double> velocity_bound;       // [rows of a block] m/s, the largest speed with that energy
  std::vector<double> free;                 // [rows] J v_free + shift, recomputed
  std::vector<double> abs_velocity_change;  // [rows] m/s, change by the impulses
  std::vector<double> rounding;  // [rows] m/s, rounding error of u, from the velocities of the bodies
  std::vector<int> component;    // [blocks, then bodies] first block of the connected component
  struct Velocities {
    double own = 0;      // m/s, without impulses
    double changed = 0;  // m/s, change by the impulses
    bool idle = false;   // contact that separates without impulse
  };
  std::vector<Velocities> velocities;  // [blocks]
  std::vector<Velocities> largest;     // [blocks] maximum over a component, stored at its first block
  std::vector<int> active_blocks;      // blocks with impulses or moved by others
};

/// Judges the impulses p by the laws of `problem`. The velocities that follow from p are computed here: u of
/// the rows and, in primal form, v_next. No intermediate result of a solver is used.
///
/// `cone_map` is the error other codes report: ‖p - P_K(p - (u + μ h(-u_f) n))‖₂ / max(‖b‖, ‖p‖, ‖u‖) with K
/// the friction cone and h the support function of F(1) (‖u_f‖ for a disc), in units of the radii and with ζ
/// added to u_n and b_n. It covers contacts with ellipsoids and without friction. It mixes units and hides
/// small contacts behind large ones; natural_map does neither.
Residual judge(const ContactProblem& problem, std::span<const double> p, std::span<double> u,
               std::span<double> v_next, JudgeScratch& scratch);

/// The same for a problem in primal form whose velocities v_next were found along with p: u = J v_next + C p,
/// and the momentum balance ties v_next to p.
Residual judge_motion(const ContactProblem& problem, std::span<const double> p,
                      std::span<const double> v_next, std::span<double> u, JudgeScratch& scratch);

/// The residual of impulses alone, for callers who need neither velocities nor speed.
Residual judge(const ContactProblem& problem, std::span<const double> p);

}  // namespace pawl
