#pragma once
// Faces of two boxes that lie on each other, and what of them touches: four features to a register.

#include <array>
#include <cstdint>

#include <pawl/geometry/brick_axes.h>

namespace pawl {

/// The better face of two boxes, the reference, and the face of the other box that faces it, the incident
/// one. They are seen in the axes of the reference's box, in an order that makes z the one out of it, with
/// the origin in the middle of the reference.
struct BoxFaces {
  BoxFaces(const BrickPair& bricks, const BrickAxis& face);

  bool on_a;              // the reference is a face of a
  int number, i_number;   // of the reference and of the incident face
  int x, y, z;            // axes of its box
  double up;              // the sign of its side
  double half_x, half_y;  // half its sides, m
  double half_z;          // how far it is from the middle of its box, m
  int i_x, i_y, i_z;      // axes of the incident box
  double facing;          // the sign of its side
  Vec3 normal;            // of the incident face, outward
  Vec3 middle;            // of that face, m
  Vec3 along, across;     // half its sides, m
};

/// The features that count as touching.
struct TouchRange {
  double from, to;   // gaps of the cores, m
  double tolerance;  // what lies outside by less is inside, m
  double same;       // points nearer than this are one, m
};

/// Four at a time, features that meet: their gap (infinite where they do not), the point of the incident box,
/// and the normal out of the reference.
struct FourTouches {
  Lanes gap, x, y, z;
  Lanes n_x, n_y, n_z;
  Lanes u, v;  // a's point as it is seen along z
  LaneMask valid;
};

/// The corners of what the two faces have in common, seen along z: those that PatchClipper finds, with the
/// same gaps, but all of a kind at once. Up to eight of the sixteen are there.
class BoxTouches {
 public:
  /// Both must outlive it: a copy of numbers just written would wait for them.
  BoxTouches(const BoxFaces& faces, const TouchRange& range);

  /// Those that are there, a bit each.
  unsigned all() const { return all_; }
  double least_gap() const { return least(deepest_)[0]; }
  /// Whether two of them are in one place.
  bool coincide() const { return may_coincide_ && some_are_same(); }
  /// Three or four of them, as ContactPoints picks them; none where all are in one line.
  unsigned four_widest(double gap_rounding, double area_rounding) const;

  std::uint64_t feature(int touch) const;
  const FourTouches& kind_of(int touch) const { return kinds_[touch / 4]; }

 private:
  /// Which side of the reference cuts, bits of lanes.
  struct Cuts {
    unsigned on_x;   // rather than on y
    unsigned above;  // at +half_x, +half_y
  };

  // Corners of the incident face; where its sides come into the reference's rectangle, where they leave it;
  // corners of the reference.
  enum Kind { kCorners, kEntries, kExits, kCornersBelow, kKinds };

  void admit(Kind kind, LaneMask there);
  void add_crossings(Kind kind, Lanes t, LaneMask on_x, LaneMask there);
  void add_corners_below(unsigned which);
  bool some_are_same() const;
  template <class Measure>
  int widest(unsigned picked, double rounding, Measure measure) const;
  int first_of(unsigned touches) const;

  const BoxFaces& faces_;
  const TouchRange& range_;
  std::array<FourTouches, kKinds> kinds_;
  int count_ = 1;  // kinds there are
  unsigned all_ = 0;
  Lanes deepest_ = all_lanes(std::numeric_limits<double>::infinity());
  Lanes d_x_, d_y_, d_z_;  // the sides of the incident face, m
  Cuts entries_, exits_;
  bool may_coincide_ = false;
};

}  // namespace pawl
