#pragma once
// Closed forms for pairs of points, segments, boxes and ellipsoids.

#include <pawl/geometry/polish.h>

namespace pawl {

/// The points center ± half; half = 0 is a point.
struct Segment {
  Vec3 center, half;  // m
};

/// In any frame that both are given in; planar: in z = 0.
Optimum separation_of(const Segment& a, const Segment& b, bool planar);

/// A point and a box |x_i| ≤ half_i, in the box's frame; the normal points out of the box.
Optimum separation_from_box(const Vec3& point, const Vec3& half, bool planar);

/// A point and an ellipsoid Σ (x_i/half_i)² ≤ 1, in its frame; the normal points out of the ellipsoid.
Optimum separation_from_ellipsoid(const Vec3& point, const Vec3& half, bool planar);

}  // namespace pawl
