#pragma once
// Contacts of one pair while they are collected, and the choice of those that are kept.

#include <vector>

#include <pawl/geometry/contact_patch.h>
#include <pawl/geometry/contact_set.h>

namespace pawl {

/// A contact point as it is seen along a normal, m.
struct FlatPoint {
  double u = 0, v = 0;
  bool picked = false;
};

/// Features are told by their cores; the margins are added here.
class ContactPoints {
 public:
  /// Empty again. Points are given relative to `origin`; those farther apart than reach are left out. `size`
  /// is that of both shapes together, which rounds their gaps, `extent` that of the smaller one, m.
  void start(const Vec3& origin, double margin_a, double margin_b, double reach, double size, double extent);

  /// Of the cores: the normal goes out of b into a.
  void add(double core_gap, const Vec3& normal, const Vec3& core_a, const Vec3& core_b, std::uint32_t name_a,
           std::uint32_t name_b);
  /// Of the shapes themselves.
  void add(const Separation& pair, std::uint32_t name_a, std::uint32_t name_b);
  void add(const ContactPoint& point) { points_.push_back(point); }

  /// Leaves out what is deeper than the pair's own gap by more than rounding.
  void drop_below(double gap);
  /// Whether one has this gap or less, but for rounding.
  bool reach_down_to(double gap) const;

  /// Keeps at most `most`: the deepest, then those that widen the polygon of all the most. `normal` is the
  /// direction along which that polygon is seen.
  void choose(const Vec3& normal, int most, ContactSet& set);

 private:
  void flatten(const Vec3& normal);
  void pick_widest(int most);
  void merge_neighbours();

  std::vector<ContactPoint> points_;
  std::vector<FlatPoint> flat_;
  Vec3 origin_;
  double margin_a_ = 0, margin_b_ = 0, reach_ = 0, extent_ = 0;
  double rounding_ = 0;  // what two gaps may differ by and still be equal, m
};

/// The features of both shapes in one number.
std::uint64_t feature_of(std::uint32_t name_a, std::uint32_t name_b);

}  // namespace pawl
