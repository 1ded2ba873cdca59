#pragma once
// Separating axis test of two oriented boxes in space; a segment is a box without width.

#include <bit>
#include <utility>

#include <pawl/base/simd.h>
#include <pawl/collision/distance/separating_axis.h>

namespace pawl::internal {

/// Cyclic successor and predecessor of an axis.
inline constexpr int kNextAxis[] = {1, 2, 0}, kPreviousAxis[] = {2, 0, 1};

/// x|x|, which increases with x: compares numbers whose squares are known.
inline double signed_square(double x) {
  return x * std::abs(x);
}

/// A box, or a segment along z, which has one edge and no faces.
struct Obb {
  Vec4d half;  // m
  bool is_segment;

  explicit Obb(const Convex& shape)
      : half(shape.core == CoreKind::segment ? Vec4d{0, 0, shape.half.z, 0} : to_vec4d(shape.half)),
        is_segment(shape.core == CoreKind::segment) {}

  /// Index of the farthest vertex along d.
  int farthest_vertex(const Vec3& d) const {
    const int above = d.z > 0 ? 1 : 0;
    return is_segment ? above : (d.x > 0 ? 1 : 0) | (d.y > 0 ? 2 : 0) | (above << 2);
  }
  /// Vertices of the farthest edge along d among the edges parallel to `axis`.
  std::pair<int, int> farthest_edge(int axis, const Vec3& d) const {
    if (is_segment) return {0, 1};
    const int from = farthest_vertex(d) & ~(1 << axis);
    return {from, from | (1 << axis)};
  }
  Vec3 vertex(int v) const {
    if (is_segment) return {0, 0, v == 1 ? half[2] : -half[2]};
    return {v & 1 ? half[0] : -half[0], v & 2 ? half[1] : -half[1], v & 4 ? half[2] : -half[2]};
  }
  static int face(int axis, double sign) { return 2 * axis + (sign > 0 ? 1 : 0); }
};

/// Two boxes in the frame of a: x_a = R x_b + t. The last of four lanes is 0.
struct ObbPair {
  ObbPair(const PosedConvex& a, const PosedConvex& b);

  Obb a, b;
  Vec4d R[3], Rt[3];  // rows
  Vec4d t, t_b;       // from the centre of a to that of b, in the axes of a and of b, m
  double tie;         // separations that differ by no more count as equal, m
};

/// A separating axis: ±e_i (axis of a), ±R e_j (axis of b), or ±e_i × R e_j normalised (common normal of two
/// edges). It points out of a into b.
struct ObbAxis {
  double value;  // separation along the axis, m
  int i, j;      // -1: none
  double sign;

  bool is_edge_edge() const { return i >= 0 && j >= 0; }
};
struct DeepestObbAxis {
  ObbAxis best, face;  // of all axes, of the face normals alone
};
/// With the order and the ties of find_separating_axis_canonical.
DeepestObbAxis deepest_obb_axis(const ObbPair& obbs, double max_separation);

/// Cosine of the angle between an edge-edge axis and a face normal.
double cosine(const ObbPair& obbs, const ObbAxis& edges, const ObbAxis& face);

/// The normal is in the frame of a and points out of a into b.
SeparatingAxis to_separating_axis(const ObbPair& obbs, const ObbAxis& axis);

}  // namespace pawl::internal
