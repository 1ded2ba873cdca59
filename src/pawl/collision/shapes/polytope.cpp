#include <pawl/collision/shapes/polytope.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <utility>

#include <pawl/base/simd.h>

namespace pawl::internal {
namespace {

/// The corners of a loop relative to the first, divided by the largest absolute coordinate.
std::vector<Vec3> relative_corners(const std::vector<Vec3>& vertices, const std::vector<int>& loop) {
  std::vector<Vec3> corners;
  double size = 0;
  for (const int v : loop) {
    corners.push_back(vertices[v] - vertices[loop[0]]);
    for (int k = 0; k < 3; ++k) size = std::max(size, std::abs(corners.back()[k]));
  }
  for (Vec3& d : corners) d = d / size;
  return corners;
}

/// The correction t, perpendicular to n, that fits the plane with normal n + t to all corners in the
/// least-squares sense. With r = n · d and C = Σ (d - mean d)(d - mean d)ᵀ: C t = -Σ r (d - mean d). Axes
/// along and across the loop preserve accuracy for long, narrow loops.
Vec3 least_squares_tilt(const std::vector<Vec3>& corners, const Vec3& n) {
  const Vec3 farthest = *std::ranges::max_element(corners, {}, [](const Vec3& d) { return dot(d, d); });
  const Vec3 across = normalized(cross(n, farthest)), along = cross(across, n);
  Vec3 mean;
  for (const Vec3& d : corners) mean += d / static_cast<double>(corners.size());
  double c_aa = 0, c_ac = 0, c_cc = 0, b_a = 0, b_c = 0;
  for (const Vec3& d : corners) {
    const double a = dot(along, d - mean), c = dot(across, d - mean), r = dot(n, d);
    c_aa += a * a;
    c_ac += a * c;
    c_cc += c * c;
    b_a -= r * a;
    b_c -= r * c;
  }
  const double narrow = c_cc - c_ac / c_aa * c_ac;  // Schur complement of c_aa
  if (!(narrow > 0)) return {};
  const double t_c = (b_c - c_ac / c_aa * b_a) / narrow;
  return (b_a - c_ac * t_c) / c_aa * along + t_c * across;
}

/// Newell's normal of a loop, a sum over all corners, corrected by a least-squares fit. The correction is
/// needed because the cross products of a narrow loop suffer from cancellation.
Vec3 loop_normal(const std::vector<Vec3>& vertices, const std::vector<int>& loop) {
  const std::vector<Vec3> corners = relative_corners(vertices, loop);
  Vec3 area;
  for (std::size_t i = 1; i + 1 < corners.size(); ++i) area += cross(corners[i], corners[i + 1]);
  const Vec3 n = normalized(area);
  return normalized(n + least_squares_tilt(corners, n));
}

void add_face(Polytope& polytope, const Vec3& normal, const std::vector<int>& loop) {
  Polytope::Face face;
  face.normal = normal;
  face.begin = static_cast<int>(polytope.loops.size());
  polytope.loops.insert(polytope.loops.end(), loop.begin(), loop.end());
  polytope.sides.resize(polytope.loops.size());
  face.end = static_cast<int>(polytope.loops.size());
  polytope.faces.push_back(face);
  update_face_geometry(polytope, static_cast<int>(polytope.faces.size()) - 1);
}

/// Adjacent faces traverse their common edge in opposite directions.
void add_edges(Polytope& polytope) {
  std::map<std::pair<int, int>, int> edge_of;
  polytope.side_edges.resize(polytope.loops.size());
  for (int f = 0; f < static_cast<int>(polytope.faces.size()); ++f) {
    const auto [begin, end] = std::pair(polytope.faces[f].begin, polytope.faces[f].end);
    for (int i = begin; i < end; ++i) {
      const int from = polytope.loops[i], to = polytope.loops[i + 1 < end ? i + 1 : begin];
      const auto [it, is_new] =
          edge_of.try_emplace(std::minmax(from, to), static_cast<int>(polytope.edges.size()));
      polytope.side_edges[i] = it->second;
      if (is_new) {
        polytope.edges.push_back({from, to, f, -1, -1});
      } else {
        Polytope::Edge& edge = polytope.edges[it->second];
        edge.right = f;
        edge.cosine = dot(polytope.faces[edge.left].normal, polytope.faces[f].normal);
      }
    }
  }
  polytope.min_cosine = 1;
  for (const Polytope::Edge& edge : polytope.edges)
    polytope.min_cosine = std::min(polytope.min_cosine, edge.cosine);
}

/// A Vec3x4 loaded into SIMD lanes.
struct Vec3x4Lanes {
  Vec4d x, y, z, offset;

  explicit Vec3x4Lanes(const Vec3x4& vectors)
      : x(load(vectors.x.data())),
        y(load(vectors.y.data())),
        z(load(vectors.z.data())),
        offset(load(vectors.offset.data())) {}
};

/// Index of the maximum of values added four at a time. Each lane keeps its own maximum and row, without
/// branches, since they would be unpredictable.
class ArgMax4 {
 public:
  void add(Vec4d value) {
    row_of_max_ = select(value > max_, row_, row_of_max_);
    max_ = max(value, max_);
    row_ += 1;
  }
  int index() const {
    int best = 0;
    for (int k = 1; k < 4; ++k) {
      const bool earlier = max_[k] == max_[best] && row_of_max_[k] < row_of_max_[best];
      if (max_[k] > max_[best] || earlier) best = k;
    }
    return 4 * static_cast<int>(row_of_max_[best]) + best;
  }

 private:
  Vec4d max_ = broadcast(-std::numeric_limits<double>::infinity()), row_of_max_{}, row_{};
};

/// Packs vectors in blocks of four; empty for short lists, where packing does not pay.
template <class VectorOf, class OffsetOf>
std::vector<Vec3x4> pack_by_four(std::size_t count, VectorOf vector_of, OffsetOf offset_of) {
  constexpr std::size_t kMinCount = 9;
  std::vector<Vec3x4> fours(count < kMinCount ? 0 : (count + 3) / 4);
  for (std::size_t i = 0; i < 4 * fours.size(); ++i) {
    const std::size_t from = std::min(i, count - 1);
    Vec3x4& four = fours[i / 4];
    const Vec3& v = vector_of(from);
    four.x[i % 4] = v.x, four.y[i % 4] = v.y, four.z[i % 4] = v.z;
    four.offset[i % 4] = offset_of(from);
  }
  return fours;
}

void add_neighbours(Polytope& polytope, const std::vector<std::pair<int, int>>& sides) {
  std::vector<std::vector<int>> of(polytope.vertices.size());
  for (const auto& [a, b] : sides) {
    of[a].push_back(b);
    of[b].push_back(a);
  }
  polytope.neighbour_begin.assign(1, 0);
  for (auto& list : of) {
    std::ranges::sort(list);
    list.erase(std::unique(list.begin(), list.end()), list.end());
    polytope.neighbours.insert(polytope.neighbours.end(), list.begin(), list.end());
    polytope.neighbour_begin.push_back(static_cast<int>(polytope.neighbours.size()));
  }
}

std::vector<std::pair<int, int>> sides_of(const Polytope& polytope) {
  std::vector<std::pair<int, int>> sides;
  for (const Polytope::Edge& edge : polytope.edges) sides.emplace_back(edge.from, edge.to);
  return sides;
}

void compute_extents(Polytope& polytope) {
  polytope.center = {};
  for (const Vec3& v : polytope.vertices) polytope.center += v;
  polytope.center = polytope.center / static_cast<double>(polytope.vertices.size());
  for (const Vec3& v : polytope.vertices) {
    polytope.outer_radius = std::max(polytope.outer_radius, norm(v - polytope.center));
  }
  double inner = polytope.faces.empty() ? 0 : std::numeric_limits<double>::infinity();
  for (const Polytope::Face& face : polytope.faces) {
    inner = std::min(inner, face.offset - dot(face.normal, polytope.center));
  }
  polytope.inner_radius = std::max(inner, 0.0);
  polytope.vertex_blocks = pack_by_four(
      polytope.vertices.size(), [&](std::size_t i) { return polytope.vertices[i]; },
      [](std::size_t) { return 0.0; });
  polytope.face_blocks = pack_by_four(
      polytope.faces.size(), [&](std::size_t i) { return polytope.faces[i].normal; },
      [&](std::size_t i) { return polytope.faces[i].offset; });
}

/// Above this number of vertices hill climbing is faster than a scan.
constexpr int kMaxVerticesToScan = 48;

}  // namespace

int argmax_dot(const std::vector<Vec3x4>& list, const Vec3& d) {
  ArgMax4 largest;
  for (const Vec3x4& vectors : list) {
    const Vec3x4Lanes v(vectors);
    largest.add(v.x * d.x + v.y * d.y + v.z * d.z);
  }
  return largest.index();
}

int argmax_height(const std::vector<Vec3x4>& list, const Vec3& x, double* heights) {
  ArgMax4 highest;
  for (const Vec3x4& planes : list) {
    const Vec3x4Lanes n(planes);
    const Vec4d height = n.x * x.x + n.y * x.y + n.z * x.z - n.offset;
    highest.add(height);
    std::memcpy(heights, &height, sizeof height);
    heights += 4;
  }
  return highest.index();
}

int farthest_vertex(const Polytope& polytope, const Vec3& d, int start) {
  const int count = static_cast<int>(polytope.vertices.size());
  if (count <= kMaxVerticesToScan && !polytope.vertex_blocks.empty())
    return argmax_dot(polytope.vertex_blocks, d);
  int best = count > kMaxVerticesToScan ? std::clamp(start, 0, count - 1) : 0;
  double max_dot = dot(polytope.vertices[best], d);
  if (count <= kMaxVerticesToScan) {
    for (int v = 1; v < count; ++v) {
      const double along = dot(polytope.vertices[v], d);
      if (along > max_dot) max_dot = along, best = v;
    }
    return best;
  }
  for (int last = -1; last != best;) {
    last = best;
    for (int i = polytope.neighbour_begin[last]; i < polytope.neighbour_begin[last + 1]; ++i) {
      const double along = dot(polytope.vertices[polytope.neighbours[i]], d);
      if (along > max_dot) max_dot = along, best = polytope.neighbours[i];
    }
  }
  return best;
}

int aligned_face(const Polytope& polytope, const Vec3& direction) {
  if (!polytope.face_blocks.empty()) return argmax_dot(polytope.face_blocks, direction);
  int best = -1;
  double max_dot = -2;
  for (int f = 0; f < static_cast<int>(polytope.faces.size()); ++f) {
    const double along = dot(polytope.faces[f].normal, direction);
    if (along > max_dot) max_dot = along, best = f;
  }
  return best;
}

void update_face_geometry(Polytope& polytope, int index) {
  Polytope::Face& face = polytope.faces[index];
  const int count = face.end - face.begin;
  const auto vertex = [&](int i) -> const Vec3& {
    return polytope.vertices[polytope.loops[face.begin + i % count]];
  };
  face.offset = 0;
  face.middle = {};
  for (int i = 0; i < count; ++i) {
    face.offset += dot(face.normal, vertex(i)) / count;
    face.middle += vertex(i) / count;
  }
  const Vec3 side = vertex(1) - vertex(0);
  face.along = normalized(side - dot(face.normal, side) * face.normal);
  face.across = cross(face.normal, face.along);
  for (int i = 0; i < count; ++i) {
    const Vec3 from = vertex(i) - face.middle, to = vertex(i + 1) - vertex(i);
    const double u = dot(face.along, to), v = dot(face.across, to), length = std::sqrt(u * u + v * v);
    Polytope::Side& result = polytope.sides[face.begin + i];
    result.u = dot(face.along, from);
    result.v = dot(face.across, from);
    result.in_u = (count > 2 ? -v : u) / length;
    result.in_v = (count > 2 ? u : v) / length;
    result.offset = result.in_u * result.u + result.in_v * result.v;
  }
}

Polytope make_segment(double half_length, bool planar) {
  Polytope polytope;
  const Vec3 end = planar ? Vec3{half_length, 0, 0} : Vec3{0, 0, half_length};
  polytope.vertices = {-end, end};
  if (planar) {  // one face per side, back to back
    add_face(polytope, {0, -1, 0}, {0, 1});
    add_face(polytope, {0, 1, 0}, {1, 0});
  } else {
    polytope.edges = {{0, 1, -1, -1, -1}};
  }
  add_neighbours(polytope, {{0, 1}});
  compute_extents(polytope);
  return polytope;
}

Polytope make_box(const Vec3& half, bool planar) {
  const auto [x, y, z] = half;
  if (planar) return make_polygon({{-x, -y, 0}, {x, -y, 0}, {x, y, 0}, {-x, y, 0}});
  std::vector<Vec3> vertices;  // bit i of the index: coordinate i is positive
  for (int v = 0; v < 8; ++v) vertices.push_back({v & 1 ? x : -x, v & 2 ? y : -y, v & 4 ? z : -z});
  return make_polytope(std::move(vertices),  // -x, +x, -y, +y, -z, +z
                       {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}});
}

Polytope make_triangle(const Vec3& a, const Vec3& b, const Vec3& c) {
  return make_polytope({a, b, c}, {{0, 1, 2}, {0, 2, 1}});
}

Polytope make_polygon(const std::vector<Vec3>& corners) {
  Polytope polytope;
  polytope.vertices = corners;
  std::vector<std::pair<int, int>> sides;
  const int n = static_cast<int>(corners.size());
  for (int i = 0; i < n; ++i) {
    const int next = (i + 1) % n;
    const Vec3 along = corners[next] - corners[i];
    add_face(polytope, normalized(Vec3{along.y, -along.x, 0}), {i, next});
    sides.emplace_back(i, next);
  }
  add_neighbours(polytope, sides);
  compute_extents(polytope);
  return polytope;
}

Polytope make_polytope(std::vector<Vec3> vertices, const std::vector<std::vector<int>>& faces) {
  Polytope polytope;
  polytope.vertices = std::move(vertices);
  for (const auto& loop : faces) add_face(polytope, loop_normal(polytope.vertices, loop), loop);
  add_edges(polytope);
  add_neighbours(polytope, sides_of(polytope));
  compute_extents(polytope);
  return polytope;
}

}  // namespace pawl::internal
