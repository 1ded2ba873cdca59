#include <pawl/geometry/separating_axes.h>

#include <algorithm>
#include <utility>
#include <vector>

#include <pawl/geometry/brick_axes.h>
#include <pawl/geometry/support.h>

namespace pawl {
namespace {

/// Two polytopes in the frame of the first: x_a = R x_b + t. Directions m go out of a into b.
struct Pair {
  const Polytope& a;
  const Polytope& b;
  Mat3 R, Rt;
  Vec3 t;
  double tie;
  double enough;  // nobody asks for more separation than this, m
};

/// An edge whose normals may still hold a better axis, in the frame of a.
struct OpenEdge {
  Vec3 start, along;
  Vec3 left, right;  // normals of its faces
  bool has_faces;
  int from, to;
};

struct Scratch {
  std::vector<double> heights_a, heights_b;
  std::vector<int> numbers;
  std::vector<OpenEdge> edges_a, edges_b;
};

/// The separation along m by all vertices, so that it is a true bound whatever m is.
double separation_along(const Pair& pair, const Vec3& m) {
  const Vec3 m_b = pair.Rt * m;
  const Vec3& low = pair.b.vertices[farthest_vertex(pair.b, -m_b)];
  const Vec3& high = pair.a.vertices[farthest_vertex(pair.a, m)];
  return dot(m_b, low) + dot(m, pair.t) - dot(m, high);
}

/// The common normal of two edges. Gram and Schmidt's order keeps it square to both to rounding even where
/// they are nearly parallel; a bare cross product would keep 1e-16 over the sine of their angle.
Vec3 common_normal(const Vec3& along_a, const Vec3& along_b) {
  const Vec3 u = normalized(along_a);
  return normalized(cross(u, normalized(along_b - dot(u, along_b) * u)));
}

/// Rounding alone tells edges apart that are more parallel than this.
bool nearly_parallel(const Vec3& along_a, const Vec3& along_b, const Vec3& turn) {
  return dot(turn, turn) <= 1e-30 * dot(along_a, along_a) * dot(along_b, along_b);
}

/// Takes the common normal of two edges if it separates by more than the best so far.
void try_edges(const Pair& pair, const OpenEdge& a, const OpenEdge& b, double sign, SeparatingAxis& best) {
  const Vec3 m = sign * common_normal(a.along, b.along);
  const double value = separation_along(pair, m);
  if (value <= best.value + pair.tie) return;
  best = {AxisKind::edges, value, m, a.from, b.from, a.to, b.to};
}

/// The best face of `own`; `to_other` turns its directions to the other's frame, whose origin is `offset` and
/// whose centre is `center` in its own. An upper bound is the height of that centre less the radius of the
/// other's inner ball, another the height of any of its vertices: only faces whose bounds beat the best need
/// a look at all vertices. `heights` gets the height of the centre over each face.
SeparatingAxis best_face(const Polytope& own, const Polytope& other, const Mat3& to_other, const Vec3& offset,
                         const Vec3& center, std::vector<double>& heights) {
  SeparatingAxis best;
  const int count = static_cast<int>(own.faces.size());
  heights.resize((own.faces.size() + 3) / 4 * 4);
  int highest = 0;
  if (!own.four_faces.empty()) {
    highest = highest_over(own.four_faces, center, heights.data());
  } else {
    double most = -std::numeric_limits<double>::infinity();
    for (int f = 0; f < count; ++f) {
      heights[f] = dot(own.faces[f].normal, center) - own.faces[f].offset;
      if (heights[f] > most) most = heights[f], highest = f;
    }
  }
  const auto look_at = [&](int f) {
    const Polytope::Face& face = own.faces[f];
    const Vec3 n = to_other * face.normal;
    const int v = farthest_vertex(other, -n);
    const double value = dot(n, other.vertices[v]) + dot(face.normal, offset) - face.offset;
    if (value > best.value) best = {AxisKind::face_a, value, face.normal, f, v, -1, -1};
  };
  if (count > 0) look_at(highest);
  double least = best.value + other.inner_radius;
  for (int f = 0; f < count; ++f) {
    if (heights[f] <= least || f == highest) continue;
    look_at(f);
    least = best.value + other.inner_radius;
  }
  return best;
}

/// By the length of the way from the edge to the point itself, which is never too small.
bool is_farther(const Polytope& own, const Polytope::Edge& edge, const Vec3& point, double least) {
  const Vec3 w = point - own.vertices[edge.from];
  const Vec3 along = own.vertices[edge.to] - own.vertices[edge.from];
  return norm(w - (dot(w, along) / dot(along, along)) * along) > least;
}

/// Whether m · (point - edge) exceeds `least` for an outward unit normal m of the edge. On the arc from one
/// face's normal to the other's the largest is at an end, where it is the height over that face, x or y, or,
/// where the way straight to the point lies between, that way's length: sqrt((x² + y² - 2cxy)/(1 - c²)) with
/// the cosine c of the arc.
inline bool may_exceed(const Polytope& own, const Polytope::Edge& edge, double x, double y, const Vec3& point,
                       double least) {
  if (edge.left >= 0) {
    const double higher = std::max(x, y);
    if (higher > least) return true;
    if (least >= 0 && higher <= 0) return false;
    const double c = edge.cosine;
    if (std::abs(c) < 0.999999) {
      if (x <= c * y || y <= c * x) return false;
      return least < 0 || x * x + y * y - 2 * c * x * y > least * least * (1 - c * c);
    }
  }
  return is_farther(own, edge, point, least);  // back to back, nearly flat or without faces
}

/// Where the other polytope is, as seen from the one whose edges are looked at.
struct Other {
  const Vec3& center;
  double inner_radius;
  const std::vector<double>& heights;  // of its centre over each face
  const Vec3* vertex = nullptr;        // one of its vertices that lies low; null: none is known
};

/// Numbers of the edges of `own` of which a face has the other's centre at a height of `least` or more.
void edges_of_high_faces(const Polytope& own, const std::vector<double>& heights, double least,
                         std::vector<int>& numbers) {
  numbers.clear();
  for (int f = 0; f < static_cast<int>(own.faces.size()); ++f) {
    if (heights[f] < least) continue;
    for (int i = own.faces[f].begin; i < own.faces[f].end; ++i) {
      const int number = own.side_edges[i];
      const Polytope::Edge& edge = own.edges[number];
      const int beyond = edge.left == f ? edge.right : edge.left;
      if (beyond > f || heights[beyond] < least) numbers.push_back(number);  // not taken before
    }
  }
  std::ranges::sort(numbers);
}

/// Edges of `own` that may separate by more than `least`, placed by X: neither the other's inner ball nor its
/// vertex may be lower. Where the way straight to a point lies between the normals of two faces, at an angle
/// of cosine c, the nearer is no farther than half of it: the way is as long as the greater height over
/// sqrt((1 + c)/2) at the most.
void open_edges(const Polytope& own, const Other& other, double least, const Pose& X,
                std::vector<int>& numbers, std::vector<OpenEdge>& edges) {
  edges.clear();
  const double clear = least + other.inner_radius;
  const auto look_at = [&](const Polytope::Edge& edge) {
    const bool has_faces = edge.left >= 0;
    const double x = has_faces ? other.heights[edge.left] : 0, y = has_faces ? other.heights[edge.right] : 0;
    if (!may_exceed(own, edge, x, y, other.center, clear)) return;
    if (other.vertex) {
      const auto height = [&](int face) {
        return dot(own.faces[face].normal, *other.vertex) - own.faces[face].offset;
      };
      const double vx = has_faces ? height(edge.left) : 0, vy = has_faces ? height(edge.right) : 0;
      if (!may_exceed(own, edge, vx, vy, *other.vertex, least)) return;
    }
    const Vec3& from = own.vertices[edge.from];
    edges.push_back({X * from, X.R * (own.vertices[edge.to] - from),
                     has_faces ? X.R * own.faces[edge.left].normal : Vec3{},
                     has_faces ? X.R * own.faces[edge.right].normal : Vec3{}, has_faces, edge.from, edge.to});
  };
  if (clear < 0 || own.side_edges.empty()) {
    for (const Polytope::Edge& edge : own.edges) look_at(edge);
    return;
  }
  const double least_height = (1 - 1e-12) * std::sqrt(0.5 * std::max(1 + own.least_cosine, 0.0)) * clear;
  edges_of_high_faces(own, other.heights, least_height, numbers);
  for (const int number : numbers) look_at(own.edges[number]);
}

/// +1 where own.along × other supports `own` at this edge, -1 where the opposite does, 0 where neither.
int supporting_side(const OpenEdge& own, const Vec3& other) {
  const double l = dot(other, own.left), r = dot(other, own.right);
  return l >= 0 && r <= 0 ? 1 : l <= 0 && r >= 0 ? -1 : 0;
}

/// Two edges span a facet of the Minkowski difference where their arcs of normals cross: m = ± a × b lies
/// in the cone of a and -m in that of b. An edge without faces has every normal in its cone.
void try_pair(const Pair& pair, const OpenEdge& a, const OpenEdge& b, SeparatingAxis& best) {
  const int side_a = a.has_faces ? supporting_side(a, b.along) : 0;
  const int side_b = b.has_faces ? supporting_side(b, a.along) : 0;
  if ((a.has_faces && side_a == 0) || (b.has_faces && side_b == 0)) return;
  if (a.has_faces && b.has_faces && side_a != side_b) return;
  const Vec3 turn = cross(a.along, b.along);
  if (nearly_parallel(a.along, b.along, turn)) return;
  const double apart = dot(turn, b.start - a.start);
  const int side = a.has_faces ? side_a : b.has_faces ? side_b : apart >= 0 ? 1 : -1;
  if (side * apart > (best.value + pair.tie) * norm(turn)) try_edges(pair, a, b, side, best);
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

DeepestAxis of_polytopes(const Pair& pair) {
  thread_local Scratch scratch;
  const Vec3 center_b = pair.R * pair.b.center + pair.t;
  const Vec3 offset_a = -(pair.Rt * pair.t);
  const Vec3 center_a = pair.Rt * pair.a.center + offset_a;
  SeparatingAxis face = best_face(pair.a, pair.b, pair.Rt, pair.t, center_b, scratch.heights_a);
  SeparatingAxis face_b = best_face(pair.b, pair.a, pair.R, offset_a, center_a, scratch.heights_b);
  if (face_b.value > face.value + pair.tie) {
    face_b.normal = pair.R * face_b.normal;
    face = mirrored(face_b);
  }
  DeepestAxis axis{face, face};
  if (face.value > pair.enough) return axis;
  const double least = face.value + pair.tie;
  // The vertex that meets the best face lies lower than most edges of that face's polytope.
  Vec3 low_a, low_b;
  Other seen_a{center_a, pair.a.inner_radius, scratch.heights_b},
      seen_b{center_b, pair.b.inner_radius, scratch.heights_a};
  if (face.kind == AxisKind::face_a) {
    low_b = pair.R * pair.b.vertices[face.b] + pair.t;
    seen_b.vertex = &low_b;
  } else if (face.kind == AxisKind::face_b) {
    low_a = pair.Rt * pair.a.vertices[face.a] + offset_a;
    seen_a.vertex = &low_a;
  }
  open_edges(pair.a, seen_b, least, {}, scratch.numbers, scratch.edges_a);
  if (scratch.edges_a.empty()) return axis;
  open_edges(pair.b, seen_a, least, {pair.R, pair.t}, scratch.numbers, scratch.edges_b);
  for (const OpenEdge& a : scratch.edges_a) {
    for (const OpenEdge& b : scratch.edges_b) try_pair(pair, a, b, axis.best);
  }
  return axis;
}

/// For shapes that have no axis: square to the segment among them, and else along their centres.
SeparatingAxis any_axis(const Pair& pair) {
  const Polytope& line = pair.a.vertices.size() > 1 ? pair.a : pair.b;
  Vec3 along = line.vertices.back() - line.vertices.front();
  if (&line == &pair.b) along = pair.R * along;
  const double length2 = dot(along, along);
  const auto square_to = [&](const Vec3& v) {
    return length2 > 0 ? v - (dot(v, along) / length2) * along : v;
  };
  const Vec3 apart = pair.R * pair.b.center + pair.t - pair.a.center;
  Vec3 m = square_to(apart);
  const double size = pair.a.outer_radius + pair.b.outer_radius + norm(apart);
  if (norm(m) <= 1e-14 * size) m = square_to({0, 0, 1});
  if (norm(m) <= 1e-3) m = square_to({1, 0, 0});
  m = normalized(m);
  return {AxisKind::none, separation_along(pair, m), m, -1, -1, -1, -1};
}

DeepestAxis of_polytopes(const PlacedConvex& a, const PlacedConvex& b, double enough) {
  const Polytope& core_a = *core_polytope(a.shape);
  const Polytope& core_b = *core_polytope(b.shape);
  const Mat3 Rt_a = transpose(a.X_WS.R);
  const Mat3 R = Rt_a * b.X_WS.R;
  const Pair pair{core_a,
                  core_b,
                  R,
                  transpose(R),
                  Rt_a * (b.X_WS.p - a.X_WS.p),
                  kSeparationTie * (core_a.outer_radius + core_b.outer_radius),
                  enough};
  DeepestAxis axis = of_polytopes(pair);
  if (axis.best.kind == AxisKind::none) axis.best = any_axis(pair);
  return axis;
}

DeepestAxis of_bricks(const PlacedConvex& a, const PlacedConvex& b, double enough) {
  const BrickPair bricks(a, b);
  const DeepestBrickAxis axis = deepest_brick_axis(bricks, enough);
  return {features_of(bricks, axis.best), features_of(bricks, axis.face)};
}

}  // namespace

DeepestAxis deepest_axis_in_order(const PlacedConvex& a, const PlacedConvex& b, double enough) {
  const bool box_a = a.shape.core == CoreKind::box, box_b = b.shape.core == CoreKind::box;
  const bool bricks =
      (box_a && (box_b || b.shape.core == CoreKind::segment)) || (box_b && a.shape.core == CoreKind::segment);
  DeepestAxis axis = bricks && !a.shape.planar ? of_bricks(a, b, enough) : of_polytopes(a, b, enough);
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

bool rotation_comes_first(const Mat3& a, const Mat3& b) {
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      if (a(i, j) != b(i, j)) return a(i, j) > b(i, j);
    }
  }
  return true;
}

DeepestAxis deepest_axis(const PlacedConvex& a, const PlacedConvex& b) {
  if (comes_first(a, b)) return deepest_axis_in_order(a, b);
  const DeepestAxis axis = deepest_axis_in_order(b, a);
  return {mirrored(axis.best), mirrored(axis.face)};
}

}  // namespace pawl
