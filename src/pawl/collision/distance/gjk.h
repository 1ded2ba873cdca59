#pragma once
// The GJK algorithm (Gilbert, Johnson, Keerthi): closest points of two convex cores.

#include <array>

#include <pawl/collision/shapes/support.h>

namespace pawl::internal {

/// Points of a - b and the weights of the point of their hull closest to the origin.
struct Simplex {
  int count = 0;
  std::array<PairSupport, 4> points;
  std::array<double, 4> weights{};
};

/// Bounds of the distance of two cores: `lower` ≤ distance ≤ `upper`.
struct GjkState {
  Simplex simplex;
  Vec3 w;                // closest point of a - b found, in the frame of a, m; its norm is `upper`
  double upper = 0;      // m
  double lower = 0;      // m; 0 if no better bound is known
  bool overlap = false;  // the cores overlap, or touch within rounding
  bool stalled = false;  // no further progress within rounding
};

/// From the centre of the second core to that of the first; an arbitrary direction if they coincide.
Vec3 initial_direction(const CorePair& pair);

/// Starts from the support point along n.
GjkState start_gjk(const CorePair& pair, const Vec3& n);

/// Iterates until upper - lower ≤ tolerance (m), the cores overlap, or rounding stops it. May be called again
/// with a smaller tolerance.
void iterate_gjk(const CorePair& pair, double tolerance, GjkState& nearest);

}  // namespace pawl::internal
