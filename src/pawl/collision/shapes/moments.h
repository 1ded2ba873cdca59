#pragma once
// Moments of a solid: integrals of 1, x and x xᵀ, which are additive over its parts.

#include <pawl/collision/shapes/mass_properties.h>

namespace pawl::internal {

/// ∫ 1, ∫ x and ∫ x xᵀ over a line, an area or a volume.
struct Moments {
  double zeroth = 0;
  Vec3 first;
  Mat3 second;
};

inline Mat3 symmetric(const Vec3& a, const Vec3& b) {
  return outer(a, b) + outer(b, a);
}

inline Moments& operator+=(Moments& a, const Moments& b) {
  return a = {a.zeroth + b.zeroth, a.first + b.first, a.second + b.second};
}

/// Moments of x + y for x in a and y in b: ∫∫ 1, ∫∫ (x + y), ∫∫ (x + y)(x + y)ᵀ.
inline Moments sum_of_points(const Moments& a, const Moments& b) {
  return {a.zeroth * b.zeroth, b.zeroth * a.first + a.zeroth * b.first,
          b.zeroth * a.second + symmetric(a.first, b.first) + a.zeroth * b.second};
}

/// Mass, centre and inertia from moments about `origin`. An empty solid has mass 0.
inline MassProperties to_mass_properties(const Moments& moments, const Vec3& origin, bool planar) {
  if (moments.zeroth == 0) return {0, origin, {}};
  const Vec3 c = moments.first / moments.zeroth;
  const Mat3 central_second = moments.second - moments.zeroth * outer(c, c);  // about the centre
  const Mat3 inertia = planar ? trace(central_second) * Mat3::identity()
                              : trace(central_second) * Mat3::identity() - central_second;
  return {moments.zeroth, origin + c, inertia};
}

}  // namespace pawl::internal
