#pragma once
// A convex polytope with its faces and edges, in the frame of its shape.

#include <array>
#include <vector>

#include <pawl/math.h>

namespace pawl::internal {

/// Vectors and offsets, four side by side, so that processors take four at once. What is left over in the
/// last four repeats the last vector.
struct Vec3x4 {
  std::array<double, 4> x{}, y{}, z{}, offset{};
};

/// The number of the vector v of the largest v · d, of several the first.
int argmax_dot(const std::vector<Vec3x4>& list, const Vec3& d);
/// The same for v · x - offset, the height of a point over planes; `heights` gets all, those left over too.
int argmax_height(const std::vector<Vec3x4>& list, const Vec3& x, double* heights);

/// Boxes, hulls, polygons of planar worlds, triangles of meshes, segments and single points are all
/// polytopes. Of those without volume, what has no meaning is empty: a segment has two vertices and one edge,
/// a triangle two faces back to back. A planar polygon lies in z = 0: its faces are its sides (loops of two
/// vertices, normals in the plane), and it has no edges, since only faces separate polygons in the plane.
struct Polytope {
  struct Face {
    Vec3 normal;             // unit, outward
    double offset = 0;       // normal · x = offset on the face, m
    int begin = 0, end = 0;  // its vertices: loops[begin … end), counter-clockwise seen from outside
    Vec3 middle;             // the mean of its vertices, m
    Vec3 along, across;      // axes in its plane: along × across = normal
  };
  /// The side of a face that begins at a vertex of its loop, in the axes along and across from the middle.
  struct Side {
    double u = 0, v = 0;        // where it begins, m
    double in_u = 0, in_v = 0;  // square to it, into the face; of a side of a polygon, to its other end; unit
    double offset = 0;          // in · x = offset on it, m
  };
  struct Edge {
    int from = 0, to = 0;       // vertices
    int left = -1, right = -1;  // faces, as seen from outside when going from `from` to `to`; -1: none
    double cosine = -1;         // of the angle between their normals
  };
  std::vector<Vec3> vertices;  // m
  std::vector<Face> faces;
  std::vector<int> loops;       // vertex numbers of all faces
  std::vector<Side> sides;      // [loops]
  std::vector<int> side_edges;  // [loops] the edge along each side; empty where there are no edges
  std::vector<Edge> edges;
  std::vector<int> neighbour_begin;  // [vertices + 1] into neighbours
  std::vector<int> neighbours;       // vertices that share an edge with each vertex, ascending
  /// Vertices (offset 0), and normals of faces with their offsets; empty where there are eight or less.
  std::vector<Vec3x4> vertex_blocks, face_blocks;
  double min_cosine = -1;   // of all edges
  Vec3 center;              // a point within, m: the mean of the vertices
  double inner_radius = 0;  // of the largest ball about `center` that fits; 0 of flat ones
  double outer_radius = 0;  // of the smallest ball about `center` that holds all
};

/// The number of the vertex farthest along a direction (the polytope's frame). In large polytopes the search
/// climbs from vertex to vertex, from `start`.
int farthest_vertex(const Polytope& polytope, const Vec3& direction, int start = 0);
/// The number of the face whose normal is the nearest to a direction; -1: there are no faces.
int aligned_face(const Polytope& polytope, const Vec3& direction);

/// Of the usual bodies; sizes must be positive and finite.
Polytope make_segment(double half_length, bool planar);  // along z, planar: along x
Polytope make_box(const Vec3& half, bool planar);
Polytope make_triangle(const Vec3& a, const Vec3& b, const Vec3& c);
/// Corners of a convex polygon in z = 0, counter-clockwise, no three in a line.
Polytope make_polygon(const std::vector<Vec3>& corners);
/// From vertices and the loops of their faces (each flat, convex, counter-clockwise from outside): the
/// planes, edges, neighbours, centre and radii.
Polytope make_polytope(std::vector<Vec3> vertices, const std::vector<std::vector<int>>& faces);
/// Sets what follows from the vertices and the normal of a face: offset, middle, axes and sides.
void update_face_geometry(Polytope& polytope, int face);

}  // namespace pawl::internal
