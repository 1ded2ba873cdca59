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

/// The dihedral angle of the solid where two pieces meet; open: there is only one piece.
enum class EdgeKind : unsigned char { open, convex, concave, flat };

/// Pieces (triangles, or segments in planar worlds) with their neighbours.
struct Surface {
  struct Piece {
    std::array<int, 3> corner;  // vertices; a segment has two, and -1
    /// Side k of a triangle goes from corner k to the next, counter-clockwise as seen from outside. The sides
    /// of a segment are its two ends, in the order of its corners; the third is open.
    std::array<int, 3> neighbour{-1, -1, -1};  // the piece across side k; -1: none
    std::array<EdgeKind, 3> edge{};
    Vec3 normal;  // unit, out of the solid
  };
  bool planar = false;
  std::vector<Vec3> vertices;  // m
  Aabb bounds;                 // of all vertices
  std::vector<Piece> pieces;
  std::vector<int> ring_begin;  // [vertices + 1], into ring
  std::vector<int> ring;        // vertices that share a side with each vertex, ascending
  Bvh tree;                     // of the pieces; empty for height fields

  struct Grid {
    int rows = 0, columns = 0;  // of heights; 0: not a height field
    double spacing_x = 0, spacing_y = 0;
  } grid;
};

/// From a mesh, open or closed. Throws Error if its triangles are invalid or do not fit together.
Surface make_surface(const TriangleMesh& mesh);

/// The ground z ≤ h(x, y) under `heights`, given row by row. Row i, column j is at x = j · spacing_x, y = i ·
/// spacing_y. Each cell is split along the diagonal from its corner (i, j) to (i + 1, j + 1).
Surface height_field(std::span<const double> heights, int rows, int columns, double spacing_x,
                     double spacing_y);

/// Segments from point to point in z = 0, with the solid on the right-hand side: ground is drawn from left to
/// right. `closed`: the last point is joined to the first.
Surface polyline_surface(std::span<const Vec3> points, bool closed);

Aabb bounding_box(const Surface& surface, int piece);

/// The normals of an active side, all perpendicular to it: cos θ · normal + sin θ · ahead, 0 ≤ θ ≤ limit. At
/// θ = 0 it is the normal of the piece. At the limit it is the neighbour's normal on a convex edge, and
/// straight out of the side on an open one.
struct SideArc {
  Vec3 normal, ahead;
  double limit;
};
SideArc side_arc(const Surface& surface, int piece, int side);

/// The admissible normal of a contact at side k of a piece that is nearest to `direction`. On convex and open
/// edges it is one of side_arc(). Flat and concave edges have only the piece's own normal, so that a body
/// sliding over an inner edge has no contact with it.
Vec3 side_normal(const Surface& surface, int piece, int side, const Vec3& direction);

/// The same at corner k: `direction` itself if the sides around the corner all lie behind the plane
/// perpendicular to it. Otherwise the nearest normal of the piece's two sides there. The corner of a segment
/// is its side.
Vec3 corner_normal(const Surface& surface, int piece, int corner, const Vec3& direction);

/// Calls `found(piece)` once for every piece whose AABB overlaps `where`, always in the same order. Allocates
/// nothing.
template <class Found>
void for_each_piece_in(const Surface& surface, const Aabb& where, Found&& found) {
  const Surface::Grid& grid = surface.grid;
  if (grid.rows == 0) return surface.tree.for_each_overlapping(where, found);
  // Cells that overlap the box, plus one on either side for rounding. Clamped before the conversion to int,
  // since the box may be arbitrarily large.
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
