#include <pawl/collision/distance/box_sat.h>

#include <tuple>

#include <pawl/base/tolerances.h>

namespace pawl::internal {
namespace {

/// The six face normals among the fifteen axes of two boxes (Gottschalk et al., OBBTree, 1996): |t_i| - h_i -
/// Σ |R_ij| h_j.
ObbAxis best_face(const ObbPair& obbs) {
  const auto separations = [](Vec4d t, Vec4d own, const Vec4d* other_axes, Vec4d other) {
    return abs(t) - (own + (other[0] * abs(other_axes[0]) + other[1] * abs(other_axes[1]) +
                            other[2] * abs(other_axes[2])));
  };
  const Vec4d none = broadcast(-std::numeric_limits<double>::infinity());
  const Obb &a = obbs.a, &b = obbs.b;
  const Vec4d along_a = a.is_segment ? none : separations(obbs.t, a.half, obbs.Rt, b.half);
  const Vec4d along_b = b.is_segment ? none : separations(obbs.t_b, b.half, obbs.R, a.half);
  const int i = index_of_largest(along_a), j = index_of_largest(along_b);
  // Array lookups, since a branch on the box would be unpredictable.
  const Vec4d separations_of[] = {along_a, along_b}, apart[] = {obbs.t, obbs.t_b};
  const int of_b = along_b[j] > along_a[i] + obbs.tie ? 1 : 0, axis = of_b == 1 ? j : i;
  return {separations_of[of_b][axis], axis | -of_b, axis | (of_b - 1), apart[of_b][axis] >= 0 ? 1. : -1.};
}

/// ±e_i × R e_j, normalised. Its two nonzero components come from R e_j directly, so it is perpendicular to
/// both edges however small it is.
Vec3 common_normal(const ObbPair& obbs, int i, int j, double sign) {
  const int i1 = kNextAxis[i], i2 = kPreviousAxis[i];
  const double r1 = obbs.R[i1][j], r2 = obbs.R[i2][j];
  const double scale = sign / std::sqrt(r1 * r1 + r2 * r2);
  Vec3 m;
  m[i1] = -scale * r2;
  m[i2] = scale * r1;
  return m;
}

/// In the axes of b.
Vec4d rotate_to_b(const ObbPair& obbs, const Vec3& m) {
  return m.x * obbs.R[0] + m.y * obbs.R[1] + m.z * obbs.R[2];
}

/// Exact for any m, without the assumption that it is a common normal.
double separation_along(const ObbPair& obbs, const Vec3& m) {
  const auto sum = [](Vec4d x) { return x[0] + x[1] + x[2]; };
  const Vec4d m_a = to_vec4d(m);
  return sum(m_a * obbs.t) - (sum(obbs.a.half * abs(m_a)) + sum(obbs.b.half * abs(rotate_to_b(obbs, m))));
}

}  // namespace

ObbPair::ObbPair(const PosedConvex& first, const PosedConvex& second)
    : a(first.shape),
      b(second.shape),
      tie(kSeparationTie * (first.shape.polytope->outer_radius + second.shape.polytope->outer_radius)) {
  const Mat3 &R_a = first.X_WS.R, &R_b = second.X_WS.R;
  const Vec3 d = second.X_WS.p - first.X_WS.p;
  const Vec4d b0 = to_vec4d(R_b.row[0]), b1 = to_vec4d(R_b.row[1]), b2 = to_vec4d(R_b.row[2]);
  R[0] = R_a.row[0].x * b0 + R_a.row[1].x * b1 + R_a.row[2].x * b2;
  R[1] = R_a.row[0].y * b0 + R_a.row[1].y * b1 + R_a.row[2].y * b2;
  R[2] = R_a.row[0].z * b0 + R_a.row[1].z * b1 + R_a.row[2].z * b2;
  const Vec4d low01 = __builtin_shufflevector(R[0], R[1], 0, 4, 2, 6);   // 00 10 02 12
  const Vec4d high01 = __builtin_shufflevector(R[0], R[1], 1, 5, 3, 7);  // 01 11 03 13
  const Vec4d low2 = __builtin_shufflevector(R[2], Vec4d{}, 0, 4, 2, 6);
  const Vec4d high2 = __builtin_shufflevector(R[2], Vec4d{}, 1, 5, 3, 7);
  Rt[0] = __builtin_shufflevector(low01, low2, 0, 1, 4, 5);
  Rt[1] = __builtin_shufflevector(high01, high2, 0, 1, 4, 5);
  Rt[2] = __builtin_shufflevector(low01, low2, 2, 3, 6, 7);
  t = d.x * to_vec4d(R_a.row[0]) + d.y * to_vec4d(R_a.row[1]) + d.z * to_vec4d(R_a.row[2]);
  t_b = d.x * b0 + d.y * b1 + d.z * b2;
}

/// Edge pairs: the separation along e_i × R e_j, divided by its length sqrt(1 - R_ij²). The length is
/// computed from the components, which keeps all digits where it is small.
/// There the separation is computed again, along the normalised axis itself. The short form assumes that R is
/// orthogonal, and the rounding error of that would matter.
DeepestObbAxis deepest_obb_axis(const ObbPair& obbs, double max_separation) {
  const ObbAxis face = best_face(obbs);
  // Built from scalars: a vector load right after scalar stores would stall on store forwarding.
  DeepestObbAxis axis{{face.value, face.i, face.j, face.sign}, {face.value, face.i, face.j, face.sign}};
  if (face.value > max_separation) return axis;
  const Vec4d a = obbs.a.half, b = obbs.b.half;
  const Vec4d b1 = yzx(b), b2 = zxy(b);
  const double threshold = signed_square(face.value + obbs.tie);
  Vec4d along[3], apart[3], length2[3];
  const auto open_edges = [&](int i, int i1, int i2) {
    const Vec4d r1 = obbs.R[i1], r2 = obbs.R[i2], own = abs(obbs.R[i]);
    along[i] = obbs.t[i2] * r1 - obbs.t[i1] * r2;  // t · (e_i × R e_j)
    apart[i] = abs(along[i]) - (a[i1] * abs(r2) + a[i2] * abs(r1) + (b1 * zxy(own) + b2 * yzx(own)));
    length2[i] = r1 * r1 + r2 * r2;
    return bits(apart[i] * abs(apart[i]) > threshold * length2[i]);
  };
  unsigned open = open_edges(0, 1, 2) | open_edges(1, 2, 0) << 4 | open_edges(2, 0, 1) << 8;
  if (obbs.a.is_segment) open &= 0xf00;
  if (obbs.b.is_segment) open &= 0x444;
  for (; open != 0; open &= open - 1) {
    const int i = std::countr_zero(open) / 4, j = std::countr_zero(open) % 4;
    if (length2[i][j] <= tolerances::kParallel2) continue;  // parallel
    const double sign = along[i][j] < 0 ? -1 : 1;
    const double value = length2[i][j] > 0.01 ? apart[i][j] / std::sqrt(length2[i][j])
                                              : separation_along(obbs, common_normal(obbs, i, j, sign));
    if (value > axis.best.value + obbs.tie) axis.best = {value, i, j, sign};
  }
  return axis;
}

/// For n = e_i × R e_j, normalised:
///     n · e_k = ±R_lj,    where l is neither i nor k,
///     n · R e_k = ±R_il,  where l is neither j nor k.
/// Few branches, since they would be unpredictable.
double cosine(const ObbPair& obbs, const ObbAxis& edges, const ObbAxis& face) {
  const bool on_a = face.i >= 0;
  const int own = on_a ? edges.i : edges.j, k = on_a ? face.i : face.j;
  if (own == k) return 0;
  const int l = 3 - own - k;
  const double along = obbs.R[on_a ? l : edges.i][on_a ? edges.j : l];
  const double r1 = obbs.R[kNextAxis[edges.i]][edges.j], r2 = obbs.R[kPreviousAxis[edges.i]][edges.j];
  constexpr double kSigns[] = {1, -1};
  const double sign = edges.sign * face.sign * kSigns[(k == kNextAxis[own]) == on_a ? 1 : 0];
  return sign * along / std::sqrt(r1 * r1 + r2 * r2);
}

SeparatingAxis to_separating_axis(const ObbPair& obbs, const ObbAxis& axis) {
  if (axis.i < 0 && axis.j < 0) return {};
  SeparatingAxis features;
  features.value = axis.value;
  if (axis.is_edge_edge()) {
    features.kind = AxisKind::edges;
    features.normal = common_normal(obbs, axis.i, axis.j, axis.sign);
    std::tie(features.a, features.a_to) = obbs.a.farthest_edge(axis.i, features.normal);
    const Vec3 in_b = to_vec3(rotate_to_b(obbs, features.normal));
    std::tie(features.b, features.b_to) = obbs.b.farthest_edge(axis.j, -in_b);
  } else if (axis.i >= 0) {
    features.kind = AxisKind::face_a;
    features.normal[axis.i] = axis.sign;
    features.a = Obb::face(axis.i, axis.sign);
    features.b = obbs.b.farthest_vertex(to_vec3(-axis.sign * obbs.R[axis.i]));
  } else {
    features.kind = AxisKind::face_b;
    features.normal = to_vec3(axis.sign * obbs.Rt[axis.j]);
    features.b = Obb::face(axis.j, -axis.sign);
    features.a = obbs.a.farthest_vertex(features.normal);
  }
  return features;
}

}  // namespace pawl::internal
