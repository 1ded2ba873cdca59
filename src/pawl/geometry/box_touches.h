#pragma once
// Faces of two boxes that lie on each other, and what of them touches: four features to a register.

#include <array>
#include <cstdint>
#include <cstring>
#include <type_traits>

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
  Vec3 middle;            // of the incident face, m
  /// The x, y and z of three vectors of the incident face: half its sides along and across, m, and its
  /// outward normal.
  Lanes i_x, i_y, i_z;
};

/// The features that count as touching.
struct TouchRange {
  double from, to;   // gaps of the cores, m
  double tolerance;  // what lies outside by less is inside, m
  double same;       // points nearer than this are one, m
};

/// One number of each of twelve touches, four to a register.
template <class Four>
struct OfTouches {
  std::array<Four, 3> kinds;

  using Number = std::remove_cvref_t<decltype(Four{}[0])>;
  Number operator[](int touch) const {
    Number x;
    std::memcpy(&x, reinterpret_cast<const char*>(kinds.data()) + sizeof x * static_cast<std::size_t>(touch),
                sizeof x);
    return x;
  }
};

/// Some of the touches, by their numbers and a bit each.
struct ChosenTouches {
  std::array<int, 8> touches;
  int count = 0;
  unsigned all = 0;

  void add(int touch) {
    touches[count++] = touch;
    all |= 1U << touch;
  }
};

/// The corners of what the two faces have in common, seen along z: those that PatchClipper finds, with the
/// same gaps, but all of a kind at once. Up to eight of the twelve are there.
class BoxTouches {
 public:
  // Where what is left of the sides of the incident face begins: at its corner, or where it comes in over a
  // side of the reference; where sides go out over one; corners of the reference.
  enum Kind { kStarts, kEnds, kCornersBelow, kKinds };

  /// Both must outlive it: a copy of numbers just written would wait for them.
  BoxTouches(const BoxFaces& faces, const TouchRange& range);

  int count() const { return std::popcount(all_); }
  double least_gap() const { return least(deepest_)[0]; }
  /// Whether two of them are in one place.
  bool coincide() const { return may_coincide_ && some_are_same(); }
  /// Both into an empty list: a copy of it would wait for what was just written.
  void choose_all(ChosenTouches& chosen) const;
  /// Three or four of more than four, as ContactPoints picks them; none where all are in one line.
  void choose_widest(double gap_rounding, double area_rounding, ChosenTouches& chosen) const;

  OfTouches<Lanes> gap;            // no number where there is none, m
  OfTouches<Lanes> x, y;           // the point of the incident box; its z is gap · n_z, m
  OfTouches<Lanes> n_x, n_y, n_z;  // the normal out of the reference
  OfTouches<LaneMask> feature;     // of a and b, as feature_of has it

 private:
  struct Sides;
  struct Crossings;

  void admit(Kind kind, Lanes gaps, LaneMask there);
  void leave_out(Kind kind);
  void add_corners(const Sides& sides);
  LaneMask add_crossings(Kind kind, const Sides& sides, const Crossings& crossings, Lanes t, LaneMask over_x,
                         LaneMask over_y, LaneMask there);
  void add_corners_below(unsigned which);
  bool some_are_same() const;
  int first_of(unsigned touches) const;

  const BoxFaces& faces_;
  const TouchRange& range_;
  OfTouches<Lanes> u_, v_;  // a's point as it is seen along z
  OfTouches<LaneMask> valid_;
  unsigned all_ = 0;
  Lanes deepest_ = all_lanes(std::numeric_limits<double>::max());
  bool may_coincide_ = false;
};

}  // namespace pawl
