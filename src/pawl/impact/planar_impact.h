#pragma once
// One contact strikes in the plane: the impulses of Coulomb's friction and Stronge's energetic restitution in
// closed form [Morgan2011, chapters 2 and 3].

#include <pawl/impact/impact.h>

namespace pawl {

/// A = J M⁻¹ Jᵀ, v = J u before the impact; n points out of the partner, so that v_n < 0 strikes.
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

PlanarImpact planar_impact(const PlanarContact& contact);

}  // namespace pawl
