#pragma once
// Mass, centre and inertia of solids of density 1: in space by volume, in planar worlds by area.

#include <pawl/collision/shapes/convex.h>

namespace pawl {

struct MassProperties {
  double mass = 0;  // kg
  Vec3 center;      // m
  Mat3 inertia;     // about the centre, kg m²; planar: J · 1, of which only J about z ever acts
};

/// Of two bodies taken as one.
MassProperties operator+(const MassProperties& a, const MassProperties& b);

/// In the shape's frame, margin included. Throws Error for an ellipsoid with a margin, unless it is a ball:
/// what it grows to has no closed form.
MassProperties mass_properties(const Convex& shape);

/// Of a polytope that has faces, flat or not, grown on all sides by a margin, which may be 0.
MassProperties polytope_mass_properties(const Polytope& polytope, double rounding_radius, bool planar);

}  // namespace pawl
