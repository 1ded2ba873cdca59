#pragma once
// Separating directions of cylinder sides that are proven optimal.

#include <optional>

#include <pawl/collision/distance/separating_direction.h>

namespace pawl::internal {

/// Which of the two cores touches with its side; such a core is a cylinder.
struct CylinderSides {
  bool of_a = false, of_b = false;
};

/// The optimum on the sides of one or two cylinders. The points a and b are the closest points of the two
/// axes, or of one axis and the other core. Empty if the optimum is not proven.
std::optional<SeparatingDirection> direction_from_axes(const CorePair& pair, CylinderSides sides,
                                                       const Vec3& a, const Vec3& b);

/// The optimum where the sides of two cylinders cross, or where the side of one meets a core of another kind.
std::optional<SeparatingDirection> cylinder_side_direction(const CorePair& pair);

}  // namespace pawl::internal
