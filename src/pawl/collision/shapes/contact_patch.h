#pragma once
// The faces, lines and points of shapes with which they lie against each other.

#include <array>
#include <cstdint>
#include <vector>

#include <pawl/collision/shapes/core_ops.h>

namespace pawl::internal {

/// Names of features of one shape, 32 bits: their kind and their number. Edges are named by their vertices,
/// so that both faces beside an edge agree on it. Two bits for the kind: files keep features as signed
/// numbers.
constexpr std::uint32_t feature_id(std::uint32_t kind, std::uint32_t index) {
  return (kind << 29) | (index & ((1u << 29) - 1));
}
constexpr std::uint32_t vertex_id(int vertex) {
  return feature_id(0, static_cast<std::uint32_t>(vertex));
}
constexpr std::uint32_t edge_id(int from, int to) {
  const auto low = static_cast<std::uint32_t>(from < to ? from : to);
  const auto high = static_cast<std::uint32_t>(from < to ? to : from);
  return feature_id(1, (low << 15) ^ high);
}
constexpr std::uint32_t face_id(int face) {
  return feature_id(2, static_cast<std::uint32_t>(face));
}
/// Whatever is no vertex, edge or face.
constexpr std::uint32_t curve_id(int index) {
  return feature_id(3, static_cast<std::uint32_t>(index));
}
/// The numbers of curves: of cylinders and cones, and where `separation` alone says that shapes are nearest.
struct CurveIndex {
  static constexpr int kCapBelow = 0, kCapAbove = 1, kEndBelow = 2, kEndAbove = 3, kSide = 4;
  static constexpr int kRimPoints = 64, kRimChords = 96;  // the first ones
  static constexpr int kNearest = 0xffff;
};
inline constexpr std::uint32_t kNearestId = curve_id(CurveIndex::kNearest);

/// The part of a core that faces a direction: a flat polygon (counter-clockwise from outside), a straight
/// line (also the side of a planar polygon) or a point.
struct Patch {
  struct Corner {
    Vec3 x;  // m
    std::uint32_t id = 0;
    std::uint32_t side = 0;  // name of the side to the next corner
  };
  std::vector<Corner> corners;
  std::uint32_t id = 0;
  Vec3 normal;         // outward, unit, where it lies in a plane
  bool flat = false;   // it does; a line in space does not
  bool round = false;  // its sides are chords of a rim, about `center`
  Vec3 center;
  double radius = 0;  // m
};

/// A face of a polytope; face < 0: the polytope has none, and a segment or a point is its own patch. X takes
/// the shape's frame to that of the patch.
void set_face_patch(const Polytope& polytope, const Pose& X, int face, Patch& patch);
/// The cap below (0) or above (1), within its rim, told by eight points.
void set_cap_patch(const Rim& rim, const Pose& X, int cap, Patch& patch);
/// The straight line of the side between two rims that faces a direction (shape frame), from below up.
void set_side_patch(const Rim& below, const Rim& above, const Pose& X, const Vec3& direction, Patch& patch);

/// The patch of a shape that faces a direction; smooth cores have none. X takes the shape's frame to that of
/// the patch and the direction.
inline void facing_patch(const Convex& shape, const Pose& X, const Vec3& direction, Patch& patch) {
  core_ops(shape).facing_patch(shape, X, transpose(X.R) * direction, patch);
}

/// Which flat part of a core faces a direction (the shape's frame), if one does: the number of a polytope's
/// face, or 0 and 1 for the caps below and above; -1 where it is a line or a point.
inline int facing_face(const Convex& shape, const Vec3& direction) {
  return core_ops(shape).facing_face(shape, direction);
}

/// How far within a side a point of its face's frame lies, m.
inline double distance_inside(const Polytope::Side& side, const Vec3& x) {
  return side.in_u * x.x + side.in_v * x.y - side.offset;
}

/// A flat part of a core, on which others are laid: a face of a polytope, a cap, or a side of a planar
/// polygon. It has a frame of its own, with its middle in the origin and its normal along z.
class Reference {
 public:
  Reference() = default;
  Reference(const Reference&) = delete;
  Reference& operator=(const Reference&) = delete;

  /// X takes the shape's frame to that in which the reference is placed. Good for as long as the polytope is.
  void set_face(const Polytope& polytope, const Pose& X, int face);
  void set_cap(const Rim& rim, const Pose& X, int cap);

  Pose X;  // of its frame
  std::uint32_t id = 0;
  bool round = false;  // a cap: its sides are chords of the rim
  double radius = 0;   // of the rim, m

  int count() const { return count_; }
  const Polytope::Side& side(int k) const { return sides_[k]; }
  int next(int k) const { return k + 1 < count_ ? k + 1 : 0; }
  std::uint32_t corner_id(int k) const;
  std::uint32_t side_id(int k) const;
  /// How far within side k a point of its frame lies, m.
  double height(int k, const Vec3& x) const { return distance_inside(sides_[k], x); }
  /// Whether a point of its frame lies over it; outside by less than `tolerance` (m) counts.
  bool contains_projection(const Vec3& x, double tolerance) const;

 private:
  const Polytope::Side* sides_ = nullptr;
  int count_ = 0;
  const int* loop_ = nullptr;  // the numbers of its vertices
  int cap_ = 0;
  std::array<Polytope::Side, 8> rim_;
};

}  // namespace pawl::internal
