#pragma once
// Face clipping of two boxes, with four features to a SIMD register.

#include <array>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include <pawl/collision/distance/box_sat.h>

namespace pawl::internal {

/// The reference face, the better face of the two boxes, and the incident face of the other box. Coordinates
/// are in the axes of the reference's box, permuted so that z points out of the reference. The origin is the
/// centre of the reference.
struct BoxFaces {
  BoxFaces(const ObbPair& obbs, const ObbAxis& face);

  bool on_a;                     // the reference is a face of a
  int face_index, i_face_index;  // of the reference and of the incident face
  int x, y, z;                   // axes of the reference's box
  double up;                     // sign of the reference's normal along z
  double half_x, half_y;         // half side lengths of the reference, m
  double half_z;                 // distance of the reference from the centre of its box, m
  Vec3 middle;                   // centre of the incident face, m
  /// Components of three vectors of the incident face: half its sides along and across, m, and its outward
  /// normal.
  Vec4d i_x, i_y, i_z;
};

/// The range of accepted points, and its tolerances.
struct ClipRange {
  double from, to;        // gaps of the cores, m
  double tolerance;       // points outside by less count as inside, m
  double merge_distance;  // points closer than this are merged, m
};

/// One value for each of twelve clip points, four to a register.
template <class Four>
struct PerClipPoint {
  std::array<Four, 3> kinds;

  using Scalar = std::remove_cvref_t<decltype(Four{}[0])>;
  Scalar operator[](int clip_point) const {
    Scalar x;
    std::memcpy(&x,
                reinterpret_cast<const char*>(kinds.data()) + sizeof x * static_cast<std::size_t>(clip_point),
                sizeof x);
    return x;
  }
};

/// Selected clip points, as indices and as a bit mask.
struct ChosenClipPoints {
  std::array<int, 8> clip_points;
  int count = 0;
  unsigned all = 0;

  void add(int clip_point) {
    clip_points[count++] = clip_point;
    all |= 1U << clip_point;
  }
};

/// The corners of the intersection of the two faces as seen along z. They are those of PatchClipper, with the
/// same gaps, but all of one kind are computed at once. At most eight of the twelve exist.
class BoxFaceClip {
 public:
  // Each side of the incident face is clipped to the reference. It starts at its corner or at a crossing into
  // the reference, and ends at a crossing out of it. The third kind are corners of the reference.
  enum Kind { kStarts, kEnds, kReferenceCorners, kKinds };

  /// Both must outlive it; copies would stall on store forwarding.
  BoxFaceClip(const BoxFaces& faces, const ClipRange& range);

  int count() const { return std::popcount(all_); }
  double min_gap() const { return reduce_min(deepest_)[0]; }
  /// True if two of the points coincide.
  bool coincide() const { return may_coincide_ && has_coincident_points(); }
  /// Both functions fill an empty list in place; returning a copy would stall on store forwarding.
  void choose_all(ChosenClipPoints& chosen) const;
  /// Selects three or four of more than four points, as ManifoldBuilder does. Fewer if all are collinear.
  void choose_widest(double gap_rounding, double area_rounding, ChosenClipPoints& chosen) const;

  PerClipPoint<Vec4d> gap;            // m; NaN if the point does not exist
  PerClipPoint<Vec4d> x, y;           // point of the incident box, m; its z is gap · n_z
  PerClipPoint<Vec4d> n_x, n_y, n_z;  // normal, out of the reference
  PerClipPoint<Mask4> feature;        // of a and b, as in feature_pair_id

 private:
  struct Sides;
  struct Crossings;

  void admit(Kind kind, Vec4d gaps, Mask4 there);
  void mark_empty(Kind kind);
  void add_incident_corners(const Sides& sides);
  Mask4 add_crossings(Kind kind, const Sides& sides, const Crossings& crossings, Vec4d t, Mask4 over_x,
                      Mask4 over_y, Mask4 there);
  void add_reference_corners(unsigned which);
  bool has_coincident_points() const;
  int lowest_feature(unsigned clip_points) const;

  const BoxFaces& faces_;
  const ClipRange& range_;
  PerClipPoint<Vec4d> u_, v_;  // a's point, projected along z
  PerClipPoint<Mask4> valid_;
  unsigned all_ = 0;
  Vec4d deepest_ = broadcast(std::numeric_limits<double>::max());
  bool may_coincide_ = false;
};

}  // namespace pawl::internal
