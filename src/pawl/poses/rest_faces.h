#pragma once
// The faces of a part's convex hull on which it can rest on a horizontal plane.

#include <span>
#include <string>
#include <vector>

#include <pawl/geometry.h>

namespace pawl::internal {

/// A face of the hull. The part rests on it if its centre of mass is above the inside of the face.
struct RestFace {
  Vec3 normal;                // outward, unit
  std::vector<Vec3> corners;  // m, counter-clockwise seen from outside
  double height = 0;          // m, of the centre of mass above the face
  double margin = 0;          // m, from the foot of the centre of mass to the nearest edge; < 0: outside
  int edge = 0;               // the nearest one, from corners[edge] to the next
  double solid_angle = 0;     // of the face seen from the centre of mass, as a share of the sphere
  double captured = 0;        // with those of the unstable faces from which the part rolls to this one
  int pose = 0;               // faces that a symmetry of the part maps to each other have the same

  bool is_stable() const { return margin > 0; }
  /// By which angle the part must be tilted to fall over the nearest edge, rad.
  double tilt() const;
};

struct RestFaces {
  std::vector<RestFace> faces;  // of the hull; the highest `captured` first
  int poses = 0;                // numbers of poses of stable faces: 0 … poses - 1
  std::vector<Vec3> vertices;   // m, of the hull
};

/// `body` gives the centre of mass, and the inertia that a symmetry must keep. Facets that differ by less
/// than 1e-4 rad are one face. The captured solid angles are the estimate of [GoldbergMirtich1999]: without
/// dynamics, a part that touches the plane in a random orientation rolls to the face below its centre of
/// mass. Throws Error if the points span no volume, or the centre of mass is not inside.
RestFaces find_rest_faces(std::span<const Vec3> points, const MassProperties& body);

}  // namespace pawl::internal
