#pragma once
// Faces, lines and points of shapes laid against each other, feature by feature.

#include <cstdint>
#include <vector>

#include <pawl/geometry/convex.h>

namespace pawl {

/// Names of features of one shape, 32 bits: their kind and their number. Edges are named by their vertices,
/// so that both faces beside an edge agree on it. Two bits for the kind: files keep features as signed
/// numbers.
constexpr std::uint32_t feature_name(std::uint32_t kind, std::uint32_t number) {
  return (kind << 29) | (number & ((1u << 29) - 1));
}
constexpr std::uint32_t vertex_name(int vertex) {
  return feature_name(0, static_cast<std::uint32_t>(vertex));
}
constexpr std::uint32_t edge_name(int from, int to) {
  const auto low = static_cast<std::uint32_t>(from < to ? from : to);
  const auto high = static_cast<std::uint32_t>(from < to ? to : from);
  return feature_name(1, (low << 15) ^ high);
}
constexpr std::uint32_t face_name(int face) {
  return feature_name(2, static_cast<std::uint32_t>(face));
}
/// Whatever is no vertex, edge or face.
constexpr std::uint32_t curve_name(int number) {
  return feature_name(3, static_cast<std::uint32_t>(number));
}

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
  /// Of a flat one, [corners]: from each side into the patch, unit, as Polytope::inward; the shape's axes,
  /// which R takes to the world's.
  const Vec3* inward = nullptr;
  Mat3 R;
};

/// A face of a polytope; the whole of it where it has no faces. X takes its frame to the patch's. The patch
/// is good for as long as the polytope stays.
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

/// Lays patches on each other; keeps its memory from call to call.
class PatchClipper {
 public:
  /// The corners of what two patches have in common, seen along the normal of the reference, which is flat:
  /// vertices of either over the other's face, and edges that cross. Each gap is that of its two features:
  /// along the face's normal, or the common normal of the edges. What lies outside by less than `tolerance`
  /// (m) counts as inside. The answer stands until the next call.
  const std::vector<Touch>& touching_corners(const Patch& reference, const Patch& incident, double tolerance);

 private:
  /// A side of the polygon that is left so far: of the incident patch, or one along which the reference cut.
  struct Side {
    int number = 0;
    bool of_reference = false;
  };
  struct Corner {
    Vec3 x;
    Side next;
    double height = 0;  // over the plane that cuts
  };

  void clip(const Patch& reference, const Patch& incident, double tolerance);
  void add_touch_at(const Patch& reference, const Patch& incident, const Side& before, const Corner& corner);
  void add_line(const Patch& reference, const Patch& incident, double tolerance);
  void add_vertex_under_incident(const Patch& reference, const Patch& incident, const Patch::Corner& corner);
  void add_crossing_sides(const Patch& reference, const Patch& incident, int r, int i, const Vec3& x);

  std::vector<Corner> polygon_, left_;
  std::vector<Touch> touches_;
};

/// Whether x lies over a flat patch, seen along its normal; outside by less than `tolerance` (m) counts.
bool lies_over(const Patch& patch, const Vec3& x, double tolerance);

/// The nearest points of two lines, given their unit common normal m from r to i.
Touch crossing_lines(const Vec3& start_r, const Vec3& along_r, const Vec3& start_i, const Vec3& along_i,
                     const Vec3& m);

}  // namespace pawl
