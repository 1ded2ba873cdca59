#pragma once
// The closest points of two shapes, or the deepest ones.

#include <pawl/base/vec.h>

namespace pawl {

/// The signed gap of two shapes and where it is.
struct Separation {
  double gap = 0;         // m; negative: how deep they overlap, along the direction of least separation
  Vec3 normal;            // world axes, unit, out of b into a
  Vec3 point_a, point_b;  // on the two surfaces, world, m; point_a - point_b = gap · normal
};

}  // namespace pawl
