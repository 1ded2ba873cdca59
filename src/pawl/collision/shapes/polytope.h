#pragma once
// A convex polytope with its faces and edges, in the frame of its shape.

#include <array>
#include <vector>

#include <pawl/math.h>

namespace pawl::internal {

/// Four vectors and offsets in SIMD layout. Unused slots of the last block repeat the last vector.
struct Vec3x4 {
  std::array<double, 4> x{}, y{}, z{}, offset{};
};

/// The index of the vector v with the largest v · d; the first on ties.
int argmax_dot(const std::vector<Vec3x4>& list, const Vec3& d);
/// The same for v · x - offset, the height of a point above planes. All heights are written to `heights`,
/// [4 · list], unused slots included.
int argmax_height(const std::vector<Vec3x4>& list, const Vec3& x, double* heights);

/// Boxes, hulls, polygons of planar worlds, triangles of meshes, segments and single points are all
/// polytopes. Members that do not apply to flat polytopes are empty: a segment has two vertices and one edge,
/// a triangle two faces back to back. A planar polygon lies in z = 0. Its faces are its sides (loops of two
/// vertices, normals in the plane). It has no edges, since face normals suffice to separate planar polygons.
struct Polytope {
  struct Face {
    Vec3 normal;             // unit, outward
    double offset = 0;       // normal · x = offset on the face, m
    int begin = 0, end = 0;  // vertices loops[begin … end), counter-clockwise seen from outside
    Vec3 middle;             // the mean of its vertices, m
    Vec3 along, across;      // axes in its plane: along × across = normal
  };
  /// The side of a face that starts at a vertex of its loop, in the axes (along, across) about the middle.
  struct Side {
    double u = 0, v = 0;        // start point, m
    double in_u = 0, in_v = 0;  // unit inward normal; for a side of a polygon: towards its other end
    double offset = 0;          // in · x = offset on the side, m
  };
  struct Edge {
    int from = 0, to = 0;       // vertices
    int left = -1, right = -1;  // faces, as seen from outside when going from `from` to `to`; -1: none
    double cosine = -1;         // of the angle between their normals
  };
  std::vector<Vec3> vertices;  // m
  std::vector<Face> faces;
  std::vector<int> loops;       // vertex indices of all faces
  std::vector<Side> sides;      // [loops]
  std::vector<int> side_edges;  // [loops] edge index of each side; empty if there are no edges
  std::vector<Edge> edges;
  std::vector<int> neighbour_begin;  // [vertices + 1] into neighbours
  std::vector<int> neighbours;       // vertices that share an edge with each vertex, ascending
  /// Vertices (offset 0), and face normals with offsets; empty for eight or fewer.
  std::vector<Vec3x4> vertex_blocks, face_blocks;
  double min_cosine = -1;   // over all edges
  Vec3 center;              // mean of the vertices, m
  double inner_radius = 0;  // largest ball about `center` inside, m; 0 if flat
  double outer_radius = 0;  // smallest ball about `center` that contains all vertices, m
};

/// The index of the support vertex along a direction (polytope frame). For large polytopes the search is hill
/// climbing from `start`.
int farthest_vertex(const Polytope& polytope, const Vec3& direction, int start = 0);
/// The index of the face whose normal is best aligned with a direction; -1 if there are no faces.
int aligned_face(const Polytope& polytope, const Vec3& direction);

/// Standard polytopes; sizes must be positive and finite.
Polytope make_segment(double half_length, bool planar);  // along z, planar: along x
Polytope make_box(const Vec3& half, bool planar);
Polytope make_triangle(const Vec3& a, const Vec3& b, const Vec3& c);
/// The corners form a convex polygon in z = 0, counter-clockwise, no three collinear.
Polytope make_polygon(const std::vector<Vec3>& corners);
/// Builds a polytope from vertices and face loops, each flat, convex and counter-clockwise from outside.
/// Computes planes, edges, neighbours, centre and radii.
Polytope make_polytope(std::vector<Vec3> vertices, const std::vector<std::vector<int>>& faces);
/// Recomputes offset, middle, axes and sides of a face from its vertices and normal.
void update_face_geometry(Polytope& polytope, int face);

}  // namespace pawl::internal
