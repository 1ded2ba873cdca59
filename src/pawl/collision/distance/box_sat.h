#pragma once
// The separating axes of two bricks: boxes in space, or segments as boxes without width.

#include <bit>
#include <utility>

#include <pawl/base/simd.h>
#include <pawl/collision/distance/separating_axis.h>

namespace pawl::internal {

/// The two axes after each, in turn.
inline constexpr int kNextAxis[] = {1, 2, 0}, kPreviousAxis[] = {2, 0, 1};

/// x|x|, which grows as x does: compares numbers whose squares are known.
inline double signed_square(double x) {
  return x * std::abs(x);
}

/// A box, or a segment along z: that has one edge and no faces.
struct Obb {
  Vec4d half;  // m
  bool is_segment;

  explicit Obb(const Convex& shape)
      : half(shape.core == CoreKind::segment ? Vec4d{0, 0, shape.half.z, 0} : to_vec4d(shape.half)),
        is_segment(shape.core == CoreKind::segment) {}

  /// Number of the vertex that lies the farthest along d.
  int farthest_vertex(const Vec3& d) const {
    const int above = d.z > 0 ? 1 : 0;
    return is_segment ? above : (d.x > 0 ? 1 : 0) | (d.y > 0 ? 2 : 0) | (above << 2);
  }
  /// The edge along an axis that lies the farthest along d.
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

/// Two of them in the frame of a: x_a = R x_b + t. Of four lanes the last one is 0.
struct ObbPair {
  ObbPair(const PosedConvex& a, const PosedConvex& b);

  Obb a, b;
  Vec4d R[3], Rt[3];  // rows
  Vec4d t, t_b;       // from the middle of a to that of b in the axes of either, m
  double tie;         // what separations may differ by and still be equal, m
};

/// An axis of a, of b, or square to one of each: ±e_i, ±R e_j or the direction of ±e_i × R e_j, out of a into
/// b.
struct ObbAxis {
  double value;  // the separation along it, m
  int i, j;      // -1: none
  double sign;

  bool is_edge_edge() const { return i >= 0 && j >= 0; }
};
struct DeepestObbAxis {
  ObbAxis best, face;  // of all, of the faces alone
};
/// As find_separating_axis_canonical has them.
DeepestObbAxis deepest_obb_axis(const ObbPair& obbs, double max_separation);

/// The cosine of the axis of two edges and that of a face.
double cosine(const ObbPair& obbs, const ObbAxis& edges, const ObbAxis& face);

/// With a normal in the frame of a, out of a into b.
SeparatingAxis to_separating_axis(const ObbPair& obbs, const ObbAxis& axis);

}  // namespace pawl::internal
