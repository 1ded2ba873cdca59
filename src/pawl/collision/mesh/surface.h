#pragma once
// Surfaces of static bodies: triangle meshes, height fields, and polylines of planar worlds.

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <vector>

#include <pawl/collision/broad_phase/bvh.h>
#include <pawl/collision/mesh/mesh.h>

namespace pawl::internal {

/// How the solid bends where two pieces meet; open: there is one piece only.
enum class EdgeKind : unsigned char { open, convex, concave, flat };

/// Pieces, triangles or in planar worlds segments, that know their neighbours.
struct Surface {
  struct Piece {
    std::array<int, 3> corner;  // vertices; of a segment two, and -1
    /// Side k of a triangle goes from corner k to the next, counter-clockwise seen from outside. Of a segment
    /// the sides are its two ends, in the order of its corners, and the third is open.
    std::array<int, 3> neighbour{-1, -1, -1};  // the piece across side k; -1: none
    std::array<EdgeKind, 3> edge{};
    Vec3 normal;  // unit, out of the solid
  };
  bool planar = false;
  std::vector<Vec3> vertices;  // m
  Aabb bounds;                 // of all of them
  std::vector<Piece> pieces;
  std::vector<int> ring_begin;  // [vertices + 1] into ring
  std::vector<int> ring;        // vertices that share a side with each vertex, ascending
  Bvh tree;                     // of the pieces; empty of height fields

  struct Grid {
    int rows = 0, columns = 0;  // of heights; 0: no height field
    double spacing_x = 0, spacing_y = 0;
  } grid;
};

/// Of a mesh, open or closed. Throws Error where its triangles are no good or do not fit together.
Surface make_surface(const TriangleMesh& mesh);

/// The ground z ≤ h(x, y) under `heights`, row by row: that of row i, column j stands at x = j · spacing_x,
/// y = i · spacing_y. Each cell is cut from its corner (i, j) to (i + 1, j + 1).
Surface height_field(std::span<const double> heights, int rows, int columns, double spacing_x,
                     double spacing_y);

/// Segments from point to point in z = 0, with the solid to the right of who walks along them: ground is
/// drawn from left to right. `closed`: the last point is joined to the first.
Surface polyline_surface(std::span<const Vec3> points, bool closed);

Aabb bounding_box(const Surface& surface, int piece);

/// The normals of a side that is felt, square to it: cos θ · normal + sin θ · ahead, from the piece's own at
/// θ = 0 to `limit`: on a convex edge its neighbour's, on an open one straight out of the side.
struct SideArc {
  Vec3 normal, ahead;
  double limit;
};
SideArc side_arc(const Surface& surface, int piece, int side);

/// The normal that a contact at side k of a piece may have, nearest to `direction`: on a convex edge any from
/// the piece's own to its neighbour's, on an open one any from its own to straight out of its side. On flat
/// and concave ones there is only its own, so that a body that slides over an inner edge does not feel it.
Vec3 side_normal(const Surface& surface, int piece, int side, const Vec3& direction);

/// The same at corner k: `direction` itself where the solid lies behind the plane across it, as far as the
/// sides around the corner tell; else the nearest normal of the piece's two sides there. Of a segment the
/// corner is the side.
Vec3 corner_normal(const Surface& surface, int piece, int corner, const Vec3& direction);

/// Calls `found(piece)` for every piece whose own box overlaps `where`, each once, in an order that is always
/// the same. Allocates nothing.
template <class Found>
void for_each_piece_in(const Surface& surface, const Aabb& where, Found&& found) {
  const Surface::Grid& grid = surface.grid;
  if (grid.rows == 0) return surface.tree.for_each_overlapping(where, found);
  // The cells that the box reaches, one more to either side for rounding; `clamp` before the conversion, as
  // a box may be as large as it likes.
  const auto cell = [](double x, double spacing, int cells, int more) {
    return static_cast<int>(std::clamp(std::floor(x / spacing) + more, 0.0, static_cast<double>(cells)));
  };
  const int rows = grid.rows - 1, columns = grid.columns - 1;
  const int row_end = cell(where.high.y, grid.spacing_y, rows, 2);
  const int column_begin = cell(where.low.x, grid.spacing_x, columns, -1);
  const int column_end = cell(where.high.x, grid.spacing_x, columns, 2);
  for (int row = cell(where.low.y, grid.spacing_y, rows, -1); row < row_end; ++row) {
    for (int piece = 2 * (row * columns + column_begin); piece < 2 * (row * columns + column_end); ++piece) {
      if (overlap(bounding_box(surface, piece), where)) found(piece);
    }
  }
}

}  // namespace pawl::internal
