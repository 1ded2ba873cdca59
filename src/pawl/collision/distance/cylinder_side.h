#pragma once
// Contacts of the sides of cylinders that are proven to be the best ones.

#include <optional>

#include <pawl/collision/distance/separating_direction.h>

namespace pawl::internal {

/// Whose sides are meant, of two cores that are cylinders there.
struct CylinderSides {
  bool of_a = false, of_b = false;
};

/// The optimum on the sides of one or two cylinders, given where their axes are the nearest to each other, or
/// the axis of one to the other core, if it is proven to be the best of all; none: it may yet be.
std::optional<SeparatingDirection> direction_from_axes(const CorePair& pair, CylinderSides sides,
                                                       const Vec3& a, const Vec3& b);

/// The optimum where the sides of two cylinders cross, or the side of one meets a core that is none.
std::optional<SeparatingDirection> cylinder_side_direction(const CorePair& pair);

}  // namespace pawl::internal
