#pragma once
// Separating axes of two polytopes, and the canonical order of a pair.

#include <limits>
#include <utility>

#include <pawl/base/tolerances.h>
#include <pawl/collision/shapes/support.h>

namespace pawl::internal {

/// Separations within this times the sum of the radii count as equal: some hundred times their rounding.
inline constexpr double kSeparationTie = tolerances::kSeparationTie;
/// Sine of an angle from which a perpendicular is well defined.
inline constexpr double kClearlyOblique = tolerances::kCoarse;

/// The features that meet along an axis: a face and a vertex, or two edges.
enum class AxisKind { none, face_a, face_b, edges };

/// A direction and the signed separation along it: negative where the projections overlap.
struct SeparatingAxis {
  AxisKind kind = AxisKind::none;
  double value = -std::numeric_limits<double>::infinity();  // m
  Vec3 normal;                                              // world axes, unit, out of b into a
  int a = -1, b = -1;        // index of the face or vertex; of an edge its first vertex
  int a_to = -1, b_to = -1;  // second vertex of an edge
};

struct SatResult {
  SeparatingAxis best;  // of all faces and pairs of edges
  SeparatingAxis face;  // of the faces alone; kind none if neither shape has a face
};

/// Where two edges, from + t along with t in [0, 1], cross as seen along their common normal: the parameter t
/// of each. 0.5 if they are parallel.
inline std::pair<double, double> crossing_of_edges(const Vec3& from_a, const Vec3& along_a,
                                                   const Vec3& from_b, const Vec3& along_b,
                                                   const Vec3& normal) {
  const auto fraction = [&](const Vec3& from, const Vec3& along, const Vec3& other, const Vec3& other_along) {
    const Vec3 across = cross(other_along, normal);  // perpendicular to the other edge and the normal
    const double slope = dot(along, across);
    return slope != 0 ? dot(other - from, across) / slope : 0.5;
  };
  return {fraction(from_a, along_a, from_b, along_b), fraction(from_b, along_b, from_a, along_a)};
}
inline bool is_on_edge(double fraction) {
  return fraction >= -tolerances::kOnEdge && fraction <= 1 + tolerances::kOnEdge;
}

/// Canonical order in which a pair is computed, so that swapping a and b mirrors the result to the last bit.
/// The larger shape is first. Equal sizes are ordered by position along a fixed direction, then by rotation.
bool is_canonical_rotation_order(const Mat3& a, const Mat3& b);
inline bool is_canonical_order(const PosedConvex& a, const PosedConvex& b) {
  const double size_a = core_radius(a.shape) + a.shape.rounding_radius,
               size_b = core_radius(b.shape) + b.shape.rounding_radius;
  if (size_a != size_b) return size_a > size_b;
  // In hand-made scenes, no two bodies differ by an offset perpendicular to this direction.
  constexpr Vec3 kAskew{0.2113, 0.3889, -0.8967};
  const double along = dot(kAskew, a.X_WS.p - b.X_WS.p);
  return along != 0 ? along > 0 : is_canonical_rotation_order(a.X_WS.R, b.X_WS.R);
}

const Polytope& point_polytope();

/// The core as a polytope; null if it is curved.
inline const Polytope* core_polytope(const Convex& shape) {
  return shape.core == CoreKind::point ? &point_polytope() : shape.polytope.get();
}

}  // namespace pawl::internal
