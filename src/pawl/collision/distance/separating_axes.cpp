#include <pawl/collision/distance/separating_axes.h>

#include <algorithm>
#include <utility>
#include <vector>

#include <pawl/base/tolerances.h>
#include <pawl/collision/distance/box_sat.h>
#include <pawl/collision/shapes/support.h>

namespace pawl::internal {
namespace {

/// Two polytopes in the frame of the first: x_a = R x_b + t. Directions m point out of a into b.
struct PolytopePair {
  const Polytope& a;
  const Polytope& b;
  Mat3 R, Rt;
  Vec3 t;
  double tie_tolerance;
  double max_separation;  // the search may stop above this, m
};

/// An edge whose normals may contain a better axis, in the frame of a.
struct CandidateEdge {
  Vec3 start, along;
  Vec3 left, right;  // normals of its faces
  bool has_faces;
  int from, to;
};

struct Scratch {
  std::vector<double> heights_a, heights_b;
  std::vector<int> indices;
  std::vector<CandidateEdge> edges_a, edges_b;
};

/// The separation along m over all vertices: a valid bound for any m.
double separation_along(const PolytopePair& pair, const Vec3& m) {
  const Vec3 m_b = pair.Rt * m;
  const Vec3& low = pair.b.vertices[farthest_vertex(pair.b, -m_b)];
  const Vec3& high = pair.a.vertices[farthest_vertex(pair.a, m)];
  return dot(m_b, low) + dot(m, pair.t) - dot(m, high);
}

/// The common normal of two edges. Gram-Schmidt keeps it perpendicular to both within rounding even if they
/// are nearly parallel; a plain cross product would be off by 1e-16/sin(angle).
Vec3 common_normal(const Vec3& along_a, const Vec3& along_b) {
  const Vec3 u = normalized(along_a);
  return normalized(cross(u, normalized(along_b - dot(u, along_b) * u)));
}

/// Edges closer to parallel than this differ by rounding only.
bool nearly_parallel(const Vec3& along_a, const Vec3& along_b, const Vec3& cross_ab) {
  return dot(cross_ab, cross_ab) <= tolerances::kParallel2 * dot(along_a, along_a) * dot(along_b, along_b);
}

/// Updates `best` if the common normal of two edges has a larger separation.
void try_edges(const PolytopePair& pair, const CandidateEdge& a, const CandidateEdge& b, double sign,
               SeparatingAxis& best) {
  const Vec3 m = sign * common_normal(a.along, b.along);
  const double value = separation_along(pair, m);
  if (value <= best.value + pair.tie_tolerance) return;
  best = {AxisKind::edges, value, m, a.from, b.from, a.to, b.to};
}

/// The best face of `own`. `to_other` rotates directions to the frame of the other, whose origin is at
/// `offset`; `center` is the centre of the other in the frame of `own`. Separation ≤ height of that centre -
/// inner radius of the other, so only faces above this bound need all vertices. `heights` receives the height
/// of the centre over each face.
SeparatingAxis best_face(const Polytope& own, const Polytope& other, const Mat3& to_other, const Vec3& offset,
                         const Vec3& center, std::vector<double>& heights) {
  SeparatingAxis best;
  const int count = static_cast<int>(own.faces.size());
  heights.resize((own.faces.size() + 3) / 4 * 4);
  int highest = 0;
  if (!own.face_blocks.empty()) {
    highest = argmax_height(own.face_blocks, center, heights.data());
  } else {
    double max_height = -std::numeric_limits<double>::infinity();
    for (int f = 0; f < count; ++f) {
      heights[f] = dot(own.faces[f].normal, center) - own.faces[f].offset;
      if (heights[f] > max_height) max_height = heights[f], highest = f;
    }
  }
  const auto consider = [&](int f) {
    const Polytope::Face& face = own.faces[f];
    const Vec3 n = to_other * face.normal;
    const int v = farthest_vertex(other, -n);
    const double value = dot(n, other.vertices[v]) + dot(face.normal, offset) - face.offset;
    if (value > best.value) best = {AxisKind::face_a, value, face.normal, f, v, -1, -1};
  };
  if (count > 0) consider(highest);
  double threshold = best.value + other.inner_radius;
  for (int f = 0; f < count; ++f) {
    if (heights[f] <= threshold || f == highest) continue;
    consider(f);
    threshold = best.value + other.inner_radius;
  }
  return best;
}

/// Computed from the perpendicular vector to the point, whose length is never too small.
bool is_farther(const Polytope& own, const Polytope::Edge& edge, const Vec3& point, double threshold) {
  const Vec3 w = point - own.vertices[edge.from];
  const Vec3 along = own.vertices[edge.to] - own.vertices[edge.from];
  return norm(w - (dot(w, along) / dot(along, along)) * along) > threshold;
}

/// True if m · (point - edge) may exceed `threshold` for an outward unit normal m of the edge. On the arc
/// between the normals of its faces, the max is one of two values:
/// - at an end of the arc, the height x or y over that face;
/// - if the perpendicular to the point lies within the arc, its length sqrt((x² + y² - 2cxy)/(1 - c²)), with
///   c the cosine of the arc.
inline bool may_exceed(const Polytope& own, const Polytope::Edge& edge, double x, double y, const Vec3& point,
                       double threshold) {
  if (edge.left >= 0) {
    const double higher = std::max(x, y);
    if (higher > threshold) return true;
    if (threshold >= 0 && higher <= 0) return false;
    const double c = edge.cosine;
    if (std::abs(c) < 0.999999) {
      if (x <= c * y || y <= c * x) return false;
      return threshold < 0 || x * x + y * y - 2 * c * x * y > threshold * threshold * (1 - c * c);
    }
  }
  return is_farther(own, edge, point, threshold);  // faces back to back, nearly coplanar, or absent
}

/// Position of the other polytope relative to the one whose edges are tested.
struct OtherPolytope {
  const Vec3& center;
  double inner_radius;
  const std::vector<double>& heights;  // of its centre over each face
  const Vec3* vertex = nullptr;        // a low vertex of the other; null: not known
};

/// Indices of the edges of `own` with a face over which the other's centre is at least at height `threshold`.
void edges_of_high_faces(const Polytope& own, const std::vector<double>& heights, double threshold,
                         std::vector<int>& indices) {
  indices.clear();
  for (int f = 0; f < static_cast<int>(own.faces.size()); ++f) {
    if (heights[f] < threshold) continue;
    for (int i = own.faces[f].begin; i < own.faces[f].end; ++i) {
      const int index = own.side_edges[i];
      const Polytope::Edge& edge = own.edges[index];
      const int beyond = edge.left == f ? edge.right : edge.left;
      if (beyond > f || heights[beyond] < threshold) indices.push_back(index);  // not added before
    }
  }
  std::ranges::sort(indices);
}

/// Edges of `own` that may separate by more than `threshold`, placed by X. Neither the other's inner ball nor
/// its low vertex may exclude them. If the perpendicular to a point lies between the normals of two faces,
/// with cosine c, the nearer normal is within half their angle. So its length is at most the greater height
/// over sqrt((1 + c)/2).
void find_candidate_edges(const Polytope& own, const OtherPolytope& other, double threshold, const Pose& X,
                          std::vector<int>& indices, std::vector<CandidateEdge>& edges) {
  edges.clear();
  const double clear = threshold + other.inner_radius;
  const auto consider = [&](const Polytope::Edge& edge) {
    const bool has_faces = edge.left >= 0;
    const double x = has_faces ? other.heights[edge.left] : 0, y = has_faces ? other.heights[edge.right] : 0;
    if (!may_exceed(own, edge, x, y, other.center, clear)) return;
    if (other.vertex) {
      const auto height = [&](int face) {
        return dot(own.faces[face].normal, *other.vertex) - own.faces[face].offset;
      };
      const double vx = has_faces ? height(edge.left) : 0, vy = has_faces ? height(edge.right) : 0;
      if (!may_exceed(own, edge, vx, vy, *other.vertex, threshold)) return;
    }
    const Vec3& from = own.vertices[edge.from];
    edges.push_back({X * from, X.R * (own.vertices[edge.to] - from),
                     has_faces ? X.R * own.faces[edge.left].normal : Vec3{},
                     has_faces ? X.R * own.faces[edge.right].normal : Vec3{}, has_faces, edge.from, edge.to});
  };
  if (clear < 0 || own.side_edges.empty()) {
    for (const Polytope::Edge& edge : own.edges) consider(edge);
    return;
  }
  const double min_height =
      (1 - tolerances::kOnEdge) * std::sqrt(0.5 * std::max(1 + own.min_cosine, 0.0)) * clear;
  edges_of_high_faces(own, other.heights, min_height, indices);
  for (const int index : indices) consider(own.edges[index]);
}

/// +1 if own.along × other supports `own` at this edge, -1 if its opposite does, else 0.
int supporting_side(const CandidateEdge& own, const Vec3& other) {
  const double l = dot(other, own.left), r = dot(other, own.right);
  return l >= 0 && r <= 0 ? 1 : l <= 0 && r >= 0 ? -1 : 0;
}

/// Two edges span a facet of the Minkowski difference if their arcs of normals cross. Then m = ±a × b is in
/// the normal cone of a, and -m in that of b. An edge without faces has all its normals in its cone.
void try_pair(const PolytopePair& pair, const CandidateEdge& a, const CandidateEdge& b,
              SeparatingAxis& best) {
  const int side_a = a.has_faces ? supporting_side(a, b.along) : 0;
  const int side_b = b.has_faces ? supporting_side(b, a.along) : 0;
  if ((a.has_faces && side_a == 0) || (b.has_faces && side_b == 0)) return;
  if (a.has_faces && b.has_faces && side_a != side_b) return;
  const Vec3 cross_ab = cross(a.along, b.along);
  if (nearly_parallel(a.along, b.along, cross_ab)) return;
  const double apart = dot(cross_ab, b.start - a.start);
  const int side = a.has_faces ? side_a : b.has_faces ? side_b : apart >= 0 ? 1 : -1;
  if (side * apart > (best.value + pair.tie_tolerance) * norm(cross_ab)) try_edges(pair, a, b, side, best);
}

SeparatingAxis mirrored(SeparatingAxis axis) {
  if (axis.kind == AxisKind::face_a || axis.kind == AxisKind::face_b) {
    axis.kind = axis.kind == AxisKind::face_a ? AxisKind::face_b : AxisKind::face_a;
  }
  axis.normal = -axis.normal;
  std::swap(axis.a, axis.b);
  std::swap(axis.a_to, axis.b_to);
  return axis;
}

SatResult sat_polytopes(const PolytopePair& pair) {
  thread_local Scratch scratch;
  const Vec3 center_b = pair.R * pair.b.center + pair.t;
  const Vec3 offset_a = -(pair.Rt * pair.t);
  const Vec3 center_a = pair.Rt * pair.a.center + offset_a;
  SeparatingAxis face = best_face(pair.a, pair.b, pair.Rt, pair.t, center_b, scratch.heights_a);
  SeparatingAxis face_b = best_face(pair.b, pair.a, pair.R, offset_a, center_a, scratch.heights_b);
  if (face_b.value > face.value + pair.tie_tolerance) {
    face_b.normal = pair.R * face_b.normal;
    face = mirrored(face_b);
  }
  SatResult axis{face, face};
  if (face.value > pair.max_separation) return axis;
  const double threshold = face.value + pair.tie_tolerance;
  // The vertex that meets the best face lies lower than most edges of that face's polytope.
  Vec3 low_a, low_b;
  OtherPolytope seen_a{center_a, pair.a.inner_radius, scratch.heights_b},
      seen_b{center_b, pair.b.inner_radius, scratch.heights_a};
  if (face.kind == AxisKind::face_a) {
    low_b = pair.R * pair.b.vertices[face.b] + pair.t;
    seen_b.vertex = &low_b;
  } else if (face.kind == AxisKind::face_b) {
    low_a = pair.Rt * pair.a.vertices[face.a] + offset_a;
    seen_a.vertex = &low_a;
  }
  find_candidate_edges(pair.a, seen_b, threshold, {}, scratch.indices, scratch.edges_a);
  if (scratch.edges_a.empty()) return axis;
  find_candidate_edges(pair.b, seen_a, threshold, {pair.R, pair.t}, scratch.indices, scratch.edges_b);
  for (const CandidateEdge& a : scratch.edges_a) {
    for (const CandidateEdge& b : scratch.edges_b) try_pair(pair, a, b, axis.best);
  }
  return axis;
}

/// For pairs without an axis: perpendicular to the segment if there is one, else along the centres.
SeparatingAxis any_axis(const PolytopePair& pair) {
  const Polytope& line = pair.a.vertices.size() > 1 ? pair.a : pair.b;
  Vec3 along = line.vertices.back() - line.vertices.front();
  if (&line == &pair.b) along = pair.R * along;
  const double length2 = dot(along, along);
  const auto perpendicular_part = [&](const Vec3& v) {
    return length2 > 0 ? v - (dot(v, along) / length2) * along : v;
  };
  const Vec3 apart = pair.R * pair.b.center + pair.t - pair.a.center;
  Vec3 m = perpendicular_part(apart);
  const double size = pair.a.outer_radius + pair.b.outer_radius + norm(apart);
  if (norm(m) <= tolerances::kZeroLength * size) m = perpendicular_part({0, 0, 1});
  if (norm(m) <= kClearlyOblique) m = perpendicular_part({1, 0, 0});
  m = normalized(m);
  return {AxisKind::none, separation_along(pair, m), m, -1, -1, -1, -1};
}

SatResult sat_polytopes(const PosedConvex& a, const PosedConvex& b, double max_separation) {
  const Polytope& core_a = *core_polytope(a.shape);
  const Polytope& core_b = *core_polytope(b.shape);
  const Mat3 Rt_a = transpose(a.X_WS.R);
  const Mat3 R = Rt_a * b.X_WS.R;
  const PolytopePair pair{core_a,
                          core_b,
                          R,
                          transpose(R),
                          Rt_a * (b.X_WS.p - a.X_WS.p),
                          kSeparationTie * (core_a.outer_radius + core_b.outer_radius),
                          max_separation};
  SatResult axis = sat_polytopes(pair);
  if (axis.best.kind == AxisKind::none) axis.best = any_axis(pair);
  return axis;
}

SatResult sat_obbs(const PosedConvex& a, const PosedConvex& b, double max_separation) {
  const ObbPair obbs(a, b);
  const DeepestObbAxis axis = deepest_obb_axis(obbs, max_separation);
  return {to_separating_axis(obbs, axis.best), to_separating_axis(obbs, axis.face)};
}

}  // namespace

SatResult find_separating_axis_canonical(const PosedConvex& a, const PosedConvex& b, double max_separation) {
  const bool box_a = a.shape.core == CoreKind::box, box_b = b.shape.core == CoreKind::box;
  const bool obbs =
      (box_a && (box_b || b.shape.core == CoreKind::segment)) || (box_b && a.shape.core == CoreKind::segment);
  SatResult axis =
      obbs && !a.shape.planar ? sat_obbs(a, b, max_separation) : sat_polytopes(a, b, max_separation);
  axis.best.normal = -(a.X_WS.R * axis.best.normal);
  axis.face.normal = -(a.X_WS.R * axis.face.normal);
  return axis;
}

const Polytope& point_polytope() {
  static const Polytope point = [] {
    Polytope polytope;
    polytope.vertices = {{}};
    polytope.neighbour_begin = {0, 0};
    return polytope;
  }();
  return point;
}

bool is_canonical_rotation_order(const Mat3& a, const Mat3& b) {
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      if (a(i, j) != b(i, j)) return a(i, j) > b(i, j);
    }
  }
  return true;
}

SatResult find_separating_axis(const PosedConvex& a, const PosedConvex& b) {
  if (is_canonical_order(a, b)) return find_separating_axis_canonical(a, b);
  const SatResult axis = find_separating_axis_canonical(b, a);
  return {mirrored(axis.best), mirrored(axis.face)};
}

}  // namespace pawl::internal
