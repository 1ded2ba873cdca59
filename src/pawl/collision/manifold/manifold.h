#pragma once
// The points of contact of two shapes.

#include <array>
#include <cstdint>

#include <pawl/base/vec.h>

namespace pawl {

/// One place of possible contact. Its gap is a function of the two poses by itself: that of the two features
/// (vertex, side, face, …) that `feature` names, whose rate is normal · (velocity of a's point - of b's).
struct ManifoldPoint {
  double gap = 0;         // m, negative where they overlap
  Vec3 normal;            // world axes, unit, out of b into a
  Vec3 point_a, point_b;  // on the two surfaces, world, m; point_a - point_b = gap · normal
  /// Tells it from the others of the pair, the same from step to step: the name of a's feature in the upper
  /// 32 bits, of b's in the lower.
  std::uint64_t feature = 0;
};

/// What carries a rest: face on face gives the corners of the common polygon, thinned out to those that
/// spread the widest; an edge on a face 2; a lying cylinder or capsule 2; a standing cylinder 4 around its
/// rim or more. Faces that are tilted against each other by a few degrees have all their corners too, as far
/// as they are within reach.
struct Manifold {
  static constexpr int kMaxPoints = 8;
  int count = 0;
  std::array<ManifoldPoint, kMaxPoints> points;
};

}  // namespace pawl
