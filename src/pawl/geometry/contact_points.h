#pragma once
// Contacts of one pair while they are collected, and the choice of those that are kept.

#include <vector>

#include <pawl/geometry/contact_patch.h>
#include <pawl/geometry/contact_set.h>

namespace pawl {

/// The features of both shapes in one number.
inline std::uint64_t feature_of(std::uint32_t name_a, std::uint32_t name_b) {
  return (static_cast<std::uint64_t>(name_a) << 32) | name_b;
}

/// Gaps that differ by less than this times the size of both shapes are as deep.
inline constexpr double kGapRounding = 1e-13;
/// Areas that differ by less than this times the square of the smaller shape are as wide.
inline constexpr double kAreaRounding = 1e-9;
/// Points nearer to each other than this times the smaller shape carry as one.
inline constexpr double kSamePlace = 1e-6;

/// Features are told by their cores; the margins are added here.
class ContactPoints {
 public:
  /// Empty again. Points are given in a frame, X, relative to `origin`, in the world's axes; those farther
  /// apart than reach are left out. `size` is that of both shapes together, which rounds their gaps, `extent`
  /// that of the smaller one, m.
  void start(const Vec3& origin, const Pose& X, double margin_a, double margin_b, double reach, double size,
             double extent);

  /// The square of the farthest that two cores may be apart, m².
  double core_reach2() const {
    const double reach = reach_ + margin_a_ + margin_b_;
    return reach > 0 ? reach * reach : 0;
  }

  /// Of the cores, in the frame: the normal goes out of b into a.
  void add(double core_gap, const Vec3& normal, const Vec3& core_a, const Vec3& core_b, std::uint32_t name_a,
           std::uint32_t name_b) {
    const double gap = core_gap - margin_a_ - margin_b_;
    if (gap <= reach_) points_.push_back({gap, normal, core_a, core_b, feature_of(name_a, name_b)});
  }
  /// Of the cores, in the world's axes relative to the origin.
  void add_placed(double core_gap, const Vec3& normal, const Vec3& core_a, const Vec3& core_b,
                  std::uint32_t name_a, std::uint32_t name_b);
  /// Of the shapes themselves, in the world.
  void add(const Separation& pair, std::uint32_t name_a, std::uint32_t name_b);
  /// Says that all so far are corners of a polygon, one after the other: only next ones can be in one place.
  void close_ring() { ring_ = points_.size(); }
  /// As it is, in the frame.
  void add(const ContactPoint& point) { points_.push_back(point); }

  /// Leaves out what is deeper than the pair's own gap by more than rounding.
  void drop_below(double gap);
  /// Whether one has this gap or less, but for rounding.
  bool reach_down_to(double gap) const;

  /// The normal of the one of least gap, in the frame; zero where there is none.
  Vec3 normal_of_deepest() const;

  /// Keeps at most `most`: the deepest, then those that widen the polygon of all the most. `normal`, in the
  /// frame, is the direction along which that polygon is seen. `mirrored` gives them as those of (b, a).
  void choose(const Vec3& normal, int most, bool mirrored, ContactSet& set);

 private:
  /// A point as it is seen along the normal.
  struct Candidate {
    double u = 0, v = 0, gap = 0;  // m
    int number = 0;                // of points_
    bool picked = false;
    double wide = 0;  // by the measure of the last search, m²
  };
  struct Polygon;

  void flatten(const Vec3& normal);
  void merge_neighbours();
  int pick_widest(int most, std::array<int, ContactSet::kMost>& picked);
  template <class Measure>
  Candidate* widest(Measure measure);
  bool are_same(const Candidate& x, const Candidate& y) const;
  bool goes_first(const Candidate& x, const Candidate& y) const;
  std::uint64_t feature(const Candidate& x) const { return points_[x.number].feature; }
  ContactPoint placed(const ContactPoint& core) const;

  std::vector<ContactPoint> points_;  // of the cores, in the frame; in the order they came
  std::size_t ring_ = 0;              // so many of them are corners of a polygon, one after the other
  std::vector<Candidate> candidates_;
  Vec3 origin_;
  Pose X_;
  double margin_a_ = 0, margin_b_ = 0, reach_ = 0, extent_ = 0;
  double rounding_ = 0;  // what two gaps may differ by and still be equal, m
};

}  // namespace pawl
