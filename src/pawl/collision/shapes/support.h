#pragma once
// Farthest points of convex shapes, one piece of the boundary at a time.

#include <algorithm>

#include <pawl/collision/shapes/polytope.h>
#include <pawl/geometry.h>

namespace pawl::internal {

/// The core of a shape is the hull of its pieces: the vertices of a polytope, the rims of a cylinder (0
/// below, 1 above), the rim (0) and the apex (1) of a cone, an ellipsoid (0). The farthest point of a piece
/// moves smoothly with the direction; between pieces it jumps.
struct Support {
  Vec3 point;     // shape frame, m
  int piece = 0;  // the one that it lies on
};

/// The farthest point of the core along a direction, which need not be a unit vector (shape frame). For large
/// polytopes the search climbs from the vertex `start`.
Support support(const Convex& shape, const Vec3& direction, int start = 0);

/// The number of the vertex farthest along a direction (the polytope's frame). In large polytopes the search
/// climbs from vertex to vertex, from `start`.
int farthest_vertex(const Polytope& polytope, const Vec3& direction, int start = 0);

/// The farthest point of one piece along a direction.
Vec3 support_of_piece(const Convex& shape, int piece, const Vec3& direction);

/// The derivative of that point by the direction, at a unit vector: the Hessian of the piece's support
/// function; m.
Mat3 support_derivative(const Convex& shape, int piece, const Vec3& unit);

/// A ball that holds the core: its centre in the shape's frame, and its radius; m.
inline Vec3 core_center(const Convex& shape) {
  return shape.core == CoreKind::polytope ? shape.polytope->center : Vec3{};
}
inline double core_radius(const Convex& shape) {
  const Vec3& half = shape.half;
  switch (shape.core) {
    case CoreKind::point:
      return 0;
    case CoreKind::segment:
      return shape.planar ? half.x : half.z;
    case CoreKind::box:
    case CoreKind::polytope:
      return shape.polytope->outer_radius;
    case CoreKind::ellipsoid:
      return std::max({half.x, half.y, half.z});
    case CoreKind::cylinder:
    case CoreKind::cone:
      return std::sqrt(half.x * half.x + half.z * half.z);
  }
  return 0;
}

/// Radius of the largest ball that rolls everywhere along the inside of the core's boundary, m; 0 of those
/// with edges.
double rolling_radius(const Convex& shape);

/// Whether it is a cylinder or a cone.
bool has_rim(const Convex& shape);

/// Whether it can touch a convex shape in one place only: a ball or an ellipsoid.
inline bool touches_in_one_point(const Convex& shape) {
  if (shape.core == CoreKind::ellipsoid || shape.core == CoreKind::point) return true;
  return shape.core == CoreKind::polytope ? shape.polytope->outer_radius == 0 : shape.half == Vec3{};
}

/// Two cores in the frame of the first.
struct CorePair {
  const Convex& a;
  const Convex& b;
  Mat3 R_AB;
  Vec3 p_AB;            // m
  double size = 0;      // the two radii together, m
  double rounding = 0;  // what points of the two may be off by, m
};
CorePair core_pair(const PosedConvex& a, const PosedConvex& b);

/// The points of the two cores that lie the nearest along n (from b to a): w = a - b has the least n · w, a
/// lower bound of the signed gap when n is a unit vector. All in the frame of the first core.
struct PairSupport {
  Vec3 a, b, w;
  int piece_a = 0, piece_b = 0;
};
PairSupport support(const CorePair& pair, const Vec3& n, int start_a = 0, int start_b = 0);
PairSupport support_of_pieces(const CorePair& pair, int piece_a, int piece_b, const Vec3& n);
/// -dw/dn of two pieces at a unit vector, m.
Mat3 support_derivative(const CorePair& pair, int piece_a, int piece_b, const Vec3& n);

}  // namespace pawl::internal
