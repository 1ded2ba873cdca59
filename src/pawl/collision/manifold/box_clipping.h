#pragma once
// Faces of two boxes that lie on each other, and what of them touches: four features to a register.

#include <array>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include <pawl/collision/distance/box_sat.h>

namespace pawl::internal {

/// The better face of two boxes, the reference, and the face of the other box that faces it, the incident
/// one. They are seen in the axes of the reference's box, in an order that makes z the one out of it, with
/// the origin in the middle of the reference.
struct BoxFaces {
  BoxFaces(const ObbPair& obbs, const ObbAxis& face);

  bool on_a;                     // the reference is a face of a
  int face_index, i_face_index;  // of the reference and of the incident face
  int x, y, z;                   // axes of its box
  double up;                     // the sign of its side
  double half_x, half_y;         // half its sides, m
  double half_z;                 // how far it is from the middle of its box, m
  Vec3 middle;                   // of the incident face, m
  /// The x, y and z of three vectors of the incident face: half its sides along and across, m, and its
  /// outward normal.
  Vec4d i_x, i_y, i_z;
};

/// The features that count as touching.
struct ClipRange {
  double from, to;        // gaps of the cores, m
  double tolerance;       // what lies outside by less is inside, m
  double merge_distance;  // points nearer than this are one, m
};

/// One number of each of twelve touches, four to a register.
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

/// Some of the touches, by their numbers and a bit each.
struct ChosenClipPoints {
  std::array<int, 8> clip_points;
  int count = 0;
  unsigned all = 0;

  void add(int clip_point) {
    clip_points[count++] = clip_point;
    all |= 1U << clip_point;
  }
};

/// The corners of what the two faces have in common, seen along z: those that PatchClipper finds, with the
/// same gaps, but all of a kind at once. Up to eight of the twelve are there.
class BoxFaceClip {
 public:
  // Where what is left of the sides of the incident face begins: at its corner, or where it comes in over a
  // side of the reference; where sides go out over one; corners of the reference.
  enum Kind { kStarts, kEnds, kReferenceCorners, kKinds };

  /// Both must outlive it: a copy of numbers just written would wait for them.
  BoxFaceClip(const BoxFaces& faces, const ClipRange& range);

  int count() const { return std::popcount(all_); }
  double min_gap() const { return reduce_min(deepest_)[0]; }
  /// Whether two of them are in one place.
  bool coincide() const { return may_coincide_ && has_coincident_points(); }
  /// Both into an empty list: a copy of it would wait for what was just written.
  void choose_all(ChosenClipPoints& chosen) const;
  /// Three or four of more than four, as ManifoldBuilder picks them; none where all are in one line.
  void choose_widest(double gap_rounding, double area_rounding, ChosenClipPoints& chosen) const;

  PerClipPoint<Vec4d> gap;            // no number where there is none, m
  PerClipPoint<Vec4d> x, y;           // the point of the incident box; its z is gap · n_z, m
  PerClipPoint<Vec4d> n_x, n_y, n_z;  // the normal out of the reference
  PerClipPoint<Mask4> feature;        // of a and b, as feature_pair_id has it

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
  PerClipPoint<Vec4d> u_, v_;  // a's point as it is seen along z
  PerClipPoint<Mask4> valid_;
  unsigned all_ = 0;
  Vec4d deepest_ = broadcast(std::numeric_limits<double>::max());
  bool may_coincide_ = false;
};

}  // namespace pawl::internal
