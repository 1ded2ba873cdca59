#pragma once
// Integrals of 1, x and x xᵀ, which add up over the parts of a solid. Internal to geometry/.

#include <pawl/collision/shapes/mass_properties.h>

namespace pawl::internal {

/// Over lines, areas and volumes alike.
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

/// Of all x + y, where x runs over a and y over b: ∫∫ (x + y)(x + y)ᵀ and so on.
inline Moments sum_of_points(const Moments& a, const Moments& b) {
  return {a.zeroth * b.zeroth, b.zeroth * a.first + a.zeroth * b.first,
          b.zeroth * a.second + symmetric(a.first, b.first) + a.zeroth * b.second};
}

/// Turned into mass, centre and inertia; the moments are about `origin`. Nothing has mass 0.
inline MassProperties to_mass_properties(const Moments& moments, const Vec3& origin, bool planar) {
  if (moments.zeroth == 0) return {0, origin, {}};
  const Vec3 c = moments.first / moments.zeroth;
  const Mat3 central_second = moments.second - moments.zeroth * outer(c, c);  // about the centre
  const Mat3 inertia = planar ? trace(central_second) * Mat3::identity()
                              : trace(central_second) * Mat3::identity() - central_second;
  return {moments.zeroth, origin + c, inertia};
}

}  // namespace pawl::internal
