#pragma once
// Planar impact of one contact with Coulomb friction and Stronge's energetic restitution, in closed form
// [Morgan2011, chapters 2 and 3].

#include <pawl/impact/impact.h>

namespace pawl {

/// A = J M⁻¹ Jᵀ, and v = J u before the impact. n points out of the partner, so v_n < 0 is approach.
struct PlanarContact {
  double a_nn = 0, a_nt = 0, a_tt = 0;  // 1/kg
  double v_n = 0, v_t = 0;              // m/s
  double mu = 0;                        // sliding friction
  double mu_static = 0;                 // static friction, ≥ mu
  double e = 0;                         // energetic restitution, in [0, 1]
};

struct PlanarImpact : ImpactReport {
  double p_n = 0, p_t = 0;  // N s
  double v_n = 0, v_t = 0;  // m/s, after the impact
};

PlanarImpact planar_impact(const PlanarContact& contact);

}  // namespace pawl
