#pragma once
// The impulses that a contact may carry at given velocities.

#include <array>
#include <span>

#include <pawl/friction_set.h>

namespace pawl::internal {

inline constexpr int kMaxConeRows = 4;  // of a contact
using ConeEdge = std::array<double, kMaxConeRows>;
using ConeMatrix = std::array<double, kMaxConeRows * kMaxConeRows>;

/// Those of the friction cone K that do the most work: K ∩ (w + μ h(-w_f) n)⊥, again a cone.
struct ImpulseCone {
  /// Friction entries with |x| ≤ μ x_n; where they slide, x = μ x_n direction.
  struct Ball {
    int begin = 0, size = 0;
    bool slides = false;
    FrictionVector direction{};
  };
  bool separating = false;  // separates: carries nothing
  double mu = 0;
  std::array<Ball, 2> ball;
  int balls = 0;
  int first_edge = 0, edges = 0;  // polyhedra have no balls: their cones are spanned by edges
};

/// x := the point of a cone nearest to z [n], and the slopes of this map [n × n].
void project_on_cone(const ImpulseCone& cone, std::span<const ConeEdge> edges, int n, const double* z,
                     double* x, ConeMatrix& jacobian);

/// The projector on the linear span of a cone.
void project_on_span(const ImpulseCone& cone, std::span<const ConeEdge> edges, int n, ConeMatrix& Q);

}  // namespace pawl::internal
