#pragma once
// Faces, lines and points of shapes laid against each other, feature by feature.

#include <cstdint>
#include <vector>

#include <pawl/geometry/convex.h>

namespace pawl {

/// Names of features of one shape, 32 bits: their kind and their number. Edges are named by their vertices,
/// so that both faces beside an edge agree on it.
std::uint32_t vertex_name(int vertex);
std::uint32_t edge_name(int from, int to);
std::uint32_t face_name(int face);
std::uint32_t curve_name(int number);  // whatever is no vertex, edge or face

/// The part of a core that faces a direction: a flat polygon (counter-clockwise from outside), a straight
/// line (also the side of a planar polygon) or a point. World axes.
struct Patch {
  struct Corner {
    Vec3 x;  // m
    std::uint32_t name = 0;
    std::uint32_t side = 0;  // name of the side to the next corner
  };
  std::vector<Corner> corners;
  std::uint32_t name = 0;
  Vec3 normal;         // outward, unit, where it lies in a plane
  bool flat = false;   // it does; a line in space does not
  bool round = false;  // its sides are chords of a rim, about `center`
  Vec3 center;
  double radius = 0;  // m
};

/// A face of a polytope; the whole of it where it has no faces. X takes its frame to the patch's.
void face_patch(const Polytope& polytope, const Pose& X, int face, Patch& patch);
/// The patch of any shape but an ellipsoid that faces a direction (world axes).
void facing_patch(const Convex& shape, const Pose& X, const Vec3& direction, Patch& patch);

/// Two features that meet, one of a reference patch r and one of an incident patch i.
struct Touch {
  double gap = 0;  // m
  Vec3 normal;     // unit, out of r into i
  Vec3 point_r, point_i;
  std::uint32_t name_r = 0, name_i = 0;
};

/// The corners of what two patches have in common, seen along the normal of the reference, which is flat:
/// vertices of either over the other's face, and edges that cross. Each gap is that of its two features:
/// along the face's normal, or the common normal of the edges. What lies outside by less than `tolerance` (m)
/// counts as inside.
void touching_corners(const Patch& reference, const Patch& incident, double tolerance,
                      std::vector<Touch>& touches);

/// Whether x lies over a flat patch, seen along its normal; outside by less than `tolerance` (m) counts.
bool lies_over(const Patch& patch, const Vec3& x, double tolerance);

/// The nearest points of two lines, given their unit common normal m from r to i.
Touch crossing_lines(const Vec3& start_r, const Vec3& along_r, const Vec3& start_i, const Vec3& along_i,
                     const Vec3& m);

}  // namespace pawl
