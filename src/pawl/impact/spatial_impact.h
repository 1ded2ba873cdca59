#pragma once
// Spatial impact of one contact with Coulomb friction and Stronge's energetic restitution. Integrated over
// the normal impulse while the direction of sliding changes, else in closed form [Morgan2011, chapter 4].

#include <pawl/base/vec.h>
#include <pawl/impact/impact.h>

namespace pawl {

/// As PlanarContact, in the order n, t, o. Friction lies in the ellipse (f_t/e_t)² + (f_o/e_o)² ≤ (μ f_n)²
/// and maximises the power taken from sliding.
struct SpatialContact {
  Mat3 A;                    // J M⁻¹ Jᵀ, 1/kg; the lower triangle is ignored
  Vec3 v;                    // m/s
  double mu = 0;             // sliding friction
  double mu_static = 0;      // static friction, ≥ mu
  double e = 0;              // energetic restitution, in [0, 1]
  double e_t = 1, e_o = 1;   // radii of the ellipse
  double tolerance = 1e-10;  // relative, per integration step
};

struct SpatialImpact : ImpactReport {
  Vec3 p;         // N s
  Vec3 v;         // m/s, after the impact
  int steps = 0;  // integration steps; 0 if all is in closed form
};

SpatialImpact spatial_impact(const SpatialContact& contact);

}  // namespace pawl
