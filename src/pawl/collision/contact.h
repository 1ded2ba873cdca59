#pragma once
// A contact of two shapes as found by the narrow phase, and its identity.

#include <compare>
#include <cstdint>

#include <pawl/base/vec.h>

namespace pawl {

/// Identifies a contact from step to step and from run to run. Contacts are sorted by it, which fixes the
/// order of all sums.
struct ContactId {
  int shape_a = 0, shape_b = 0;
  std::uint64_t feature = 0;  // distinguishes the contacts of one pair of shapes
  auto operator<=>(const ContactId&) const = default;
};

/// A possible contact of shape a with shape b. The normal points out of b, into a. The rate of the gap is n ·
/// (velocity of a's point - velocity of b's point).
struct Contact {
  ContactId id;
  int body_a = 0, body_b = 0;
  double gap = 0;         // m, negative where they overlap
  Vec3 point_a, point_b;  // witness points on the two surfaces, world, m
  Vec3 normal;            // world, unit
};

/// The tangent t of the contact frame (n, t, o = n × t). In the plane: n rotated by -90°. In space:
/// horizontal (z × n), or along the x axis where n is vertical. It matters for friction polygons and
/// ellipses, not for circles.
Vec3 tangent(const Vec3& normal, bool planar);

}  // namespace pawl
