#pragma once
// The contact frame.

#include <pawl/model.h>

namespace pawl::internal {

/// The direction t of the contact frame (n, t, o = n × t). In the plane it is n rotated by -90°. In space it
/// is horizontal, z × n, if n is not vertical, and the x axis if it is. It matters for friction polygons and
/// ellipses, not for circles.
Vec3 tangent(const Vec3& normal, bool planar);

}  // namespace pawl::internal
