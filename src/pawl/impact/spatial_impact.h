#pragma once
// One contact strikes in space: the impulses of Coulomb's friction and Stronge's energetic restitution, by
// integration over the normal impulse where sliding turns and in closed form where it does not [Morgan2011,
// chapter 4].

#include <pawl/base/vec.h>
#include <pawl/impact/impact.h>

namespace pawl {

/// As PlanarContact, in the order n, t, o. Friction lies in the ellipse (f_t/e_t)² + (f_o/e_o)² ≤ (μ f_n)²
/// and takes from sliding as much power as it can.
struct SpatialContact {
  Mat3 A;                    // J M⁻¹ Jᵀ, 1/kg; its lower triangle is not looked at
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
  int steps = 0;  // of the integration; 0 where all is in closed form
};

SpatialImpact spatial_impact(const SpatialContact& contact);

}  // namespace pawl
