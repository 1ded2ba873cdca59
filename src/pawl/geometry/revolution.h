#pragma once
// Cylinders and cones grown by a margin. Internal to geometry/.

#include <pawl/geometry/solid.h>

namespace pawl::detail {

MassProperties rounded_cylinder(double radius, double half_height, double margin);
MassProperties rounded_cone(double radius, double half_height, double margin);

}  // namespace pawl::detail
