#pragma once
// What the narrow phase gives: places where two shapes touch or nearly do.

#include <compare>
#include <cstdint>

#include <pawl/base/vec.h>

namespace pawl {

/// Tells a contact from every other, from step to step and run to run. Sorting by it fixes the order of all
/// sums.
struct ContactId {
  int shape_a = 0, shape_b = 0;
  std::uint64_t feature = 0;  // tells apart the contacts of one pair of shapes
  auto operator<=>(const ContactId&) const = default;
};

/// A possible contact of shape a with its partner b. The normal points out of b, into a. The gap's rate of
/// change is n · (velocity of a's point - velocity of b's point).
struct Contact {
  ContactId id;
  int body_a = 0, body_b = 0;
  double gap = 0;         // m, negative where they overlap
  Vec3 point_a, point_b;  // witness points on the two surfaces, world, m
  Vec3 normal;            // world, unit
};

/// The direction t of the contact frame (n, t, o = n × t). In the plane: n turned by -90°. In space:
/// horizontal (z × n) where n is not vertical, and the x axis where it is. It matters where friction is a
/// polygon or an ellipse, not where it is a circle.
Vec3 tangent(const Vec3& normal, bool planar);

}  // namespace pawl
