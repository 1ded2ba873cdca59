#pragma once
// Contact patches: the faces, lines and points of shapes that touch each other.

#include <array>
#include <cstdint>
#include <vector>

#include <pawl/collision/shapes/core_ops.h>

namespace pawl::internal {

/// 32-bit ids of the features of one shape: kind and index. Edge ids are made from vertex indices, so that
/// both adjacent faces give the same id. The kind has two bits and the sign bit is free, because files store
/// ids as signed integers.
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
/// Features other than vertices, edges and faces.
constexpr std::uint32_t curve_id(int index) {
  return feature_id(3, static_cast<std::uint32_t>(index));
}
/// Curve indices of cylinders and cones; kNearest marks contacts from the witness points of `separation`.
struct CurveIndex {
  static constexpr int kCapBelow = 0, kCapAbove = 1, kEndBelow = 2, kEndAbove = 3, kSide = 4;
  static constexpr int kRimPoints = 64, kRimChords = 96;  // first index of each range
  static constexpr int kNearest = 0xffff;
};
inline constexpr std::uint32_t kNearestId = curve_id(CurveIndex::kNearest);

/// The part of a core that faces a direction: a flat polygon (counter-clockwise from outside), a straight
/// line (also the side of a planar polygon) or a point.
struct Patch {
  struct Corner {
    Vec3 x;  // m
    std::uint32_t id = 0;
    std::uint32_t side = 0;  // id of the side to the next corner
  };
  std::vector<Corner> corners;
  std::uint32_t id = 0;
  Vec3 normal;         // outward, unit; set if `flat`
  bool flat = false;   // has a normal; an edge in space does not
  bool round = false;  // its sides are chords of a rim about `center`
  Vec3 center;
  double radius = 0;  // m
};

/// The patch of a polytope's face. For face < 0 the polytope has no faces, and the segment or point is its
/// own patch. X maps the shape's frame to the patch's frame.
void set_face_patch(const Polytope& polytope, const Pose& X, int face, Patch& patch);
/// The lower (0) or upper (1) cap, represented by eight points of its rim.
void set_cap_patch(const Rim& rim, const Pose& X, int cap, Patch& patch);
/// The line on the side between two rims that faces a direction (shape frame), from bottom to top.
void set_side_patch(const Rim& below, const Rim& above, const Pose& X, const Vec3& direction, Patch& patch);

/// The patch of a shape that faces a direction; smooth cores have none. X maps the shape's frame to the frame
/// of the patch and the direction.
inline void facing_patch(const Convex& shape, const Pose& X, const Vec3& direction, Patch& patch) {
  core_ops(shape).facing_patch(shape, X, transpose(X.R) * direction, patch);
}

/// Index of the flat part of a core that faces a direction (shape frame): the face of a polytope, or the cap
/// (0 lower, 1 upper). Returns -1 if a line or a point faces it.
inline int facing_face(const Convex& shape, const Vec3& direction) {
  return core_ops(shape).facing_face(shape, direction);
}

/// Signed distance of a point (face frame) from a side, m; positive inside.
inline double distance_inside(const Polytope::Side& side, const Vec3& x) {
  return side.in_u * x.x + side.in_v * x.y - side.offset;
}

/// The reference face of a manifold: a face of a polytope, a cap, or a side of a planar polygon. Its frame
/// has the middle of the face as origin and the normal along z.
class Reference {
 public:
  Reference() = default;
  Reference(const Reference&) = delete;
  Reference& operator=(const Reference&) = delete;

  /// X maps the shape's frame to the frame in which the reference is placed. The polytope must outlive the
  /// reference.
  void set_face(const Polytope& polytope, const Pose& X, int face);
  void set_cap(const Rim& rim, const Pose& X, int cap);

  Pose X;  // pose of its frame
  std::uint32_t id = 0;
  bool round = false;  // a cap: its sides are chords of the rim
  double radius = 0;   // rim radius, m

  int count() const { return count_; }
  const Polytope::Side& side(int k) const { return sides_[k]; }
  int next(int k) const { return k + 1 < count_ ? k + 1 : 0; }
  std::uint32_t corner_id(int k) const;
  std::uint32_t side_id(int k) const;
  /// Signed distance of a point (reference frame) from side k, m; positive inside.
  double height(int k, const Vec3& x) const { return distance_inside(sides_[k], x); }
  /// True if a point (reference frame) projects into the face, or outside by at most `tolerance` (m).
  bool contains_projection(const Vec3& x, double tolerance) const;

 private:
  const Polytope::Side* sides_ = nullptr;
  int count_ = 0;
  const int* loop_ = nullptr;  // vertex indices; null for a cap
  int cap_ = 0;
  std::array<Polytope::Side, 8> rim_;
};

}  // namespace pawl::internal
