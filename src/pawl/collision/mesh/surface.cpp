#include <pawl/collision/mesh/surface.h>

#include <limits>
#include <utility>

#include <fmt/format.h>

#include <pawl/base/numeric_util.h>
#include <pawl/collision/mesh/mesh_file.h>
#include <pawl/error.h>

namespace pawl::internal {
namespace {

/// The normalised cross product, then made perpendicular to the longest side: in a narrow triangle, rounding
/// of the product would tilt it along that side.
Vec3 triangle_normal(const Vec3& a, const Vec3& b, const Vec3& c) {
  Vec3 longest = b - a;
  for (const Vec3& side : {c - b, a - c}) {
    if (dot(side, side) > dot(longest, longest)) longest = side;
  }
  const double size = norm(longest);
  const Vec3 along = longest / size;
  const Vec3 n = normalized(cross((b - a) / size, (c - a) / size));
  return normalized(n - dot(n, along) * along);
}

double largest_coordinate(const Vec3& a) {
  return std::max({std::abs(a.x), std::abs(a.y), std::abs(a.z)});
}

/// `height_a` is the height of b's far corner over the plane of a, `height_b` the reverse, m. The edge is
/// flat if the rounding of the coordinates could cause either.
EdgeKind kind_of(double height_a, double height_b, double largest) {
  if (std::min(std::abs(height_a), std::abs(height_b)) <= 16 * kEpsilon * largest) return EdgeKind::flat;
  return height_a < 0 ? EdgeKind::convex : EdgeKind::concave;
}

/// The side of `piece` that it shares with `other`, given the side `k` of the other.
int matching_side(const Surface& surface, int other, int k, int piece) {
  const int from = surface.pieces[other].corner[(k + 1) % 3];
  int side = 0;
  while (surface.pieces[piece].corner[side] != from) ++side;
  return side;
}

void classify_sides(Surface& surface) {
  const auto& x = surface.vertices;
  for (int a = 0; a < static_cast<int>(surface.pieces.size()); ++a) {
    Surface::Piece& piece = surface.pieces[a];
    for (int k = 0; k < 3; ++k) {
      const int b = piece.neighbour[k];
      if (b < a) continue;  // open, or done from the other side
      Surface::Piece& other = surface.pieces[b];
      const int l = matching_side(surface, a, k, b);
      const Vec3 &from = x[piece.corner[k]], &to = x[piece.corner[(k + 1) % 3]];
      const Vec3 &far_a = x[piece.corner[(k + 2) % 3]], &far_b = x[other.corner[(l + 2) % 3]];
      const double largest = std::max({largest_coordinate(from), largest_coordinate(to),
                                       largest_coordinate(far_a), largest_coordinate(far_b)});
      piece.edge[k] = other.edge[l] =
          kind_of(dot(piece.normal, far_b - from), dot(other.normal, far_a - from), largest);
    }
  }
}

void add_rings(Surface& surface) {
  std::vector<std::pair<int, int>> sides;
  for (const auto& piece : surface.pieces) {
    for (int k = 0; k < 3; ++k) {
      const int a = piece.corner[k], b = piece.corner[(k + 1) % 3];
      sides.emplace_back(a, b);
      sides.emplace_back(b, a);
    }
  }
  std::ranges::sort(sides);
  sides.erase(std::unique(sides.begin(), sides.end()), sides.end());
  surface.ring_begin.assign(surface.vertices.size() + 1, 0);
  for (const auto& [from, to] : sides) {
    ++surface.ring_begin[from + 1];
    surface.ring.push_back(to);
  }
  for (std::size_t v = 0; v < surface.vertices.size(); ++v)
    surface.ring_begin[v + 1] += surface.ring_begin[v];
}

void add_bounds(Surface& surface) {
  surface.bounds = {surface.vertices[0], surface.vertices[0]};
  for (const Vec3& vertex : surface.vertices) surface.bounds = merge(surface.bounds, {vertex, vertex});
}

/// Everything but the tree.
Surface connected(const TriangleMesh& mesh) {
  check_triangles(mesh);
  const auto neighbours = neighbours_of(mesh, false);
  Surface surface;
  surface.vertices = mesh.vertices;
  surface.pieces.reserve(mesh.triangles.size());
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    const auto& [a, b, c] = mesh.triangles[t];
    const Vec3 normal = triangle_normal(mesh.vertices[a], mesh.vertices[b], mesh.vertices[c]);
    surface.pieces.push_back({{a, b, c}, neighbours[t], {}, normal});
  }
  classify_sides(surface);
  add_rings(surface);
  add_bounds(surface);
  return surface;
}

void add_tree(Surface& surface) {
  std::vector<Aabb> bounds;
  bounds.reserve(surface.pieces.size());
  for (int piece = 0; piece < static_cast<int>(surface.pieces.size()); ++piece) {
    bounds.push_back(bounding_box(surface, piece));
  }
  surface.tree = Bvh(std::move(bounds));
}

Vec3 along(const Surface& surface, const Surface::Piece& piece, int side) {
  const int to = surface.planar ? 1 : (side + 1) % 3, from = surface.planar ? 0 : side;
  return normalized(surface.vertices[piece.corner[to]] - surface.vertices[piece.corner[from]]);
}

/// In the plane of the piece, straight out of its side.
Vec3 out_of_side(const Surface& surface, const Surface::Piece& piece, int side) {
  const Vec3 d = along(surface, piece, side);
  if (surface.planar) return side == 0 ? -d : d;
  return cross(d, piece.normal);
}

/// The normal at the far end of the arc of an active side; `ahead` points straight out of the side.
Vec3 last_normal(const Surface& surface, const Surface::Piece& piece, int side, const Vec3& ahead) {
  return piece.edge[side] == EdgeKind::open ? ahead : surface.pieces[piece.neighbour[side]].normal;
}

/// True if all sides around a vertex lie behind the plane perpendicular to a direction.
bool in_vertex_cone(const Surface& surface, int vertex, const Vec3& direction) {
  for (int i = surface.ring_begin[vertex]; i < surface.ring_begin[vertex + 1]; ++i) {
    if (dot(direction, surface.vertices[surface.ring[i]] - surface.vertices[vertex]) > 0) return false;
  }
  return true;
}

}  // namespace

Surface make_surface(const TriangleMesh& mesh) {
  Surface surface = connected(mesh);
  add_tree(surface);
  return surface;
}

Surface height_field(std::span<const double> heights, int rows, int columns, double spacing_x,
                     double spacing_y) {
  if (rows < 2 || columns < 2) {
    throw Error(
        fmt::format("height field: needs 2 rows and 2 columns at least, not {} and {}", rows, columns));
  }
  const long long count = static_cast<long long>(rows) * columns;
  if (count != static_cast<long long>(heights.size())) {
    throw Error(fmt::format("height field: {} rows and {} columns need {} heights, not {}", rows, columns,
                            count, heights.size()));
  }
  if (2 * count > kMaxTriangles) {
    throw Error(fmt::format("height field: {} heights are more than {}", count, kMaxTriangles / 2));
  }
  if (!(spacing_x > 0) || !(spacing_y > 0) || !std::isfinite(spacing_x) || !std::isfinite(spacing_y)) {
    throw Error(fmt::format("height field: spacing must be positive and finite, not {} and {}", spacing_x,
                            spacing_y));
  }
  TriangleMesh mesh;
  mesh.name = "height field";
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < columns; ++j) {
      const int v = i * columns + j;
      if (!std::isfinite(heights[v])) {
        throw Error(fmt::format("height field: the height of row {}, column {} is not finite", i, j));
      }
      mesh.vertices.push_back({j * spacing_x, i * spacing_y, heights[v]});
      if (i + 1 == rows || j + 1 == columns) continue;
      mesh.triangles.push_back({v, v + 1, v + columns + 1});
      mesh.triangles.push_back({v, v + columns + 1, v + columns});
    }
  }
  Surface surface = connected(mesh);
  surface.grid = {rows, columns, spacing_x, spacing_y};
  return surface;
}

Surface polyline_surface(std::span<const Vec3> points, bool closed) {
  const int n = static_cast<int>(points.size()), count = closed ? n : n - 1;
  if (n < (closed ? 3 : 2)) throw Error(fmt::format("polyline: {} points are too few", n));
  Surface surface;
  surface.planar = true;
  surface.vertices.assign(points.begin(), points.end());
  for (int i = 0; i < n; ++i) {
    if (!is_finite(points[i])) throw Error(fmt::format("polyline: point {} is not finite", i));
    if (points[i].z != 0) throw Error(fmt::format("polyline: point {} must have z = 0", i));
  }
  for (int i = 0; i < count; ++i) {
    const int next = (i + 1) % n;
    const Vec3 d = points[next] - points[i];
    const double length = std::hypot(d.x, d.y);
    if (!(length > 0)) throw Error(fmt::format("polyline: points {} and {} are the same", i, next));
    const int before = i > 0    ? i - 1
                       : closed ? count - 1
                                : -1,
              after = i + 1 < count ? i + 1
                      : closed      ? 0
                                    : -1;
    surface.pieces.push_back({{i, next, -1}, {before, after, -1}, {}, Vec3{-d.y, d.x, 0} / length});
  }
  for (int a = 0; a < count; ++a) {
    const int b = surface.pieces[a].neighbour[1];
    if (b < 0) continue;
    Surface::Piece &piece = surface.pieces[a], &other = surface.pieces[b];
    const Vec3 &from = points[piece.corner[0]], &joint = points[piece.corner[1]],
               &to = points[other.corner[1]];
    const double largest =
        std::max({largest_coordinate(from), largest_coordinate(joint), largest_coordinate(to)});
    piece.edge[1] = other.edge[0] =
        kind_of(dot(piece.normal, to - joint), dot(other.normal, from - joint), largest);
  }
  add_bounds(surface);
  add_tree(surface);
  return surface;
}

Aabb bounding_box(const Surface& surface, int piece) {
  const auto& [a, b, c] = surface.pieces[piece].corner;
  const Vec3 &p = surface.vertices[a], &q = surface.vertices[b];
  const Aabb two = merge({p, p}, {q, q});
  return c < 0 ? two : merge(two, {surface.vertices[c], surface.vertices[c]});
}

SideArc side_arc(const Surface& surface, int piece, int side) {
  const Surface::Piece& own = surface.pieces[piece];
  const Vec3 ahead = out_of_side(surface, own, side);
  const Vec3 last = last_normal(surface, own, side, ahead);
  return {own.normal, ahead, std::atan2(dot(last, ahead), dot(last, own.normal))};
}

Vec3 side_normal(const Surface& surface, int piece, int side, const Vec3& direction) {
  const Surface::Piece& own = surface.pieces[piece];
  if (own.edge[side] == EdgeKind::flat || own.edge[side] == EdgeKind::concave) return own.normal;
  const auto [normal, ahead, limit] = side_arc(surface, piece, side);
  const Vec3 last = last_normal(surface, own, side, ahead);
  const double across = dot(direction, normal), out = dot(direction, ahead);
  const double length = std::hypot(across, out);
  if (!(length > 8 * kEpsilon * norm(direction))) return normal;  // it is parallel to the side
  const double angle = std::atan2(out, across);
  if (angle >= 0 && angle <= limit) return (across / length) * normal + (out / length) * ahead;
  return across >= length * std::cos(angle - limit) ? normal : last;
}

Vec3 corner_normal(const Surface& surface, int piece, int corner, const Vec3& direction) {
  if (surface.planar) return side_normal(surface, piece, corner, direction);
  const Surface::Piece& own = surface.pieces[piece];
  const double length = norm(direction);
  if (!(length > 0)) return own.normal;
  if (dot(direction, own.normal) > 0 && in_vertex_cone(surface, own.corner[corner], direction)) {
    return direction / length;
  }
  const Vec3 on = side_normal(surface, piece, corner, direction);
  const Vec3 back = side_normal(surface, piece, (corner + 2) % 3, direction);
  return dot(on, direction) >= dot(back, direction) ? on : back;
}

}  // namespace pawl::internal
