#pragma once
// Cylinders and cones grown by a margin. Internal to geometry/.

#include <pawl/collision/shapes/mass_properties.h>

namespace pawl::internal {

MassProperties rounded_cylinder(double radius, double half_height, double rounding_radius);
MassProperties rounded_cone(double radius, double half_height, double rounding_radius);

}  // namespace pawl::internal
