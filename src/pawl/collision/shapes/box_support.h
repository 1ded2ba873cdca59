#pragma once
// Support points of boxes; segments and points are boxes of zero width.

#include <algorithm>
#include <cmath>

#include <pawl/geometry.h>

namespace pawl::internal {

/// CoreOps::support_near for the box |x_i| ≤ half_i.
inline Vec3 box_support_near(const Convex& shape, const Vec3& d, const Vec3& target, double rounding) {
  const auto along = [&](int i) {
    if (shape.half[i] * std::abs(d[i]) <= rounding)
      return std::clamp(target[i], -shape.half[i], shape.half[i]);
    return d[i] > 0 ? shape.half[i] : -shape.half[i];
  };
  return {along(0), along(1), along(2)};
}

}  // namespace pawl::internal
