#pragma once
// The nearest points of two cores, by the method of Gilbert, Johnson and Keerthi.

#include <array>

#include <pawl/collision/shapes/support.h>

namespace pawl::internal {

/// Points of a - b whose hull comes nearest to the origin, and by which weights.
struct Simplex {
  int count = 0;
  std::array<PairSupport, 4> points;
  std::array<double, 4> weights{};
};

/// What is known of the distance of two cores: `lower` ≤ distance ≤ `upper`.
struct GjkState {
  Simplex simplex;
  Vec3 w;                // nearest point of a - b found, in the frame of a, m; its norm is `upper`
  double upper = 0;      // m
  double lower = 0;      // m; 0 when nothing better is known
  bool overlap = false;  // the cores meet, or come within rounding of it
  bool stalled = false;  // rounding leaves nothing to gain
};

/// From the second core to the first, whatever their centres say.
Vec3 initial_direction(const CorePair& pair);

/// A start that looks along n.
GjkState start_gjk(const CorePair& pair, const Vec3& n);

/// Goes on until upper - lower ≤ tolerance (m), the cores are seen to overlap, or rounding ends it. To be
/// called again with a smaller tolerance.
void iterate_gjk(const CorePair& pair, double tolerance, GjkState& nearest);

}  // namespace pawl::internal
