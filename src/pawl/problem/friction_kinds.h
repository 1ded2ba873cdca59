#pragma once
// The geometry of friction sets by kind. friction_kinds.cpp also has the functions of friction_set.h that
// depend on the kind.

#include <vector>

#include <pawl/friction_set.h>

namespace pawl::internal {

/// Largest |d| of F(1), in units of the radii.
double outer_radius(const FrictionSet& set, int friction_rows);

/// Adds evenly spaced directions at one latitude (rad) of force space, scaled onto the ellipsoid; their
/// components are in units of its radii [TrinkleTzitzourisPang2001, (5) and (6)].
void add_ring(double latitude, int count, const std::array<double, 3>& radii,
              std::vector<FrictionVector>& directions);

/// The vertices of the polyhedron that replaces a set with friction about the normal, in units of the radii;
/// k of them lie along directions in the plane of t and o.
std::vector<FrictionVector> replacement_directions(FrictionKind kind, int k);

/// Points of F(1) in units of the radii. Their hull lies inside the set. With the rows `grows` multiplied by
/// `growth`, it contains the set.
struct FrictionCorners {
  std::vector<FrictionVector> points;
  double growth = 1;
  bool grows[3] = {true, true, true};
};
/// Circles get `ring_points` points, spheres circles at `rings` - 1 latitudes and the poles.
FrictionCorners friction_corners(const FrictionSet& set, int friction_rows, int ring_points, int rings);

}  // namespace pawl::internal
