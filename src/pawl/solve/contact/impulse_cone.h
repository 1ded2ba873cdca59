#pragma once
// Cone of the impulses that a contact may carry at given velocities.

#include <array>
#include <span>

#include <pawl/friction_set.h>

namespace pawl::internal {

inline constexpr int kMaxConeRows = 4;  // max rows of a contact
using ConeEdge = std::array<double, kMaxConeRows>;
using ConeMatrix = std::array<double, kMaxConeRows * kMaxConeRows>;

/// Impulses of the friction cone K with maximum dissipation: K ∩ (w + μ h(-w_f) n)⊥, a cone again.
struct ImpulseCone {
  /// Friction entries with |x| ≤ μ x_n; x = μ x_n direction while sliding.
  struct Ball {
    int begin = 0, size = 0;
    bool slides = false;
    FrictionVector direction{};
  };
  bool separating = false;  // the contact carries no impulse
  double mu = 0;
  std::array<Ball, 2> ball;
  int balls = 0;
  int first_edge = 0, edges = 0;  // polyhedra have no balls: edges span their cones
};

/// x := the point of the cone nearest to z [n]; also the Jacobian of this map [n × n].
void project_on_cone(const ImpulseCone& cone, std::span<const ConeEdge> edges, int n, const double* z,
                     double* x, ConeMatrix& jacobian);

/// Orthogonal projector on the linear span of the cone.
void project_on_span(const ImpulseCone& cone, std::span<const ConeEdge> edges, int n, ConeMatrix& Q);

}  // namespace pawl::internal
