#include <pawl/collision/shapes/mass_properties.h>

#include <pawl/collision/shapes/core_ops.h>

namespace pawl {

using namespace internal;

namespace {

/// Inertia about a point offset by d from the centre: I + m (|d|² 1 - d dᵀ).
Mat3 parallel_axis(const Mat3& inertia, double mass, const Vec3& d) {
  return inertia + mass * (dot(d, d) * Mat3::identity() - outer(d, d));
}

}  // namespace

MassProperties operator+(const MassProperties& a, const MassProperties& b) {
  const double mass = a.mass + b.mass;
  if (!(mass > 0)) return {};
  const Vec3 center = (a.mass * a.center + b.mass * b.center) / mass;
  return {mass, center,
          parallel_axis(a.inertia, a.mass, a.center - center) +
              parallel_axis(b.inertia, b.mass, b.center - center)};
}

MassProperties internal::symmetric_mass_properties(double mass, const Vec3& mean_square, bool planar) {
  const auto [x, y, z] = mass * mean_square;
  return {mass, {}, planar ? planar_inertia(x + y) : Mat3::diagonal({y + z, x + z, x + y})};
}

MassProperties mass_properties(const Convex& shape) {
  return core_ops(shape).mass_properties(shape);
}

}  // namespace pawl
