#pragma once
// Support functions of convex cores and of pairs of cores.

#include <pawl/collision/shapes/core_ops.h>

namespace pawl::internal {

/// The support point of the core along a direction (shape frame, any length). For large polytopes the search
/// is hill climbing from the vertex `start`.
inline Support support(const Convex& shape, const Vec3& direction, int start = 0) {
  return core_ops(shape).support(shape, direction, start);
}

/// The support point of one piece along a direction.
inline Vec3 support_of_piece(const Convex& shape, int piece, const Vec3& direction) {
  return core_ops(shape).support_of_piece(shape, piece, direction);
}

/// The derivative of support_of_piece with respect to the direction, at a unit vector, m. It is the Hessian
/// of the piece's support function.
inline Mat3 support_derivative(const Convex& shape, int piece, const Vec3& unit) {
  const auto derivative = core_ops(shape).support_derivative;
  return derivative ? derivative(shape, piece, unit) : Mat3{};
}

/// Centre (shape frame) and radius of a ball that contains the core, m.
inline Vec3 core_center(const Convex& shape) {
  return shape.core == CoreKind::polytope ? shape.polytope->center : Vec3{};
}
inline double core_radius(const Convex& shape) {
  switch (shape.core) {  // inline for the most frequent kinds
    case CoreKind::point:
      return 0;
    case CoreKind::segment:
      return shape.planar ? shape.half.x : shape.half.z;
    case CoreKind::box:
    case CoreKind::polytope:
      return shape.polytope->outer_radius;
    default:
      return core_ops(shape).core_radius(shape);
  }
}

/// Radius of the largest ball that rolls freely along the inside of the core's boundary, m; 0 for cores with
/// edges.
inline double rolling_radius(const Convex& shape) {
  const auto radius = core_ops(shape).rolling_radius;
  return radius ? radius(shape) : 0;
}

/// True if a piece of the core is a circle: a cylinder, a cone.
inline bool has_rim(const Convex& shape) {
  return core_ops(shape).rim != nullptr;
}

/// True if the shape touches any convex shape in at most one point: a ball or an ellipsoid.
inline bool touches_in_one_point(const Convex& shape) {
  if (!core_ops(shape).facing_patch) return true;
  return shape.core == CoreKind::polytope ? shape.polytope->outer_radius == 0 : shape.half == Vec3{};
}

/// Two cores in the frame of the first.
struct CorePair {
  const Convex& a;
  const Convex& b;
  Mat3 R_AB;
  Vec3 p_AB;            // m
  double size = 0;      // sum of the two core radii, m
  double rounding = 0;  // error bound of points of the two cores, m
};
CorePair core_pair(const PosedConvex& a, const PosedConvex& b);

/// Support points of the two cores along n (from b to a), in the frame of the first core. w = a - b minimises
/// n · w. For a unit vector n, n · w is a lower bound of the signed gap.
struct PairSupport {
  Vec3 a, b, w;
  int piece_a = 0, piece_b = 0;
};
PairSupport support(const CorePair& pair, const Vec3& n, int start_a = 0, int start_b = 0);
PairSupport support_of_pieces(const CorePair& pair, int piece_a, int piece_b, const Vec3& n);
/// -dw/dn for two pieces at a unit vector, m.
Mat3 support_derivative(const CorePair& pair, int piece_a, int piece_b, const Vec3& n);

}  // namespace pawl::internal
